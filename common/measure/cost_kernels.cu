#include "common/measure/cost_kernels.hpp"

#include <cuda_runtime.h>

#include <array>

#include "common/measure/cost_operations.cuh"

namespace lanewise::measure {
namespace {

// Odd, so that what comes back to where it was after two steps, or after 32, does not after a round.
constexpr unsigned kLongUnroll = 61;
// Of operations that take a few cycles, beside which the loop itself would count.
constexpr unsigned kShortUnroll = 251;
// Of throughput: its chains are independent.
constexpr unsigned kWideUnroll = 31, kChains = 4;

__device__ std::int64_t global_nanoseconds() {
    std::int64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) : : "memory");
    return ns;
}

template <unsigned kUnroll, unsigned kCount, class Op>
__device__ void run(Op (&chains)[kCount], unsigned rounds) {
#pragma unroll 1
    for (unsigned r = 0; r < rounds; ++r) {
#pragma unroll
        for (unsigned k = 0; k < kUnroll; ++k) {
#pragma unroll
            for (unsigned c = 0; c < kCount; ++c) chains[c].step(k);
        }
    }
}

// Brief and full runs take turns through the same instructions: what is not the chain (reading the clock, entering the
// loop) is the same in both, and falls out of their difference.
template <class Op, unsigned kUnroll>
__global__ void __launch_bounds__(1024)
    latency(CostInput in, CostRounds rounds, std::int64_t* times, unsigned* results) {
    extern __shared__ unsigned shared[];
    const cost::Here at{threadIdx.x, 0, 0, 1, blockDim.x, shared};
    Op::prepare(at);
    __syncthreads();
    if (Op::kOneLane && at.lane() != 0) return;
    Op chain[1];
    chain[0].start(in, at);
    const std::int64_t first_ns = global_nanoseconds(), first_clock = clock64();
    run<kUnroll>(chain, rounds.warm);
#pragma unroll 1
    for (unsigned s = 0; s < 2 * rounds.samples; ++s) {
        const unsigned count = s % 2 == 0 ? rounds.brief : rounds.full;
        const std::int64_t start = clock64();
        run<kUnroll>(chain, count);
        const std::int64_t end = clock64();
        if (threadIdx.x == 0) times[s] = end - start;
        __syncwarp(Op::kOneLane ? 1u : cost::kAll);
    }
    const std::int64_t last_ns = global_nanoseconds(), last_clock = clock64();
    if (threadIdx.x == 0) {
        times += 2 * rounds.samples;
        times[0] = first_clock;
        times[1] = first_ns;
        times[2] = last_clock;
        times[3] = last_ns;
    }
    if (!Op::kOneLane) __syncthreads();
    results[threadIdx.x] = chain[0].result(in, at);
}

template <class Op, unsigned kUnroll, unsigned kCount>
__global__ void __launch_bounds__(1024)
    throughput(CostInput in, unsigned rounds, std::int64_t* times, unsigned* results) {
    extern __shared__ unsigned shared[];
    cost::Here at{threadIdx.x, blockIdx.x, 0, gridDim.x, blockDim.x, shared};
    Op::prepare(at);
    __syncthreads();
    const bool takes_part = !Op::kOneLane || at.lane() == 0;
    Op chains[kCount];
    for (unsigned c = 0; c < kCount; ++c) {
        at.chain = c;
        chains[c].start(in, at);
    }
    if (takes_part) run<kUnroll>(chains, 1);
    __syncthreads();
    const std::int64_t start = clock64();
    if (takes_part) run<kUnroll>(chains, rounds);
    const std::int64_t end = clock64();
    if (at.lane() == 0) {
        const unsigned warp = blockIdx.x * (blockDim.x / 32) + at.warp();
        times[2 * warp] = start;
        times[2 * warp + 1] = end;
    }
    __syncthreads();
    if (!takes_part) return;
    unsigned sum = 0;
    for (unsigned c = 0; c < kCount; ++c) {
        at.chain = c;
        sum += chains[c].result(in, at);
    }
    results[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void link_nodes(unsigned char* nodes, unsigned stride, const unsigned* order, unsigned count) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const auto address = [&](unsigned at) { return nodes + static_cast<unsigned long long>(order[at]) * stride; };
        *reinterpret_cast<unsigned char**>(address(i)) = address((i + 1) % count);
    }
}

__global__ void fill_stream(unsigned* words, unsigned count) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        words[i] = i * kCostWordFactor;
}

__global__ void keep_busy(unsigned long long nanoseconds) {
    const std::int64_t start = global_nanoseconds();
    while (static_cast<unsigned long long>(global_nanoseconds() - start) < nanoseconds) {}
}

template <class Op, unsigned kUnroll>
unsigned expected_of(const CostInput& in, const CostPlace& place, unsigned rounds) {
    return Op::expected(in, place, rounds, kUnroll);
}

