#include "common/launch/kernel.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/base/suggest.hpp"

namespace lanewise::launch {

namespace {

EntryPoint& entry_of(Kernel& kernel, Build build) {
    switch (build) {
        case Build::gpu_plain: return kernel.gpu_plain;
        case Build::gpu_traced: return kernel.gpu_traced;
        case Build::emulated: return kernel.emulated;
        case Build::emulated_traced: return kernel.emulated_traced;
    }
    throw Error("a build that does not exist was asked for");
}

std::vector<std::string> unsigned_of(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

BuiltFile import_file(Build build, const prelude::RawFile& raw) {
    BuiltFile file;
    file.build = build;
    for (std::uint32_t i = 0; i < raw.entry_count; ++i) {
        const auto& entry = raw.entries[i];
        BuiltEntry built{entry.name, entry.arguments, {}, {entry.address}, trace::kWarpSize};
        if (entry.warp_size) built.warp_size = entry.warp_size;
        for (std::uint32_t p = 0; p < entry.parameter_count; ++p)
            built.parameters.push_back({entry.parameters[p].size, entry.parameters[p].is_pointer});
        file.entries.push_back(std::move(built));
    }
    for (std::uint32_t i = 0; i < raw.statement_count; ++i) {
        const auto& s = raw.statements[i];
        file.statements.push_back({s.line, s.last_line, static_cast<trace::Effect>(s.effect), s.target, s.to_memory,
                                   s.conditional, s.copies, s.calls, s.loads, unsigned_of(s.uses),
                                   {s.function.first, s.function.last}, {s.loop.first, s.loop.last},
                                   {s.branch.first, s.branch.last}, s.offers, s.call});
    }
    file.shared_names.assign(raw.shared_names, raw.shared_names + raw.shared_count);
    for (const char* const* name = raw.constant_names; name && *name; ++name) file.constant_names.emplace_back(*name);
    file.capture_symbol = raw.capture_symbol;
    file.file = raw.file;
    file.architecture = raw.architecture;
    return file;
}

void KernelSet::add(const BuiltFile& file) {
    for (const auto& built : file.entries) {
        Kernel& kernel = known(built, file);
        if (kernel.parameters.empty()) kernel.parameters = built.parameters;  // what was declared has none
        EntryPoint& entry = entry_of(kernel, file.build);
        if (entry || kernel.file != file.file)
            throw Error(fmt::format("{} is listed twice, for {} and {}; keep one of the two lines.", kernel.full_name(),
                                    kernel.file, file.file));
        entry = built.entry;
    }
    KernelFile& kept = file_named(file.file);
    if (kept.statements.empty()) kept.statements = file.statements;
    if (kept.shared_names.empty()) kept.shared_names = file.shared_names;
    if (kept.constant_names.empty()) kept.constant_names = file.constant_names;
    if (file.capture_symbol) kept.capture_symbol = file.capture_symbol;
}

void KernelSet::declare(const BuiltFile& file) {
    for (const auto& built : file.entries) known(built, file);
    file_named(file.file);
}

Kernel& KernelSet::known(const BuiltEntry& built, const BuiltFile& file) {
    for (Kernel& kernel : kernels_)
        if (kernel.name == built.name && kernel.arguments == built.arguments) return kernel;
    Kernel fresh;
    fresh.name = built.name;
    fresh.arguments = built.arguments;
    fresh.parameters = built.parameters;
    fresh.warp_size = built.warp_size;
    fresh.file = file.file;
    fresh.architecture = file.architecture;
    kernels_.push_back(std::move(fresh));
    return kernels_.back();
}

KernelFile& KernelSet::file_named(const std::string& name) {
    for (KernelFile& file : files_)
        if (file.name == name) return file;
    files_.push_back({name, {}, {}, {}, nullptr});
    return files_.back();
}

const KernelFile& KernelSet::file_of(const Kernel& kernel) const {
    for (const KernelFile& file : files_)
        if (file.name == kernel.file) return file;
    throw Error(fmt::format("{} is in {}, of which nothing was built; build the lesson again.", kernel.full_name(),
                            kernel.file));
}

std::vector<std::string> KernelSet::files() const {
    std::vector<std::string> names;
    for (const KernelFile& file : files_) names.push_back(file.name);
    return names;
}

std::vector<std::string> KernelSet::instances(const std::string& name) const {
    std::vector<std::string> result;
    for (const auto& kernel : kernels_)
        if (kernel.name == name) result.push_back(kernel.arguments);
    return result;
}

const Kernel& KernelSet::find(const std::string& name, const std::string& arguments) const {
    for (const auto& kernel : kernels_)
        if (kernel.name == name && kernel.arguments == arguments) return kernel;
    const auto there = instances(name);
    if (!there.empty())
        throw Error(fmt::format("{} has no instance <{}>; entries.inc has <{}>.", name, arguments,
                                fmt::join(there, ">, <")));
    std::vector<std::string> names;
    for (const auto& kernel : kernels_)
        if (std::find(names.begin(), names.end(), kernel.name) == names.end()) names.push_back(kernel.name);
    const std::string near = nearest(name, names);
    throw Error(near.empty()
                    ? fmt::format("there is no kernel '{}'; entries.inc lists {}.", name, fmt::join(names, ", "))
                    : fmt::format("there is no kernel '{}'; did you mean '{}'?", name, near));
}

std::string why_not_emulated(const Kernel& kernel) {
    if (!kernel.gpu_only())
        return fmt::format("{} runs on a GPU only; choose another variant or --backend recorded.", kernel.full_name());
    return fmt::format(
        "The kernels of {} need a GPU of sm_{} or later and are not emulated, for they hold inline PTX or "
        "blocks that must run together: use --backend recorded.",
        kernel.file, kernel.architecture);
}

std::string why_no_gpu_build(const Kernel& kernel, const KernelSet& kernels) {
    if (kernel.gpu_only() && !kernels.architectures().empty())
        return fmt::format(
            "The kernels of {} need sm_{} or later, and this program was compiled for sm_{}: configure with "
            "-DLANEWISE_CUDA_ARCH={}, or use --backend recorded.",
            kernel.file, kernel.architecture, kernels.architectures(), kernel.architecture);
    return fmt::format(
        "{} was not compiled for the GPU in this program: build with -DLANEWISE_CUDA=ON, or use --backend {}.",
        kernel.full_name(), kernel.gpu_only() ? "recorded" : "cpu");
}

std::string why_not_on(const Kernel& kernel, std::uint32_t architecture) {
    if (architecture >= kernel.architecture) return {};
    return fmt::format("The kernels of {} need sm_{} or later, and this GPU is sm_{}: use --backend recorded.",
                       kernel.file, kernel.architecture, architecture);
}

bool KernelSet::has_gpu() const {
    return std::any_of(kernels_.begin(), kernels_.end(), [](const Kernel& k) { return bool(k.gpu_plain); });
}

}  // namespace lanewise::launch
