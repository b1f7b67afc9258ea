#include "common/scene/code_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace lanewise::scene {
namespace {

bool is_identifier_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool is_keyword(std::string_view text) {
    static constexpr std::array<std::string_view, 56> kKeywords = {
        "alignas",     "auto",      "bool",       "break",      "case",       "char",         "class",
        "const",       "constexpr", "continue",   "default",    "do",         "double",       "else",
        "enum",        "extern",    "false",      "float",      "for",        "goto",         "half",
        "if",          "inline",    "int",        "long",       "namespace",  "nullptr",      "operator",
        "private",     "public",    "return",     "short",      "signed",     "sizeof",       "static",
        "static_cast", "struct",    "switch",     "template",   "this",       "true",         "typename",
        "union",       "unsigned",  "using",      "void",       "volatile",   "while",        "float4",
        "int4",        "uint32_t",  "__global__", "__device__", "__shared__", "__restrict__", "__forceinline__"};
    return std::find(kKeywords.begin(), kKeywords.end(), text) != kKeywords.end();
}

bool is_intrinsic(std::string_view text) {
    static constexpr std::array<std::string_view, 8> kNames = {"threadIdx", "blockIdx",   "blockDim", "gridDim",
                                                               "warpSize",  "atomicCAS", "atomicExch", "clock64"};
    return text.substr(0, 2) == "__" || text.substr(0, 6) == "atomic" ||
           std::find(kNames.begin(), kNames.end(), text) != kNames.end();
}

// The end of a string or character literal that starts at `from`.
std::size_t literal_end(std::string_view line, std::size_t from) {
    std::size_t i = from + 1;
    while (i < line.size() && line[i] != line[from]) i += line[i] == '\\' ? 2 : 1;
    return std::min(i + 1, line.size());
}

std::vector<Token> tokenize(std::string_view line, bool& in_comment) {
    std::vector<Token> tokens;
    const auto add = [&](TokenKind kind, std::size_t begin, std::size_t end) {
        if (end <= begin) return;
        if (!tokens.empty() && tokens.back().kind == kind) tokens.back().size += end - begin;
        else tokens.push_back({kind, begin, end - begin});
    };
    for (std::size_t i = 0; i < line.size();) {
        std::size_t end = i + 1;
        TokenKind kind = TokenKind::plain;
        if (in_comment) {
            const std::size_t close = line.find("*/", i);
            end = close == std::string_view::npos ? line.size() : close + 2;
            in_comment = close == std::string_view::npos;
            kind = TokenKind::comment;
        } else if (line.substr(i, 2) == "//") {
            end = line.size();
            kind = TokenKind::comment;
        } else if (line.substr(i, 2) == "/*") {
            in_comment = true;
            const std::size_t close = line.find("*/", i + 2);
            end = close == std::string_view::npos ? line.size() : close + 2;
            in_comment = close == std::string_view::npos;
            kind = TokenKind::comment;
        } else if (line[i] == '"' || line[i] == '\'') {
            end = literal_end(line, i);
            kind = TokenKind::literal;
        } else if (line[i] == '#' && line.find_first_not_of(' ') == i) {
            while (end < line.size() && is_identifier_char(line[end])) ++end;
            kind = TokenKind::keyword;
        } else if (std::isdigit(static_cast<unsigned char>(line[i]))) {
            while (end < line.size() && (is_identifier_char(line[end]) || line[end] == '.' || line[end] == '\'')) ++end;
            kind = TokenKind::literal;
        } else if (is_identifier_char(line[i])) {
            while (end < line.size() && is_identifier_char(line[end])) ++end;
            const std::string_view text = line.substr(i, end - i);
            if (is_keyword(text)) kind = TokenKind::keyword;
            else if (is_intrinsic(text)) kind = TokenKind::intrinsic;
        }
        add(kind, i, end);
        i = end;
    }
    return tokens;
}

}  // namespace

std::vector<CodeLine> read_code(std::string_view file) {
    std::vector<CodeLine> lines;
    bool in_comment = false;
    while (!file.empty()) {
        const std::size_t end = std::min(file.find('\n'), file.size());
        CodeLine line;
        for (const char c : file.substr(0, end)) {
            if (c == '\t') line.text += "    ";
            else if (c != '\r') line.text += c;
        }
        line.tokens = tokenize(line.text, in_comment);
        lines.push_back(std::move(line));
        file.remove_prefix(std::min(end + 1, file.size()));
    }
    return lines;
}

}  // namespace lanewise::scene
