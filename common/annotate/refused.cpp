#include "common/annotate/refused.hpp"

#include <algorithm>
#include <array>

namespace lanewise::annotate {
namespace {

struct Refused {
    std::string_view name;   // a whole identifier; with a * at its end, how it begins
    std::string_view what;
};

constexpr std::array<Refused, 38> kRefused = {{
    {"asm", "inline PTX"},
    {"__asm", "inline PTX"},
    {"__asm__", "inline PTX"},
    {"__managed__", "managed memory (__managed__)"},
    {"__cluster*", "a thread block cluster"},
    {"__block_size__", "a thread block cluster (__block_size__)"},
    {"__pipeline_*", "an asynchronous copy (__pipeline_…)"},
    {"__mbarrier_*", "an asynchronous barrier (__mbarrier_…)"},
    {"nvcuda", "tensor core arithmetic (nvcuda::wmma)"},
    {"wmma", "tensor core arithmetic (nvcuda::wmma)"},
    {"curand*", "random numbers of cuRAND"},
    {"__cvta_*", "addresses for PTX (__cvta_…)"},
    {"__isConstant", "__isConstant"},
    {"__isGridConstant", "__isGridConstant"},
    {"__nv_atomic_*", "an atomic built into nvcc (__nv_atomic_…)"},
    {"__barrier_sync*", "a numbered barrier (__barrier_sync)"},
    {"cute", "CUTLASS (cutlass::, cute::)"},
    {"cutlass", "CUTLASS (cutlass::, cute::)"},
    {"nvshmem*", "memory of other GPUs (NVSHMEM)"},
    {"cudaGraph*", "a graph, from a kernel"},
    {"CUtensorMap", "a tensor map (TMA)"},
    {"cudaTextureObject_t", "a texture"},
    {"cudaSurfaceObject_t", "a surface"},
    {"tex1D", "a texture"},
    {"tex1Dfetch", "a texture"},
    {"tex1DLod", "a texture"},
    {"tex1DLayered", "a texture"},
    {"tex2D", "a texture"},
    {"tex2DLod", "a texture"},
    {"tex2DLayered", "a texture"},
    {"tex3D", "a texture"},
    {"texCubemap", "a texture"},
    {"surf1Dread", "a surface"},
    {"surf1Dwrite", "a surface"},
    {"surf2Dread", "a surface"},
    {"surf2Dwrite", "a surface"},
    {"surf3Dread", "a surface"},
    {"surf3Dwrite", "a surface"},
}};

// Of libcu++, these.
constexpr std::array<std::string_view, 6> kRefusedOfCuda = {"barrier", "pipeline", "memcpy_async", "ptx",
                                                           "device", "make_pipeline"};

// Of CUB, all but these.
constexpr std::array<std::string_view, 15> kOfCub = {
    "WarpReduce", "WarpScan", "BlockReduce", "BlockScan",  "Sum",      "Max",          "Min",     "ArgMax",
    "ArgMin",     "Equality", "Inequality",  "Difference", "Division", "KeyValuePair", "NullType"};

bool is_that(std::string_view text, std::string_view name) {
    return name.ends_with('*') ? text.starts_with(name.substr(0, name.size() - 1)) : text == name;
}

// cudaMalloc and its like; two of them are the prelude's.
bool is_runtime_call(std::string_view name) {
    if (name == "cudaGridDependencySynchronize" || name == "cudaTriggerProgrammaticLaunchCompletion") return false;
    return name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z';
}

std::string error(std::string_view what) {
    return "_Pragma(\"GCC error \\\"" + std::string(what) +
           " cannot be emulated: this runs on a GPU only\\\"\") ";
}

// asm volatile("" ::: "memory") keeps the compiler from moving accesses, here as there.
bool is_empty_asm(const Source& source, std::size_t i) {
    while (!source.is(i, "(") && source.is_identifier(i)) ++i;
    return source.is(i, "(") && i + 2 < source.size() && source[i + 1].text == "\"\"" &&
           source[i + 2].kind != TokenKind::literal;
}

// Where in a macro's text the name is used.
std::size_t place_in_macro(const Macro& macro, const Refused& refused) {
    const std::size_t name_end = macro.text.find_first_of("( \t\n", macro.text.find("define") + 7);
    if (refused.name.ends_with('*') || name_end == macro.text.npos) return macro.text.npos;
    const std::size_t at = find_identifier(macro.text, refused.name, name_end);
    if (at == macro.text.npos) return at;
    // As in code, an empty asm holds no PTX.
    const std::size_t quote = macro.text.find('"', at);
    const bool empty = quote != macro.text.npos && macro.text.substr(quote, 2) == "\"\"";
    return refused.what == "inline PTX" && empty ? macro.text.npos : at;
}

}  // namespace

std::string_view refused_at(const Source& source, std::size_t i) {
    if (source.is(i, "<<") && source.is(i + 1, "<") && source[i + 1].offset == source[i].end())
        return "a launch from a kernel (<<<)";
    if (!source.is_identifier(i) || (i > 0 && (source.is(i - 1, ".") || source.is(i - 1, "->")))) return {};
    if (source.is(i, "cuda") && source.is(i + 1, "::"))
        for (const std::string_view name : kRefusedOfCuda)
            if (source.is(i + 2, name)) return "libcu++'s asynchronous work (cuda::barrier, cuda::pipeline, cuda::ptx)";
    if (source.is(i, "cub") && source.is(i + 1, "::") && i + 2 < source.size() &&
        !source[i + 2].text.starts_with("BLOCK_") &&
        std::find(kOfCub.begin(), kOfCub.end(), source[i + 2].text) == kOfCub.end())
        return "a part of CUB that is not emulated (here are its warp and block reductions and scans)";
    if (source.is(i, "thrust") && source.is(i + 1, "::")) return "Thrust in a kernel (thrust::)";
    if ((source.is(i, "texture") || source.is(i, "surface")) && source.is(i + 1, "<")) return "a texture";
    if (is_runtime_call(source[i].text) && source.is(i + 1, "(")) return "CUDA's runtime, called in a kernel";
    for (const Refused& refused : kRefused)
        if (is_that(source[i].text, refused.name))
            return refused.what == "inline PTX" && is_empty_asm(source, i) ? std::string_view{} : refused.what;
    return {};
}

std::string_view refused_call(std::string_view of_class, std::string_view function) {
    const bool waits = function == "sync" || function.starts_with("barrier_");
    if (of_class == "grid_group") return waits ? "a barrier of the whole grid (grid_group::sync)" : "";
    if (of_class == "cluster_group" || function == "this_cluster") return "a thread block cluster";
    if (of_class == "multi_grid_group" || function == "this_multi_grid")
        return "a launch over several GPUs (multi_grid_group)";
    const bool copies =
        of_class.empty() && (function == "memcpy_async" || function == "wait" || function == "wait_prior");
    return copies ? "an asynchronous copy (cooperative_groups::memcpy_async)" : "";
}

std::string_view refused_in(const Macro& macro) {
    for (const Refused& refused : kRefused)
        if (place_in_macro(macro, refused) != macro.text.npos) return refused.what;
    return {};
}

void refuse_intrinsics(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i)
        if (const std::string_view what = refused_at(source, i); !what.empty())
            edits.insert(source[i].offset, error(what));
}

void refuse_in_macros(const Source& source, Edits& edits) {
    for (const Macro& macro : source.macros())
        for (const Refused& refused : kRefused)
            if (const std::size_t at = place_in_macro(macro, refused); at != macro.text.npos)
                edits.insert(macro.offset + at, error(refused.what));
}

}  // namespace lanewise::annotate
