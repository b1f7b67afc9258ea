#include "common/gpu/traced_entries.hpp"
#include "common/prelude/gpu/gpu_traced.cuh"

#define LANEWISE_AFTER(EFFECT, VARIABLE) , ::lanewise_traced::after(__LINE__, __LINE__, EFFECT, VARIABLE)
// The shuffle is on the line after LANEWISE_STATEMENT.
#define LANEWISE_STATEMENT constexpr int kShuffleLine = __LINE__ + 1;
#define LANEWISE_AFTER_STATEMENT(EFFECT, VARIABLE) \
    ::lanewise_traced::after(kShuffleLine, kShuffleLine, EFFECT, VARIABLE)
#define LANEWISE_TOOK , ::lanewise_traced::took(kShuffleLine, kShuffleLine)
#define LANEWISE_ARRAY(KIND, ID, NAME) ::lanewise_traced::KIND(ID, NAME);

namespace test_kernels_traced {
#include "common/gpu/traced_kernels.cuh"
#include "common/gpu/traced_exports.inc"
}  // namespace test_kernels_traced

namespace lanewise::gpu::testing {

prelude::RawFile traced_build() {
    static const char* const shared_names[] = {"tile", "votes", "extra"};
    return {test_kernels_traced::test_entries(), test_kernels_traced::kTestEntries, nullptr, 0, shared_names, 3,
            ::lanewise_traced::capture_symbol()};
}

}  // namespace lanewise::gpu::testing
