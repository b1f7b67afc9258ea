#include "common/timing/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "common/base/error.hpp"
#include "common/base/whole_file.hpp"

namespace lanewise::timing {
namespace {

constexpr std::uintmax_t kMaxFileBytes = 16u << 20;

}  // namespace

void write_whole(const std::filesystem::path& path, const std::string& text, const char* what) {
    const std::string why = write_whole_file(path, text);
    if (!why.empty())
        throw Error(
            fmt::format("The {} cannot be written to '{}': {}. Choose another path.", what, path.string(), why));
}

std::string read_whole(const std::filesystem::path& path, const char* what) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    if (error) throw Error(fmt::format("The {} '{}' cannot be read: {}.", what, path.string(), error.message()));
    if (bytes > kMaxFileBytes)
        throw Error(fmt::format("The {} '{}' have {} bytes, and {} is the limit: this is another kind of file.", what,
                                path.string(), bytes, kMaxFileBytes));
    std::ifstream in(path, std::ios::binary);
    if (!in) throw Error(fmt::format("The {} '{}' cannot be read: {}.", what, path.string(), std::strerror(errno)));
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

}  // namespace lanewise::timing
