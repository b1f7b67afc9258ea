// What a wrapper file hands to the rest of the program: plain arrays, so that the hooked and the CUDA translation units
// pull in no heavy headers. common/launch makes a BuiltFile of it.
#pragma once

#include <cstdint>

namespace lanewise::prelude {

struct RawParameter {
    std::uint32_t size;
    bool is_pointer;
};

struct RawEntry {
    const char* name;
    const char* arguments;         // "256", "" for none
    const void* address;           // host stub of the kernel, or the emulated body
    const RawParameter* parameters;
    std::uint32_t parameter_count;
    std::uint32_t warp_size;       // 4, 8 or 16: made for teaching warps; else 0
};

struct RawLines {
    int first;
    int last;
};

// A trace::Statement, field by field.
struct RawStatement {
    int line;
    int last_line;
    int effect;                    // a trace::Effect
    const char* target;
    bool to_memory;
    bool conditional;
    bool copies;
    bool calls;
    int loads;
    const char* uses;              // names, a blank between two
    RawLines function, loop, branch;
    const char* offers = "";       // "pair.sum": the part of a value that an exchange in it is offered
    const char* call = "";         // "merge": the function that the value is one call of
};

struct RawFile {
    const RawEntry* entries;
    std::uint32_t entry_count;
    const RawStatement* statements;   // traced builds, else null
    std::uint32_t statement_count;
    const char* const* shared_names;  // traced builds: names of the shared arrays by id, else null
    std::uint32_t shared_count;
    const void* capture_symbol;       // gpu_traced, else null
    const char* file = "kernels.cuh"; // the kernel file this is a build of
    std::uint32_t architecture = 0;   // of a file for GPUs only: the least compute capability it is for, as in sm_90
    const char* const* constant_names = nullptr;  // traced builds: its __constant__ variables, up to a null
};

// The parameters of a kernel, from its type.
template <class Function>
struct Signature;

template <class T>
struct IsPointer { static constexpr bool value = false; };
template <class T>
struct IsPointer<T*> { static constexpr bool value = true; };

template <class... A>
struct Signature<void (*)(A...)> {
    static constexpr std::uint32_t count = sizeof...(A);
    static constexpr RawParameter parameters[sizeof...(A) + 1] = {
        {static_cast<std::uint32_t>(sizeof(A)), IsPointer<A>::value}..., {0, false}};
};

}  // namespace lanewise::prelude
