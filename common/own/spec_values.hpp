// The values in a specification: of arguments, of variables, and of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/own/spec.hpp"
#include "common/own/spec_cursor.hpp"

namespace lanewise::own {

// Memory is judged later, with its element's size.
inline constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;

bool is_fill(const std::string& name);
// [1, 2, 3]
Fill list_of(Cursor& c);
// "data.npy"
Fill file_of(Cursor& c);
// After the name of a fill, or `file`, which is `at`: (1024, 2.5)
Fill fill_of(Cursor& c, const std::string& name, std::size_t at);
// An argument, without the name that it may be given.
Value value_of(Cursor& c);

}  // namespace lanewise::own