template <class Op, unsigned kUnroll, unsigned kCount>
CostKernel described(const void* address) {
    CostKernel kernel{address, kUnroll, kCount, Op::kOneLane, Op::kCheck, nullptr};
    if constexpr (requires { &Op::expected; })
        if (kernel.check == CostCheck::value) kernel.expected = expected_of<Op, kUnroll>;
    return kernel;
}

template <class Op, unsigned kUnroll = kLongUnroll>
CostKernel latency_of() {
    return described<Op, kUnroll, 1>(reinterpret_cast<const void*>(&latency<Op, kUnroll>));
}

// What follows the first warm round is counted from there.
template <class Op, unsigned kCount = kChains>
CostKernel throughput_of() {
    return described<Op, kWideUnroll, kCount>(reinterpret_cast<const void*>(&throughput<Op, kWideUnroll, kCount>));
}

template <class Op, unsigned kUnroll = kLongUnroll>
CostKernels both(const char* id) {
    return {id, latency_of<Op, kUnroll>(), throughput_of<Op>()};
}

unsigned grid_for(unsigned count) { return count < 1u << 20 ? (count + 255) / 256 : 4096; }

}  // namespace

std::span<const CostKernels> cost_kernels() {
    using namespace cost;
    static const std::array kKernels = {
        both<ShuffleXor>("shuffle_xor"),
        both<ShuffleDown>("shuffle_down"),
        both<ShuffleIdx>("shuffle_idx"),
        both<Ballot>("ballot"),
        both<Any>("any"),
        both<MatchAny<false>>("match_any_equal"),
        both<MatchAny<true>>("match_any_different"),
        both<MatchAll>("match_all"),
        both<ReduceAdd>("reduce_add"),
        both<Syncwarp, kShortUnroll>("syncwarp"),
        both<SyncwarpApart>("syncwarp_apart"),
        both<AddF32, kShortUnroll>("add_f32"),
        both<FmaF32, kShortUnroll>("fma_f32"),
        both<SharedLoad<1>>("shared_load"),
        both<SharedLoad<2>>("shared_load_2"),
        both<SharedLoad<4>>("shared_load_4"),
        both<SharedLoad<8>>("shared_load_8"),
        both<SharedLoad<16>>("shared_load_16"),
        both<SharedLoad<32>>("shared_load_32"),
        both<SharedAtomic>("shared_atomic_own"),
        both<SharedAtomic>("shared_atomic_one"),
        both<FloatAtomic<true, false>>("shared_atomic_f32_own"),
        both<FloatAtomic<true, false>>("shared_atomic_f32_one"),
        CostKernels{"load_l1", latency_of<Chase<true>>(), throughput_of<Stream<true>, 1>()},
        CostKernels{"load_l2", latency_of<Chase<false>>(), throughput_of<Stream<false>, 1>()},
        CostKernels{"load_memory", latency_of<Chase<false>>(), throughput_of<Stream<false>, 1>()},
        CostKernels{"syncthreads_1", latency_of<Syncthreads>(), {}},
        CostKernels{"syncthreads_4", latency_of<Syncthreads>(), {}},
        CostKernels{"syncthreads_8", latency_of<Syncthreads>(), {}},
        CostKernels{"syncthreads_32", latency_of<Syncthreads>(), {}},
        both<Threadfence>("threadfence"),
        both<StoreFence>("store_threadfence"),
        both<GlobalAtomic<true>>("atomic_one_lane"),
        both<GlobalAtomic<false>>("atomic_one"),
        both<GlobalAtomic<false>>("atomic_own"),
        both<GlobalAtomicVoid<true>>("atomic_void_one_lane"),
        both<GlobalAtomicVoid<false>>("atomic_void_one"),
        both<GlobalAtomicVoid<false>>("atomic_void_own"),
        both<FloatAtomic<false, true>>("atomic_f32_one_lane"),
        both<FloatAtomic<false, false>>("atomic_f32_one"),
        both<FloatAtomicVoid<true>>("atomic_f32_void_one_lane"),
        both<FloatAtomicVoid<false>>("atomic_f32_void_one"),
    };
    return kKernels;
}

int link_cost_nodes(unsigned char* nodes, unsigned stride, const unsigned* order, unsigned count) {
    link_nodes<<<grid_for(count), 256>>>(nodes, stride, order, count);
    return cudaGetLastError();
}

int fill_cost_stream(unsigned* words, unsigned count) {
    fill_stream<<<grid_for(count), 256>>>(words, count);
    return cudaGetLastError();
}

int spin(unsigned microseconds) {
    keep_busy<<<1, 1>>>(1000ull * microseconds);
    return cudaGetLastError();
}

}  // namespace lanewise::measure
