#include "viz/views/stage/warp_strip_view.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/counted.hpp"

namespace lanewise::viz {
namespace {

using Doing = WarpState::Doing;

constexpr float kLabel = 58;
constexpr float kState = 15;       // the line under each picture
constexpr float kGrid = 25;
constexpr float kLeastWarp = 26;   // wide

// Places in Outline::warps.
std::vector<std::size_t> warps_of(const Outline& outline, const WarpRef& block) {
    std::vector<std::size_t> warps;
    for (std::size_t i = 0; i < outline.warps.size(); ++i) {
        if (outline.warps[i].launch == block.launch && outline.warps[i].block == block.block) warps.push_back(i);
    }
    return warps;
}

struct Lines {
    std::size_t columns = 1;
    std::size_t count = 1;
};

// As many warps next to each other as have room, in lines of equal length.
Lines lines_of(const Look& look, std::size_t warps, float width) {
    Lines lines;
    const auto fit =
        std::max<std::size_t>(1, static_cast<std::size_t>((width - look.px(kLabel)) / look.px(kLeastWarp)));
    lines.count = (warps + fit - 1) / fit;
    lines.columns = (warps + lines.count - 1) / std::max<std::size_t>(lines.count, 1);
    return lines;
}

float picture_height(const Look& look, const Lines& lines, float room) {
    return std::clamp(room * 0.062f / static_cast<float>(std::max<std::size_t>(lines.count, 1)), look.px(14),
                      look.px(46));
}

// Works, waits, idle, ended: each has its own sign.
void state_sign(const Brush& brush, Point c, Doing doing) {
    const Theme& colors = brush.colors();
    const float r = brush.px(3.2f);
    switch (doing) {
        case Doing::works: circle(brush, c, r, colors.good); break;
        case Doing::waits:
            for (const float dx : {-brush.px(2.2f), brush.px(2.2f)})
                fill(brush, {c.x + dx - brush.px(1), c.y - r, c.x + dx + brush.px(1), c.y + r}, colors.step_barrier);
            break;
        case Doing::idle: ring(brush, c, r, colors.quiet, brush.px(1.2f)); break;
        case Doing::ended:
            fill(brush, {c.x - r, c.y - brush.px(0.7f), c.x + r, c.y + brush.px(0.7f)}, colors.quiet);
            break;
    }
}

// What the strips' colours and directions mean, under the block's name.
void draw_strip_legend(const Pane& pane, const Rect& where, ColorBy by) {
    if (where.height() < pane.px(17)) return;
    const Rect bar{where.x0, where.y0, where.x1, where.y0 + pane.px(5)};
    constexpr int kParts = 12;
    const float part = bar.width() / kParts;
    for (int i = 0; i < kParts; ++i) {
        const float x = bar.x0 + part * static_cast<float>(i);
        fill(pane.brush, {x, bar.y0, x + part + 0.5f, bar.y1}, viridis(0.06 + 0.94 * (i + 0.5) / kParts));
    }
    const bool value = by == ColorBy::value;
    const Rect text_box{bar.x0, bar.y1, bar.x1, bar.y1 + pane.px(12)};
    text_in(pane.brush, Face::tiny, text_box, pane.colors().quiet, value ? "low" : "1", Align::left);
    text_in(pane.brush, Face::tiny, text_box, pane.colors().quiet, value ? "high" : "all", Align::right);
    if (pane.hovers({where.x0, where.y0 - pane.px(18), where.x1, text_box.y1}))
        hint_card(pane.look(), value ? "A row is a step, time runs down; a column is a lane.\n"
                                       "Colours: values from the lowest to the highest of the whole run."
                                     : "A row is a step, time runs down; a column is a lane.\n"
                                       "Colours: from one input included to all inputs.");
}

}  // namespace

std::vector<ColorRow> color_rows(const RunView& run_view, const WarpRef& warp, const Theme& theme, ColorBy by) {
    const LaneColors colors{&run_view, &run_view.scale, &theme, by};
    const int lanes = lanes_of(run_view.steps(), warp);
    std::vector<ColorRow> rows;
    for (const HeldRow& held : held_rows(run_view.steps(), warp)) {
        ColorRow& row = rows.emplace_back();
        row.step = held.step;
        for (int lane = 0; lane < lanes; ++lane) {
            const scene::LaneCell& cell = held.lanes[static_cast<std::size_t>(lane)];
            if (!cell.known) continue;
            const Color color = colors.of(cell);
            const bool joins = !row.runs.empty() && row.runs.back().color == color &&
                               row.runs.back().first + row.runs.back().count == lane;
            if (joins) ++row.runs.back().count;
            else row.runs.push_back({lane, 1, color});
        }
    }
    return rows;
}

float WarpStripView::height(const Look& look, const RunView& run_view, const Selection& selection, float width,
                            float room) const {
    const Outline& run = run_view.outline;
    if (run.warps.size() < 2) return 0;
    const std::size_t warps = warps_of(run, selection.warp).size();
    float height = 0;
    if (warps > 1) {
        const Lines lines = lines_of(look, warps, width);
        height += (picture_height(look, lines, room) + look.px(kState + 4)) * static_cast<float>(lines.count);
    }
    if (run.blocks.size() > 1) height += look.px(kGrid);
    return height + look.px(3);
}

const std::vector<ColorRow>& WarpStripView::rows(const RunView& run_view, std::size_t place, const Theme& theme,
                                                ColorBy by) {
    if (run_ != run_view.run || theme_ != &theme || by_ != by) rows_.clear();
    run_ = run_view.run;
    theme_ = &theme;
    by_ = by;
    const auto found = rows_.find(place);
    if (found != rows_.end()) return found->second;
    return rows_.emplace(place, color_rows(run_view, run_view.outline.warps[place], theme, by)).first->second;
}

void WarpStripView::draw(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
                         Selection& selection, const Lights& lights) {
    const Outline& run = run_view.outline;
    if (run.warps.size() < 2) return;
    Rect rest = where;
    if (run.blocks.size() > 1) draw_grid(pane, rest.cut_bottom(pane.px(kGrid)), run_view, playhead, selection);
    rest.cut_bottom(pane.px(3));
    draw_warps(pane, rest, run_view, playhead, selection, lights);
}

void WarpStripView::draw_warps(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
                               Selection& selection, const Lights& lights) {
    const Outline& run = run_view.outline;
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const std::vector<std::size_t> warps = warps_of(run, selection.warp);
    if (warps.size() < 2) return;
    const Lines lines = lines_of(pane.look(), warps.size(), where.width());
    const float line_height = where.height() / static_cast<float>(lines.count);
    const float pitch = std::min(pane.px(132), (where.width() - pane.px(kLabel)) / static_cast<float>(lines.columns));
    text_in(brush, Face::caption, {where.x0, where.y0, where.x1, where.y0 + pane.px(16)}, colors.quiet,
            "block " + std::to_string(selection.warp.block), Align::left);
    draw_strip_legend(pane, {where.x0, where.y0 + pane.px(18), where.x0 + pane.px(kLabel - 10), where.y0 + line_height},
                      selection.display.colors);
    for (std::size_t i = 0; i < warps.size(); ++i) {
        const WarpRef warp = run.warps[warps[i]];
        const WarpState state = state_of(run_view.steps(), playhead.step, warp);
        const float x = where.x0 + pane.px(kLabel) + pitch * static_cast<float>(i % lines.columns);
        const float y = where.y0 + line_height * static_cast<float>(i / lines.columns);
        const Rect whole{x, y, x + pitch - pane.px(6), y + line_height - pane.px(4)};
        Rect rest = whole;
        const Rect text_box = rest.cut_bottom(pane.px(kState));
        const Rect picture = rest.inset(pane.px(2));
        fill(brush, picture, mix(colors.ground, colors.raised, 0.5), pane.px(2));

        // Time runs down, as on the stage; the row of the present is tallest, what is to come is empty.
        const std::vector<ColorRow>& all = rows(run_view, warps[i], colors, selection.display.colors);
        std::size_t now = all.size();
        for (std::size_t r = 0; r < all.size() && all[r].step <= playhead.step; ++r) now = r;
        const auto count = static_cast<float>(all.size());
        const float tall = std::max(picture.height() * 0.34f, picture.height() / std::max(count, 1.0f));
        const float low = count > 1 ? (picture.height() - tall) / (count - 1) : 0;
        const float stripe = picture.width() / static_cast<float>(lanes_of(run_view.steps(), warp));
        const double dim = state.doing == Doing::works ? 0.0 : 0.35;
        float at = picture.y0;
        for (std::size_t r = 0; now < all.size() && r <= now; ++r) {
            const float bottom = at + (r == now ? tall : low);
            // A row lower than a pixel gives way to the next.
            const bool seen = r == now || std::floor(bottom) > std::floor(at) || low >= 1;
            const float foot = r == now || low < 3 ? bottom : bottom - pane.px(0.5f);
            for (const ColorRow::Run& same : all[r].runs) {
                if (!seen) break;
                const float x0 = picture.x0 + stripe * static_cast<float>(same.first);
                fill(brush, {x0, at, x0 + stripe * static_cast<float>(same.count), foot},
                     mix(same.color, colors.ground, r == now ? dim : 0.45));
            }
            at = bottom;
        }

        const bool chosen = warp == selection.warp;
        const bool hovered = pane.hovers(whole);
        const bool uses = std::any_of(lights.uses().begin(), lights.uses().end(),
                                      [&](const WordUse& use) { return use.warp == warp; });
        if (chosen) outline(brush, rest, colors.accent, pane.px(4), pane.px(1.6f));
        else if (hovered || uses) outline(brush, rest, uses ? colors.accent : colors.quiet, pane.px(4), pane.px(1));
        state_sign(brush, {text_box.x0 + pane.px(6), text_box.center().y}, state.doing);
        std::string name = "w" + std::to_string(warp.warp);
        const Rect label{text_box.x0 + pane.px(13), text_box.y0, text_box.x1, text_box.y1};
        const char* doing = state.doing == Doing::works   ? "works"
                            : state.doing == Doing::waits ? "waits"
                            : state.doing == Doing::ended ? "ended"
                                                          : "idle";
        const std::string lanes =
            state.doing == Doing::works ? " · " + counted(state.lanes, "lane") : "";
        for (const std::string& longer : {name + " " + doing + lanes, name + " " + doing}) {
            if (text_width(pane.look(), Face::caption, longer) > label.width()) continue;
            name = longer;
            break;
        }
        const Color ink = chosen ? colors.accent : state.doing == Doing::works ? colors.text : colors.quiet;
        text_in(brush, text_width(pane.look(), Face::caption, name) > label.width() ? Face::tiny : Face::caption, label,
                ink, name, Align::left);
        if (hovered) hint_card(pane.look(), warp_name(run_view.steps(), warp) + " · " + state_text(state) + " · W");
        if (pane.button(whole)) selection.warp = warp;
    }
}

// Each recorded block as one small picture of what its lanes hold now, and a mark where it changes a word by an atomic.
void WarpStripView::draw_grid(const Pane& pane, const Rect& where, const RunView& run_view, const Playhead& playhead,
                              Selection& selection) const {
    const Outline& run = run_view.outline;
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const Rect line{where.x0, where.y0, where.x1, where.y1 - pane.px(6)};
    text_in(brush, Face::caption, line, colors.quiet, run.launches > 1 ? "launches" : "grid",
            Align::left);
    const Rect room{line.x0 + pane.px(kLabel), line.y0, line.x1, line.y1};
    const auto fit = std::max<std::size_t>(1, static_cast<std::size_t>(room.width() / pane.px(22)));
    const std::size_t shown = std::min(fit, run.blocks.size());
    const std::size_t chosen = block_place(run_view.steps(), selection.warp);
    // The chosen block stays among those shown.
    const std::size_t first = std::min(chosen >= shown ? chosen - shown + 1 : 0, run.blocks.size() - shown);
    const float pitch = std::min(pane.px(132), room.width() / static_cast<float>(shown));
    const LaneColors lane_colors{&run_view, &run_view.scale, &colors, selection.display.colors};
    const bool atomic =
        playhead.step < run.steps.size() && run.steps[playhead.step].kind == StepKind::atomic;
    for (std::size_t b = first; b < first + shown; ++b) {
        const WarpRef& block = run.blocks[b];
        const float x = room.x0 + pitch * static_cast<float>(b - first);
        const Rect box{x, room.y0, x + pitch - pane.px(6), room.y1};
        const std::string name =
            (run.launches > 1 ? "L" + std::to_string(block.launch) + " " : std::string()) + "b" +
            std::to_string(block.block);
        Rect picture = box.inset(pane.px(2));
        const float name_width = text_width(pane.look(), Face::tiny, name) + pane.px(5);
        const bool named = name_width < box.width() * 0.6f;
        if (named) picture.x0 += name_width;
        const std::vector<std::size_t> warps = warps_of(run, block);
        // As many lanes as can be distinguished.
        const auto stripes = static_cast<std::size_t>(
            std::clamp(picture.width() / pane.px(2), 1.0f, 32.0f * static_cast<float>(warps.size())));
        const float stripe = picture.width() / static_cast<float>(stripes);
        bool works = false, joins = false;
        for (const std::size_t place : warps) {
            const bool part = has_part(run_view.steps(), playhead.step, run.warps[place]);
            works |= part;
            joins |= part && atomic;
        }
        fill(brush, picture, mix(colors.ground, colors.raised, 0.5), pane.px(2));
        for (std::size_t s = 0; s < stripes && !warps.empty(); ++s) {
            const double at =
                (static_cast<double>(s) + 0.5) / static_cast<double>(stripes) * static_cast<double>(warps.size());
            const auto w = static_cast<std::size_t>(at);
            const WarpRef& warp = run.warps[warps[w]];
            const int lane = static_cast<int>((at - static_cast<double>(w)) * lanes_of(run_view.steps(), warp));
            const scene::LaneCell cell = held(run_view.steps(), playhead.step, warp, lane);
            if (!cell.known) continue;
            const float x0 = picture.x0 + stripe * static_cast<float>(s);
            fill(brush, {x0, picture.y0, x0 + stripe, picture.y1},
                 mix(lane_colors.of(cell), colors.ground, works ? 0.0 : 0.45));
        }
        const bool own = b == chosen;
        if (named)
            text_in(brush, Face::tiny, {box.x0 + pane.px(4), box.y0, picture.x0, box.y1},
                    own     ? colors.accent
                    : works ? colors.text
                            : colors.quiet,
                    name, Align::left);
        if (joins) circle(brush, {picture.x1 - pane.px(1), picture.y1 - pane.px(1)}, pane.px(3), colors.step_atomic);
        const bool hovered = pane.hovers(box);
        if (own) outline(brush, box, colors.accent, pane.px(4), pane.px(1.6f));
        else if (hovered) outline(brush, box, colors.quiet, pane.px(4), pane.px(1));
        if (hovered) {
            hint_card(pane.look(),
                      "block " + std::to_string(block.block) +
                          (joins   ? " · its atomic joins the word of this step"
                           : works ? " · works"
                                   : " · nothing in this step") +
                          " · G\nEach stripe is a lane of its warps now, from low to high values of the run.");
        }
        if (pane.button(box) && !own && !warps.empty()) {
            // The warp of the same number, if that block has it.
            const auto same = std::find_if(warps.begin(), warps.end(), [&](std::size_t place) {
                return run.warps[place].warp == selection.warp.warp;
            });
            selection.warp = run.warps[same == warps.end() ? warps.front() : *same];
        }
    }
    if (shown < run.blocks.size()) {
        const std::string more = std::to_string(shown) + " of " + std::to_string(run.blocks.size()) + " recorded";
        if (pane.hovers({line.x0, line.y0, room.x0, line.y1})) hint_card(pane.look(), more);
    }
}

}  // namespace lanewise::viz
