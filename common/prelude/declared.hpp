// What CUDA declares, for the parser that reads kernel files: the emulator's intrinsics and cooperative groups. Nothing
// is compiled against it.
#pragma once

#include "common/prelude/emulated/emulated.hpp"
#include "common/prelude/emulated/emulated_special.hpp"
#include "common/prelude/emulated/emulated_video.hpp"

#define LANEWISE_DECLARED_ONLY
#include "common/prelude/cooperative_groups.cuh"
#include "common/prelude/cooperative_groups_reduce.cuh"
#include "common/prelude/cooperative_groups_scan.cuh"

// Here it says nothing: storage is the emulator's business.
#undef __shared__
#define __shared__

// Kernels for GPUs only are read as well.
#define __cluster_dims__(...)
#define __block_size__(...)
#define __managed__
