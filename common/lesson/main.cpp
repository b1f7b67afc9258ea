// The composition root: the one place where a lesson meets the emulator, the GPU, the clock and the window. Compiled
// into each lesson's program by add_lesson().
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string_view>

#include <unistd.h>

#include "common/emu/emulator.hpp"
#include "common/gpu/backend.hpp"
#include "common/gpu/device.hpp"
#include "common/lesson/program.hpp"
#include "common/timing/measure.hpp"
#include "common/timing/serial.hpp"
#ifdef LANEWISE_WITH_WINDOW
#include "viz/app/frontend.hpp"
#endif

namespace {

using namespace lanewise;

// Each plan, then each library baseline once for each size, and for sums what one core of this machine's CPU takes.
timing::TimingTable measure_all(const launch::KernelSet& kernels, const std::string& lesson_name,
                                const std::vector<lesson::TimedPlan>& plans) {
    const auto device = gpu::device();
    timing::TimingTable table;
    table.lesson = lesson_name;
    table.gpu = device.name;
    table.driver = device.driver;
    table.date = lesson::date_of_today();
    table.l2 = timing::kL2Warm;
    table.method = timing::method_text({});
    for (const auto& timed : plans) {
        auto row = timing::measure(timed.plan, kernels);
        row.variant = timed.variant;
        row.n = timed.inputs.n;
        row.block = timed.inputs.block;
        table.rows.push_back(std::move(row));
    }
    const auto known = timing::baselines();
    std::set<std::pair<std::string, std::uint64_t>> done;
    for (const auto& timed : plans) {
        const bool there = std::find(known.begin(), known.end(), timed.baseline) != known.end();
        if (!there || !done.insert({timed.baseline, timed.inputs.n}).second) continue;
        table.rows.push_back(timing::measure_baseline(timed.baseline, timed.plan));
        if (!timed.baseline.ends_with("Sum")) continue;
        table.rows.push_back(timing::measure_serial_sum(timed.plan));
        table.cpu = timing::cpu_name();
    }
    return table;
}

bool shows_color() {
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) && terminal && std::string_view(terminal) != "dumb";
}

}  // namespace

int main(int argc, char** argv) {
    try {
        lesson::Program program{generated::make_lesson(), generated::kernels(), emu::make_emulator, gpu::make_gpu_backend,
                                gpu::available, {}, {}, lesson::date_of_today};
        program.gpu_machine = [] {
            const auto device = gpu::device();
            return lesson::Machine{static_cast<std::uint32_t>(device.multiprocessors),
                                   static_cast<std::uint32_t>(device.threads_per_multiprocessor), gpu::architecture(),
                                   device.l2_bytes};
        };
        program.measure = [&program](const std::vector<lesson::TimedPlan>& plans) {
            return measure_all(program.kernels, program.lesson.name(), plans);
        };
#ifdef LANEWISE_WITH_WINDOW
        program.make_frontend = viz::make_frontend;
#endif
        return lesson::run_program(program, {argv + 1, argv + argc}, {std::cout, std::cerr, shows_color()});
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';  // a lesson that does not fit together: nothing to run
        return 1;
    }
}
