// Who joined a word of memory by atomics, and in which order: above those that gave, below what the word held after
// each.
#pragma once

#include <memory>
#include <vector>

#include "viz/model/pane.hpp"
#include "viz/model/run_view.hpp"
#include "viz/model/selection.hpp"
#include "common/scene/sums/atomic_chain.hpp"

namespace lanewise::viz {

struct JoinView {
    // 0 where the step is no atomic, or one lane alone changed its word.
    float height(const Look& look, const RunView& run_view, const Playhead& playhead, const Selection& selection);
    void draw(const Pane& pane, const Rect& where, const RunView& run_view, Selection& selection) const;

    // The chain that is drawn: of the word that the lit lane changes, else of the first. Null where there is none.
    const Chain* shown(const Selection& selection) const;

private:
    // Made once for a step: a chain is looked for among all records.
    std::shared_ptr<const run::Run> run_;
    std::size_t step_ = kNoStep;
    WarpRef warp_;
    std::vector<Chain> chains_;
};

}  // namespace lanewise::viz
