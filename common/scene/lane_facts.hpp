// What is told of one lane at a step, whichever way it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/steps/steps.hpp"

namespace lanewise::scene {

// One element that a lane read or wrote in a step.
struct Access {
    std::string array;
    std::int64_t index = 0;
    Element type = Element::f32;
    std::uint64_t bits = 0;
    trace::Op op = trace::Op::load;
};

// One lane at a step.
struct LaneFacts {
    int lane = 0;
    bool active = false;
    Element type = Element::f32;
    steps::LaneView view;
    int says = -1;           // votes, block barriers that vote: the predicate; -1: none
    bool has_offered = false;   // matches: the value it compares
    std::uint64_t offered = 0;
    bool has_answer = false; // votes, matches, active masks, barriers that vote: what came back
    std::uint64_t answer = 0;
    Element answer_type = Element::u32;
    std::vector<Access> accesses;
};

// Of one lane in one warp's part of a step, in the order of its records.
std::vector<Access> accesses_of(const steps::Steps& steps, const steps::WarpStep& part, int lane);

// Lanes that take part: of all records of the part. None where there is no part.
std::uint32_t active_lanes(const steps::Steps& steps, const steps::WarpStep* part);

// Of each lane that the warp has.
std::vector<LaneFacts> lane_facts(const steps::Steps& steps, std::size_t step, const steps::WarpRef& warp);

// One line of what is told of a lane at a step: "received  42  0x42280000".
struct ValueRow {
    // What was there, what came, what came of it.
    enum class Role : std::uint8_t { plain, source, result, quiet, warning };

    std::string label;       // "before", "received", "read"
    std::string word;         // of memory, "tree[19]"; empty else
    Role role = Role::plain;
    bool is_value = true;    // else `text` says it
    Element type = Element::f32;
    std::uint64_t bits = 0;
    std::string text;        // "undefined", "not recorded", "yes"
};

// Empty where the lane has no part in the step.
std::vector<ValueRow> value_rows(const steps::Steps& steps, std::size_t step, const steps::WarpRef& warp, int lane);

// The rows of all lanes of a warp, one under the other.
struct WarpRow {
    std::string label;
    std::vector<std::optional<ValueRow>> lanes;   // nothing where a lane has no such row
};

// As few as there can be with one label each and with the rows of each lane in its own order.
std::vector<WarpRow> warp_rows(const steps::Steps& steps, std::size_t step, const steps::WarpRef& warp);

// "holds 4 of 32 inputs, some counted twice".
std::string inputs_text(const steps::Provenance& inputs, std::size_t input_count);

// What a fence does, for `scope` as records have it.
std::string fence_text(int scope);

}  // namespace lanewise::scene
