// Is our clock right? One kernel timed twice: by timing::measure (a graph of 20 runs between two events, the median of
// many), and by a loop written here that shares nothing with it (plain launches on a stream; two lengths of the loop, whose
// difference leaves out what beginning and ending cost). Exit status 1 where the two differ by more than kAgree.
//
//     build/bench/clock_check [--csv]
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

#include "common/gpu/device.hpp"
#include "common/launch/kernel.hpp"
#include "common/launch/plan.hpp"
#include "common/prelude/export.hpp"
#include "common/timing/measure.hpp"

namespace {

using namespace lanewise;

constexpr unsigned kThreads = 256;
constexpr double kAgree = 0.03;
constexpr int kLoops = 15;

// out[t]: the sum of the values t, t + threads, t + 2 threads, …: written afresh by every run, so nothing is zeroed.
__global__ void strided_sums(const float* in, float* out, unsigned n) {
    const unsigned threads = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (unsigned i = first; i < n; i += threads) sum += in[i];
    out[first] = sum;
}

void must(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "clock_check: %s\n", cudaGetErrorString(status));
    std::exit(1);
}

double ours(const std::vector<float>& values, unsigned blocks) {
    using Signature = prelude::Signature<decltype(&strided_sums)>;
    const prelude::RawEntry entry{"strided_sums", "", reinterpret_cast<const void*>(&strided_sums), Signature::parameters,
                                  Signature::count};
    launch::KernelSet kernels;
    kernels.add(launch::import_file(launch::Build::gpu_plain, {&entry, 1, nullptr, 0, nullptr, 0, nullptr}));
    launch::Plan plan;
    const auto in = plan.input("in", values);
    const auto out = plan.scratch<float>("out", std::uint64_t{blocks} * kThreads);
    plan.launch("strided_sums", "", {blocks}, {kThreads}, in, out, static_cast<unsigned>(values.size()));
    return timing::measure(plan, kernels).median_us;
}

// Microseconds of `runs` launches, one after the other.
double loop_us(const float* in, float* out, unsigned n, unsigned blocks, int runs) {
    cudaEvent_t begin, end;
    must(cudaEventCreate(&begin));
    must(cudaEventCreate(&end));
    must(cudaEventRecord(begin));
    for (int i = 0; i < runs; ++i) strided_sums<<<blocks, kThreads>>>(in, out, n);
    must(cudaEventRecord(end));
    must(cudaEventSynchronize(end));
    float ms = 0;
    must(cudaEventElapsedTime(&ms, begin, end));
    must(cudaEventDestroy(begin));
    must(cudaEventDestroy(end));
    return double{ms} * 1e3;
}

double theirs(const std::vector<float>& values, unsigned blocks) {
    float *in = nullptr, *out = nullptr;
    must(cudaMalloc(&in, values.size() * sizeof(float)));
    must(cudaMalloc(&out, std::size_t{blocks} * kThreads * sizeof(float)));
    must(cudaMemcpy(in, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
    const auto n = static_cast<unsigned>(values.size());
    loop_us(in, out, n, blocks, 200);  // warms up
    std::vector<double> each;
    for (int i = 0; i < kLoops; ++i)
        each.push_back((loop_us(in, out, n, blocks, 60) - loop_us(in, out, n, blocks, 20)) / 40);
    must(cudaGetLastError());
    must(cudaFree(in));
    must(cudaFree(out));
    std::nth_element(each.begin(), each.begin() + kLoops / 2, each.end());
    return each[kLoops / 2];
}

}  // namespace

int main(int argc, char** argv) {
    std::string why;
    if (!gpu::available(&why)) {
        std::fprintf(stderr, "%s\n", why.c_str());
        return 2;
    }
    const bool csv = argc == 2 && std::strcmp(argv[1], "--csv") == 0;
    if (argc > 1 && !csv) {
        std::fprintf(stderr, "clock_check takes no argument but --csv.\n");
        return 2;
    }
    try {
        const gpu::Device device = gpu::device();
        std::printf(csv ? "n,ours_us,loop_us,ratio\n" : "%s\n           n     ours µs     loop µs     ratio\n", device.name.c_str());
        bool agree = true;
        // From 2^24 on a launch is longer than what the host needs to queue it; below, a loop would time the host.
        for (const unsigned power : {24u, 25u, 26u, 27u, 28u}) {
            std::vector<float> values(std::size_t{1} << power);
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1021) * 0.25f - 100;
            const unsigned blocks = 8 * static_cast<unsigned>(device.multiprocessors);
            const double a = ours(values, blocks), b = theirs(values, blocks);
            std::printf(csv ? "%zu,%.4f,%.4f,%.4f\n" : "%12zu %11.3f %11.3f %9.4f\n", values.size(), a, b, a / b);
            agree &= a / b > 1 - kAgree && a / b < 1 + kAgree;
        }
        if (!csv) std::printf(agree ? "the two clocks agree within %.0f %%\n" : "the two clocks differ by more than %.0f %%\n", 100 * kAgree);
        return agree ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
