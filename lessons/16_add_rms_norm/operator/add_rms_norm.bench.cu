// Times the operator beside a plain copy of as many bytes, on this GPU.
//
//     add_rms_norm_bench                  the operator over shapes and types, beside the copy
//     add_rms_norm_bench --csv FILE       … and as a table that assets/torch_add_rms_norm.py reads (--against)
//     add_rms_norm_bench --shapes         the fastest shapes of those that fit, for some sizes: which should be chosen?
//     add_rms_norm_bench --sizes 16384x1024,4096x4097 --types f16/f16,f32/f32    of these only
//     add_rms_norm_bench --sums           block sums: our own beside CUB's, and what CUB's needs in shared memory
//     add_rms_norm_bench --host           what run() costs the host, beside a bare launch of the same kernel
//
// Method: graphs of launches that last about 600 us, replayed between events, 60 samples; median, 5th and 95th
// percentile. Tensors of less than four times the L2 are taken from several places of memory in turn, so that no launch
// finds its inputs in the cache (--warm: from one place). "alone" is the operator without launches that overlap.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
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

#include "bench_clock.cuh"

void require(const arn::Status& status) {
    if (status) return;
    std::fprintf(stderr, "%s\n", status.sentence());
    std::exit(2);
}

// What run() needs, null for none.
std::shared_ptr<void> workspace_of(const arn::AddRmsNorm& norm) {
    void* memory = nullptr;
    if (norm.workspace_size() > 0) require(cudaMalloc(&memory, norm.workspace_size()), "a workspace");
    return {memory, [](void* held) { cudaFree(held); }};
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
    for (const Size& size : {Size{131072, 128}, {1, 4096}, {32, 8192}, {16384, 4097}, {16384, 1023}, {1024, 65535}})
        list.push_back(size);
    return list;
}

constexpr std::size_t kMostBytes = std::size_t{16} << 30;  // of four tensors: larger ones are left out

std::size_t bytes_of(const Size& size, Type type) {
    return static_cast<std::size_t>(size.rows * size.dim) * (type == Type::f32 ? 4 : 2);
}

