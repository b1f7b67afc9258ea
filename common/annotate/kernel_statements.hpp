// The statements of a kernel file as a tree, and the assignments in them, in tokens of its Source.
#pragma once

#include <string>
#include <vector>

#include "common/annotate/source.hpp"

namespace lanewise::annotate {

enum class StatementKind : std::uint8_t {
    simple,     // up to its semicolon; children: the bodies of lambdas in it
    block,      // { … }; children: its statements
    branch,     // if: children: what is done, and what is done else
    loop,       // for, while, do, switch: one child, the body
    function,   // one child, the body
    container,  // namespace, class: children: what is declared in it
};

// Tokens, both included; empty where first > last.
struct Range {
    std::size_t first = 0;
    std::size_t last = 0;

    bool empty() const { return first > last; }
    bool holds(std::size_t token) const { return token >= first && token <= last; }
    bool holds(Range other) const { return other.first >= first && other.last <= last; }
    bool operator==(const Range&) const = default;
};

// One assignment or initialised declaration: `X = …`, `X op= …`, `T X = …`, `T X{…}`.
struct Assignment {
    std::size_t first = 0;  // all of it, without the comma or semicolon that ends it
    std::size_t last = 0;
    std::size_t target_first = 0;
    std::size_t target_last = 0;
    std::size_t value_first = 0;
    std::size_t value_last = 0;
    bool declares = false;   // the target comes into being here
    bool reference = false;  // … and names something that exists already
    bool compound = false;   // op=
    bool to_memory = false;  // the target is an element of an array or what a pointer points to
    bool plain = false;      // the target is a variable or a member of one: reading it once more changes nothing
};

struct Statement {
    StatementKind kind = StatementKind::simple;
    std::size_t first = 0;  // tokens, both included, labels and attributes left out; `last` is the ; of a simple one
    std::size_t last = 0;
    std::size_t header_first = kNone;  // branch and loop: the parentheses of the condition
    std::size_t header_last = kNone;
    bool is_kernel = false;               // function: __global__
    std::vector<Assignment> assignments;  // of a simple one, in order; several where commas part them
    std::vector<Statement> children;
};

// The tokens [first, last) of a list cut at its top-level commas; empty parts are left out.
std::vector<Range> split_at_commas(const Source& source, std::size_t first, std::size_t end);

}  // namespace lanewise::annotate
