// Times the operator beside a plain copy of as many bytes, on this GPU.
//
//     add_rms_norm_bench                  the operator over shapes and types, beside the copy
//     add_rms_norm_bench --csv FILE       … and as a table that assets/torch_add_rms_norm.py reads (--against)
//     add_rms_norm_bench --shapes         every shape of every route that fits, for some sizes: which should be chosen?
//     add_rms_norm_bench --sums           block sums: our own beside CUB's, and what CUB's needs in shared memory
//     add_rms_norm_bench --host           what run() costs the host, beside a bare launch of the same kernel
//
// Method: graphs of launches that last about 600 us, replayed between events, 60 samples; median, 5th and 95th
// percentile. Tensors of less than four times the L2 are taken from several places of memory in turn, so that no launch
// finds its inputs in the cache (--warm: from one place).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cub/block/block_reduce.cuh>

#include "add_rms_norm.hpp"

namespace {

#include "kernels.cuh"

namespace arn = add_rms_norm;
using arn::Type;

void require(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(2);
}

void require(const arn::Status& status) {
    if (status) return;
    std::fprintf(stderr, "%s\n", status.sentence());
    std::exit(2);
}

struct Times {
    double median = 0, low = 0, high = 0;  // us a launch
};

double at_fraction(const std::vector<double>& sorted, double fraction) {
    const double place = fraction * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

class Clock {
public:
    Clock() {
        require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
        require(cudaEventCreate(&begin_), "event");
        require(cudaEventCreate(&end_), "event");
    }
    // `launch(i)` puts launch number i on the stream.
    Times time(const std::function<void(int, cudaStream_t)>& launch) {
        const double once = replay(launch, 5, 3).median;
        const int count = std::clamp(static_cast<int>(600 / std::max(once, 0.1)), 5, 500);
        return replay(launch, count, 60);
    }

private:
    Times replay(const std::function<void(int, cudaStream_t)>& launch, int count, int samples) {
        cudaGraph_t graph;
        cudaGraphExec_t ready;
        require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capture");
        for (int i = 0; i < count; ++i) launch(i, stream_);
        require(cudaStreamEndCapture(stream_, &graph), "capture");
        require(cudaGraphInstantiate(&ready, graph, 0), "graph");
        for (int i = 0; i < 3; ++i) require(cudaGraphLaunch(ready, stream_), "launch");
        std::vector<double> times;
        for (int i = 0; i < samples; ++i) {
            require(cudaEventRecord(begin_, stream_), "record");
            require(cudaGraphLaunch(ready, stream_), "launch");
            require(cudaEventRecord(end_, stream_), "record");
            require(cudaEventSynchronize(end_), "synchronize");
            float ms = 0;
            require(cudaEventElapsedTime(&ms, begin_, end_), "time");
            times.push_back(static_cast<double>(ms) * 1e3 / count);
        }
        cudaGraphExecDestroy(ready);
        cudaGraphDestroy(graph);
        std::sort(times.begin(), times.end());
        return {at_fraction(times, 0.5), at_fraction(times, 0.05), at_fraction(times, 0.95)};
    }
    cudaStream_t stream_;
    cudaEvent_t begin_, end_;
};

template <int kUnroll>
__global__ void __launch_bounds__(1024) copy_kernel(const uint4* in, uint4* out, long long packs) {
    const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
    long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i + (kUnroll - 1) * stride < packs; i += kUnroll * stride) {
        uint4 held[kUnroll];
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) held[k] = __ldcs(in + i + k * stride);
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) out[i + k * stride] = held[k];
    }
    for (; i < packs; i += stride) out[i] = __ldcs(in + i);
}

__global__ void fill(unsigned short* out, long long count) {
    for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += static_cast<long long>(gridDim.x) * blockDim.x)
        out[i] =
            static_cast<unsigned short>(0x3c00 + (i * 2654435761u >> 16) % 512);  // about 1 as f16; finite in all types
}

