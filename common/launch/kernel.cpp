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

std::vector<std::string> words_of(const std::string& text) {
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
                                   s.conditional, s.copies, s.calls, s.loads, words_of(s.uses),
                                   {s.function.first, s.function.last}, {s.loop.first, s.loop.last},
                                   {s.branch.first, s.branch.last}});
    }
    file.shared_names.assign(raw.shared_names, raw.shared_names + raw.shared_count);
    file.capture_symbol = raw.capture_symbol;
    return file;
}

void KernelSet::add(const BuiltFile& file) {
    for (const auto& built : file.entries) {
        auto kernel = std::find_if(kernels_.begin(), kernels_.end(), [&](const Kernel& k) {
            return k.name == built.name && k.arguments == built.arguments;
        });
        if (kernel == kernels_.end()) {
            Kernel fresh;
            fresh.name = built.name;
            fresh.arguments = built.arguments;
            fresh.parameters = built.parameters;
            fresh.warp_size = built.warp_size;
            kernels_.push_back(std::move(fresh));
            kernel = kernels_.end() - 1;
        }
        EntryPoint& entry = entry_of(*kernel, file.build);
        if (entry)
            throw Error(fmt::format("entries.inc lists {} twice; keep one of the two lines.", kernel->full_name()));
        entry = built.entry;
    }
    if (statements_.empty()) statements_ = file.statements;
    if (shared_names_.empty()) shared_names_ = file.shared_names;
    if (file.capture_symbol) capture_symbol_ = file.capture_symbol;
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
    throw Error(near.empty() ? fmt::format("there is no kernel '{}'; entries.inc lists {}.", name, fmt::join(names, ", "))
                             : fmt::format("there is no kernel '{}'; did you mean '{}'?", name, near));
}

bool KernelSet::has_gpu() const {
    return std::any_of(kernels_.begin(), kernels_.end(), [](const Kernel& k) { return bool(k.gpu_plain); });
}

}  // namespace lanewise::launch
