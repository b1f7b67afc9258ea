// CUB's warp and block collectives, written on CUDA's intrinsics from CUB's documentation: WarpReduce, WarpScan,
// BlockReduce, BlockScan and the operators. Stands in for CUB's headers in emulated builds. Each shuffle and barrier
// has the line of the call. A collective's storage is shared memory of the kernel's: using it again without a barrier
// is found, as it would fail on a GPU. The order of additions is ours, so sums of floats may differ in the last bits.
#pragma once

#include "common/prelude/emulated/emulated_cub_block.hpp"
#include "common/prelude/emulated/emulated_cub_warp.hpp"
#undef LANEWISE_HERE
