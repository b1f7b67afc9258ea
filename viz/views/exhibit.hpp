// One run made ready to draw: its steps and what is computed from them once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/lesson/frontend.hpp"
#include "common/shown/outcome.hpp"
#include "common/shown/value_scale.hpp"
#include "common/shown/warps.hpp"
#include "viz/widgets/theme.hpp"

namespace lanewise::viz {

// With its colours.
class ValueScale : public shown::ValueScale {
public:
    // One colour for every value.
    static ValueScale plain(Color color);

    Color color(Element type, std::uint64_t bits) const;

private:
    Color plain_ = 0;   // 0: by value
};

struct Exhibit {
    std::shared_ptr<const lesson::Run> run;
    ValueScale scale;                      // of the whole run: to compare warps
    std::vector<ValueScale> warp_scales;   // as Steps::warps: to tell the lanes of one warp apart
    std::size_t most_inputs = 0;   // the largest number of inputs that any lane of the run holds
    shown::StepFindings findings;   // as Steps::steps: which of Trace::findings are told at the step

    Exhibit() = default;
    explicit Exhibit(std::shared_ptr<const lesson::Run> shown);

    explicit operator bool() const { return run != nullptr; }
    const ValueScale& scale_of(const steps::WarpRef& warp) const;
    const steps::Steps& steps() const { return run->steps; }
    const trace::Trace& trace() const { return run->trace; }
};

using shown::block_place;
using shown::block_threads;
using shown::came_out_right;
using shown::lanes_of;
using shown::result_words;
using shown::warp_name;
using shown::warp_size;

// Lanes of `warp` that a finding told at `step` names.
std::uint32_t blamed_lanes(const Exhibit& exhibit, std::size_t step, const steps::WarpRef& warp);

}  // namespace lanewise::viz
