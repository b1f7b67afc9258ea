#include "common/prelude/emulated/emulated_traced.hpp"

namespace emulator_kernels_traced {
#include "common/conformance/emulator/kernels.cuh"
}

#define LANEWISE_TEST_NAMESPACE emulator_kernels_traced
#define LANEWISE_TEST_FILE emulator_test_kernels_traced
#include "common/conformance/emulator/kernel_table.hpp"
