#include "common/steps/lane_course.hpp"

#include <algorithm>

namespace lanewise::steps {

using trace::Effect;
using trace::Statement;

bool LaneCourse::come_to(int line, const TextFlow& text, Provenances& inputs, std::uint32_t& held) {
    const Statement::Lines function = text.function_at(line);
    if (function.last == 0) return false;
    if (reads_left() > 0 && line >= reading_->line && line <= reading_->last_line) return false;   // the same turn
    int from = function.first - 1;   // called anew
    const auto known = last_line_.find(function.first);
    const bool entered = function_ != function.first && function.first != root_;
    if (known != last_line_.end() && !entered) from = known->second;
    bool unknown = false, called = false;
    if (entered) {
        unknown = pass_owed(line, text, inputs, held);
        if (const auto handed = handed_over(line, text); handed && *handed != held) {
            held = *handed;
            unknown = true;
        }
    }
    for (const Statement* statement : text.silent_between(from, line)) {
        unknown |= pass(*statement, TextFlow::is_certain(*statement, from, line), inputs, held);
        called |= statement->calls;
    }
    if (called) reads_aside_ = 0;
    return unknown;
}

bool LaneCourse::pass_owed(int line, const TextFlow& text, Provenances& inputs, std::uint32_t& held) {
    const auto last = last_line_.find(function_);
    if (owed_ == nullptr || owed_->function.first != function_ || last == last_line_.end()) return false;
    if (!text.passed(*owed_, last->second, line)) return false;
    return pass(*owed_, TextFlow::is_certain(*owed_, last->second, line), inputs, held);
}

std::optional<std::uint32_t> LaneCourse::handed_over(int line, const TextFlow& text) const {
    const auto last = last_line_.find(function_);
    const Statement* call = last == last_line_.end() ? nullptr : text.call_between(last->second, line);
    if (call == nullptr) return {};
    const auto& silent = text.silent_between(last->second, call->line);
    std::optional<std::uint32_t> handed;
    for (const std::string& name : call->uses) {
        const auto own = taken_.find({call->function.first, name});
        std::optional<std::uint32_t> its;
        if (own != taken_.end()) its = own->second;
        for (const Statement* statement : silent) {
            if (TextFlow::name_of(*statement) != name || (statement->effect == Effect::join && !statement->calls)) continue;
            const bool constant = statement->uses.empty() && TextFlow::is_certain(*statement, last->second, call->line);
            if (!constant) return {};
            its = Provenances::kNothing;
        }
        if (its && handed) return {};   // one of several
        if (its) handed = its;
    }
    return handed;
}

// What a function gave back is what the lane held last: `v = f(v)` takes that, `sum += f(v)` joins it.
bool LaneCourse::pass(const Statement& statement, bool certain, Provenances& inputs, std::uint32_t& held) {
    const auto& uses = statement.uses;
    const bool gives_itself =
        statement.calls && std::find(uses.begin(), uses.end(), TextFlow::name_of(statement)) != uses.end();
    const bool joins = statement.effect == Effect::join && !gives_itself;
    // A temporary's words have come in with its load, unless they were exchanged first.
    if (joins && !statement.calls && owed_ != &statement) return false;
    std::uint32_t given = statement.calls ? held : Provenances::kNothing;
    // Of several reads in functions none is known to be the result.
    if (statement.calls && reads_aside_ > 1) given = inputs.unknown(given);
    const bool only_read =
        owed_ == &statement && std::find(uses.begin(), uses.end(), TextFlow::name_of(*owed_from_)) != uses.end();
    for (const std::string& name : uses) {
        if (joins && name == TextFlow::name_of(statement)) continue;   // squares = fmaf(x, x, squares): has its own
        if (only_read && name != TextFlow::name_of(*owed_from_)) continue;   // sum += exp(x - largest): x was read
        const auto other = statement.calls ? taken_.end() : taken_.find({statement.function.first, name});
        if (other != taken_.end()) given = inputs.join(given, other->second);
    }
    std::uint32_t& own = taken(statement);
    if (!certain) own = inputs.unknown(own);
    else own = joins ? inputs.join(own, given) : given;
    if (!joins) return false;
    if (owed_ == &statement) owed_ = nullptr;
    held = own;
    held_by_ = &statement;
    return true;
}

LaneCourse::Stored LaneCourse::stored(const Statement* store, const TextFlow& text, Provenances& inputs,
                                      std::uint32_t held) const {
    if (!TextFlow::is_known(store) || store->calls) return {held, true};
    const auto& uses = store->uses;
    // The lane's value goes by the name of what it was assigned to, or of the sum that a temporary of its went into.
    const bool here = held_by_ != nullptr && held_by_->function == store->function;
    const Statement* sum = here ? text.sink(*held_by_) : nullptr;
    const auto names_held = [&](const std::string& name) {
        return here && (name == TextFlow::name_of(*held_by_) || (sum != nullptr && name == TextFlow::name_of(*sum)));
    };
    const bool is_held = std::any_of(uses.begin(), uses.end(), names_held);
    std::uint32_t all = is_held ? held : Provenances::kNothing;
    int known = is_held;
    for (const std::string& name : uses) {
        const auto other = taken_.find({store->function.first, name});
        if (other == taken_.end() || names_held(name)) continue;
        all = inputs.join(all, other->second);
        ++known;
    }
    // `c ? a : b`: one of the two.
    if (known > 1 && store->conditional) return {inputs.unknown(Provenances::kNothing), false};
    const bool constant = uses.empty() || (store->conditional && store->loads > 0);   // out[t] = 0, t < n ? in[t] : 0
    if (known > 0 || constant) return {all, is_held};
    // A value that the function was given, or one that no record and no statement gives.
    if (!here) return {held, true};
    return {inputs.unknown(Provenances::kNothing), false};
}

void LaneCourse::leave(int line, bool is_load, const TextFlow& text) {
    const Statement::Lines function = text.function_at(line);
    function_ = function.first;
    if (root_ == 0) root_ = function.first;
    if (function.last != 0) last_line_[function.first] = line;
    if (!is_load) reading_ = nullptr;
}

bool LaneCourse::reads_on(const Statement* statement) {
    const bool more = TextFlow::is_known(statement) && reading_ == statement && loads_ < statement->loads;
    loads_ = more ? loads_ + 1 : 1;
    reading_ = statement;
    return more;
}

}  // namespace lanewise::steps
