#include "common/steps/lane_course.hpp"

#include <algorithm>

namespace lanewise::steps {

using trace::Effect;
using trace::Statement;

bool LaneCourse::come_to(int line, const TextFlow& text, Interner& inputs, std::uint32_t& held) {
    const Statement::Lines function = text.function_at(line);
    if (function.last == 0) return false;
    int from = function.first - 1;   // called anew
    const auto known = last_line_.find(function.first);
    const bool entered = function_ != function.first && function.first != root_;
    if (known != last_line_.end() && !entered) from = known->second;
    bool unknown = false;
    for (const Statement* statement : text.silent_between(from, line)) unknown |= pass(*statement, inputs, held);
    return unknown;
}

// What a function gave back is what the lane held last: `v = f(v)` takes that, `sum += f(v)` joins it.
bool LaneCourse::pass(const Statement& statement, Interner& inputs, std::uint32_t& held) {
    const auto& uses = statement.uses;
    const bool gives_itself =
        statement.calls && std::find(uses.begin(), uses.end(), TextFlow::name_of(statement)) != uses.end();
    const bool joins = statement.effect == Effect::join && !gives_itself;
    // A temporary's words have come in with its load, unless they were exchanged first.
    if (joins && !statement.calls && owed_ != &statement) return false;
    std::uint32_t given = statement.calls ? held : Interner::kNothing;
    for (const std::string& name : uses) {
        const auto other = statement.calls ? taken_.end() : taken_.find({statement.function.first, name});
        if (other != taken_.end()) given = inputs.join(given, other->second);
    }
    std::uint32_t& own = taken(statement);
    own = joins ? inputs.join(own, given) : given;
    if (!joins) return false;
    if (owed_ == &statement) owed_ = nullptr;
    held = own;
    return true;
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
