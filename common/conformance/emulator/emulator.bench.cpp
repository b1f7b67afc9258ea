// How fast the emulator runs without a trace: the sum of 2^20 floats in 4096 blocks of 256, on one and two threads, and
// with every check or that of races alone on.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "common/check/checker.hpp"
#include "common/conformance/emulator/run_case.hpp"

int main() {
    using namespace lanewise;
    constexpr int kValues = 1 << 20;
    constexpr int kSamples = 21;
    std::vector<float> in(kValues);
    double reference = 0;
    std::uint32_t state = 1;
    for (auto& value : in) {
        state = state * 1664525u + 1013904223u;
        reference += value = static_cast<float>(state >> 24);
    }
    constexpr int kChecked = 0, kRaces = -1;   // on one thread
    const auto with_all_checks = check::make_emulator(), with_races = check::make_emulator_of_races();
    std::printf("%-14s %8s %12s %12s %12s %14s\n", "kernel", "threads", "median ms", "5 % ms", "95 % ms", "error");
    for (const char* kernel : {"sum_tree", "sum_two_level"})
        for (const int threads : {1, 2, kChecked, kRaces}) {
            const auto& machine = threads == kRaces ? with_races : with_all_checks;
            launch::Plan plan;
            const auto a = plan.input("in", in);
            const auto b = plan.output<float>("out", 1);
            plan.launch(kernel, "256", {kValues / 256}, {256}, a, b, kValues);
            std::vector<double> samples;
            double error = 0;
            for (int i = 0; i < kSamples; ++i) {
                const auto begin = std::chrono::steady_clock::now();
                launch::Request request;
                request.threads = threads;
                request.checks = threads == kChecked || threads == kRaces;
                const auto outcome = machine->run(plan, emu::testing::kernels(), request);
                const auto end = std::chrono::steady_clock::now();
                samples.push_back(std::chrono::duration<double, std::milli>(end - begin).count());
                error = emu::testing::bytes_as<float>(outcome.buffers[1])[0] - reference;
            }
            std::sort(samples.begin(), samples.end());
            const std::string how = threads == kChecked ? "checked"
                                    : threads == kRaces ? "races"
                                                        : std::to_string(threads);
            std::printf("%-14s %8s %12.1f %12.1f %12.1f %14g\n", kernel, how.c_str(), samples[kSamples / 2],
                        samples[kSamples / 20], samples[kSamples - 1 - kSamples / 20], error);
        }
}
