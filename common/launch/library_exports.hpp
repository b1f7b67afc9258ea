// What a library of kernels that was compiled while the program runs exports beside its RawFile: what its kernels take,
// so that arguments can be made of what a person wrote. Plain arrays, as in kernel_exports.hpp.
#pragma once

#include "common/launch/kernel_exports.hpp"

namespace lanewise::prelude {

// A type: of a parameter, or of a variable.
struct RawType {
    const char* name;  // ends with "T = float*]"
    std::uint32_t size;
    bool is_pointer;
    bool is_written;            // what it points to may be changed
    bool is_class;              // the value is a structure, or points to some
    int element;                // the Element of one entry; -1: it has none (void, a structure)
    std::uint32_t entry_bytes;  // of what a pointer points to, an array is made of, or the value is; 0: void
};

// An argument that was written as C++, made by the library.
struct RawArgument {
    std::uint32_t number;
    const void* bytes;
    std::uint32_t size;
};

// A pointer's value within such an argument, where memory is to come: the mark and the number of the memory.
inline constexpr std::uint64_t kMemoryMark = 0x4c57'4d45'4d00'0000;
inline constexpr std::uint32_t kMostMemory = 256;

struct RawVariable {
    const char* name;
    const void* address;
    RawType type;  // size: of the whole array
};

struct RawLibrary {
    RawFile file;
    const RawType* const* types;  // for each entry: its parameters'
    const RawArgument* arguments;
    std::uint32_t argument_count;
    const RawVariable* variables;
    std::uint32_t variable_count;
    const RawType* memory;  // by number, kMostMemory of them; the name is null where there is none
};

// The one function that such a library exports.
inline constexpr const char* kLibraryFunction = "lanewise_library";
using LibraryFunction = void (*)(RawLibrary*);

}  // namespace lanewise::prelude
