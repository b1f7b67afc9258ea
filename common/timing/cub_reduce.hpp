// CUB's reductions behind plain functions, so that only one small file needs CUB's headers.
#pragma once

#include <cstddef>

struct CUstream_st;

namespace lanewise::timing {

// Each in the form CUB's device functions have: without `memory` it only says in `bytes` how much it needs. Returns a
// cudaError_t.
using CubReduce = int (*)(void* memory, std::size_t& bytes, const float* in, float* out, int n, CUstream_st* stream);

int cub_sum(void* memory, std::size_t& bytes, const float* in, float* out, int n, CUstream_st* stream);
int cub_max(void* memory, std::size_t& bytes, const float* in, float* out, int n, CUstream_st* stream);
int cub_min(void* memory, std::size_t& bytes, const float* in, float* out, int n, CUstream_st* stream);

}  // namespace lanewise::timing
