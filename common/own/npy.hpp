// NumPy's file of one array.
#pragma once

#include <cstddef>
#include <filesystem>

#include "common/base/bytes.hpp"
#include "common/base/element.hpp"

namespace lanewise::own {

struct NpyArray {
    Element element = Element::f32;
    Bytes bytes;  // in the order of the file
};

// Throws Error that names the file where it is no such file, is cut short, or holds what no element is.
NpyArray read_npy(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace lanewise::own
