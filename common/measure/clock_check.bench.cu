// Is our clock right? One kernel timed three times: by measure::measure (graphs of runs between two events,
// the median of many), and by two clocks written here that share nothing with it: graphs built node by node, and plain
// launches on a stream. Each is taken in two lengths, whose difference leaves out what beginning and ending cost. Exit
// status 1 where ours differs by more than kAgree from the graphs, or, from 2^26 values on, from the plain launches:
// between two of those passes a gap of 1.4 us on an H200 that a graph does not have, and it counts as much there as the
// kernel is short.
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
#include "common/launch/kernel_exports.hpp"
#include "common/measure/measure.hpp"

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
    const prelude::RawEntry entry{"strided_sums", "", reinterpret_cast<const void*>(&strided_sums),
                                  Signature::parameters, Signature::count};
    launch::KernelSet kernels;
    kernels.add(launch::import_file(launch::Build::gpu_plain, {&entry, 1, nullptr, 0, nullptr, 0, nullptr}));
    launch::Plan plan;
    const auto in = plan.input("in", values);
    const auto out = plan.scratch<float>("out", std::uint64_t{blocks} * kThreads);
    plan.launch("strided_sums", "", {blocks}, {kThreads}, in, out, static_cast<unsigned>(values.size()));
    return measure::measure(plan, kernels).median_us;
}

// What is launched, with its buffers filled once.
struct Sums {
    float* in = nullptr;
    float* out = nullptr;
    unsigned n = 0;
    unsigned blocks = 0;

    Sums(const std::vector<float>& values, unsigned with_blocks)
        : n(static_cast<unsigned>(values.size())), blocks(with_blocks) {
        must(cudaMalloc(&in, values.size() * sizeof(float)));
        must(cudaMalloc(&out, std::size_t{blocks} * kThreads * sizeof(float)));
        must(cudaMemcpy(in, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
    }
    ~Sums() {
        cudaFree(in);
        cudaFree(out);
    }
    Sums(const Sums&) = delete;
    Sums& operator=(const Sums&) = delete;
};

// Microseconds that pass on the GPU from before `work` to after it.
template <class Work>
double between_events(cudaStream_t stream, const Work& work) {
    cudaEvent_t begin, end;
    must(cudaEventCreate(&begin));
    must(cudaEventCreate(&end));
    must(cudaEventRecord(begin, stream));
    work();
    must(cudaEventRecord(end, stream));
    must(cudaEventSynchronize(end));
    float ms = 0;
    must(cudaEventElapsedTime(&ms, begin, end));
    must(cudaEventDestroy(begin));
    must(cudaEventDestroy(end));
    return double{ms} * 1e3;
}

// Microseconds of `runs` plain launches, one after the other.
double launches_us(const Sums& sums, int runs) {
    return between_events(nullptr, [&] {
        for (int i = 0; i < runs; ++i) strided_sums<<<sums.blocks, kThreads>>>(sums.in, sums.out, sums.n);
    });
}

// A graph of `runs` nodes, each after the one before.
class Chain {
public:
    Chain(Sums& sums, int runs) {
        must(cudaGraphCreate(&graph_, 0));
        void* arguments[] = {&sums.in, &sums.out, &sums.n};
        cudaKernelNodeParams node{};
        node.func = reinterpret_cast<void*>(&strided_sums);
        node.gridDim = dim3(sums.blocks);
        node.blockDim = dim3(kThreads);
        node.kernelParams = arguments;
        cudaGraphNode_t last = nullptr;
        for (int i = 0; i < runs; ++i) {
            cudaGraphNode_t next = nullptr;
            must(cudaGraphAddKernelNode(&next, graph_, last ? &last : nullptr, last ? 1 : 0, &node));
            last = next;
        }
        must(cudaGraphInstantiate(&ready_, graph_, 0));
        must(cudaStreamCreate(&stream_));
    }
    ~Chain() {
        cudaStreamDestroy(stream_);
        cudaGraphExecDestroy(ready_);
        cudaGraphDestroy(graph_);
    }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    double us() const {
        return between_events(stream_, [&] { must(cudaGraphLaunch(ready_, stream_)); });
    }

private:
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t ready_ = nullptr;
    cudaStream_t stream_ = nullptr;
};

template <class Once>
double median_of(const Once& once) {
    std::vector<double> each;
    for (int i = 0; i < kLoops; ++i) each.push_back(once());
    must(cudaGetLastError());
    std::nth_element(each.begin(), each.begin() + kLoops / 2, each.end());
    return each[kLoops / 2];
}

struct Apart {
    double graph_us = 0;
    double launches_us = 0;
};

Apart apart(const std::vector<float>& values, unsigned blocks) {
    Sums sums(values, blocks);
    const Chain few(sums, 20), many(sums, 60);
    launches_us(sums, 200);  // warms up
    Apart result;
    result.graph_us = median_of([&] { return (many.us() - few.us()) / 40; });
    result.launches_us = median_of([&] { return (launches_us(sums, 60) - launches_us(sums, 20)) / 40; });
    return result;
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
        std::printf(csv ? "n,ours_us,graph_us,launches_us,to_graph,to_launches\n"
                        : "%s\n           n     ours µs    graph µs launches µs  to graph to launches\n",
                    device.name.c_str());
        const auto near = [](double a, double b) { return a / b > 1 - kAgree && a / b < 1 + kAgree; };
        bool agree = true;
        for (const unsigned power : {20u, 22u, 24u, 25u, 26u, 27u, 28u}) {
            std::vector<float> values(std::size_t{1} << power);
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1021) * 0.25f - 100;
            const unsigned blocks = 8 * static_cast<unsigned>(device.multiprocessors);
            const double a = ours(values, blocks);
            const Apart b = apart(values, blocks);
            std::printf(csv ? "%zu,%.4f,%.4f,%.4f,%.4f,%.4f\n" : "%12zu %11.3f %11.3f %11.3f %9.4f %11.4f\n",
                        values.size(), a, b.graph_us, b.launches_us, a / b.graph_us, a / b.launches_us);
            agree &= near(a, b.graph_us) && (power < 26 || near(a, b.launches_us));
        }
        if (!csv)
            std::printf(agree ? "the clocks agree within %.0f %%\n" : "the clocks differ by more than %.0f %%\n",
                        100 * kAgree);
        return agree ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
