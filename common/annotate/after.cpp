#include "common/annotate/after.hpp"

#include <algorithm>
#include <optional>

#include "common/annotate/exchanges.hpp"

namespace lanewise::annotate {
namespace {

// A statement whose exchange fills a temporary, and what follows from it.
struct Received {
    Range temporary;
    Range own;  // the variable that was given to the exchange; empty where it is an expression
    int first_line = 0;
    int last_line = 0;
};

class Announcer {
public:
    Announcer(const File& file, const std::vector<std::string>& unsafe, Edits& edits)
        : file_(file), source_(file.source), unsafe_(unsafe), edits_(edits) {}

    void visit(const Statement& statement) {
        for (std::size_t i = 0; i < statement.children.size(); ++i) {
            const Statement& child = statement.children[i];
            if (child.kind == StatementKind::simple && in_function_ > 0)
                simple(child, statement.kind == StatementKind::block ? &statement : nullptr, i);
            in_function_ += child.kind == StatementKind::function ? 1 : 0;
            visit(child);
            in_function_ -= child.kind == StatementKind::function ? 1 : 0;
        }
    }

private:
    static Range target(const Assignment& a) { return {a.target_first, a.target_last}; }
    static Range value(const Assignment& a) { return {a.value_first, a.value_last}; }

    bool announceable(const Assignment& a) const {
        const std::string name(source_[a.target_first].text);
        return a.plain && std::find(unsafe_.begin(), unsafe_.end(), name) == unsafe_.end();
    }

    std::string lines(int first, int last) const { return std::to_string(first) + ", " + std::to_string(last); }

    std::string after(int first, int last, Effect effect, Range variable) const {
        return "::lanewise_traced::after(" + lines(first, last) + ", " + std::to_string(static_cast<int>(effect)) +
               ", " + source_.text_of(variable.first, variable.last) + ")";
    }

    // Is what was received in there? A part of a value that has parts (`other.max`) is where the whole value is.
    bool takes(Range where, const Received& received) const {
        return mentions(file_, where, received.temporary) || mentions_whole(file_, where, received.temporary);
    }

    // What to announce of a statement that took it in: its target, or of a value with parts the part that was
    // exchanged. Empty where that cannot be said.
    Range announced(const Assignment& part, const Received& received) const {
        if (is_whole_of(file_, target(part), received.own)) return received.own;
        if (is_whole_of(file_, target(part), received.temporary)) return received.temporary;
        // `float x = both(other);`: not known to be a number.
        if (!mentions(file_, value(part), received.temporary)) return {1, 0};
        return target(part);
    }

    std::string took(const Received& received) const {
        return "::lanewise_traced::took(" + lines(received.first_line, received.last_line) + ")";
    }

    void insert_behind(std::size_t token, std::string text) { edits_.insert(source_[token].end(), std::move(text)); }

    // `block` is null where the statement is the sole body of an if or a loop: nothing can come after it then.
    void simple(const Statement& statement, const Statement* block, std::size_t place) {
        const std::vector<Assignment> parts = statement.assignments;
        for (const Assignment& part : parts) {
            const auto calls = outer_exchanges(file_, statement, part.value_first, part.value_last);
            if (calls.empty()) continue;
            const Range own = offered_variable(file_, calls.front());
            Effect effect = direct_effect(file_, statement, part, own);
            if (effect == Effect::replace && calls.size() > 1 && conditional_in(file_, value(part)) == nullptr)
                effect = Effect::unknown;
            const Received received{target(part), own, source_[part.first].line, source_[part.last].line};

            // v = __shfl…(v) needs no search; p = __shfl…(v) may stand for what comes next.
            const bool temporary = effect == Effect::replace && parts.size() == 1 && block != nullptr &&
                                   !gives(calls.front(), target(part));
            if (temporary && follow(*block, place, received)) continue;
            if (!announceable(part)) continue;
            if (!part.declares) {
                // Announced once for each exchange: the recorder fills them in from the last one backwards.
                for (std::size_t k = 0; k < calls.size(); ++k)
                    insert_behind(part.last,
                                  ", " + after(received.first_line, received.last_line, effect, target(part)));
            } else if (block != nullptr && parts.size() == 1 && !bare(part, calls.front())) {
                for (std::size_t k = 0; k < calls.size(); ++k)
                    insert_behind(statement.last,
                                  " " + after(received.first_line, received.last_line, effect, target(part)) + ";");
            }
        }
    }

    bool bare(const Assignment& part, const ExchangeCall& call) const {
        return call_begin(file_, call.name) == part.value_first && call.close == part.value_last;
    }

    // Is the variable among the arguments of the call?
    bool gives(const ExchangeCall& call, Range variable) const {
        return mentions(file_, {call.open + 1, call.close - 1}, variable);
    }

    // Looks after the statement that filled the temporary for the one that takes it in.
    bool follow(const Statement& block, std::size_t place, const Received& received) {
        if (exchanges_on(received.first_line, received.last_line) != 1) return false;
        for (std::size_t i = place + 1; i < block.children.size(); ++i) {
            const Statement& next = block.children[i];
            if (!takes({next.first, next.last}, received)) continue;
            if (next.kind == StatementKind::branch) return follow_branch(next, received);
            if (next.kind != StatementKind::simple) return false;
            const auto step = follow_simple(next, received);
            if (step.has_value()) return *step;
        }
        return false;
    }

    // Two exchanges on one line could not be distinguished later.
    int exchanges_on(int first_line, int last_line) const {
        int count = 0;
        for (std::size_t i = 0; i < source_.size(); ++i)
            count += source_[i].line >= first_line && source_[i].line <= last_line && is_exchange(file_, i) ? 1 : 0;
        return count;
    }

