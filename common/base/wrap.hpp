// Prose in lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace lanewise {

// Code points, which are columns of most texts.
inline std::size_t code_points(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Broken at blanks into lines of at most `columns` code points; a longer part has a line of its own.
inline std::vector<std::string> wrapped(const std::string& prose, std::size_t columns) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < prose.size();) {
        const std::size_t end = std::min(prose.find(' ', at), prose.size());
        const std::string text = prose.substr(at, end - at);
        if (lines.empty() || code_points(lines.back()) + 1 + code_points(text) > columns) lines.push_back(text);
        else lines.back() += " " + text;
        at = end + 1;
    }
    return lines;
}

}  // namespace lanewise