// Memory for four tensors, in as many places as it takes for none to be in L2.
class Places {
public:
    Places(std::size_t tensor_bytes, bool warm) : bytes_((tensor_bytes + 255) / 256 * 256) {
        constexpr std::size_t kSpread = std::size_t{240} << 20;
        count_ = warm ? 1 : static_cast<int>(std::clamp<std::size_t>((kSpread + 4 * bytes_ - 1) / (4 * bytes_), 1, 64));
        require(cudaMalloc(&memory_, 4 * bytes_ * static_cast<std::size_t>(count_)), "memory for the tensors");
        fill<<<1024, 256>>>(reinterpret_cast<unsigned short*>(memory_), static_cast<long long>(2 * bytes_) * count_);
        require(cudaDeviceSynchronize(), "fill");
    }
    ~Places() { cudaFree(memory_); }
    Places(const Places&) = delete;
    Places& operator=(const Places&) = delete;
    // Tensor 0 to 3 of launch i: y, residual_out, a, b.
    void* at(int i, int tensor) const {
        return memory_ + bytes_ * (4 * static_cast<std::size_t>(i % count_) + static_cast<std::size_t>(tensor));
    }
    std::size_t bytes() const { return bytes_; }

private:
    std::size_t bytes_;
    int count_ = 1;
    char* memory_ = nullptr;
};

// The fastest of some shapes of a copy that reads 2 and writes 2 tensors' bytes.
Times time_copy(Clock& clock, const Places& places, int processors) {
    Times best;
    const long long packs = static_cast<long long>(places.bytes() / 8);  // two tensors
    const auto consider = [&](const Times& times) {
        if (best.median == 0 || times.median < best.median) best = times;
    };
    // Tensors 2 and 3 lie behind each other, as 0 and 1 do.
    for (const int threads : {256, 512, 1024}) {
        const auto whole = static_cast<unsigned>(std::min<long long>((packs + threads - 1) / threads, 0x7fffffff));
        const auto four = static_cast<unsigned>(std::max<long long>((packs / 4 + threads - 1) / threads, 1));
        const auto wave = std::min(four, static_cast<unsigned>(processors * (2048 / threads)));
        for (const unsigned grid : {whole, four, wave})
            consider(clock.time([&](int i, cudaStream_t stream) {
                const auto* in = static_cast<const uint4*>(places.at(i, 2));
                auto* out = static_cast<uint4*>(places.at(i, 0));
                if (grid == whole) copy_kernel<1><<<grid, threads, 0, stream>>>(in, out, packs);
                else copy_kernel<4><<<grid, threads, 0, stream>>>(in, out, packs);
            }));
    }
    return best;
}

struct Size {
    long long rows, dim;
};

struct Pair {
    Type type, weight;
    const char* name;
};

constexpr Pair kPairs[] = {{Type::f16, Type::f16, "f16/f16"},   {Type::f16, Type::bf16, "f16/bf16"},
                           {Type::f16, Type::f32, "f16/f32"},   {Type::bf16, Type::bf16, "bf16/bf16"},
                           {Type::bf16, Type::f16, "bf16/f16"}, {Type::bf16, Type::f32, "bf16/f32"},
                           {Type::f32, Type::f32, "f32/f32"}};

std::vector<Size> sizes() {
    std::vector<Size> list;
    for (const long long rows : {1024, 4096, 16384})
        for (const long long dim : {1024, 4096, 8192, 65536}) list.push_back({rows, dim});
    list.push_back({131072, 128});
    list.push_back({1, 4096});
    list.push_back({32, 8192});
    list.push_back({4096, 4095});
    return list;
}

std::size_t bytes_of(const Size& size, Type type) {
    return static_cast<std::size_t>(size.rows * size.dim) * (type == Type::f32 ? 4 : 2);
}

arn::AddRmsNorm operator_for(const Size& size, const Pair& pair) {
    arn::Description description;
    description.set_all(arn::contiguous(pair.type, size.rows, size.dim));
    description.weight = arn::contiguous(pair.weight, size.dim);
    arn::AddRmsNorm norm;
    require(arn::AddRmsNorm::create(&norm, description));
    return norm;
}

