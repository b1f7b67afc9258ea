#include "common/scene/compare/source_diff.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "common/run/run.hpp"

namespace lanewise::scene {
namespace {

// Beyond this many pairs of lines the sources are one after the other.
constexpr std::size_t kMaxTable = 4u << 20;

bool is_name_sign(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// `text` with the identifier `name` replaced.
std::string with_name(const std::string& text, const std::string& name, const std::string& other) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const bool here = !name.empty() && text.compare(at, name.size(), name) == 0 &&
                          (at == 0 || !is_name_sign(text[at - 1])) &&
                          (at + name.size() == text.size() || !is_name_sign(text[at + name.size()]));
        result += here ? other : text.substr(at, 1);
        at += here ? name.size() : 1;
    }
    return result;
}

// A line without its comments, and without blanks at its ends.
std::string code_of(const CodeLine& line) {
    std::string code;
    for (const Token& token : line.tokens)
        if (token.kind != TokenKind::comment) code += line.text.substr(token.begin, token.size);
    const auto first = code.find_first_not_of(' ');
    return first == std::string::npos ? "" : code.substr(first, code.find_last_not_of(' ') - first + 1);
}

// A declaration at the top level that has a body, by its first and last lines (from 0).
struct Function {
    std::size_t first = 0, last = 0;
    std::string head;   // up to the body
};

std::vector<Function> functions_of(const std::vector<CodeLine>& lines) {
    std::vector<Function> functions;
    Function next;
    bool begun = false, has_body = false;
    int depth = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string code = code_of(lines[i]);
        if (code.empty() || code[0] == '#') continue;
        if (!begun) next = {i, i, ""};
        begun = true;
        for (const char c : code) {
            if (c == '{') ++depth;
            if (c == '}') --depth;
            has_body |= c == '{';
            if (depth == 0 && !has_body) next.head += c;
        }
        next.head += ' ';
        const bool ends = depth <= 0 && (code.back() == '}' || code.back() == ';');
        if (!ends) continue;
        next.last = i;
        if (has_body) functions.push_back(next);
        begun = has_body = false;
        depth = 0;
    }
    return functions;
}

bool names_kernel(const Function& function, const std::string& kernel) {
    return function.head.find("__global__") != std::string::npos &&
           with_name(function.head, kernel, "") != function.head;
}

std::string bare_name(const std::string& kernel) { return kernel.substr(0, kernel.find('<')); }

std::vector<std::pair<int, CodeLine>> lines_that_ran(const run::Run& run) {
    std::vector<int> lines;
    for (const steps::Step& step : run.steps.steps) lines.push_back(step.line);
    std::vector<std::string> kernels;
    for (const trace::Launch& launch : run.trace.header.launches) kernels.push_back(bare_name(launch.kernel));
    const std::vector<CodeLine> code = read_code(run.source);
    std::vector<std::pair<int, CodeLine>> ran;
    for (const auto& [first, last] : functions_around(run.source, lines, kernels))
        for (int line = first; line <= last; ++line) ran.emplace_back(line, code[static_cast<std::size_t>(line) - 1]);
    return ran;
}

}  // namespace

std::vector<std::pair<int, int>> functions_around(const std::string& source, const std::vector<int>& lines,
                                                  const std::vector<std::string>& kernels) {
    std::vector<std::pair<int, int>> found;
    for (const Function& function : functions_of(read_code(source))) {
        const int first = static_cast<int>(function.first) + 1, last = static_cast<int>(function.last) + 1;
        const bool ran =
            std::any_of(lines.begin(), lines.end(), [&](int line) { return line >= first && line <= last; });
        const bool named = std::any_of(kernels.begin(), kernels.end(),
                                       [&](const std::string& kernel) { return names_kernel(function, kernel); });
        if (ran || named) found.emplace_back(first, last);
    }
    return found;
}

std::vector<DiffLine> diff_lines(const std::vector<std::pair<int, CodeLine>>& left,
                                 const std::vector<std::pair<int, CodeLine>>& right,
                                 const std::vector<std::pair<std::string, std::string>>& names) {
    const auto comparable = [&](const CodeLine& line, bool of_left) {
        std::string text = code_of(line);
        for (const auto& [mine, theirs] : names) text = with_name(text, of_left ? mine : theirs, "\x01");
        return text;
    };
    std::vector<std::string> a, b;
    for (const auto& [number, line] : left) a.push_back(comparable(line, true));
    for (const auto& [number, line] : right) b.push_back(comparable(line, false));
    const std::size_t n = a.size(), m = b.size();
    const bool table = (n + 1) * (m + 1) <= kMaxTable;
    std::vector<std::uint32_t> most(table ? (n + 1) * (m + 1) : 0);
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return most[i * (m + 1) + j]; };
    for (std::size_t i = table ? n : 0; i-- > 0;)
        for (std::size_t j = m; j-- > 0;)
            at(i, j) = a[i] == b[j] ? 1 + at(i + 1, j + 1) : std::max(at(i + 1, j), at(i, j + 1));
    std::vector<DiffLine> lines;
    std::size_t i = 0, j = 0;
    while (i < n || j < m) {
        if (table && i < n && j < m && a[i] == b[j]) {
            lines.push_back({left[i].first, right[j].first, left[i].second});
            ++i, ++j;
        } else if (i < n && (!table || j == m || at(i + 1, j) >= at(i, j + 1))) {
            lines.push_back({left[i].first, 0, left[i].second});
            ++i;
        } else {
            lines.push_back({0, right[j].first, right[j].second});
            ++j;
        }
    }
    return lines;
}

std::vector<DiffLine> source_diff(const run::Run& left, const run::Run& right) {
    std::vector<std::pair<std::string, std::string>> names;
    const auto &a = left.trace.header.launches, &b = right.trace.header.launches;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        names.emplace_back(bare_name(a[i].kernel), bare_name(b[i].kernel));
    return diff_lines(lines_that_ran(left), lines_that_ran(right), names);
}

}  // namespace lanewise::scene
