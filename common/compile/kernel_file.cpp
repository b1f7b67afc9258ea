#include "common/compile/kernel_file.hpp"

#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace lanewise::compile {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestFile = std::size_t{4} << 20;

}  // namespace

std::string read_kernel_file(const fs::path& path) {
    std::error_code failed;
    if (fs::is_directory(path, failed))
        throw Error(fmt::format("{} is a folder; name a CUDA file in it.", path.string()));
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(fmt::format("{}: there is no such file, or it cannot be read.", path.string()));
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (text.size() > kLongestFile)
        throw Error(fmt::format("{} has {} MB; a kernel file has 4 at most.", path.string(), text.size() >> 20));
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        throw Error(
            fmt::format("{} is text in UTF-16, which no CUDA compiler reads; save it as UTF-8.", path.string()));
    if (text.find('\0') != text.npos) throw Error(fmt::format("{} is no text; name a CUDA file.", path.string()));
    return text;
}

}  // namespace lanewise::compile
