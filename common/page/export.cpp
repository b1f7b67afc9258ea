#include <algorithm>
#include <cctype>
#include <filesystem>

#include "common/base/error.hpp"
#include "common/base/whole_file.hpp"
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
    const std::string why = write_whole_file(path, contents);
    if (!why.empty()) throw Error(flag + " " + path + " cannot be written: " + why + "; choose another place.");
}

}  // namespace lanewise::page