std::string text_of(const arn::Shape& shape) {
    char text[80];
    std::snprintf(text, sizeof text, "%s %d thr %d packs %d rows %d blocks", arn::route_name(shape.route),
                  shape.threads, shape.packs, shape.rows, shape.cluster);
    return text;
}

struct Bench {
    Clock clock;
    int processors = 0;
    bool warm = false;
    void* weight = nullptr;
    std::string gpu;

    Times time(const arn::AddRmsNorm& norm, const Places& places) {
        return clock.time([&](int i, cudaStream_t stream) {
            require(norm.run(nullptr, 0, places.at(i, 0), places.at(i, 1), places.at(i, 2), places.at(i, 3), weight,
                             stream));
        });
    }

    void table(const char* csv) {
        std::FILE* out = csv ? std::fopen(csv, "w") : nullptr;
        if (csv && !out) {
            std::fprintf(stderr, "%s cannot be written; give another file.\n", csv);
            std::exit(2);
        }
        if (out) std::fprintf(out, "gpu,what,types,rows,dim,median_us,low_us,high_us,gb_per_s\n");
        std::printf("%-10s %8s %6s %9s %9s %9s %7s %9s %7s  %s\n", "types", "rows", "dim", "us", "p5", "p95", "GB/s",
                    "copy us", "% copy", "shape");
        for (const Size& size : sizes()) {
            Times copies[2];  // of 2 and 4 bytes a value
            for (const Pair& pair : kPairs) {
                const Places places(bytes_of(size, pair.type), warm);
                const arn::AddRmsNorm norm = operator_for(size, pair);
                Times& copy = copies[pair.type == Type::f32];
                if (copy.median == 0) copy = time_copy(clock, places, processors);
                const Times times = time(norm, places);
                const double bytes = 4.0 * static_cast<double>(bytes_of(size, pair.type));
                std::printf("%-10s %8lld %6lld %9.2f %9.2f %9.2f %7.0f %9.2f %7.1f  %s\n", pair.name, size.rows,
                            size.dim, times.median, times.low, times.high, bytes / times.median * 1e-3, copy.median,
                            100 * copy.median / times.median, text_of(norm.packed()).c_str());
                std::fflush(stdout);
                if (!out) continue;
                for (const auto& [what, t] : {std::pair{"operator", times}, std::pair{"copy", copy}})
                    std::fprintf(out, "%s,%s,%s,%lld,%lld,%.3f,%.3f,%.3f,%.1f\n", gpu.c_str(), what, pair.name,
                                 size.rows, size.dim, t.median, t.low, t.high, bytes / t.median * 1e-3);
            }
        }
        if (out) std::fclose(out);
    }

    void shapes() {
        std::printf("%-10s %8s %6s %9s %9s %9s  %s\n", "types", "rows", "dim", "us", "p5", "p95", "shape");
        for (const Size& size : {Size{131072, 128},
                                 {16384, 1024},
                                 {4096, 2048},
                                 {4096, 4096},
                                 {1024, 8192},
                                 {16384, 8192},
                                 {1024, 65536},
                                 {1, 4096},
                                 {32, 8192}})
            for (const Pair& pair : {kPairs[0], kPairs[2], kPairs[6]}) {
                const Places places(bytes_of(size, pair.type), warm);
                arn::AddRmsNorm norm = operator_for(size, pair);
                const std::string chosen = text_of(norm.packed());
                std::vector<std::pair<double, std::string>> lines;
                using Route = arn::Shape::Route;
                for (const Route route : {Route::group, Route::block, Route::cluster})
                    for (const int packs : {1, 2, 4})
                        for (const int threads : {1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024})
                            for (const int rows : {1, 4, 8, 16, 32})
                                for (const int cluster : {1, 2, 4, 8}) {
                                    const arn::Shape shape{route, packs, threads, rows, cluster};
                                    if (!norm.use_shape(shape)) continue;
                                    // No more threads than there is work for, but for rounding up to a warp.
                                    const long long needed =
                                        size.dim * static_cast<long long>(bytes_of({1, 1}, pair.type)) / 16;
                                    if (static_cast<long long>(threads) * packs * cluster >= 2 * std::max(needed, 32ll))
                                        continue;
                                    const Times times = time(norm, places);
                                    char line[200];
                                    std::snprintf(line, sizeof line, "%-10s %8lld %6lld %9.2f %9.2f %9.2f  %s%s",
                                                  pair.name, size.rows, size.dim, times.median, times.low, times.high,
                                                  text_of(shape).c_str(),
                                                  text_of(shape) == chosen ? "  <- chosen" : "");
                                    lines.emplace_back(times.median, line);
                                }
                std::sort(lines.begin(), lines.end());
                for (std::size_t i = 0; i < lines.size(); ++i)
                    if (i < 5 || lines[i].second.find("chosen") != std::string::npos)
                        std::printf("%s\n", lines[i].second.c_str());
                std::fflush(stdout);
            }
    }

