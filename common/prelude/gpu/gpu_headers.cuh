// What a kernel file may count on without including it. What it does include is in front of this (the wrapper sees
// to that), before the kernel's namespace is opened and before any intrinsic is redefined. CUDA's headers for half,
// bfloat16 and fp8 and for cooperative groups are not here: they cost nvcc 3.7 s a file on one core of an AMD EPYC.
#pragma once

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <cuda_runtime.h>
