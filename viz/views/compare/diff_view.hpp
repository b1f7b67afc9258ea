// The sources of two runs that are compared, as one text: lines that both have, and those that only one of them has.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "common/scene/compare/source_diff.hpp"
#include "viz/model/highlight.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/run_view.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

struct DiffView {
    // One of the two, and the step that it is at (kNoStep: none).
    struct Side {
        std::string title;
        std::shared_ptr<const RunView> run_view;
        std::size_t step = kNoStep;
    };
    using Sides = std::array<Side, 2>;
    // A line that was clicked leads to the next step of it.
    struct Asked {
        std::size_t side = 0;
        std::size_t step = kNoStep;   // kNoStep: nothing was clicked
    };

    // How many lines differ, under the names of both.
    void draw_title(const Pane& pane, const Rect& where, const Sides& sides);
    Asked draw(const Pane& pane, const Sides& sides, Selection& selection);

    // As drawn last.
    const std::vector<DiffLine>& lines() const { return lines_; }

private:
    void look(const Sides& sides);

    std::vector<DiffLine> lines_;
    std::array<std::shared_ptr<const run::Run>, 2> of_;
    std::array<LitLines, 2> belonging_;
    std::array<int, 2> shown_{-1, -1};   // the lit lines that were brought into sight last
};

}  // namespace lanewise::viz
