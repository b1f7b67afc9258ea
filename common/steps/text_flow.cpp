#include "common/steps/text_flow.hpp"

#include <algorithm>
#include <set>

namespace lanewise::steps {
namespace {

using trace::Effect;
using trace::Statement;

using Lines = Statement::Lines;

// More statements than a kernel file has (a malformed trace may say so): their flow is not worth its time.
constexpr std::size_t kMostStatements = 4096;

bool inside(const Lines& inner, const Lines& outer) { return inner.first >= outer.first && inner.last <= outer.last; }

}  // namespace

TextFlow::TextFlow(const trace::Trace& trace, std::string_view text)
    : statements_(trace.header.statements), calls_(trace, text) {
    // Variables that something is joined to or that are stored.
    std::set<std::pair<int, std::string>> followed;
    for (const Statement& statement : statements_) {
        if (!is_known(&statement)) continue;
        if (std::find(functions_.begin(), functions_.end(), statement.function) == functions_.end())
            functions_.push_back(statement.function);
        if (statement.effect == Effect::join) followed.emplace(statement.function.first, name_of(statement));
        if (!statement.to_memory) continue;
        for (const std::string& name : statement.uses) followed.emplace(statement.function.first, name);
    }
    for (const Statement& statement : statements_) {
        sinks_.push_back(find_sink(statement));
        const bool silent = is_known(&statement) && !statement.to_memory && statement.loads == 0;
        matters_.push_back(silent && followed.contains({statement.function.first, name_of(statement)}));
    }
}

std::string TextFlow::name_of(const Statement& statement) {
    return statement.target.substr(0, statement.target.find_first_of("[. "));
}

const Statement* TextFlow::sink(const Statement& statement) const { return sinks_[place_of(statement)]; }

const Statement* TextFlow::find_sink(const Statement& statement) const {
    if (!is_known(&statement) || statement.effect == Effect::join || statements_.size() > kMostStatements)
        return nullptr;
    std::set<std::string> names{name_of(statement)};
    // What follows in the text, then what comes before it in the same loop.
    const std::size_t here = place_of(statement);
    for (std::size_t turn = 0; turn < statements_.size(); ++turn) {
        const std::size_t place = (here + 1 + turn) % statements_.size();
        if (place == here) break;
        const Statement& next = statements_[place];
        if (!(next.function == statement.function)) continue;
        const bool again = place < here;
        if (again && (statement.loop.last == 0 || !statement.loop.has(next.line))) continue;
        const bool mentions = std::any_of(next.uses.begin(), next.uses.end(),
                                          [&](const std::string& name) { return names.contains(name); });
        const std::string target = name_of(next);
        if (names.contains(target) && !next.to_memory) {
            if (next.effect == Effect::replace && !mentions) names.erase(target);
            if (names.empty()) return nullptr;
        } else if (mentions && !next.to_memory) {
            if (next.effect == Effect::join) return &next;
            names.insert(target);
        }
    }
    return nullptr;
}

bool TextFlow::is_assigned(const Statement& statement) const {
    return std::any_of(statements_.begin(), statements_.end(), [&](const Statement& other) {
        return other.function == statement.function && other.effect == Effect::replace &&
               name_of(other) == name_of(statement);
    });
}

Lines TextFlow::function_at(int line) const {
    for (const Lines& function : functions_)
        if (function.has(line)) return function;
    return {};
}

// The innermost loop around both lines.
Lines TextFlow::loop_around(int a, int b) const {
    Lines best;
    for (const Statement& statement : statements_) {
        const Lines& loop = statement.loop;
        if (loop.last == 0 || !loop.has(a) || !loop.has(b)) continue;
        if (best.last == 0 || inside(loop, best)) best = loop;
    }
    return best;
}

bool TextFlow::calls_between(int from, const Statement& last, int to) const {
    const auto calls = [&](const Statement& statement) { return statement.calls && calls_.may_reach(statement, to); };
    for (const Statement& statement : statements_)
        if (statement.function == last.function && statement.line > from && statement.line <= last.line &&
            calls(statement))
            return true;
    return calls(last);
}

bool TextFlow::passed(const Statement& statement, int from, int to) const {
    if (to == 0) return true;
    if (!statement.function.has(to)) return from <= statement.line && !calls_between(from, statement, to);
    if (to > from) return from <= statement.line && statement.line <= to;
    // Back to the head of a loop, and down from there.
    const Lines loop = loop_around(from, to);
    if (loop.last == 0 || !loop.has(statement.line)) return false;
    return statement.line >= from || statement.line <= to;
}

bool TextFlow::is_certain(const Statement& statement, int from, int to) {
    if (statement.conditional && !statement.uses.empty()) return false;
    const Lines& branch = statement.branch;
    return branch.last == 0 || branch.has(from) || branch.has(to);
}

bool TextFlow::changed_between(const Statement& sum, int from, int to) const {
    return std::any_of(statements_.begin(), statements_.end(), [&](const Statement& other) {
        const bool same = &other != &sum && other.function == sum.function && name_of(other) == name_of(sum);
        const bool begun = to >= other.line && to <= other.last_line;   // the record at `to` is of this statement
        return same && !begun && matters_[place_of(other)] && !other.calls && passed(other, from, to);
    });
}

const Statement* TextFlow::call_between(int from, int to) const {
    if (!calls_.is_known()) return nullptr;
    const Statement* first = nullptr;
    for (const Statement& statement : statements_) {
        const bool calls = statement.calls && statement.function.has(from) && calls_.may_reach(statement, to);
        if (calls && statement.line > from && (first == nullptr || statement.line < first->line)) first = &statement;
    }
    return first != nullptr && is_certain(*first, from, to) ? first : nullptr;
}

const std::vector<const Statement*>& TextFlow::silent_between(int from, int to) const {
    const auto [at, added] = silent_.try_emplace({from, to});
    if (!added) return at->second;
    std::vector<const Statement*> after, before;
    if (statements_.size() > kMostStatements) return at->second;
    for (const Statement& statement : statements_) {
        if (!matters_[place_of(statement)] || !statement.function.has(to)) continue;
        if (statement.line == to || statement.line == from) continue;
        if (!passed(statement, from, to)) continue;
        (to <= from && statement.line < to ? before : after).push_back(&statement);
    }
    at->second = std::move(after);
    at->second.insert(at->second.end(), before.begin(), before.end());
    return at->second;
}

}  // namespace lanewise::steps
