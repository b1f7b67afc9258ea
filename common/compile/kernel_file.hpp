// A kernel file as it lies on disk.
#pragma once

#include <filesystem>
#include <string>

namespace lanewise::compile {

// The file's text. Throws Error where it cannot be read or is no text.
std::string read_kernel_file(const std::filesystem::path& path);

}  // namespace lanewise::compile
