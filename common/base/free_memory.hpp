// The memory of this machine.
#pragma once

#include <cstdint>
#include <optional>

namespace lanewise {

// Bytes that programs may still take; nothing where the machine does not say.
std::optional<std::uint64_t> free_memory();

}  // namespace lanewise
