// What the lanes of a warp hold after a step, whether or not they took part in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/element.hpp"
#include "common/scene/cell_text.hpp"
#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

// One lane's value, and the inputs included in it.
struct LaneCell {
    struct Part {
        std::uint64_t bits = 0;
        Element type = Element::f32;
        bool operator==(const Part&) const = default;
    };
    std::uint64_t bits = 0;
    Element type = Element::f32;
    std::vector<Part> more = {};   // of a value with parts the second, third, …
    bool known = false;         // the trace has its value
    bool undefined = false;
    std::size_t inputs = 0;     // how many inputs it includes
    bool counted_twice = false;
    bool more_perhaps = false;  // others may have come in: the kernel's text does not say
};

// Says which inputs the cell's value includes.
void set_inputs(LaneCell& cell, const steps::Provenance& inputs);

// "5", or of a value with parts all of them: "(5, 2.13534)".
std::string value_text(const LaneCell& cell);
// As cell_text; the parts of a value one under the other (`stacked`), or side by side.
std::string cell_text(const LaneCell& cell, const CellRoom& room, bool stacked = true);

// The lane's value after step `step`; kNoStep: before the first.
LaneCell held(const steps::Steps& steps, std::size_t step, const WarpRef& warp, int lane);
// All lanes'.
PerLane<LaneCell> held_by_warp(const steps::Steps& steps, std::size_t step, const WarpRef& warp);
// Did any of them become known, or change, between two steps?
bool holds_anything(const steps::Steps& steps, std::size_t step, const WarpRef& warp);
bool holds_the_same(const steps::Steps& steps, std::size_t a, std::size_t b, const WarpRef& warp);

// What the warp held after each step that changed a value, or the inputs in one.
struct HeldRow {
    std::size_t step = kNoStep;
    PerLane<LaneCell> lanes;
};
std::vector<HeldRow> held_rows(const steps::Steps& steps, const WarpRef& warp);

// The inputs included in what a lane holds after a step.
struct InputsHeld {
    struct Mark {                // of a stretch of the inputs
        double part = 0;         // that is included, 0…1
        bool twice = false;
    };
    std::string text;           // "holds 4 of 32 inputs, some counted twice"; empty where the trace has no loads
    bool warned = false;         // an input twice, or something undefined
    bool undefined = false;
    std::vector<Mark> marks;     // one an input, or for several next to each other: at most as many as were asked for
};
InputsHeld inputs_held(const steps::Steps& steps, std::size_t step, const WarpRef& warp, int lane,
                       std::size_t most_marks = 0);

// "holds 4 of 32 inputs, some counted twice".
std::string inputs_text(const steps::Provenance& inputs, std::size_t input_count);

// The most inputs that any lane of the run ever holds.
std::size_t most_inputs(const steps::Steps& steps);

}  // namespace lanewise::scene
