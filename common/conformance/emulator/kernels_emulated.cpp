#include "common/prelude/emulated/emulated.hpp"

namespace emulator_kernels_fast {
#include "common/conformance/emulator/kernels.cuh"
}

#define LANEWISE_TEST_NAMESPACE emulator_kernels_fast
#define LANEWISE_TEST_FILE emulator_test_kernels
#include "common/conformance/emulator/kernel_table.hpp"
