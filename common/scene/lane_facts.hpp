// What is known of one lane at a step, whichever way it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/element.hpp"
#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"
#include "common/scene/held.hpp"

namespace lanewise::scene {

// What an access does with its word; an atomic reads and writes.
enum class Touch : std::uint8_t { read, write, atomic };

// One element that a lane read or wrote in a step.
struct Access {
    std::string array;
    std::int64_t index = 0;
    Element type = Element::f32;
    std::uint64_t bits = 0;        // read, written, or an atomic's operand
    Touch touch = Touch::read;
    std::string_view op = "load";  // "load", "store", "atomic_add"
};

// What one lane held around a shuffle, a reduction or an atomic. Bits have LaneFacts::type.
struct LaneView {
    int source = -1;               // shuffles: the lane read; -1: none
    std::uint64_t before = 0;
    std::uint64_t received = 0;
    std::uint64_t after = 0;
    bool has_received = false;
    bool has_after = false;
    bool undefined = false;
    bool used = true;              // false: received, and not used
};

// One lane at a step.
struct LaneFacts {
    int lane = 0;
    bool active = false;
    Element type = Element::f32;
    LaneView view;
    // Of an exchange of a value with parts (a maximum and a sum): each part, the first included; else empty.
    struct ValuePart {
        std::string name;       // "max"
        Element type = Element::f32;
        std::uint64_t before = 0, received = 0, after = 0;
        bool has_after = false;
    };
    std::vector<ValuePart> parts = {};
    int says = -1;              // votes, block barriers that vote: the predicate; -1: none
    bool has_offered = false;   // matches: the value it compares
    std::uint64_t offered = 0;
    bool has_answer = false;    // votes, matches, active masks, barriers that vote: what came back
    std::uint64_t answer = 0;
    Element answer_type = Element::u32;
    bool answer_is_mask = false;   // of lanes
    int fence = -1;             // fences: 0 block, 1 device, 2 system; -1: none
    std::vector<Access> accesses;
};

// "(3, 1)": one of the three of each part.
std::string parts_text(const std::vector<LaneFacts::ValuePart>& parts, std::uint64_t LaneFacts::ValuePart::*which);

// What a lane offered in an exchange of a value with parts, as a row shows it.
LaneCell offered_cell(const LaneFacts& facts);

// What a lane offered in an exchange of a value with parts: the second, third, … part.
std::vector<LaneCell::Part> parts_before(const steps::Steps& steps, const steps::WarpStep& part, int lane);

// Of one lane in one warp's part of a step, in the order of its records.
std::vector<Access> accesses_of(const steps::Steps& steps, const steps::WarpStep& part, int lane);

// Lanes that take part: of all records of the part. None where there is no part.
std::uint32_t active_lanes(const steps::Steps& steps, const steps::WarpStep* part);
// The same of a warp at a step.
std::uint32_t active_lanes(const steps::Steps& steps, std::size_t step, const WarpRef& warp);

// Of each lane that the warp has.
std::vector<LaneFacts> lane_facts(const steps::Steps& steps, std::size_t step, const WarpRef& warp);

// One line of what is known of a lane at a step: "received  42  0x42280000".
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
std::vector<ValueRow> value_rows(const steps::Steps& steps, std::size_t step, const WarpRef& warp, int lane);

// The rows of all lanes of a warp, one under the other.
struct WarpRow {
    std::string label;
    std::vector<std::optional<ValueRow>> lanes;   // nothing where a lane has no such row
};

// As few as there can be with one label each and with the rows of each lane in its own order.
std::vector<WarpRow> warp_rows(const steps::Steps& steps, std::size_t step, const WarpRef& warp);

// Why a lane has the value that it has.
struct LaneFormula {
    std::string head;        // "lane 5 ← lane 21 = 5 xor 16"; empty where the lane has no part
    std::string rule;        // "5 xor 16", "30 + 8 = 38 is past lane 31"
    std::string bits;        // "00101 ^ 10000 = 10101"; empty where bits explain nothing
    std::string arithmetic;  // "5 + 21 = 26"
    int xor_mask = -1;       // of a xor shuffle; -1: something else
};
LaneFormula lane_formula(const steps::Steps& steps, std::size_t step, const WarpRef& warp, int lane);
// The same in one line: "lane 5 ← lane 21 = 5 xor 16: 00101 ^ 10000 = 10101; 5 + 21 = 26".
std::string formula_line(const steps::Steps& steps, std::size_t step, const WarpRef& warp, int lane);

// What a fence does, for LaneFacts::fence.
std::string fence_text(int scope);

}  // namespace lanewise::scene
