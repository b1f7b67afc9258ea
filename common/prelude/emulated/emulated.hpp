// CUDA's intrinsics for the emulator: what a kernel file needs to compile as ordinary C++. Included before the kernel's
// namespace is opened; the only header of the emulated copy.
#pragma once

// No Bessel functions and the like: kernels have CUDA's own, and compiling libstdc++'s takes as long as a kernel file.
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define _GLIBCXX_USE_STD_SPEC_FUNCS 0
#endif
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// As the toolkit's own headers bring with them.
#include <array>
#include <new>
#include <utility>

#include "common/prelude/emulated/emulated_runtime.hpp"

// Calls that pass the emulator the line they are on take it as a default argument.
#define LANEWISE_LINE int line = __builtin_LINE()
#define LANEWISE_INTRINSIC [[maybe_unused]] LANEWISE_UNHOOKED static inline

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ constinit thread_local
#define __builtin_assume(condition) static_cast<void>(0)
#define __assume(condition) static_cast<void>(0)
#define __unreachable() __builtin_unreachable()
// The first architecture that has all the intrinsics emulated here.
#define __CUDA_ARCH__ 800
// What a file asks to know which compiler and toolkit it is read by: without them many take another branch.
#define LANEWISE_EMULATED 1
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000

// Each lane asks where it is; the answer never changes while its kernel runs.
LANEWISE_INTRINSIC uint3 lanewise_thread_index() {
    return lanewise_emulated::board->threads[lanewise_emulated::board->current];
}
LANEWISE_INTRINSIC uint3 lanewise_block_index() { return lanewise_emulated::board->block; }
LANEWISE_INTRINSIC dim3 lanewise_block_dim() { return lanewise_emulated::board->block_dim; }
LANEWISE_INTRINSIC dim3 lanewise_grid_dim() { return lanewise_emulated::board->grid_dim; }
#define threadIdx (lanewise_thread_index())
#define blockIdx (lanewise_block_index())
#define blockDim (lanewise_block_dim())
#define gridDim (lanewise_grid_dim())

#include "common/prelude/include/assert.h"
#include "common/prelude/emulated/emulated_vectors.hpp"
#include "common/prelude/emulated/emulated_meaning.hpp"
#include "common/prelude/emulated/emulated_math.hpp"
#include "common/prelude/emulated/emulated_half.hpp"
#include "common/prelude/emulated/emulated_fp8.hpp"
#include "common/prelude/emulated/emulated_collectives.hpp"
#include "common/prelude/emulated/emulated_atomics.hpp"
#include "common/prelude/emulated/emulated_heap.hpp"
