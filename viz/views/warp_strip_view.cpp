#include "viz/views/warp_strip_view.hpp"

#include <algorithm>

namespace lanewise::viz {
namespace {

constexpr float kRow = 26;
constexpr float kLabel = 58;

// Lines of blocks beyond these are not drawn, but for the chosen one's.
constexpr std::size_t kMostLines = 4;
constexpr float kLeastWarp = 28;   // wide, where blocks share a line

struct BlockRow {
    steps::WarpRef block;
    std::vector<std::size_t> warps;   // places in Steps::warps
};

std::vector<BlockRow> rows_of(const steps::Steps& steps) {
    std::vector<BlockRow> rows;
    for (std::size_t i = 0; i < steps.warps.size(); ++i) {
        const steps::WarpRef& warp = steps.warps[i];
        if (rows.empty() || rows.back().block.launch != warp.launch || rows.back().block.block != warp.block) {
            rows.push_back({{warp.launch, warp.block, 0}, {}});
        }
        rows.back().warps.push_back(i);
    }
    return rows;
}

// Blocks in a line: one under the other while they are two, else as many as leave their warps room.
struct Grid {
    std::size_t columns = 1;
    std::size_t lines = 1;
    std::size_t widest = 1;   // warps of a block
};

Grid grid_of(const Look& look, const std::vector<BlockRow>& rows, float width) {
    Grid grid;
    for (const BlockRow& row : rows) grid.widest = std::max(grid.widest, row.warps.size());
    if (rows.size() > 2) {
        const float least = look.px(kLabel + kLeastWarp * static_cast<float>(grid.widest));
        const auto fit = static_cast<std::size_t>(std::max(1.0f, width / least));
        const std::size_t lines = (rows.size() + fit - 1) / fit;
        grid.columns = (rows.size() + lines - 1) / lines;   // lines of equal length
    }
    grid.lines = (rows.size() + grid.columns - 1) / grid.columns;
    return grid;
}

void thumbnail(const Pane& pane, const Rect& box, const Exhibit& exhibit, const steps::Holding& holding, int lanes, bool at_work) {
    const float stripe = box.width() / static_cast<float>(lanes);
    fill(pane.brush, box, mix(pane.colors().ground, pane.colors().raised, 0.6), pane.px(2));
    for (int lane = 0; lane < lanes; ++lane) {
        if (!((holding.known >> lane) & 1u)) continue;
        Color color = exhibit.scale.color(holding.type, holding.bits[static_cast<std::size_t>(lane)]);
        if (!at_work) color = mix(color, pane.colors().ground, 0.5);
        const float x = box.x0 + stripe * static_cast<float>(lane);
        fill(pane.brush, {x, box.y0, x + stripe, box.y1}, color);
    }
}

}  // namespace

float WarpStripView::height(const Look& look, const Exhibit& exhibit, float width) const {
    if (exhibit.steps().warps.size() < 2) return 0;
    const Grid grid = grid_of(look, rows_of(exhibit.steps()), width);
    return look.px(kRow * static_cast<float>(std::min(grid.lines, kMostLines)) + 4);
}

void WarpStripView::draw(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Playhead& playhead,
                         Selection& selection) {
    const steps::Steps& steps = exhibit.steps();
    if (steps.warps.size() < 2) return;
    const std::vector<BlockRow> rows = rows_of(steps);
    const Grid grid = grid_of(pane.look(), rows, where.width());
    const auto chosen_row = static_cast<std::size_t>(
        std::find_if(rows.begin(), rows.end(), [&](const BlockRow& row) {
            return row.block.launch == selection.warp.launch && row.block.block == selection.warp.block;
        }) - rows.begin());
    // The chosen block stays among those shown.
    const std::size_t chosen_line = chosen_row / grid.columns;
    const std::size_t first_line = grid.lines <= kMostLines || chosen_line < kMostLines
        ? 0 : std::min(chosen_line - kMostLines + 1, grid.lines - kMostLines);
    const float block_width = where.width() / static_cast<float>(grid.columns);
    const float room = block_width - pane.px(kLabel) - (grid.columns > 1 ? pane.px(8) : 0);
    const float pitch = std::min(pane.px(92), room / static_cast<float>(grid.widest));
    const bool several_launches = steps.trace->header.launches.size() > 1;

    for (std::size_t r = first_line * grid.columns; r < std::min(rows.size(), (first_line + kMostLines) * grid.columns); ++r) {
        const BlockRow& row = rows[r];
        const float left = where.x0 + block_width * static_cast<float>(r % grid.columns);
        const float y = where.y0 + pane.px(kRow) * static_cast<float>(r / grid.columns - first_line);
        const Rect line{left, y, left + block_width, y + pane.px(kRow - 6)};
        std::string label = "block " + std::to_string(row.block.block);
        if (several_launches) label = "L" + std::to_string(row.block.launch) + " b" + std::to_string(row.block.block);
        text_in(pane.brush, Face::caption, line, pane.colors().quiet, label, Align::left);
        float x = left + pane.px(kLabel);
        for (const std::size_t place : row.warps) {
            const steps::WarpRef& warp = steps.warps[place];
            const Rect box{x, line.y0, x + pitch - pane.px(6), line.y1};
            const bool at_work = playhead.step < steps.size() && steps.steps[playhead.step].find(warp) != nullptr;
            thumbnail(pane, box.inset(pane.px(2)), exhibit, steps.holding(playhead.step, warp), lanes_of(steps, warp), at_work);
            const bool chosen = warp == selection.warp;
            if (chosen) outline(pane.brush, box, pane.colors().accent, pane.px(4), pane.px(1.6f));
            else if (pane.hovers(box)) outline(pane.brush, box, pane.colors().quiet, pane.px(4), pane.px(1));
            if (pane.hovers(box)) {
                hint_card(pane.look(), warp_name(steps, warp) + (at_work ? " · at work in this step" : " · idle in this step"));
            }
            if (pane.button(box)) selection.warp = warp;
            x += pitch;
        }
    }
}

}  // namespace lanewise::viz
