// One lane's life as plain data: each step that concerned it, what it took from whom, and what it held then.
#pragma once

#include <string>
#include <vector>

#include "common/steps/steps.hpp"

namespace lanewise::viz {

struct LifeStep {
    std::size_t step = 0;
    int line = 0;
    std::string label;        // "xor 16"
    std::string way;          // "← lane 21", "← in[5]", "→ tree[3]", "says yes"; empty where it took and gave nothing
    bool active = false;      // false: its value changed while others were at work
    bool known = false;       // the trace tells what it held
    bool changed = false;     // it held something else before
    bool undefined = false;
    Element type = Element::f32;
    std::uint64_t bits = 0;   // held after the step
};

// In order. Steps that the lane has no part in and that leave its value as it was are left out.
std::vector<LifeStep> history_of(const steps::Steps& steps, const steps::WarpRef& warp, int lane);

// A line each, for text: "step 3  xor 16  line 5  ← lane 21  26 (0x41d00000)".
std::string describe_life(const std::vector<LifeStep>& life);

}  // namespace lanewise::viz