arn::AddRmsNorm operator_for(const Size& size, const Pair& pair, bool overlap = true) {
    arn::Description description;
    description.overlap = overlap;
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
    std::string gpu, only_sizes, only_types;  // between commas; empty: all

    Clock::Launch launch_of(const arn::AddRmsNorm& norm, const Places& places) const {
        return [&norm, &places, w = weight, workspace = workspace_of(norm)](int i, cudaStream_t stream) {
            require(norm.run(workspace.get(), norm.workspace_size(), places.at(i, 0), places.at(i, 1), places.at(i, 2),
                             places.at(i, 3), w, stream));
        };
    }
    static bool is_in(const std::string& list, const std::string& one) {
        return list.empty() || ("," + list + ",").find("," + one + ",") != std::string::npos;
    }
    bool is_wanted(const Size& size, const Pair& pair) const {
        return is_in(only_sizes, std::to_string(size.rows) + "x" + std::to_string(size.dim)) &&
               is_in(only_types, pair.name) && 4 * bytes_of(size, pair.type) <= kMostBytes;
    }

    void table(const char* csv) {
        std::FILE* out = csv ? std::fopen(csv, "w") : nullptr;
        if (csv && !out) {
            std::fprintf(stderr, "%s cannot be written; give another file.\n", csv);
            std::exit(2);
        }
        if (out) std::fprintf(out, "gpu,what,types,rows,dim,median_us,low_us,high_us,gb_per_s\n");
        std::printf("%-10s %8s %6s %9s %9s %9s %7s %9s %9s %7s  %s\n", "types", "rows", "dim", "us", "p5", "p95",
                    "GB/s", "alone us", "copy us", "% goal", "shape");
        for (const Size& size : sizes()) {
            Times copies[2];  // of 2 and 4 bytes a value
            // All pairs of one width in the same memory: where buffers lie changes times by some per cent.
            std::unique_ptr<Places> shared;
            std::size_t shared_bytes = 0;
            for (const Pair& pair : kPairs) {
                if (!is_wanted(size, pair)) continue;
                if (const std::size_t needed = bytes_of(size, pair.type); needed != shared_bytes) {
                    shared.reset();
                    shared = std::make_unique<Places>(needed, warm);
                    shared_bytes = needed;
                }
                const Places& places = *shared;
                const arn::AddRmsNorm norm = operator_for(size, pair),
                                      not_overlapping = operator_for(size, pair, false);
                Times& copy = copies[pair.type == Type::f32];
                if (copy.median == 0) copy = time_copy(clock, places, processors);
                const Times times = clock.time(launch_of(norm, places));
                const Times alone = clock.time_roughly(launch_of(not_overlapping, places));
                const double bytes = 4.0 * static_cast<double>(bytes_of(size, pair.type));
                // Of the faster of our copy and 4.1 TB/s.
                const double goal = 100 * std::min(copy.median, bytes / 4.1e6) / times.median;
                std::printf("%-10s %8lld %6lld %9.2f %9.2f %9.2f %7.0f %9.2f %9.2f %7.1f  %s\n", pair.name, size.rows,
                            size.dim, times.median, times.low, times.high, bytes / times.median * 1e-3, alone.median,
                            copy.median, goal, text_of(norm.aligned()).c_str());
                std::fflush(stdout);
                if (!out) continue;
                for (const auto& [what, t] : {std::pair{"operator", times}, std::pair{"copy", copy}})
                    std::fprintf(out, "%s,%s,%s,%lld,%lld,%.3f,%.3f,%.3f,%.1f\n", gpu.c_str(), what, pair.name,
                                 size.rows, size.dim, t.median, t.low, t.high, bytes / t.median * 1e-3);
                std::fflush(out);
            }
        }
        if (out) std::fclose(out);
    }

    // Shapes that may be worth a try: no more threads than there is work for, but for rounding up to a warp.
    static std::vector<arn::Shape> candidates(const Size& size, Type type) {
        using Route = arn::Shape::Route;
        const long long values = type == Type::f32 ? 4 : 8, packs = (size.dim + values - 1) / values;
        std::vector<arn::Shape> list;
        const auto warps = [](long long threads) { return static_cast<int>((threads + 31) / 32 * 32); };
        for (const int cluster : {1, 2})
            list.push_back({.route = Route::full, .packs = 8, .threads = warps(packs / 8 / cluster), .cluster = cluster});
        const int on_demand = type == Type::f32 ? 4 : 2;
        list.push_back({.route = Route::on_demand, .packs = on_demand, .threads = warps(packs / 8 / on_demand), .cluster = 8});
        for (const int each : {1, 2, 4}) {
            for (const int threads : {8, 16, 32})
                for (const int rows : {1, 2, 4, 8})
                    if (threads * each < 2 * packs)
                        list.push_back({.route = Route::group, .packs = each, .threads = threads, .rows = rows});
            for (const int cluster : {1, 2, 4, 8}) {
                const int threads = warps((packs + each * cluster - 1) / (each * cluster));
                for (const int more : {0, 32})
                    for (const Route route : {cluster == 1 ? Route::block : Route::cluster, Route::held, Route::packed})
                        list.push_back({.route = route, .packs = each, .threads = threads + more, .cluster = cluster});
            }
        }
        return list;
    }

    void shapes() {
        std::printf("%-10s %8s %6s %9s %9s %9s  %s\n", "types", "rows", "dim", "us", "p5", "p95", "shape");
        for (const Size& size : sizes())
            for (const Pair& pair : kPairs) {
                if (!is_wanted(size, pair)) continue;
                const Places places(bytes_of(size, pair.type), warm);
                arn::AddRmsNorm norm = operator_for(size, pair);
                const std::string chosen = text_of(norm.aligned());
                std::vector<std::pair<double, std::string>> lines;
                for (const arn::Shape& shape : candidates(size, pair.type)) {
                    if (!norm.use_shape(shape)) continue;
                    const Times times = clock.time_roughly(launch_of(norm, places));
                    char line[200];
                    std::snprintf(line, sizeof line, "%-10s %8lld %6lld %9.2f %9.2f %9.2f  %s%s", pair.name, size.rows,
                                  size.dim, times.median, times.low, times.high, text_of(shape).c_str(),
                                  text_of(shape) == chosen ? "  <- chosen" : "");
                    lines.emplace_back(times.median, line);
                }
                std::sort(lines.begin(), lines.end());
                for (std::size_t i = 0; i < lines.size(); ++i)
                    if (i < 8 || lines[i].second.find("chosen") != std::string::npos)
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
        block_kernel<__half, __half, 2, true><<<static_cast<unsigned>(size.rows), kThreads, 0, stream>>>(arguments(i));
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
    const arn::Shape& shape = norm.aligned();
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
    const void* kernel = reinterpret_cast<const void*>(&group_kernel<__half, __half, 4, true>);
    const auto threads = static_cast<unsigned>(shape.threads * shape.rows);
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = 1;
    // In turn, so that what changes with time meets all.
    for (int turn = 0; turn < 3; ++turn) {
        const Times bare = time_calls(
            [&] { require(cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), bare_arguments, 0, stream), "bare"); });
        const Times with_attribute =
            time_calls([&] { require(cudaLaunchKernelExC(&config, kernel, bare_arguments), "bare"); });
        const Times run =
            time_calls([&] { require(norm.run(nullptr, 0, at(0), at(1), at(2), at(3), weight, stream)); });
        std::printf(
            "run() %.3f us (%.3f to %.3f); a bare launch %.3f us (%.3f to %.3f), overlapping %.3f us (%.3f to "
            "%.3f): %.3f and %.3f us more\n",
            run.median, run.low, run.high, bare.median, bare.low, bare.high, with_attribute.median, with_attribute.low,
            with_attribute.high, run.median - bare.median, run.median - with_attribute.median);
    }
    cudaStreamDestroy(stream);
}

}  // namespace

int main(int count, char** arguments) {
    std::string mode;
    const char* csv = nullptr;
    std::string only_sizes, only_types;
    bool warm = false;
    for (int i = 1; i < count; ++i) {
        if (!std::strcmp(arguments[i], "--csv") && i + 1 < count) csv = arguments[++i];
        else if (!std::strcmp(arguments[i], "--sizes") && i + 1 < count) only_sizes = arguments[++i];
        else if (!std::strcmp(arguments[i], "--types") && i + 1 < count) only_types = arguments[++i];
        else if (!std::strcmp(arguments[i], "--warm")) warm = true;
        else if (!std::strcmp(arguments[i], "--shapes") || !std::strcmp(arguments[i], "--sums") ||
                 !std::strcmp(arguments[i], "--host"))
            mode = arguments[i];
        else {
            std::fprintf(stderr, "%s: give --csv FILE, --sizes, --types, --warm, --shapes, --sums or --host.\n",
                         arguments[i]);
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
    bench.only_sizes = only_sizes;
    bench.only_types = only_types;
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
