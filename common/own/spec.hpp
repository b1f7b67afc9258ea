// What is to run of a kernel file and what must come of it, as written in the file or on the command line:
//
//     // run: block_sum<256><<<4, 256>>>(in = random(1024), out = zeros(1), 1024)
//     // expect: out[0] ~ sum(in)
//
// Several `run` lines are one program on the same buffers; `// run NAME: …` puts a line into a program of that name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lanewise::own {

// One line of a specification, and where it is, for sentences.
struct SpecLine {
    enum class Kind { run, expect } kind = Kind::run;
    std::string text;     // after "run:"
    std::string program;  // the name before the colon; empty: none
    std::string file;     // or "--run"
    int line = 0;         // 0: on the command line
    int column = 1;       // of the text's first character
    std::string whole;    // the line, to be shown with a mark under it
};

// A number as written. Where it is whole, `whole` is exact.
struct Number {
    double value = 0;
    std::int64_t whole = 0;
    bool is_whole = false;
};

// Memory that is made before the first launch.
struct Fill {
    std::string kind;             // "random", "zeros", "ramp", "fill", "list", "file", "uninitialized", …
    std::uint64_t count = 0;      // 0: as many as the list or the file has
    std::vector<Number> numbers;  // random: low, high; ramp: first, step; fill: the value; list: all of them
    std::string path;             // file
};
struct Null {};
struct BufferUse {
    std::string name;
    std::int64_t first = 0;  // in + 16
};
// C++, and memory that its pointers are to point to: where it is, `text` has a kMemoryHere each.
struct MemoryInCode;
struct Code {
    static constexpr char kMemoryHere = '\1';
    std::string text;  // "{1.5f, 3}"
    std::vector<MemoryInCode> memory;
};
using Value = std::variant<Number, Fill, Null, BufferUse, Code>;
struct MemoryInCode {
    std::string name;                      // "in" of "in = random(1024)"; empty: none
    std::variant<Fill, BufferUse> value;   // a BufferUse of no buffer's name is C++: an enumerator
    std::string text;                      // as written
    std::size_t at = 0;                    // in the line's text
};

struct ArgumentSpec {
    std::string name;  // "in" of "in = random(1024)"; empty: none
    Value value;
    std::size_t at = 0;  // in the line's text
};

struct Extent {
    std::uint64_t x = 1, y = 1, z = 1;
};

struct Launch {
    std::string kernel;
    std::string template_arguments;  // "256, float"
    Extent grid, block;
    std::uint64_t shared_bytes = 0;
    std::vector<ArgumentSpec> arguments;
    bool has_arguments = true;  // false: kernel<<<1, 32>>> alone, in an expectation: as in the program
    SpecLine line;
    std::size_t at = 0;
};

// `weights = ramp(16)`: a variable of the file.
struct VariableSpec {
    std::string name;
    Value value;
    SpecLine line;
    std::size_t at = 0;
};

// `in`, `out[0]`, `out[4..8]`, with the last excluded.
struct Part {
    std::string buffer;
    std::optional<std::uint64_t> first, end;
    bool after = false, before = false;  // after(out), before(out)
};
// `sum(in)`, `dot(a, b)`
struct Reduction {
    std::string name;
    std::vector<Part> of;
};
using Operand = std::variant<Number, Fill, Part, Reduction, Launch>;

struct Expectation {
    Operand left, right;
    bool exact = false;                 // ==
    std::optional<double> within;       // of the value's own unit
    std::optional<double> within_part;  // of the reference: 0.01 for 1 %
    std::string text;
    bool is_for_all = false;  // of several programs those that have its buffer
    SpecLine line;
    std::size_t at = 0;
};

struct Program {
    std::string name;  // as given, else the first launch's kernel
    std::vector<VariableSpec> variables;
    std::vector<Launch> launches;
    std::vector<Expectation> expectations;
};

// Throws Error with the line, the place in it and what was expected there.
[[noreturn]] void fail_at(const SpecLine& line, std::size_t at, const std::string& sentence);

// The lines of a kernel file's comments; a comment such as "// run: nvcc file.cu" is none of them.
std::vector<SpecLine> spec_lines_of(const std::string& file, const std::string& text);
// A line of the command line: "[NAME:] text".
SpecLine spec_line_of(SpecLine::Kind kind, const std::string& text);

// Throws Error where a line is not as it must be.
std::vector<Program> parse_spec(const std::vector<SpecLine>& lines);

// The names of fills and of reductions, for sentences and tests.
const std::vector<std::string>& fill_names();
const std::vector<std::string>& reduction_names();

}  // namespace lanewise::own
