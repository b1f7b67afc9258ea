#include <fmt/format.h>

#include "common/gpu/device.hpp"

namespace lanewise::gpu {

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace lanewise::gpu
