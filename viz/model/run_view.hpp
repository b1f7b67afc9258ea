// One run made ready to draw: its steps and what is computed from them once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/run/run.hpp"
#include "common/scene/outcome.hpp"
#include "common/scene/value_scale.hpp"
#include "common/scene/warps.hpp"
#include "common/rounding/rounding.hpp"
#include "viz/model/background_task.hpp"
#include "viz/widgets/theme.hpp"

namespace lanewise::viz {

// With its colours.
class ValueScale : public scene::ValueScale {
public:
    // One colour for every value.
    static ValueScale plain(Color color);

    Color color(Element type, std::uint64_t bits) const;

private:
    Color plain_ = 0;   // 0: by value
};

// A run's sums beside the exact ones.
struct ExactRun {
    steps::RoundingLens lens;
    steps::RoundingLoss loss;   // of the whole run
};

struct RunView {
    std::shared_ptr<const lesson::Run> run;
    ValueScale scale;                      // of the whole run: to compare warps
    std::vector<ValueScale> warp_scales;   // as Steps::warps: to tell the lanes of one warp apart
    std::size_t most_inputs = 0;   // the largest number of inputs that any lane of the run holds
    scene::StepFindings findings;   // as Steps::steps: which of Trace::findings are told at the step

    RunView() = default;
    explicit RunView(std::shared_ptr<const lesson::Run> shown);

    explicit operator bool() const { return run != nullptr; }
    // Worked out once for all views that show the run, from the first call on: of a million inputs that takes a second
    // or two. Null until then, except where `patient`.
    std::shared_ptr<const ExactRun> exact(bool wait_for_results) const;

    const ValueScale& scale_of(const steps::WarpRef& warp) const;
    const steps::Steps& steps() const { return run->steps; }
    const trace::Trace& trace() const { return run->trace; }

private:
    std::shared_ptr<BackgroundTask<ExactRun>> exact_;   // shared by copies; asked by the thread that draws alone
};

using scene::block_place;
using scene::block_threads;
using scene::came_out_right;
using scene::lanes_of;
using scene::result_text;
using scene::warp_name;
using scene::warp_size;

// What stands where the sums beside the exact ones will be: "adding up 1048576 inputs without rounding…"
std::string being_worked_out(const steps::Steps& steps);

// Lanes of `warp` that a finding told at `step` names.
std::uint32_t faulting_lanes(const RunView& run_view, std::size_t step, const steps::WarpRef& warp);

}  // namespace lanewise::viz
