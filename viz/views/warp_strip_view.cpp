#include "viz/views/warp_strip_view.hpp"

#include <algorithm>

namespace lanewise::viz {
namespace {

constexpr float kRow = 26;
constexpr float kLabel = 58;

// Blocks beyond these are not drawn; they are few, as the recorder takes two by default.
constexpr std::size_t kMostRows = 4;

struct BlockRow {
    steps::WarpRef block;
    std::vector<std::size_t> warps;   // places in Steps::warps
};

std::vector<BlockRow> rows_of(const steps::Steps& steps, const steps::WarpRef& chosen) {
    std::vector<BlockRow> rows;
    for (std::size_t i = 0; i < steps.warps.size(); ++i) {
        const steps::WarpRef& warp = steps.warps[i];
        if (rows.empty() || rows.back().block.launch != warp.launch || rows.back().block.block != warp.block) {
            rows.push_back({{warp.launch, warp.block, 0}, {}});
        }
        rows.back().warps.push_back(i);
    }
    // The chosen block stays among those shown.
    const auto at = static_cast<std::size_t>(
        std::find_if(rows.begin(), rows.end(),
                     [&](const BlockRow& row) { return row.block.launch == chosen.launch && row.block.block == chosen.block; }) -
        rows.begin());
    if (rows.size() > kMostRows) {
        const std::size_t first = std::min(at < kMostRows ? 0 : at - kMostRows + 1, rows.size() - kMostRows);
        rows = {rows.begin() + static_cast<std::ptrdiff_t>(first),
                rows.begin() + static_cast<std::ptrdiff_t>(first + kMostRows)};
    }
    return rows;
}

void thumbnail(const Pane& pane, const Rect& box, const Exhibit& exhibit, const steps::Holding& holding, bool at_work) {
    const float stripe = box.width() / trace::kWarpSize;
    fill(pane.brush, box, mix(pane.colors().ground, pane.colors().raised, 0.6), pane.px(2));
    for (int lane = 0; lane < trace::kWarpSize; ++lane) {
        if (!((holding.known >> lane) & 1u)) continue;
        Color color = exhibit.scale.color(holding.type, holding.bits[static_cast<std::size_t>(lane)]);
        if (!at_work) color = mix(color, pane.colors().ground, 0.5);
        const float x = box.x0 + stripe * static_cast<float>(lane);
        fill(pane.brush, {x, box.y0, x + stripe, box.y1}, color);
    }
}

}  // namespace

float WarpStripView::height(const Look& look, const Exhibit& exhibit) const {
    if (exhibit.steps().warps.size() < 2) return 0;
    const auto rows = rows_of(exhibit.steps(), {});
    return look.px(kRow * static_cast<float>(rows.size()) + 4);
}

void WarpStripView::draw(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Playhead& playhead,
                         Selection& selection) {
    const steps::Steps& steps = exhibit.steps();
    if (steps.warps.size() < 2) return;
    const std::vector<BlockRow> rows = rows_of(steps, selection.warp);
    std::size_t widest = 1;
    for (const BlockRow& row : rows) widest = std::max(widest, row.warps.size());
    const float room = where.width() - pane.px(kLabel);
    const float pitch = std::min(pane.px(92), room / static_cast<float>(widest));
    const bool several_launches = steps.trace->header.launches.size() > 1;

    float y = where.y0;
    for (const BlockRow& row : rows) {
        const Rect line{where.x0, y, where.x1, y + pane.px(kRow - 6)};
        std::string label = "block " + std::to_string(row.block.block);
        if (several_launches) label = "L" + std::to_string(row.block.launch) + " b" + std::to_string(row.block.block);
        text_in(pane.brush, Face::caption, line, pane.colors().quiet, label, Align::left);
        float x = where.x0 + pane.px(kLabel);
        for (const std::size_t place : row.warps) {
            const steps::WarpRef& warp = steps.warps[place];
            const Rect box{x, line.y0, x + pitch - pane.px(6), line.y1};
            const bool at_work = playhead.step < steps.size() && steps.steps[playhead.step].find(warp) != nullptr;
            thumbnail(pane, box.inset(pane.px(2)), exhibit, steps.holding(playhead.step, warp), at_work);
            const bool chosen = warp == selection.warp;
            if (chosen) outline(pane.brush, box, pane.colors().accent, pane.px(4), pane.px(1.6f));
            else if (pane.hovers(box)) outline(pane.brush, box, pane.colors().quiet, pane.px(4), pane.px(1));
            if (pane.hovers(box)) {
                hint_card(pane.look(), warp_name(steps, warp) + (at_work ? " · at work in this step" : " · idle in this step"));
            }
            if (pane.button(box)) selection.warp = warp;
            x += pitch;
        }
        y += pane.px(kRow);
    }
}

}  // namespace lanewise::viz
