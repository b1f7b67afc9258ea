// The derived copies of a kernel file. Each keeps every line on its line and means what the file means; what is added
// tells the recorder where a word stands, what a variable held after a shuffle, and where the shared arrays lie.
#pragma once

#include <string>

#include "common/prelude/annotate/source.hpp"
#include "common/prelude/annotate/statements.hpp"

namespace lanewise::annotate {

enum class Copy : std::uint8_t { gpu_traced, emulated, emulated_traced };

// The copy of the file, with a #line directive in front.
std::string derived_copy(const Source& source, const Statement& file, Copy copy);

// C++ text of the two tables a traced build exports, kStatements and kSharedNames, with their counts.
std::string tables(const Source& source, const Statement& file);

}  // namespace lanewise::annotate
