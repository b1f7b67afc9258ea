#include "common/gpu/traced_entries.hpp"
#include "common/prelude/gpu/gpu_headers.cuh"

#define LANEWISE_AFTER(EFFECT, VARIABLE)
#define LANEWISE_AFTER_STATEMENT(EFFECT, VARIABLE)
#define LANEWISE_STATEMENT
#define LANEWISE_TOOK
#define LANEWISE_ARRAY(KIND, ID, NAME)

namespace test_kernels_plain {
#include "common/gpu/traced_kernels.cuh"
#include "common/gpu/traced_exports.inc"
}  // namespace test_kernels_plain

namespace lanewise::gpu::testing {

prelude::RawFile plain_build() {
    return {test_kernels_plain::test_entries(), test_kernels_plain::kTestEntries, nullptr, 0, nullptr, 0, nullptr};
}

}  // namespace lanewise::gpu::testing
