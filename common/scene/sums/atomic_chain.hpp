// What atomics did to one word of memory, in the order that the old values show: the one that found what another left
// came after it. Lanes and blocks that were not recorded leave gaps. Plain data, from records alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/element.hpp"
#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

// One lane's atomic on the word.
struct Join {
    WarpRef warp;
    int lane = 0;
    std::size_t record = 0;       // of the trace: the order of a warp's own
    std::uint64_t found = 0;      // the old value, as it was returned
    std::uint64_t gave = 0;       // the operand
    std::uint64_t left = 0;       // what the operation makes of the two
    bool has_left = false;        // false: the operation's result does not follow from these (a CAS)
    bool follows = false;         // it found what the join before it in Chain::joins left
    bool now = false;             // it happens in the step that was asked for
};

struct Chain {
    // What distinguishes its joins: each from another block, from another warp, or lanes of one.
    enum class Unit : std::uint8_t { block, warp, lane };

    std::string array;
    std::int64_t index = 0;
    Element type = Element::f32;
    std::string_view op = "add";  // "add", "max", "exch"
    bool global = true;
    Unit unit = Unit::block;
    std::vector<Join> joins;      // in the order known; in the order of blocks, warps and lanes where it is not
    std::string unknown;           // why the order cannot be known; empty where it is
    std::uint64_t blocks_missing = 0;  // of the launch, not recorded: what they did to the word is a gap
    bool has_end = false;         // the word's contents after the run were kept
    std::uint64_t end = 0;
    bool end_follows = false;     // the last join left it

    std::string word() const { return array + "[" + std::to_string(index) + "]"; }
};

// The words that atomics of step `step` change: all of the launch's records on each of them, by every recorded block
// for global memory, by `warp`'s block for shared. The words that `warp` touches come first. Empty where the step is no
// atomic.
std::vector<Chain> chains_at(const steps::Steps& steps, std::size_t step, const WarpRef& warp);

// Lane `lane` of an atomic's record, as a join.
Join join_of(const trace::Record& record, std::size_t number, int lane);

// Joins on one word put in the order that their old values show, with Join::follows; false and `why`, as they were,
// where it cannot be known.
bool put_in_order(std::vector<Join>& joins, Element type, std::string& why);

// What is said of Join::gave: "added", of what is no addition "operand".
const char* chain_verb(const Chain& chain);

// The order and its gaps in a sentence.
std::string chain_sentence(const Chain& chain);
// The whole chain, a line each.
std::string describe_chain(const Chain& chain);

}  // namespace lanewise::scene