    // Nothing: the statement only looks at the temporary (`const bool better = p > v;`); continue searching.
    std::optional<bool> follow_simple(const Statement& statement, const Received& received) {
        for (const Assignment& part : statement.assignments) {
            if (!takes(value(part), received)) continue;
            if (part.declares && compares(value(part))) return std::nullopt;
            const Range variable = announced(part, received);
            if (!announceable(part) || variable.empty()) return false;
            const Effect effect = take_ternary(part, received).value_or(effect_of(file_, part, received.own));
            insert_behind(statement.last,
                          " " + after(received.first_line, received.last_line, effect, variable) + ";");
            return true;
        }
        // p *= v: the temporary itself is used from here on.
        for (const Assignment& part : statement.assignments) {
            if (!mentions(file_, target(part), received.temporary) || !announceable(part) || !part.compound) continue;
            const Effect effect = mentions(file_, value(part), received.own) ? Effect::join : Effect::replace;
            insert_behind(statement.last,
                          " " + after(received.first_line, received.last_line, effect, target(part)) + ";");
            return true;
        }
        return false;
    }

    bool compares(Range range) const {
        for (std::size_t i = range.first; i <= range.last; ++i)
            for (const std::string_view sign : {"<", ">", "<=", ">=", "==", "!=", "&&", "||"})
                if (source_.is(i, sign) && source_.closing(i) == kNone) return true;
        return false;
    }

    // v = lane >= d ? v + p : v, v += lane >= d ? p : 0: only the lanes on one side take p in.
    std::optional<Effect> take_ternary(const Assignment& part, const Received& received) {
        const Conditional* conditional = conditional_in(file_, value(part));
        if (conditional == nullptr || conditional->whole != value(part)) return std::nullopt;
        Range taking = conditional->yes, other = conditional->no;
        if (!takes(taking, received)) std::swap(taking, other);
        if (!takes(taking, received)) return std::nullopt;
        if (takes(other, received)) return std::nullopt;

        Effect effect = Effect::join_if_taken;
        if (!part.compound) {
            const bool joins = mentions(file_, taking, target(part)) || mentions(file_, taking, received.own);
            effect = joins ? Effect::join_if_taken : Effect::replace_if_taken;
            // Lanes on the other side keep what they had only where it says so.
            if (source_.text_of(other.first, other.last) != source_.text_of(part.target_first, part.target_last) &&
                !mentions(file_, other, received.own))
                return Effect::unknown;
        }
        edits_.insert(source_[taking.first].offset, "(" + took(received) + ", ");
        insert_behind(taking.last, ")");
        return effect;
    }

    // All assignments to plain variables in what an if does, and whether each takes the temporary in.
    void collect(const Statement& statement, std::vector<const Statement*>& simple) const {
        if (statement.kind == StatementKind::simple) simple.push_back(&statement);
        if (statement.kind != StatementKind::block && statement.kind != StatementKind::branch) return;
        for (const Statement& child : statement.children) collect(child, simple);
    }

    bool follow_branch(const Statement& branch, const Received& received) {
        std::vector<const Statement*> statements;
        collect(branch, statements);
        std::vector<Assignment> parts;
        for (const Statement* statement : statements)
            for (const Assignment& part : statement->assignments) parts.push_back(part);
        const auto takes_in = [&](const Assignment& a) { return takes(value(a), received); };
        const auto outlives = [&](const Assignment& a) {
            return !a.declares && announceable(a) && !declared_inside(a, parts) && !in_header(branch, a);
        };
        const auto found = std::find_if(parts.begin(), parts.end(), [&](const Assignment& a) {
            return outlives(a) && takes_in(a) && !announced(a, received).empty();
        });
        if (found == parts.end()) return false;

        const std::string name = source_.text_of(found->target_first, found->target_last);
        Effect effect = effect_of(file_, *found, received.own);
        bool uniform = true;
        for (const Assignment& part : parts) {
            if (source_.text_of(part.target_first, part.target_last) != name) continue;
            uniform = uniform && takes_in(part) && effect_of(file_, part, received.own) == effect;
            if (takes_in(part)) insert_behind(part.last, ", " + took(received));
        }
        effect = effect == Effect::join ? Effect::join_if_taken : Effect::replace_if_taken;
        insert_behind(branch.last, " " + after(received.first_line, received.last_line,
                                               uniform ? effect : Effect::unknown, announced(*found, received)) + ";");
        return true;
    }

    bool declared_inside(const Assignment& assignment, const std::vector<Assignment>& parts) const {
        return std::any_of(parts.begin(), parts.end(), [&](const Assignment& other) {
            return other.declares && source_[other.target_first].text == source_[assignment.target_first].text;
        });
    }

    // if (float x = …): x is gone after the if.
    bool in_header(const Statement& branch, const Assignment& assignment) const {
        bool assigned = false, named = false;
        for (std::size_t i = branch.header_first; i < branch.header_last; ++i) {
            assigned = assigned || source_.is(i, "=");
            named = named || source_[i].text == source_[assignment.target_first].text;
        }
        return assigned && named;
    }

    const File& file_;
    const Source& source_;
    const std::vector<std::string>& unsafe_;
    Edits& edits_;
    int in_function_ = 0;
};

}  // namespace

void announce_results(const File& file, const std::vector<std::string>& unsafe, Edits& edits) {
    Announcer(file, unsafe, edits).visit(file.root);
}

}  // namespace lanewise::annotate
