// What the text says of a statement besides its effect, so that steps can follow values through statements that leave
// no record of their own (`sum += p.x + p.y;`).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/annotate/syntax/unit.hpp"

namespace lanewise::annotate {

// Lines, both included; 0 where there is no such thing around the statement.
struct Lines {
    int first = 0;
    int last = 0;
};

// What encloses a statement: its function, its innermost loop, its innermost branch of an if.
struct Surroundings {
    Lines function, loop, branch;
};

struct Facts {
    bool conditional = false;         // the value is a `c ? a : b`
    bool copies = false;              // the value is one element of memory, unchanged: in[i], __ldg(&in[i]), *p
    bool calls = false;               // a function of this file is called
    // Both without the arguments of warp intrinsics and atomics:
    int loads = 0;                    // subscripts and dereferences in the value that one lane carries out
    std::vector<std::string> uses;    // names in the value, each once, but for those in subscripts and conditions
};

// The function of this file that the value is one call of, `merge(pair, other)`; empty where it is something else.
std::string call_of(const File& file, const Assignment& assignment, const std::set<std::string>& functions);

// `functions` are those that the unit defines.
Facts facts_of(const File& file, const Assignment& assignment, const std::set<std::string>& functions);

// The surroundings of child number `child` of `statement`, whose own are `around`.
Surroundings surroundings_of(const Source& source, const Statement& statement, std::size_t child,
                             const Surroundings& around);

}  // namespace lanewise::annotate