    void sums();
    void host();
};

// The same row, its sum by CUB: its result is in thread 0 alone and must be told to the others, a barrier more.
template <int kThreads>
struct JoinCub {
    using Reduce = cub::BlockReduce<float, kThreads>;
    typename Reduce::TempStorage* storage;
    float* total;
    __device__ __forceinline__ float operator()(float value) const {
        value = Reduce(*storage).Sum(value);
        if (threadIdx.x == 0) *total = value;
        __syncthreads();
        return *total;
    }
};

template <int kThreads>
__global__ void __launch_bounds__(kThreads) cub_kernel(const __grid_constant__ Arguments<__half, __half> args) {
    __shared__ typename JoinCub<kThreads>::Reduce::TempStorage storage;
    __shared__ float total;
    row_in_registers<__half, __half, 2>(row_of(args, blockIdx.x), args.options, threadIdx.x, kThreads,
                                        JoinCub<kThreads>{&storage, &total});
}

template <int kThreads>
void compare_sums(Bench& bench) {
    const Size size{16384, kThreads * 16};  // two packs of eight halves a thread
    const Places places(bytes_of(size, Type::f16), false);
    const auto arguments = [&](int i) {
        const auto at = [&](int tensor) { return static_cast<__half*>(places.at(i, tensor)); };
        const Strides rows{size.dim, 0};
        return Arguments<__half, __half>{
            {at(0), at(1), at(2), at(3), static_cast<const __half*>(bench.weight), static_cast<int>(size.dim)},
            rows,
            rows,
            rows,
            rows,
            static_cast<unsigned>(size.rows),
            1,
            {1e-6f, kRounded, false},
            nullptr,
            0};
    };
    const Times own = bench.clock.time([&](int i, cudaStream_t stream) {
        block_kernel<__half, __half, 2><<<static_cast<unsigned>(size.rows), kThreads, 0, stream>>>(arguments(i));
    });
    const Times cub_times = bench.clock.time([&](int i, cudaStream_t stream) {
        cub_kernel<kThreads><<<static_cast<unsigned>(size.rows), kThreads, 0, stream>>>(arguments(i));
    });
    require(cudaGetLastError(), "sums");
    std::printf("%7d %6lld %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %12zu %6d\n", kThreads, size.dim, own.median, own.low,
                own.high, cub_times.median, cub_times.low, cub_times.high,
                sizeof(typename JoinCub<kThreads>::Reduce::TempStorage), 128);
}

void Bench::sums() {
    std::printf("f16/f16, 16384 rows, 16 values a thread\n%7s %6s %9s %9s %9s %9s %9s %9s %12s %6s\n", "threads", "dim",
                "own us", "p5", "p95", "CUB us", "p5", "p95", "CUB bytes", "own");
    compare_sums<128>(*this);
    compare_sums<256>(*this);
    compare_sums<512>(*this);
    compare_sums<1024>(*this);
}

