#include "common/base/kernel_text.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// What stands between the quotes of a line `#include "…"`; empty for any other line.
std::string included(const std::string& line) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == line.npos || line[hash] != '#') return {};
    const std::size_t name = line.find_first_not_of(" \t", hash + 1);
    if (name == line.npos || line.compare(name, 7, "include") != 0) return {};
    const std::size_t open = line.find_first_not_of(" \t", name + 7);
    if (open == line.npos || line[open] != '"') return {};
    const std::size_t close = line.find('"', open + 1);
    return close == line.npos ? std::string() : line.substr(open + 1, close - open - 1);
}

int line_count(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n')) + (text.empty() || text.back() == '\n' ? 0 : 1);
}

void add(const std::string& path, std::string text, std::vector<KernelText>& into) {
    const int first_line = into.empty() ? 1 : into.back().first_line + line_count(into.back().text);
    into.push_back({path, text, first_line});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::string name = included(line);
        if (!name.ends_with(".cuh")) continue;
        const std::string beside = (fs::path(path).parent_path() / name).lexically_normal().string();
        const bool known =
            std::any_of(into.begin(), into.end(), [&](const KernelText& other) { return other.path == beside; });
        std::ifstream file(beside, std::ios::binary);
        if (known || !file) continue;
        add(beside, {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}, into);
    }
}

}  // namespace

std::vector<KernelText> kernel_texts(const std::string& path, std::string text) {
    std::vector<KernelText> texts;
    add(path, std::move(text), texts);
    return texts;
}

std::string whole_kernel_text(const std::string& path, std::string text) {
    std::string whole;
    for (KernelText& part : kernel_texts(path, std::move(text))) {
        if (!whole.empty() && whole.back() != '\n') whole += '\n';
        whole += part.text;
    }
    return whole;
}

std::string name_lines(const std::string& sentence, const std::function<std::string(int line)>& named) {
    constexpr std::string_view kLine = " line ";
    constexpr std::size_t kMostDigits = 9;
    std::string result;
    std::size_t from = 0;
    for (std::size_t at; (at = sentence.find(kLine, from)) != sentence.npos;) {
        at += kLine.size();
        result.append(sentence, from, at - from);
        const char* const first = sentence.data() + at;
        int line = 0;
        const auto read = std::from_chars(first, first + std::min(kMostDigits, sentence.size() - at), line);
        from = at;
        if (read.ec != std::errc() || *first == '-') continue;  // no number
        result += named(line);
        from += static_cast<std::size_t>(read.ptr - first);
    }
    return result.append(sentence, from);
}

}  // namespace lanewise
