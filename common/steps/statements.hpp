// Which statement of the kernel file a record belongs to.
#pragma once

#include <unordered_map>
#include <vector>

#include "common/trace/trace.hpp"

namespace lanewise::steps {

class Statements {
public:
    explicit Statements(const trace::Trace& trace) {
        for (const trace::Record& record : trace.records)
            if (!lines_.contains(record.line))
                lines_[record.line] = {find(trace, record.line, false), find(trace, record.line, true)};
    }

    // The innermost statement with a record's line that assigns to memory, or to a variable; the later one where
    // several share the line (the body of a one-line loop comes after its head). Null when there is none.
    const trace::Statement* at(int line, bool to_memory) const {
        const auto found = lines_.find(line);
        if (found == lines_.end()) return nullptr;
        return to_memory ? found->second.to_memory : found->second.to_variable;
    }

    // Are two records in the same statement? Without a statement, on the same line.
    bool same(int a, int b, bool to_memory) const {
        return a == b || (at(a, to_memory) != nullptr && at(a, to_memory) == at(b, to_memory));
    }

private:
    struct Line {
        const trace::Statement* to_variable = nullptr;
        const trace::Statement* to_memory = nullptr;
    };

    static const trace::Statement* find(const trace::Trace& trace, int line, bool to_memory) {
        const auto length = [](const trace::Statement& statement) { return statement.last_line - statement.line; };
        const trace::Statement* best = nullptr;
        for (const trace::Statement& statement : trace.header.statements) {
            if (statement.to_memory != to_memory || line < statement.line || line > statement.last_line) continue;
            if (best == nullptr || length(statement) <= length(*best)) best = &statement;
        }
        return best;
    }

    std::unordered_map<int, Line> lines_;
};

}  // namespace lanewise::steps
