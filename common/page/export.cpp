#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/base/error.hpp"
#include "common/page/document.hpp"

namespace lanewise::page {

Ending ending_of(const std::string& flag, const std::string& path) {
    std::string ending = std::filesystem::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending == ".svg") return Ending::svg;
    if (ending == ".html") return Ending::html;
    if (ending == ".csv") return Ending::csv;
    throw Error(flag + " " + path + ": " +
                (ending.empty() ? "there is no ending" : "'" + ending + "' is no ending that can be written") +
                "; give FILE.svg (a picture), FILE.html (a page to step through) or FILE.csv (every value).");
}

void write_file(const std::string& flag, const std::string& path, const std::string& contents) {
    const auto fail = [&](const std::string& why) {
        throw Error(flag + " " + path + " cannot be written: " + why + "; choose another place.");
    };
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) fail("it is a folder");
    // What cannot be written whole leaves nothing behind, and what stood there stays.
    const std::string part = path + ".part";
    errno = 0;
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    if (!file) fail(std::strerror(errno));
    file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
    file.close();
    if (!file) {
        const std::string why = std::strerror(errno);
        std::filesystem::remove(part, error);
        fail(why);
    }
    std::filesystem::rename(part, path, error);
    if (error) {
        const std::string why = error.message();
        std::filesystem::remove(part, error);
        fail(why);
    }
}

}  // namespace lanewise::page
