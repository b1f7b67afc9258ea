// Measures what a view writes: text that overlaps text, leaves its pane, is crossed by a bright arc, or does not fit
// its cell.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "common/run/run.hpp"
#include "common/scene/cell_text.hpp"
#include "viz/testing/headless.testing.hpp"
#include "viz/views/stage/stage_paint.hpp"
#include "viz/views/stage/stage_view.hpp"

namespace lanewise::viz::testing {

// Keeps texts and arcs as they are drawn, and draws nothing.
class LabelCanvas final : public Canvas {
public:
    struct Label {
        std::string text;
        Rect box;     // from the baseline to the height of capitals
        Rect clip;    // what of the window can be seen there
        Color color = 0;
    };
    struct Curve {
        Point a, b;
        float thickness;
        Rect clip;    // it is not seen outside
    };
    std::vector<Label> labels;
    std::vector<Curve> curves;

    void fill(const Rect&, Color, float) override {}
    void outline(const Rect&, Color, float, float) override {}
    void line(Point, Point, Color, float) override {}
    void polyline(std::span<const Point>, Color, float) override {}
    void polygon(std::span<const Point>, Color) override {}
    void circle(Point, float, Color) override {}
    void ring(Point, float, Color, float) override {}
    void arc(Point a, Point b, const ArcStyle& style) override {
        curves.push_back({a, b, style.thickness, clips_.back()});
    }
    void gradient(const Rect&, Color, Color, Towards) override {}
    void text(const Fonts::Cut& cut, Point at, Color color, std::string_view text, float width) override {
        if (text.empty()) return;
        const Rect box{at.x, at.y + cut.ascent - cut.cap, at.x + width, at.y + cut.ascent};
        labels.push_back({std::string(text), box, clips_.back(), color});
    }
    void push_clip(const Rect& box) override {
        const Rect& now = clips_.back();
        clips_.push_back(
            {std::max(box.x0, now.x0), std::max(box.y0, now.y0), std::min(box.x1, now.x1), std::min(box.y1, now.y1)});
    }
    void pop_clip() override { clips_.pop_back(); }

private:
    std::vector<Rect> clips_{Rect{-1e9f, -1e9f, 1e9f, 1e9f}};
};

// What the stage writes at a step, in a pane of that size.
inline std::vector<LabelCanvas::Label> stage_labels(const RunView& run_view, std::size_t step, float width,
                                                    float height, float scale = 1) {
    Headless gui(width, height, scale);
    LabelCanvas canvas;
    gui.canvas = &canvas;
    Selection selection;
    StageView stage;
    gui.in_pane([&](const Pane& pane) { stage.draw(pane, run_view, at_step(run_view, step), selection); });
    return canvas.labels;
}

// The faults of a stage of `run` as the window shows it, at every step, for its first and last warp; at most `most`.
// `width` and `height` of the stage's pane, at `scale`.
inline std::vector<std::string> label_faults(const std::shared_ptr<const run::Run>& run, float width, float height,
                                             float scale, std::size_t most = 10,
                                             std::size_t most_steps = static_cast<std::size_t>(-1)) {
    std::vector<std::string> faults;
    Headless gui(width, height, scale);
    const RunView run_view(run);
    if (run_view.steps().warps.empty()) return faults;
    StageView stage;
    for (const WarpRef& warp : {run_view.steps().warps.front(), run_view.steps().warps.back()}) {
        const std::size_t apart = std::max<std::size_t>(1, run_view.steps().size() / most_steps);
        for (std::size_t step = 0; step < run_view.steps().size() && faults.size() < most; step += apart) {
            LabelCanvas canvas;
            Selection selection;
            selection.warp = warp;
            const Playhead playhead = at_step(run_view, step);
            gui.in_window([&] {
                Look look = gui.look();
                look.canvas = &canvas;
                const Pane pane(look, "stage", gui.window());
                stage.draw(pane, run_view, playhead, selection);
            });
            const std::string where = run->trace.header.variant + ", " + warp_name(run_view.steps(), warp) + ", step " +
                                      std::to_string(step + 1) + " (" + run_view.steps().steps[step].label + "): ";
            const auto fail = [&](const std::string& fault) {
                if (faults.size() < most) faults.push_back(where + fault);
            };
            // What is scrolled away above or below is not there; what is at the edge fades.
            const auto seen = [](const LabelCanvas::Label& label) {
                return label.box.y0 >= label.clip.y0 && label.box.y1 <= label.clip.y1;
            };
            const auto& labels = canvas.labels;
            for (std::size_t i = 0; i < labels.size(); ++i) {
                if (!seen(labels[i])) continue;
                const Rect box = labels[i].box;
                if (box.x0 < labels[i].clip.x0 - scale || box.x1 > labels[i].clip.x1 + scale)
                    fail("\"" + labels[i].text + "\" is cut at the side");
                if (box.y1 > height || box.x1 > width) fail("\"" + labels[i].text + "\" leaves the stage");
                for (std::size_t k = i + 1; k < labels.size(); ++k) {
                    if (seen(labels[k]) && box.inset(scale * 0.6f).overlaps(labels[k].box.inset(scale * 0.6f)))
                        fail("\"" + labels[i].text + "\" and \"" + labels[k].text + "\" overlap");
                }
                for (const LabelCanvas::Curve& curve : canvas.curves) {
                    if (curve.thickness < 1.2f * scale) continue;   // rounds in the background
                    for (int t = 0; t <= 24; ++t) {
                        const Point at = arc_point(curve.a, curve.b, static_cast<float>(t) / 24);
                        if (!box.inset(scale * 0.6f).contains(at) || !curve.clip.contains(at)) continue;
                        fail("an arc crosses \"" + labels[i].text + "\"");
                        break;
                    }
                }
            }
            const Look look = gui.look();
            for (const Row& row : stage.scene().rows) {
                const Face face = cell_face(look, stage.scene().cell, row.widths);
                for (int lane = 0; lane < stage.scene().lanes; ++lane) {
                    const LaneCell& cell = row.lanes[static_cast<std::size_t>(lane)];
                    const auto [first, second] = scene::lines_of_cell(cell.text);
                    // Two lines are no larger than tiny (number_in).
                    const bool small = (*look.fonts)[face].em <= (*look.fonts)[Face::tiny].em;
                    const Face of_two = small ? face : Face::tiny;
                    const float wide = std::max(text_width(look, second.empty() ? face : of_two, first),
                                                text_width(look, of_two, second));
                    if (wide > stage.scene().cell + scale * 0.6f) fail("\"" + cell.text + "\" is wider than its cell");
                }
            }
        }
    }
    return faults;
}

}  // namespace lanewise::viz::testing
