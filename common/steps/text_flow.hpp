// How values move through statements that leave no record of their own, read from the kernel's text: which variable
// ends up with what a statement reads, and which statements a lane went through between two of its records.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/steps/call_graph.hpp"
#include "common/trace/trace.hpp"

namespace lanewise::steps {

class TextFlow {
public:
    // `text`: of the kernel file; empty where it is not at hand.
    TextFlow(const trace::Trace& trace, std::string_view text);

    // Does the text say more than effects? (Not in files of minor version 0.)
    static bool is_known(const trace::Statement* statement) {
        return statement != nullptr && statement->function.last != 0;
    }

    // "p" of "p.x" and "p[k]".
    static std::string name_of(const trace::Statement& statement);

    // The statement that joins what `statement` assigns to another variable, at once or by way of others:
    // `float4 p = in4[i]; … sum += p.x + p.y;`. Null where there is none.
    const trace::Statement* sink(const trace::Statement& statement) const;

    // The function around a line; no lines where no statement of it is known.
    trace::Statement::Lines function_at(int line) const;

    // Does a statement give its variable a value of its own, or is it one that the function was given?
    bool is_assigned(const trace::Statement& statement) const;

    // Did a lane whose records at lines `from` (in the statement's function) and `to` follow each other go through it
    // in between? `to` may lie in a function that it called, or be 0: the lane came to its end.
    bool passed(const trace::Statement& statement, int from, int to) const;

    // Is it known of a lane that came by a statement, in passed()'s sense, that it went through it? Not where an `if`
    // (or a `?:`) is around it and neither record is in there.
    static bool is_certain(const trace::Statement& statement, int from, int to);

    // Does another statement without a record change what `sum` assigns to, between two lines as in passed()?
    bool changed_between(const trace::Statement& sum, int from, int to) const;

    // The statement in which a lane that was at line `from` called what brought it to line `to` of another function. Null
    // where that is not certain.
    const trace::Statement* call_between(int from, int to) const;

    // The statements without records that change what a variable which others join to has taken in, gone through from
    // line `from` to line `to` of one function, in order.
    const std::vector<const trace::Statement*>& silent_between(int from, int to) const;

private:
    std::size_t place_of(const trace::Statement& statement) const {
        return static_cast<std::size_t>(&statement - statements_.data());
    }
    const trace::Statement* find_sink(const trace::Statement& statement) const;
    trace::Statement::Lines loop_around(int a, int b) const;
    // May a function that is called after line `from`, up to and with `last`, come to line `to`?
    bool calls_between(int from, const trace::Statement& last, int to) const;

    const std::vector<trace::Statement>& statements_;
    CallGraph calls_;
    std::vector<const trace::Statement*> sinks_;
    std::vector<bool> matters_;
    std::vector<trace::Statement::Lines> functions_;
    mutable std::map<std::pair<int, int>, std::vector<const trace::Statement*>> silent_;
};

}  // namespace lanewise::steps
