// Which functions of a kernel file call which, read from the file's text: the statements of a trace know the lines of
// their functions, not their names.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/trace/trace.hpp"

namespace lanewise::steps {

class CallGraph {
public:
    // Without a text nothing is known.
    CallGraph(const trace::Trace& trace, std::string_view text);

    // Is the text at hand?
    bool is_known() const { return !functions_.empty(); }

    // May the functions that the statement calls, or those that these call, come to `line`? Yes where that is not
    // known.
    bool may_reach(const trace::Statement& statement, int line) const;

    using Lines = trace::Statement::Lines;
    // The lines of the functions of these names, and of all that they may call in turn. One that is not known by name
    // is among them. None where the text has no function of these names.
    std::vector<Lines> reached_from(const std::set<std::string>& names) const;

private:

    struct Function {
        Lines lines;
        std::string name;
        std::set<std::string> names;   // all in it: those of functions that it calls are among them
    };

    std::set<std::string> called_by(std::set<std::string> names) const;

    std::vector<std::string> code_;   // by line
    std::vector<Function> functions_;
    mutable std::map<std::pair<int, int>, std::set<std::string>> reached_;   // by the lines of a statement
};

// Leaves a trace the statements of the kernels that it is of, and of what they may call: a file of many kernels is
// described in each recording of one of them. `text` is the kernel file's; all are kept where it is not there
// or has no such kernel.
void keep_reached_statements(trace::Trace& trace, std::string_view text);

}  // namespace lanewise::steps
