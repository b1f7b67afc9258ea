// A lane's history as plain data: each step that concerned it, what it took from which lane, and what it held then.
#pragma once

#include <string>
#include <vector>

#include "common/base/element.hpp"
#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"
#include "common/scene/held.hpp"

namespace lanewise::scene {

struct HistoryStep {
    std::size_t step = 0;
    int line = 0;
    std::string label;        // "xor 16"
    std::string way;          // "← lane 21", "← in[5]", "→ tree[3]", "says yes"; empty where it took and gave nothing
    bool active = false;      // false: its value changed in a step of others
    bool known = false;       // the trace has what it held
    bool changed = false;     // it held something else before
    bool undefined = false;
    Element type = Element::f32;
    std::uint64_t bits = 0;   // held after the step
    std::vector<LaneCell::Part> more = {};   // of a value with parts the second, third, …
};

// "26", or of a value with parts all of them: "(5, 2.13534)".
std::string history_value(const HistoryStep& step);

// In order. Steps that the lane has no part in and that leave its value as it was are left out.
std::vector<HistoryStep> history_of(const steps::Steps& steps, const WarpRef& warp, int lane);

// A line each, for text: "step 3  xor 16  line 5  ← lane 21  26 (0x41d00000)".
std::string describe_history(const std::vector<HistoryStep>& life);

}  // namespace lanewise::scene
