#include "common/prelude/emulated.hpp"

namespace emulator_kernels_fast {
#include "common/emu/testing/kernels.cuh"
}

#define LANEWISE_TEST_NAMESPACE emulator_kernels_fast
#define LANEWISE_TEST_FILE emulator_test_kernels
#include "common/emu/testing/table.hpp"
