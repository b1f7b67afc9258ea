// What a statement does with the value that an exchange in it receives. An exchange is a
// shuffle, a __reduce_*_sync or a cooperative group's shuffle or reduce: a lane offers its second argument (a group's
// member: its first) and receives what others offered.
#pragma once

#include <vector>

#include "common/annotate/syntax/unit.hpp"

namespace lanewise::annotate {

// As in trace::Effect; the last two are for a statement that only some lanes carry out.
enum class Effect : std::uint8_t { unknown = 0, replace = 1, join = 2, join_if_taken = 4, replace_if_taken = 5 };

// A call of one: its name and the parentheses after it.
struct ExchangeCall {
    std::size_t name = 0;
    std::size_t open = 0;
    std::size_t close = 0;
};

// Is token `index` the name of an exchange?
bool is_exchange(const File& file, std::size_t index);

// Where a call of token `name` begins: at the object or the namespace in front of it.
std::size_t call_begin(const File& file, std::size_t name);

// The exchanges in [first, last] that are not arguments of another one; those in lambdas of `statement` are its own
// statements' business.
std::vector<ExchangeCall> outer_exchanges(const File& file, const Statement& statement, std::size_t first,
                                        std::size_t last);

// Does [first, last], outside the arguments of exchanges, name the variable that [name_first, name_last] spells?
bool mentions(const File& file, Range where, Range name);

// Does [first, last] of `where`, outside the arguments of exchanges, name the whole variable of which `member`
// (`pair.sum`) is a part? False where `member` is no part of a variable.
bool mentions_whole(const File& file, Range where, Range member);

// Is `name` a variable of which `member` (`pair.sum`) is a part?
bool is_whole_of(const File& file, Range name, Range member);

// What the exchange is offered, where that is a variable (`v`, `pair.sum`); else an empty range (first > last).
Range offered_variable(const File& file, const ExchangeCall& call);

// The outermost `? :` that lies within the tokens of `range`; null where there is none.
const Conditional* conditional_in(const File& file, Range range);

// replace: the target holds something made of what was received alone. join: of the lane's own value as well, be it
// the target's or the one it gave to the exchange (`own`, may be empty).
Effect effect_of(const File& file, const Assignment& assignment, Range own);

// The same of an assignment with exchanges in its value, for the lanes that carry them out: with `c ? a : b`, what
// is on their side. unknown: sides with exchanges differ, or what was received only chooses.
Effect direct_effect(const File& file, const Statement& statement, const Assignment& assignment, Range own);

}  // namespace lanewise::annotate