void Bench::host() {
    const Size size{4, 1024};
    const Places places(bytes_of(size, Type::f16), true);
    const arn::AddRmsNorm norm = operator_for(size, kPairs[0]);
    const auto at = [&](int tensor) { return static_cast<__half*>(places.at(0, tensor)); };
    const Strides rows{size.dim, 0};
    Arguments<__half, __half> args{
        {at(0), at(1), at(2), at(3), static_cast<const __half*>(weight), static_cast<int>(size.dim)},
        rows,
        rows,
        rows,
        rows,
        static_cast<unsigned>(size.rows),
        1,
        {1e-6f, kRounded, false},
        nullptr,
        0};
    cudaStream_t stream;
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    const arn::Shape& shape = norm.packed();
    const auto time_calls = [&](const auto& call) {
        std::vector<double> times;
        for (int sample = 0; sample < 200; ++sample) {
            constexpr int kCalls = 200;  // fewer than the queue of launches holds
            const auto begin = std::chrono::steady_clock::now();
            for (int i = 0; i < kCalls; ++i) call();
            const auto end = std::chrono::steady_clock::now();
            require(cudaStreamSynchronize(stream), "host");
            if (sample >= 20) times.push_back(std::chrono::duration<double, std::micro>(end - begin).count() / kCalls);
        }
        std::sort(times.begin(), times.end());
        return Times{at_fraction(times, 0.5), at_fraction(times, 0.05), at_fraction(times, 0.95)};
    };
    int lanes = shape.threads;
    void* bare_arguments[] = {&args, &lanes};
    const auto blocks = static_cast<unsigned>((size.rows + shape.rows - 1) / shape.rows);
    // In turn, so that what changes with time meets both.
    for (int turn = 0; turn < 3; ++turn) {
        const Times bare = time_calls([&] {
            require(
                cudaLaunchKernel(reinterpret_cast<const void*>(&group_kernel<__half, __half, 4>), dim3(blocks),
                                 dim3(static_cast<unsigned>(shape.threads * shape.rows)), bare_arguments, 0, stream),
                "bare");
        });
        const Times run =
            time_calls([&] { require(norm.run(nullptr, 0, at(0), at(1), at(2), at(3), weight, stream)); });
        std::printf("run() %.3f us (%.3f to %.3f), a bare launch %.3f us (%.3f to %.3f): %.3f us more\n", run.median,
                    run.low, run.high, bare.median, bare.low, bare.high, run.median - bare.median);
    }
    cudaStreamDestroy(stream);
}

}  // namespace

int main(int count, char** arguments) {
    std::string mode;
    const char* csv = nullptr;
    bool warm = false;
    for (int i = 1; i < count; ++i) {
        if (!std::strcmp(arguments[i], "--csv") && i + 1 < count) csv = arguments[++i];
        else if (!std::strcmp(arguments[i], "--warm")) warm = true;
        else if (!std::strcmp(arguments[i], "--shapes") || !std::strcmp(arguments[i], "--sums") ||
                 !std::strcmp(arguments[i], "--host"))
            mode = arguments[i];
        else {
            std::fprintf(stderr, "%s: give --csv FILE, --warm, --shapes, --sums or --host.\n", arguments[i]);
            return 2;
        }
    }
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "There is no GPU here to time.\n");
        return 2;
    }
    cudaDeviceProp properties;
    require(cudaGetDeviceProperties(&properties, 0), "device");
    Bench bench;
    bench.processors = properties.multiProcessorCount;
    bench.warm = warm;
    bench.gpu = properties.name;
    require(cudaMalloc(&bench.weight, 4 << 20), "weight");
    fill<<<64, 256>>>(static_cast<unsigned short*>(bench.weight), 2 << 20);
    require(cudaDeviceSynchronize(), "weight");
    std::printf("%s, %s\n", properties.name, warm ? "L2 warm" : "inputs not in L2");
    if (mode == "--shapes") bench.shapes();
    else if (mode == "--sums") bench.sums();
    else if (mode == "--host") bench.host();
    else bench.table(csv);
    return 0;
}
