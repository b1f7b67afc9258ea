// A shuffle as a matrix of lanes, as the bits of their numbers, and what follows from it: drawn from what was recorded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/scene/permutation.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/run_view.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

class PermutationView {
public:
    // Pixels that a matrix needs to be read.
    static float height(const Look& look) { return look.px(32 * 8 + 40); }

    // False where the warp's part in the step is no shuffle: nothing is drawn then.
    bool draw(const Pane& pane, const Rect& where, const RunView& run_view, std::size_t step, Selection& selection);

    // As drawn last.
    const std::vector<PermutationRow>& rows() const { return rows_; }
    const std::vector<std::string>& facts() const { return facts_; }
    Rect cell_box(int reader, int source) const;

private:
    void draw_matrix(const Pane& pane, Selection& selection) const;
    void draw_bits(const Pane& pane, const Rect& where, Selection& selection) const;
    void draw_text(const Pane& pane, Rect where, const Selection& selection) const;

    std::shared_ptr<const run::Run> run_;
    std::size_t step_ = kNoStep;
    WarpRef warp_;
    std::vector<PermutationRow> rows_;
    std::vector<std::string> facts_;
    Point corner_;       // of the matrix
    float cell_ = 8;
};

}  // namespace lanewise::viz
