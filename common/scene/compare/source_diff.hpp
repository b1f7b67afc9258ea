// The sources of two runs next to each other, line by line: what both kernels have, and what only one of them has.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/scene/code_lines.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

// A line of one kernel file or of both.
struct DiffLine {
    int left = 0, right = 0;   // its numbers in the files, from 1; 0: not there
    CodeLine code;

    bool differs() const { return left == 0 || right == 0; }
};

// Numbers of the first and last lines of the functions of `source` that any of `lines` lies in, and of the kernels
// named, from the top. Comments before a function are left out.
std::vector<std::pair<int, int>> functions_around(const std::string& source, const std::vector<int>& lines,
                                                  const std::vector<std::string>& kernels);

// As few lines that differ as possible. Names of the pair that are in the same place of both are taken as one: a
// kernel's own name is no difference.
std::vector<DiffLine> diff_lines(const std::vector<std::pair<int, CodeLine>>& left,
                                 const std::vector<std::pair<int, CodeLine>>& right,
                                 const std::vector<std::pair<std::string, std::string>>& names);

// Of the functions that ran: a kernel, and what it called that left a record.
std::vector<DiffLine> source_diff(const run::Run& left, const run::Run& right);

}  // namespace lanewise::scene
