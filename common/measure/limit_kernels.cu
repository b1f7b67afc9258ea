#include "common/measure/limit_kernels.hpp"

#include <cuda_runtime.h>

#include <algorithm>

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

// Joins all words by xor: one instruction a word, the least that still needs every byte. The result is added to `*out`
// where `guard` lets it through: all bits when it is verified, none when it is timed, and the compiler cannot know.
template <int kUnroll>
__global__ void __launch_bounds__(1024) plain_read(Bytes in, unsigned guard, unsigned* out) {
    const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned word = 0;
    unsigned long long i = first;
    for (; i + (kUnroll - 1) * stride < in.count; i += kUnroll * stride) {
        uint4 vectors[kUnroll];
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) vectors[k] = __ldg(in.vectors + i + k * stride);
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) word ^= vectors[k].x ^ vectors[k].y ^ vectors[k].z ^ vectors[k].w;
    }
    for (; i < in.count; i += stride) {
        const uint4 vector = __ldg(in.vectors + i);
        word ^= vector.x ^ vector.y ^ vector.z ^ vector.w;
    }
    const auto* const tail = reinterpret_cast<const unsigned char*>(in.vectors + in.count);
    if (first == 0)
        for (unsigned b = 0; b < in.tail; b += 4) word ^= word_at(tail + b, min(4u, in.tail - b));
    if ((word & guard) != 0) atomicXor(out, word);
}

template <int kUnroll>
__global__ void __launch_bounds__(1024) plain_copy(Bytes in, uint4* out) {
    const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned long long i = first;
    for (; i + (kUnroll - 1) * stride < in.count; i += kUnroll * stride) {
        uint4 vectors[kUnroll];
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) vectors[k] = __ldg(in.vectors + i + k * stride);
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) out[i + k * stride] = vectors[k];
    }
    for (; i < in.count; i += stride) out[i] = __ldg(in.vectors + i);
    if (first < in.tail) {
        const auto* const from = reinterpret_cast<const unsigned char*>(in.vectors + in.count);
        reinterpret_cast<unsigned char*>(out + in.count)[first] = from[first];
    }
}

__global__ void empty() {}

unsigned grid_of(const LimitShape& shape, unsigned long long vectors, unsigned sms) {
    const unsigned long long turn =
        static_cast<unsigned long long>(shape.threads) * static_cast<unsigned>(shape.unroll);
    const unsigned long long needed = std::max(1ull, (vectors + turn - 1) / turn);
    const unsigned long long most = shape.blocks_per_sm > 0 ? shape.blocks_per_sm * sms : 0x7fffffffull;
    return static_cast<unsigned>(std::min(needed, most));
}

Bytes bytes_at(const void* in, std::uint64_t bytes) {
    return {static_cast<const uint4*>(in), bytes / sizeof(uint4), static_cast<unsigned>(bytes % sizeof(uint4))};
}

}  // namespace

int launch_plain_read(LimitShape shape, unsigned sms, const void* in, std::uint64_t bytes, unsigned guard,
                      unsigned* out, CUstream_st* stream) {
    const Bytes from = bytes_at(in, bytes);
    const unsigned grid = grid_of(shape, from.count, sms);
    if (shape.unroll == 2) plain_read<2><<<grid, shape.threads, 0, stream>>>(from, guard, out);
    else if (shape.unroll == 4) plain_read<4><<<grid, shape.threads, 0, stream>>>(from, guard, out);
    else plain_read<8><<<grid, shape.threads, 0, stream>>>(from, guard, out);
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
    if (shape.unroll == 2) plain_copy<2><<<grid, shape.threads, 0, stream>>>(from, to);
    else if (shape.unroll == 4) plain_copy<4><<<grid, shape.threads, 0, stream>>>(from, to);
    else plain_copy<8><<<grid, shape.threads, 0, stream>>>(from, to);
    return cudaGetLastError();
}

}  // namespace lanewise::measure
