#include "common/measure/limit_kernels.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>

namespace lanewise::measure {
namespace {

struct Bytes {
    const uint4* vectors;
    unsigned long long count;    // of whole vectors
    unsigned tail;               // bytes after them, up to 15
};

__device__ unsigned word_at(const unsigned char* bytes, unsigned count) {
    unsigned word = 0;
    for (unsigned b = 0; b < count; ++b) word |= static_cast<unsigned>(bytes[b]) << (8 * b);
    return word;
}

// The vectors that a thread takes: kUnroll in a turn, `step` apart, and the next turn's `turn` further on.
struct Walk {
    unsigned long long first, step, turn;
};

__device__ Walk walk_of(bool in_chunks, unsigned unroll) {
    const unsigned long long block = blockIdx.x, threads = blockDim.x, all = gridDim.x * threads;
    if (in_chunks) return {block * threads * unroll + threadIdx.x, threads, all * unroll};
    return {block * threads + threadIdx.x, all, all * unroll};
}

// Joins all words by xor: one instruction a word, the least that still needs every byte. The result is added to `*out`
// where `guard` lets it through: all bits when it is verified, none when it is timed, and the compiler cannot know.
template <int kUnroll>
__global__ void __launch_bounds__(1024) plain_read(Bytes in, bool in_chunks, unsigned guard, unsigned* out) {
    const Walk walk = walk_of(in_chunks, kUnroll);
    unsigned word = 0;
    unsigned long long i = walk.first;
    for (; i + (kUnroll - 1) * walk.step < in.count; i += walk.turn) {
        uint4 vectors[kUnroll];
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) vectors[k] = __ldg(in.vectors + i + k * walk.step);
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) word ^= vectors[k].x ^ vectors[k].y ^ vectors[k].z ^ vectors[k].w;
    }
    for (int k = 0; k < kUnroll && i < in.count; ++k, i += walk.step) {
        const uint4 vector = __ldg(in.vectors + i);
        word ^= vector.x ^ vector.y ^ vector.z ^ vector.w;
    }
    const auto* const tail = reinterpret_cast<const unsigned char*>(in.vectors + in.count);
    if (walk.first == 0)
        for (unsigned b = 0; b < in.tail; b += 4) word ^= word_at(tail + b, min(4u, in.tail - b));
    if ((word & guard) != 0) atomicXor(out, word);
}

// A load whose line L2 is asked to evict last (PTX ISA, createpolicy and ld.global.L2::cache_hint).
__device__ uint4 load_to_stay(const uint4* from) {
#if __CUDA_ARCH__ >= 800
    unsigned long long policy = 0;
    uint4 vector;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
        : "=r"(vector.x), "=r"(vector.y), "=r"(vector.z), "=r"(vector.w) : "l"(from), "l"(policy));
    return vector;
#else
    return __ldg(from);
#endif
}

template <int kUnroll, CacheHint kHint>
__global__ void __launch_bounds__(1024) plain_copy(Bytes in, bool in_chunks, uint4* out) {
    const Walk walk = walk_of(in_chunks, kUnroll);
    const auto load = [](const uint4* from) {
        if (kHint == CacheHint::evict_last) return load_to_stay(from);
        return kHint == CacheHint::evict_first ? __ldcs(from) : __ldg(from);
    };
    const auto store = [](uint4* to, uint4 vector) {
        if (kHint == CacheHint::evict_first) __stcs(to, vector);
        else *to = vector;
    };
    unsigned long long i = walk.first;
    for (; i + (kUnroll - 1) * walk.step < in.count; i += walk.turn) {
        uint4 vectors[kUnroll];
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) vectors[k] = load(in.vectors + i + k * walk.step);
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) store(out + i + k * walk.step, vectors[k]);
    }
    for (int k = 0; k < kUnroll && i < in.count; ++k, i += walk.step) store(out + i, load(in.vectors + i));
    if (walk.first < in.tail) {
        const auto* const from = reinterpret_cast<const unsigned char*>(in.vectors + in.count);
        reinterpret_cast<unsigned char*>(out + in.count)[walk.first] = from[walk.first];
    }
}

__global__ void count_differences(const unsigned char* a, const unsigned char* b, unsigned long long bytes,
                                  unsigned* count) {
    unsigned found = 0;
    const unsigned long long step = 4ull * gridDim.x * blockDim.x;
    for (unsigned long long i = 4ull * (blockIdx.x * blockDim.x + threadIdx.x); i < bytes; i += step) {
        const auto left = static_cast<unsigned>(min(4ull, bytes - i));
        if (word_at(a + i, left) != word_at(b + i, left)) ++found;
    }
    if (found != 0) atomicAdd(count, found);
}

__global__ void empty() {}

unsigned grid_of(const LimitShape& shape, unsigned long long vectors, unsigned sms) {
    const unsigned long long turn =
        static_cast<unsigned long long>(shape.threads) * static_cast<unsigned>(shape.unroll);
    const unsigned long long needed = std::max(1ull, (vectors + turn - 1) / turn);
    const unsigned long long most = shape.blocks_per_sm > 0 ? shape.blocks_per_sm * sms : 0x7fffffffull;
    return static_cast<unsigned>(std::min(needed, most));
}

// Calls `use` with the number of loads in flight as a type.
template <class Use>
void with_unroll(int unroll, const Use& use) {
    if (unroll == 1) use(std::integral_constant<int, 1>{});
    else if (unroll == 2) use(std::integral_constant<int, 2>{});
    else if (unroll == 4) use(std::integral_constant<int, 4>{});
    else use(std::integral_constant<int, 8>{});
}

Bytes bytes_at(const void* in, std::uint64_t bytes) {
    return {static_cast<const uint4*>(in), bytes / sizeof(uint4), static_cast<unsigned>(bytes % sizeof(uint4))};
}

}  // namespace

int launch_plain_read(LimitShape shape, unsigned sms, const void* in, std::uint64_t bytes, unsigned guard,
                      unsigned* out, CUstream_st* stream) {
    const Bytes from = bytes_at(in, bytes);
    const unsigned grid = grid_of(shape, from.count, sms);
    with_unroll(shape.unroll, [&](auto unroll) {
        plain_read<unroll><<<grid, shape.threads, 0, stream>>>(from, shape.in_chunks, guard, out);
    });
    return cudaGetLastError();
}

int launch_count_differences(const void* a, const void* b, std::uint64_t bytes, unsigned* count, CUstream_st* stream) {
    count_differences<<<1024, 256, 0, stream>>>(static_cast<const unsigned char*>(a),
                                                static_cast<const unsigned char*>(b), bytes, count);
    return cudaGetLastError();
}

int launch_empty(CUstream_st* stream) {
    empty<<<1, 32, 0, stream>>>();
    return cudaGetLastError();
}

int launch_plain_copy(LimitShape shape, unsigned sms, const void* in, std::uint64_t bytes, void* out,
                      CUstream_st* stream) {
    const Bytes from = bytes_at(in, bytes);
    const unsigned grid = grid_of(shape, from.count, sms);
    uint4* const to = static_cast<uint4*>(out);
    with_unroll(shape.unroll, [&](auto unroll) {
        const auto copy = shape.hint == CacheHint::none          ? plain_copy<unroll, CacheHint::none>
                          : shape.hint == CacheHint::evict_first ? plain_copy<unroll, CacheHint::evict_first>
                                                                 : plain_copy<unroll, CacheHint::evict_last>;
        copy<<<grid, shape.threads, 0, stream>>>(from, shape.in_chunks, to);
    });
    return cudaGetLastError();
}

}  // namespace lanewise::measure
