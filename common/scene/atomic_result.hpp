// What an atomic makes of a word.
#pragma once

#include <cstdint>
#include <optional>

#include "common/trace/trace.hpp"

namespace lanewise::scene {

// What an atomic leaves: from the value it found and its operand. Nothing for a CAS.
std::optional<std::uint64_t> after_atomic(trace::Op op, Element type, std::uint64_t found, std::uint64_t gave);

// Does `a` come before `b`, as numbers of the type?
bool is_less(Element type, std::uint64_t a, std::uint64_t b);

}  // namespace lanewise::scene
