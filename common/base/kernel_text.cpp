#include "common/base/kernel_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// What is between the quotes of a line `#include "…"`; empty for any other line.
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

// Where the string or character that begins at `at` ends: after its closing quote, or at the end of the line.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
    for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
        if (text[i] == text[at]) return i + 1;
        if (text[i] == '\\') ++i;
    }
    return std::min(text.find('\n', at), text.size());
}

// The same of R"x(…)x", whose quote is at `at`.
std::size_t end_of_raw_string(std::string_view text, std::size_t at) {
    const std::size_t open = text.find('(', at);
    if (open == text.npos) return text.size();
    const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
    const std::size_t end = text.find(close, open);
    return end == text.npos ? text.size() : end + close.size();
}

// Where a comment to the end of its line ends: a backslash there joins the next line to it.
std::size_t end_of_line_comment(std::string_view text, std::size_t at) {
    for (; at < text.size(); ++at)
        if (text[at] == '\n' && text[at - 1] != '\\') return at;
    return at;
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Is the ' at `at` a mark between digits, as in 1'000? Otherwise it opens a character.
bool between_digits(std::string_view text, std::size_t at) {
    std::size_t first = at;
    while (first > 0 && (in_name(text[first - 1]) || text[first - 1] == '\'')) --first;
    return first < at && std::isdigit(static_cast<unsigned char>(text[first])) != 0;
}

// Behind the string, character or single character that begins at `at`.
std::size_t end_of_token(std::string_view text, std::size_t at) {
    if (text[at] == '"' && at > 0 && text[at - 1] == 'R') return end_of_raw_string(text, at);
    if (text[at] == '"' || (text[at] == '\'' && !between_digits(text, at))) return end_of_quoted(text, at);
    return at + 1;
}

}  // namespace

std::string code_of(std::string_view text) {
    std::string code;
    code.reserve(text.size());
    const auto end_line = [&code] {
        while (!code.empty() && (code.back() == ' ' || code.back() == '\t' || code.back() == '\r')) code.pop_back();
        code += '\n';
    };
    for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
        const std::string_view begin = text.substr(at, 2);
        if (begin == "//" || begin == "/*") {
            const std::size_t close = begin == "/*" ? text.find("*/", at + 2) : text.npos;
            end = begin == "//"        ? end_of_line_comment(text, at)
                  : close == text.npos ? text.size()
                                       : close + 2;
            code += ' ';
            for (const char each : text.substr(at, end - at))
                if (each == '\n') end_line();
        } else if (text[at] == '\n') {
            end = at + 1;
            end_line();
        } else {
            end = end_of_token(text, at);
            code += text.substr(at, end - at);
        }
    }
    if (!code.ends_with('\n')) end_line(), code.pop_back();
    return code;
}

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
