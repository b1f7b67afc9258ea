// Libraries of kernels that were compiled while the program runs. Workers load them, and the program never: what such a
// file does when it is loaded, it does there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/element.hpp"
#include "common/launch/kernel.hpp"
#include "common/launch/library_exports.hpp"
#include "common/worker/pool.hpp"

namespace lanewise::worker {

// A parameter's or a variable's type.
struct TypeInfo {
    std::string name;  // "const float*"
    std::uint32_t size = 0;
    bool is_pointer = false;
    bool is_written = false;
    bool is_class = false;  // a structure, or a pointer to some
    int element = -1;       // of one entry; -1: none
    std::uint32_t entry_bytes = 0;
};

struct VariableInfo {
    std::string name;
    std::uint64_t place = 0;  // from the library's beginning on
    TypeInfo type;            // size: of the whole array
};

// An argument that was written as C++.
struct ArgumentBytes {
    std::uint32_t number = 0;
    std::vector<std::byte> bytes;
};

// Memory within such an argument, and the pointer's type.
struct MemoryInfo {
    std::uint32_t number = 0;
    TypeInfo type;
};

// What a library holds. Addresses of entries count from its beginning.
struct LibraryContents {
    launch::BuiltFile file;
    std::vector<std::vector<TypeInfo>> types;  // for each entry: its parameters'
    std::vector<ArgumentBytes> arguments;
    std::vector<VariableInfo> variables;
    std::vector<MemoryInfo> memory;
};

// In a worker: loads a library. Throws Error where that is not possible.
struct LoadedLibrary {
    std::uint64_t base = 0;
    prelude::RawLibrary raw{};
};
LoadedLibrary load_library(const std::string& path);

// Asks a worker what the library holds. Throws Error where it cannot be loaded, or its host code does not come to an
// end within `seconds`.
LibraryContents describe_library(Pool& pool, const std::string& path, double seconds = 2);

}  // namespace lanewise::worker
