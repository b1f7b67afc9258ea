// A kernel as a value: a name, template arguments, and an entry point for each build that exists.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/launch/kernel_exports.hpp"
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

// The kernel file that every lesson has; those for GPUs only are named kernels_sm90.cuh.
inline constexpr const char* kKernelFile = "kernels.cuh";

struct Kernel {
    std::string name;        // "block_sum_two_level"
    std::string arguments;   // "256"; empty without template arguments
    std::vector<Parameter> parameters;
    std::uint32_t warp_size = trace::kWarpSize;  // 4, 8 or 16: made for teaching warps, which only the emulator has
    std::string file = kKernelFile;      // where its text is, in the lesson's folder
    std::uint32_t architecture = 0;  // 90: for GPUs of sm_90 and later, never emulated; 0: for all, and the emulator
    EntryPoint gpu_plain;       // the file as the learner reads it
    EntryPoint gpu_traced;      // with every warp intrinsic intercepted
    EntryPoint emulated;        // runs fast; only collectives and barriers are seen
    EntryPoint emulated_traced; // every load and store is announced as well

    // "block_sum_two_level<256>"
    std::string full_name() const { return arguments.empty() ? name : name + "<" + arguments + ">"; }
    bool gpu_only() const { return architecture != 0; }
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
    std::vector<std::string> constant_names;   // traced builds: its __constant__ variables
    const void* capture_symbol = nullptr;      // gpu_traced: the __device__ variable the GPU prelude writes through
    std::string file = kKernelFile;
    std::uint32_t architecture = 0;            // as Kernel's
};

// A BuiltFile from what a wrapper exports.
BuiltFile import_file(Build build, const prelude::RawFile& raw);

// What the traced builds of one kernel file say about it.
struct KernelFile {
    std::string name;
    std::vector<trace::Statement> statements;
    std::vector<std::string> shared_names;
    std::vector<std::string> constant_names;
    const void* capture_symbol = nullptr;
};

// The kernels of a lesson, put together from its builds. Entries are joined by name and arguments.
class KernelSet {
public:
    // Makes the entries of a file known of which there may be no build here.
    void declare(const BuiltFile& file);
    // What GPU builds were compiled for, "90" or "75;90"; empty where there are none.
    void set_architectures(std::string architectures) { architectures_ = std::move(architectures); }
    const std::string& architectures() const { return architectures_; }

    // Throws Error when two files of the same build export the same entry.
    void add(const BuiltFile& file);

    std::span<const Kernel> kernels() const { return kernels_; }

    // The instance of `name` with `arguments`. Throws Error that lists the instances there are (or, when the name is
    // unknown, the nearest names).
    const Kernel& find(const std::string& name, const std::string& arguments) const;

    // Template arguments for which `name` exists, in the order of entries.inc.
    std::vector<std::string> instances(const std::string& name) const;

    // The file a kernel is in. Throws Error for one that is not of this set.
    const KernelFile& file_of(const Kernel& kernel) const;
    // The names of all kernel files, in the order they were added.
    std::vector<std::string> files() const;

    // The library that the emulated entries are in, which workers load: their addresses then count from where it
    // lies. Empty: they are this program's own.
    const std::string& library() const { return library_; }
    void set_library(std::string path) { library_ = std::move(path); }
    bool has_gpu() const;  // were GPU builds compiled in?

private:
    Kernel& known(const BuiltEntry& built, const BuiltFile& file);  // made where it is not known yet
    KernelFile& file_named(const std::string& name);

    std::vector<Kernel> kernels_;
    std::vector<KernelFile> files_;
    std::string architectures_;
    std::string library_;
};

// Why the emulator does not run a kernel, or no GPU build of it is here: a sentence with the way out.
std::string why_not_emulated(const Kernel& kernel);
std::string why_no_gpu_build(const Kernel& kernel, const KernelSet& kernels);
// Why a GPU of compute capability `architecture` (90 for 9.0) cannot run a kernel; empty where it can.
std::string why_not_on(const Kernel& kernel, std::uint32_t architecture);

}  // namespace lanewise::launch
