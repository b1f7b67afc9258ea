// A kernel as a value: a name, template arguments, and an entry point for each build that exists.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/prelude/export.hpp"
#include "common/trace/trace.hpp"

namespace lanewise::launch {

// One parameter of a kernel, so that a launch with other arguments is a sentence instead of a crash.
struct Parameter {
    std::uint32_t size = 0;   // bytes
    bool is_pointer = false;
};

// One compiled kernel. GPU builds: the host stub that cudaLaunchKernel takes. Emulated builds: an EmulatedBody.
struct EntryPoint {
    const void* address = nullptr;
    explicit operator bool() const { return address != nullptr; }
};

// The emulated form of a kernel: called once for each lane with the addresses of the arguments.
using EmulatedBody = void (*)(void** arguments);

struct Kernel {
    std::string name;        // "block_sum_two_level"
    std::string arguments;   // "256"; empty without template arguments
    std::vector<Parameter> parameters;
    std::uint32_t warp_size = trace::kWarpSize;  // 4, 8 or 16: made for teaching warps, which only the emulator has
    EntryPoint gpu_plain;       // the file as the learner reads it
    EntryPoint gpu_traced;      // with every warp-level word intercepted
    EntryPoint emulated;        // runs fast; only collectives and barriers are seen
    EntryPoint emulated_traced; // every load and store is announced as well

    // "block_sum_two_level<256>"
    std::string full_name() const { return arguments.empty() ? name : name + "<" + arguments + ">"; }
};

enum class Build : std::uint8_t { gpu_plain, gpu_traced, emulated, emulated_traced };

// What one wrapper file exports of one entry.
struct BuiltEntry {
    std::string name;
    std::string arguments;
    std::vector<Parameter> parameters;
    EntryPoint entry;
    std::uint32_t warp_size = trace::kWarpSize;
};

// What one wrapper file exports: all of one build of one kernel file.
struct BuiltFile {
    Build build = Build::emulated;
    std::vector<BuiltEntry> entries;
    std::vector<trace::Statement> statements;  // traced builds
    std::vector<std::string> shared_names;     // traced builds: shared arrays by the id the prelude reports them with
    const void* capture_symbol = nullptr;      // gpu_traced: the __device__ variable the GPU prelude writes through
};

// A BuiltFile from what a wrapper exports.
BuiltFile import_file(Build build, const prelude::RawFile& raw);

// The kernels of a lesson, put together from its builds. Entries are joined by name and arguments.
class KernelSet {
public:
    // Throws Error when two files of the same build export the same entry.
    void add(const BuiltFile& file);

    std::span<const Kernel> kernels() const { return kernels_; }

    // The instance of `name` with `arguments`. Throws Error that lists the instances there are (or, when the name is
    // unknown, the nearest names).
    const Kernel& find(const std::string& name, const std::string& arguments) const;

    // Template arguments for which `name` exists, in the order of entries.inc.
    std::vector<std::string> instances(const std::string& name) const;

    const std::vector<trace::Statement>& statements() const { return statements_; }
    const std::vector<std::string>& shared_names() const { return shared_names_; }
    const void* capture_symbol() const { return capture_symbol_; }
    bool has_gpu() const;  // were GPU builds compiled in?

private:
    std::vector<Kernel> kernels_;
    std::vector<trace::Statement> statements_;
    std::vector<std::string> shared_names_;
    const void* capture_symbol_ = nullptr;
};

}  // namespace lanewise::launch
