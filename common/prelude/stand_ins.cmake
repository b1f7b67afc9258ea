# Headers of the CUDA toolkit that a kernel file may include, for builds without the toolkit: what the emulator's
# prelude already defines needs no text of its own, so most are empty. This is the one list of them.
#
# Makes them in LANEWISE_STAND_INS, one folder to pass with -I, with the two that are files of their own
# (common/prelude/include). It is installed too, beside share/lanewise as in a build.
set(LANEWISE_STAND_INS ${PROJECT_BINARY_DIR}/share/lanewise-cuda-headers)

set(defined_by_the_prelude
  builtin_types.h common_functions.h cuda.h cuda_bf16.h cuda_bf16.hpp cuda_fp16.h cuda_fp16.hpp cuda_fp8.h
  cuda_fp8.hpp cuda_runtime.h cuda_runtime_api.h device_atomic_functions.h device_double_functions.h
  device_functions.h device_launch_parameters.h device_types.h driver_types.h host_config.h host_defines.h
  math_functions.h sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_atomic_functions.h
  sm_32_intrinsics.h sm_35_atomic_functions.h sm_35_intrinsics.h sm_60_atomic_functions.h sm_61_intrinsics.h
  vector_functions.h vector_functions.hpp vector_types.h
  # The derived copies of a kernel file include common/prelude/cooperative_groups*.cuh in the place of these, inside the
  # kernel's own namespace.
  cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/scan.h)
foreach(header IN LISTS defined_by_the_prelude)
  file(CONFIGURE OUTPUT ${LANEWISE_STAND_INS}/${header} @ONLY CONTENT
    "// Stands in for the toolkit's header: the prelude defines what a kernel file uses of it.\n#pragma once\n")
endforeach()

# A header whose contents cannot be emulated: what it holds, and that it does not.
function(lanewise_refused_header header what)
  file(CONFIGURE OUTPUT ${LANEWISE_STAND_INS}/${header} @ONLY CONTENT
    "#error \"<@header@>: @what@ emulated; this kernel file runs on a GPU alone\"\n")
endfunction()
lanewise_refused_header(cuda_fp4.h "4-bit floats are not")
lanewise_refused_header(cuda_fp6.h "6-bit floats are not")
lanewise_refused_header(cuda_pipeline.h "asynchronous copies (__pipeline_*) cannot be")
lanewise_refused_header(mma.h "matrix instructions (wmma) cannot be")

# libcu++: its atomics are the prelude's own; of the rest, what C++ has under the same name.
foreach(header IN ITEMS cuda/atomic cuda/std/atomic)
  file(CONFIGURE OUTPUT ${LANEWISE_STAND_INS}/${header} @ONLY CONTENT
    "// Stands in for libcu++'s header.\n#pragma once\n#include \"common/prelude/emulated/emulated_cuda_atomic.hpp\"\n")
endforeach()
foreach(header IN ITEMS algorithm array bit climits cmath cstddef cstdint functional initializer_list limits numeric
        optional span tuple type_traits utility)
  file(CONFIGURE OUTPUT ${LANEWISE_STAND_INS}/cuda/std/${header} @ONLY CONTENT
    "// Stands in for libcu++'s header.\n#pragma once\n#include <@header@>\nnamespace cuda::std {\nusing namespace ::std;\n}\n")
endforeach()
foreach(header IN ITEMS barrier pipeline ptx)
  lanewise_refused_header(cuda/${header} "asynchronous work (cuda::barrier, cuda::pipeline, cuda::ptx) cannot be")
endforeach()

# Of cuFFT, the types that kernels name.
foreach(header IN ITEMS cufft.h cufftXt.h)
  file(CONFIGURE OUTPUT ${LANEWISE_STAND_INS}/${header} @ONLY CONTENT
    "// Stands in for cuFFT's header: its types.\n#pragma once\n#include <cuComplex.h>\nusing cufftReal = float;\nusing cufftDoubleReal = double;\nusing cufftComplex = cuComplex;\nusing cufftDoubleComplex = cuDoubleComplex;\n")
endforeach()

# CUB: its warp and block collectives for reductions and scans. What else it has is not emulated.
foreach(header IN ITEMS cub.cuh block/block_reduce.cuh block/block_scan.cuh warp/warp_reduce.cuh warp/warp_scan.cuh
        thread/thread_operators.cuh util_type.cuh)
  file(CONFIGURE OUTPUT ${LANEWISE_STAND_INS}/cub/${header} @ONLY CONTENT
    "// Stands in for CUB's header.\n#pragma once\n#include \"common/prelude/emulated/emulated_cub.hpp\"\n")
endforeach()

foreach(header IN ITEMS assert.h cuComplex.h math_constants.h)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/include/${header} ${LANEWISE_STAND_INS}/${header} COPYONLY)
endforeach()
file(CONFIGURE OUTPUT ${LANEWISE_STAND_INS}/cassert @ONLY CONTENT
  "// Stands in for C++'s header; no guard, as in assert.h.\n#include \"common/prelude/include/assert.h\"\n")
