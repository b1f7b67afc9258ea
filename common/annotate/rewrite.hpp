// The derived copies of a kernel file. Each keeps every line on its line and means what the file means; what is added
// reports to the recorder where an intrinsic is called, what a variable held after a shuffle, and where the shared
// arrays are.
#pragma once

#include <string>

#include "common/annotate/syntax/unit.hpp"

namespace lanewise::annotate {

// gpu_only is the traced copy of a file that is never emulated: with the toolkit's own cooperative groups, whose grids
// and clusters ours do not have (what a tile exchanges is then not seen).
enum class Copy : std::uint8_t { gpu_traced, emulated, emulated_traced, gpu_only };

// The copy of file number `file`, with a #line directive in front. A copy includes the copies of the files beside it by
// copy_name().
std::string derived_copy(const Reading& reading, std::size_t file, Copy copy);

// "kernels.emulated.cuh" for the file itself; for "sums.cuh" beside it "sums.kernels.emulated.cuh".
std::string copy_name(const Reading& reading, std::size_t file, Copy copy);

// C++ text of the two tables a traced build exports, kStatements and kSharedNames, with their counts.
std::string tables(const Reading& reading);

}  // namespace lanewise::annotate
