#include "common/annotate/wrappers.hpp"

#include "common/annotate/rewrite.hpp"
#include "common/base/error.hpp"

namespace lanewise::annotate {
namespace {

struct BuildKind {
    std::string_view name;
    std::string_view suffix;
    std::string_view prelude;
    Copy copy;       // of the kernels; gpu_plain is the file as the learner reads it
    bool emulated;
    bool traced;
};

constexpr BuildKind kBuilds[] = {
    {"emulated", ".cpp", "common/prelude/emulated/emulated.hpp", Copy::emulated, true, false},
    {"emulated_traced", ".cpp", "common/prelude/emulated/emulated_traced.hpp", Copy::emulated_traced, true, true},
    {"gpu_plain", ".cu", "common/prelude/gpu/gpu_headers.cuh", Copy::gpu_traced, false, false},
    {"gpu_traced", ".cu", "common/prelude/gpu/gpu_traced.cuh", Copy::gpu_traced, false, true},
};

const BuildKind& kind_of(const std::string& build) {
    for (const BuildKind& kind : kBuilds)
        if (kind.name == build) return kind;
    throw Error("there is no build '" + build +
                "'; the builds are emulated, emulated_traced, gpu_plain and gpu_traced");
}

std::string include(const std::string& path) { return "#include \"" + path + "\"\n"; }

std::string function_of(const KernelFilePlan& plan, const std::string& build) {
    return plan.id + "_" + build + (plan.architecture ? "_sm" + std::to_string(plan.architecture) : "");
}

// The macros that make rows of a table of entries.inc. GPUs have no teaching warps, so their builds leave those out.
std::string entry_macros(const BuildKind& kind, const std::string& space) {
    const std::string kernel = "KERNEL(name __VA_OPT__(, ) __VA_ARGS__)";
    const std::string address = kind.emulated ? "reinterpret_cast<const void*>(static_cast<void (*)(void**)>( \\\n"
                                                "         ::lanewise_emulated::body<&" + kernel + ">))"
                                              : "reinterpret_cast<const void*>(&" + kernel + ")";
    const std::string row = "\\\n    {#name, #__VA_ARGS__, \\\n     " + address +
                            ", \\\n     SIGNATURE(name __VA_OPT__(, ) __VA_ARGS__)::parameters, "
                            "SIGNATURE(name __VA_OPT__(, ) __VA_ARGS__)::count, ";
    return "#define KERNEL(name, ...) ::" + space + "::name __VA_OPT__(<__VA_ARGS__>)\n"
           "#define SIGNATURE(...) ::lanewise::prelude::Signature<decltype(&KERNEL(__VA_ARGS__))>\n"
           "#define ENTRY(name, ...) " + row + "0},\n"
           "// An instance for teaching warps of `warp` lanes. GPUs do not have any, so their builds leave it out.\n"
           "#define WARP_ENTRY(warp, name, ...)" + (kind.emulated ? " " + row + "warp}," : "") + "\n";
}

}  // namespace

std::string wrapper_name(const std::string& build) { return build + std::string(kind_of(build).suffix); }

std::string wrapper_text(const Reading& reading, const KernelFilePlan& plan, const std::string& build) {
    const BuildKind& kind = kind_of(build);
    const std::string function = function_of(plan, build), space = "kernels_" + function;
    std::string text = "// Made by lanewise_annotate: the " + build + " build of " + plan.lesson + "/" + plan.file +
                       ".\n" + include(plan.folder + "/kernels.includes.inc") + include(std::string(kind.prelude)) +
                       include("common/launch/kernel_exports.hpp") +
                       "\n// A namespace of this build's own: else the linker would merge its templates with those of "
                       "another build.\n"
                       "namespace " +
                       space + " {\n";
    if (kind.emulated)
        text += "using ::lanewise_emulated::heap::malloc;\nusing ::lanewise_emulated::heap::free;\n";
    if (!reading.overloads.empty()) text += "// The file adds functions to these of CUDA's.\n";
    for (const std::string& name : reading.overloads) text += "using ::" + name + ";\n";
    text += include(kind.name == "gpu_plain" ? reading.source(0).path()
                                             : plan.folder + "/" + copy_name(reading, 0, kind.copy));
    text += "}\n\nnamespace lanewise::generated {\nnamespace {\n";
    if (kind.traced) text += include(plan.folder + "/kernels.tables.inc");
    text += "}  // namespace\n\n" + entry_macros(kind, space) + "\nprelude::RawFile " + function + "() {\n" +
            "    static const prelude::RawEntry entries[] = {\n" + include(plan.entries) + "    };\n" +
            "    return {entries, sizeof(entries) / sizeof(entries[0]), " +
            (kind.traced ? "kStatements, kStatementCount, kSharedNames, kSharedCount" : "nullptr, 0, nullptr, 0") +
            ", " + (kind.name == "gpu_traced" ? "::lanewise_traced::capture_symbol()" : "nullptr") +
            ",\n            \"" + plan.file + "\", " + std::to_string(plan.architecture) +
            (kind.traced ? ", kConstantNames" : "") + "};\n}\n\n}  // namespace lanewise::generated\n";
    return text;
}

std::string builds_text(const KernelFilePlan& plan, const std::string& function, const std::string& architectures,
                        const std::vector<std::string>& builds, const std::vector<KernelFilePlan>& gpu_only) {
    std::string listed, declarations, everywhere, on_gpus;
    for (const KernelFilePlan& file : gpu_only) {
        const std::string number = std::to_string(file.architecture), table = "kEntriesOfSm" + number;
        listed += "const prelude::RawEntry " + table + "[] = {\n" + include(file.entries) + "};\n";
        on_gpus += "    set.declare(launch::import_file(launch::Build::gpu_plain,\n        {" + table +
                   ", static_cast<std::uint32_t>(std::size(" + table + ")), nullptr, 0, nullptr, 0, nullptr, \"" +
                   file.file + "\", " + number + "}));\n";
    }
    for (const std::string& build : builds) {
        const std::string raw = plan.id + "_" + build;
        const std::size_t needs = build.find("_sm");
        declarations += "prelude::RawFile " + raw + "();\n";
        (needs == build.npos ? everywhere : on_gpus) +=
            "    set.add(launch::import_file(launch::Build::" + build.substr(0, needs) + ", " + raw + "()));\n";
    }
    return "// Made by lanewise_annotate: the builds of " + plan.lesson +
           "'s kernel files that exist.\n"
           "#include <iterator>\n\n#include \"common/launch/kernel.hpp\"\n\n"
           "namespace lanewise::generated {\nnamespace {\n\n"
           "#define ENTRY(name, ...) {#name, #__VA_ARGS__, nullptr, nullptr, 0, 0},\n#define WARP_ENTRY(...)\n" +
           listed + "}  // namespace\n\n" + declarations + "launch::KernelSet " + function +
           "() {\n    launch::KernelSet set;\n"
           "    set.set_architectures(\"" +
           architectures + "\");\n" + everywhere + on_gpus +
           "    return set;\n}\n\n}  // namespace lanewise::generated\n";
}

}  // namespace lanewise::annotate
