// CUB's reductions behind plain functions, so that only one small file needs CUB's headers.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace lanewise::timing {

// Each in the form CUB's device functions have: without `memory` it only says in `bytes` how much it needs. `in` are n
// values of the function's type. Returns a cudaError_t. Up to INT_MAX values CUB is called with an int, as most
// programs do, and beyond with 64 bits. `out` is one float, or one int for integers.
using CubReduce = int (*)(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n,
                          CUstream_st* stream);

// Of f32.
int cub_sum(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream);
int cub_max(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream);
int cub_min(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream);

// Of f16 and bf16 with plus<float>: a float accumulates.
int cub_sum_f16(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream);
int cub_sum_bf16(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream);

// Of 8 bits: each value is converted as it is read (a transform iterator), and a float accumulates, or an int.
int cub_sum_e4m3(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream);
int cub_sum_e5m2(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream);
int cub_sum_i8(void* memory, std::size_t& bytes, const void* in, void* out, std::uint64_t n, CUstream_st* stream);

// The most values that this toolkit's CUB takes.
std::uint64_t cub_most_values();

}  // namespace lanewise::timing
