// Controls: what a learner may choose of a variant beside its input, such as a shuffle's argument or a mask. A lesson
// declares each in one line; flags, traces, headings and (as widgets) windows are made from that line:
//
//     lesson.control(choice("op", {"idx", "up", "down", "xor"}, "xor", "Which shuffle"));
//     lesson.control(per_lane_control("arg", "1", "Its argument, for each lane"));
//     lesson.add({.name = "shuffle", …, .controls = {{"op", ""}, {"arg", "2"}}, …});
//
// A variant names the controls that it takes, each with a default of its own or "" for the control's. Its plan reads
// them: inputs.controls.text("op"), inputs.controls.lanes("arg").
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/base/warp.hpp"

namespace lanewise::lesson {

enum class ControlKind : std::uint8_t {
    choice,    // one of `choices`
    integer,   // a whole number from `low` to `high`
    mask,      // a set of lanes, as a number: "0xff"; not empty
    per_lane,  // an int for each lane: an expression of `lane`, or values with commas between
};

// A name and what was chosen, as text: what a flag is given, a trace keeps and a link says.
using ControlValue = std::pair<std::string, std::string>;

// One control, as declared.
struct Control {
    std::string name;          // "width": the flag is --width
    ControlKind kind = ControlKind::choice;
    std::string standard;      // what holds when nothing is chosen
    std::string sentence;      // for --help and a widget's tooltip
    std::vector<std::string> choices = {};
    std::int64_t low = 0;
    std::int64_t high = 0;

    // Throws Error that names the flag, the value and what would be right.
    void check(const std::string& text) const;
    // What --help shows for the value: "idx|up|down|xor", "0..31", "MASK", "EXPRESSION".
    std::string value_name() const;
};

Control choice(std::string name, std::vector<std::string> choices, std::string standard, std::string sentence);
Control integer(std::string name, std::int64_t low, std::int64_t high, std::string standard, std::string sentence);
Control lane_mask(std::string name, std::string standard, std::string sentence);
Control per_lane_control(std::string name, std::string standard, std::string sentence);

// What was chosen for one run: valid values, in the order in which the variant names its controls.
class ChosenControls {
public:
    ChosenControls() = default;
    explicit ChosenControls(std::vector<ControlValue> values) : values_(std::move(values)) {}

    const std::vector<ControlValue>& values() const { return values_; }
    bool has(const std::string& name) const;
    // Each throws Error where there is no such control: a mistake in lesson.cpp.
    const std::string& text(const std::string& name) const;
    std::int64_t integer(const std::string& name) const;
    std::uint32_t mask(const std::string& name) const;
    PerLane<std::int32_t> lanes(const std::string& name) const;

    bool operator==(const ChosenControls&) const = default;

private:
    std::vector<ControlValue> values_;
};

// A mask as text: decimal, or hexadecimal after 0x. Throws Error that names the flag where it is empty or no such.
std::uint32_t read_mask(const std::string& flag, const std::string& text);

}  // namespace lanewise::lesson
