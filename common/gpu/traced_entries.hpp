// Both builds of traced_kernels.cuh, as a lesson's wrappers would export them.
#pragma once

#include "common/launch/kernel_exports.hpp"

namespace lanewise::gpu::testing {

prelude::RawFile plain_build();
prelude::RawFile traced_build();

}  // namespace lanewise::gpu::testing
