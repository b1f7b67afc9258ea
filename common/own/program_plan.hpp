// From a program as written to a plan: which instances must be compiled, and, once they are, buffers, launches and
// expectations.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/launch/backend.hpp"
#include "common/compile/build.hpp"
#include "common/own/spec.hpp"
#include "common/worker/library.hpp"

namespace lanewise::own {

// Names of parameters, by the kernel's name; empty where a parameter has none.
using ParameterNames = std::map<std::string, std::vector<std::string>>;

// What the programs of a file need of the compiler, and where in it each thing is.
struct Needs {
    compile::BuildRequest request;
    std::map<const Launch*, std::size_t> instances;          // of request.instances
    std::map<const ArgumentSpec*, std::uint32_t> arguments;  // of request.arguments
    std::map<const MemoryInCode*, std::uint32_t> memory;     // numbered as the library numbers it
};
// The programs must stay where they are.
Needs needs_of(const std::vector<Program>& programs, const std::filesystem::path& file);

// What a plan is made from.
struct Compiled {
    const Needs& needs;
    const worker::LibraryContents& library;
    const ParameterNames& names;
    std::filesystem::path folder;  // that files are named from
};

// Runs a plan, for what is expected of another kernel or of another buffer.
using RunPlan = std::function<launch::Outcome(const launch::Plan&)>;

// What is expected of all programs counts for those that have its buffer. Throws Error, with the place in the line,
// where arguments are not what the kernel takes.
launch::Plan make_plan(const Program& program, const Compiled& compiled, const RunPlan& run);

// Is there a buffer in the plan that the left side names?
bool has_buffer(const launch::Plan& plan, const Expectation& expectation);

// Buffers, variables and launches alone.
launch::Plan make_launches(const std::vector<VariableSpec>& variables, const std::vector<const Launch*>& launches,
                           const Compiled& compiled);

// "block_sum<256>(const float* in, float* out, int n)"
std::string signature(const launch::BuiltEntry& entry, const std::vector<worker::TypeInfo>& types,
                      const std::vector<std::string>& names);

}  // namespace lanewise::own
