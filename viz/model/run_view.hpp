// One run made ready to draw: its steps and what is computed from them once.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/scene/boxes/suppression.hpp"
#include "common/scene/outcome.hpp"
#include "common/scene/outline.hpp"
#include "common/scene/sums/sums.hpp"
#include "common/scene/value_scale.hpp"
#include "common/scene/warps.hpp"
#include "viz/model/background_task.hpp"
#include "viz/widgets/theme.hpp"

namespace lanewise::viz {

// The window draws scenes: their names are its own.
using namespace scene;

// With its colours.
class ValueScale : public scene::ValueScale {
public:
    ValueScale() = default;
    explicit ValueScale(scene::ValueScale scale) : scene::ValueScale(std::move(scale)) {}

    // One colour for every value.
    static ValueScale plain(Color color);

    Color color(Element type, std::uint64_t bits) const;

private:
    Color plain_ = 0;   // 0: by value
};

struct RunView {
    std::shared_ptr<const run::Run> run;
    Outline outline;                       // of the run
    ValueScale scale;                      // of the whole run: to compare warps
    std::vector<ValueScale> warp_scales;   // as Outline::warps: to distinguish the lanes of one warp
    std::shared_ptr<const Suppression> boxes;   // never null; empty() where the run decides among none
    std::size_t most_inputs = 0;   // the largest number of inputs that any lane of the run holds

    RunView() = default;
    explicit RunView(std::shared_ptr<const run::Run> shown);

    explicit operator bool() const { return run != nullptr; }
    // Worked out once for all views that show the run, from the first call on: of a million inputs that takes a second
    // or two. Null until then, except where `wait_for_results`.
    std::shared_ptr<const Sums> exact(bool wait_for_results) const;

    const ValueScale& scale_of(const WarpRef& warp) const;
    // What scenes of the run are made from.
    const steps::Steps& steps() const;
    const trace::Trace& trace() const;

private:
    std::shared_ptr<BackgroundTask<Sums>> exact_;   // shared by copies; asked by the thread that draws alone
};

// What is shown where the sums beside the exact ones will be: "adding up 1048576 inputs without rounding…"
std::string being_worked_out(const RunView& run_view);

// Lanes of `warp` that a finding shown at `step` names.
std::uint32_t faulting_lanes(const RunView& run_view, std::size_t step, const WarpRef& warp);

}  // namespace lanewise::viz
