// A kernel file and the .cuh files beside it that it includes, as read by a C++ parser. Plain data, in tokens.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/annotate/kernel_statements.hpp"

namespace lanewise::annotate {

// Who declares what a call names.
enum class Callee : std::uint8_t {
    unknown,  // a name that depends on a template's arguments, or that has no declaration
    cuda,     // CUDA, the C++ library: nothing of the kernel file's own
    own,      // the kernel file, or a file beside it
    either,   // both have such a function, and it depends on a template's arguments which one is meant
};

struct Call {
    std::size_t name = 0;  // the function's name, and the parentheses after it
    std::size_t open = 0;
    std::size_t close = 0;
    Callee callee = Callee::unknown;
};

// `condition ? yes : no`
struct Conditional {
    Range whole, condition, yes, no;
};

// An operation whose meaning C++ leaves open for some operands, and a GPU does not.
struct OpenOperation {
    enum class Kind : std::uint8_t { shift_left, shift_right, divide, remainder, convert };
    Kind kind = Kind::convert;
    Range left, right;    // what is shifted or divided, and by what; convert: `right` becomes a number of type `type`
    bool assigns = false; // op=: the result goes to `left`, too
    std::string type;     // convert
};

// One file, in one configuration of its conditional directives.
struct File {
    Source source;
    Statement root;                               // a container
    std::map<std::size_t, Call> calls;            // by the token of the name
    std::map<std::size_t, unsigned> variables;    // tokens that name a variable, and which one
    std::vector<Conditional> conditionals;        // an outer one before those in it
    std::vector<OpenOperation> open_operations;   // an outer one before those in it
    std::set<std::size_t> declared_functions;     // tokens where the file declares a function
    std::vector<Span> fresh;                      // what no configuration before this one showed

    File(std::string path, std::string text, int first_line) : source(std::move(path), std::move(text), first_line) {}
};

// One configuration: the file itself, and those beside it in the order of their inclusion.
struct Unit {
    std::vector<std::unique_ptr<File>> files;
    std::set<std::string> functions;  // names that the files give to functions they define
};

// An #include in file number `file` that stands for file number `other`.
struct Include {
    std::size_t file = 0;
    Span span;  // the name, with its quotes or brackets
    std::size_t other = 0;
};

// All that was read of a kernel file. The first unit is what an emulated build sees; each further one shows branches of
// conditional directives (#if, #else) that those before it hid.
struct Reading {
    std::vector<Unit> units;
    std::vector<std::string> overloads;  // functions of CUDA's at global scope that the file adds overloads to
    // Of somebody's file only; a lesson's includes are known by their names, and it says ::name of CUDA's things alone.
    std::vector<Include> includes;
    std::set<std::string> globals;       // names that the files declare at global scope

    std::size_t file_count() const { return units.front().files.size(); }
    // What does not depend on conditional directives is the same in every unit.
    const Source& source(std::size_t file) const { return units.front().files[file]->source; }
};

// How a file is parsed: with what declarations of CUDA's.
struct Prelude {
    std::string root;       // the folder that `common/…` is in
    std::string stand_ins;  // the folder of headers in place of the toolkit's
    std::string compiled;   // the declarations, compiled by compile_prelude(); empty: parsed anew
};

// Reads the kernel file of this path and text, with those beside it. Throws Error, a sentence with path and line, where
// the text is no C++.
Reading read_kernels(const std::string& path, const std::string& text, const Prelude& prelude);

// Compiles the declarations into `path`, so that reading a file takes less time. Returns the files that went into it.
std::vector<std::string> compile_prelude(const std::string& path, const Prelude& prelude);

}  // namespace lanewise::annotate
