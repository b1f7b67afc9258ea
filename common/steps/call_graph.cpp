#include "common/steps/call_graph.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "common/base/kernel_text.hpp"

namespace lanewise::steps {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// A name in a text, and whether a bracket follows it: a call, or what is declared.
struct Name {
    std::string text;
    bool bracket = false;
};

// The names in some lines; `head` ends them at the first brace.
std::vector<Name> names_in(const std::vector<std::string>& lines, int first, int last, bool head) {
    std::vector<Name> names;
    const int end = std::min(last, static_cast<int>(lines.size()));
    for (int line = std::max(first, 1); line <= end; ++line) {
        const std::string& text = lines[static_cast<std::size_t>(line - 1)];
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (head && text[i] == '{') return names;
            if (!in_name(text[i])) {
                if (text[i] == '(' && !names.empty()) names.back().bracket = true;
                continue;
            }
            const std::size_t begin = i;
            while (i + 1 < text.size() && in_name(text[i + 1])) ++i;
            names.push_back({std::string(text.substr(begin, i + 1 - begin))});
        }
    }
    return names;
}

std::set<std::string> set_of(const std::vector<Name>& names) {
    std::set<std::string> all;
    for (const Name& name : names) all.insert(name.text);
    return all;
}

// "block_sum" of `__global__ void __launch_bounds__(kBlock) block_sum(…) {`; none of an operator.
std::string function_name(const std::vector<Name>& head) {
    static const std::set<std::string> kNone{"__launch_bounds__", "__cluster_dims__", "__align__", "__attribute__",
                                             "alignas", "decltype", "template"};
    for (const Name& name : head) {
        if (name.text == "operator") return {};
        if (name.bracket && !kNone.contains(name.text)) return name.text;
    }
    return {};
}

}  // namespace

CallGraph::CallGraph(const trace::Trace& trace, std::string_view text) {
    std::istringstream code(code_of(text));
    for (std::string line; std::getline(code, line);) code_.push_back(line);
    if (code_.empty()) return;
    for (const trace::Statement& statement : trace.header.statements) {
        const Lines& lines = statement.function;
        const auto same = [&](const Function& function) { return function.lines == lines; };
        if (lines.last == 0 || std::any_of(functions_.begin(), functions_.end(), same)) continue;
        functions_.push_back({lines, function_name(names_in(code_, lines.first, lines.last, true)),
                              set_of(names_in(code_, lines.first, lines.last, false))});
    }
}

// These, and what they call in turn. A function without a name (an operator) may be called anywhere.
std::set<std::string> CallGraph::called_by(std::set<std::string> names) const {
    for (std::size_t before = 0; before != names.size();) {
        before = names.size();
        for (const Function& function : functions_)
            if (function.name.empty() || names.contains(function.name))
                names.insert(function.names.begin(), function.names.end());
    }
    return names;
}

bool CallGraph::may_reach(const trace::Statement& statement, int line) const {
    const auto at = std::find_if(functions_.begin(), functions_.end(),
                                 [&](const Function& function) { return function.lines.has(line); });
    if (at == functions_.end() || at->name.empty()) return true;
    const auto [reached, added] = reached_.try_emplace({statement.line, statement.last_line});
    if (added) reached->second = called_by(set_of(names_in(code_, statement.line, statement.last_line, false)));
    return reached->second.contains(at->name);
}

std::vector<CallGraph::Lines> CallGraph::reached_from(const std::set<std::string>& names) const {
    const auto is_one = [&](const Function& function) { return names.contains(function.name); };
    if (std::none_of(functions_.begin(), functions_.end(), is_one)) return {};
    const std::set<std::string> all = called_by(names);
    std::vector<Lines> reached;
    for (const Function& function : functions_)
        if (function.name.empty() || all.contains(function.name)) reached.push_back(function.lines);
    return reached;
}

void keep_reached_statements(trace::Trace& trace, std::string_view text) {
    if (text.empty()) return;
    std::set<std::string> kernels;
    for (const trace::Launch& launch : trace.header.launches)
        kernels.insert(launch.kernel.substr(0, launch.kernel.find('<')));
    const auto reached = CallGraph(trace, text).reached_from(kernels);
    if (reached.empty()) return;
    std::erase_if(trace.header.statements, [&](const trace::Statement& statement) {
        return statement.function.last != 0 &&
               std::find(reached.begin(), reached.end(), statement.function) == reached.end();
    });
}

}  // namespace lanewise::steps
