// Steps in which lanes meet and nothing is read from one particular lane: barriers, votes, matches, reductions, and
// what only looks like a collective (active masks, fences).
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "common/base/element.hpp"
#include "common/base/lanes.hpp"
#include "viz/views/stage/stage_paint.hpp"

namespace lanewise::viz {
namespace {

using steps::StepKind;
using trace::Op;

constexpr std::size_t lane_index(int lane) { return static_cast<std::size_t>(lane); }

float middle_of(const Scene& scene, int lane) {
    return scene.lanes_x0 + scene.cell * (static_cast<float>(lane) + 0.5f);
}

const LaneFacts* first_active(const Scene& scene) {
    const auto at =
        std::find_if(scene.facts.begin(), scene.facts.end(), [](const LaneFacts& facts) { return facts.active; });
    return at == scene.facts.end() ? nullptr : &*at;
}

// "37", or as a mask with its bits in hex.
std::string answer_of(const LaneFacts& facts) {
    return format_element(facts.answer_type, facts.answer) + " (0x" + format_bits(facts.answer_type, facts.answer) +
           ")";
}

std::string group_name(int group) {
    std::string name(1, static_cast<char>('A' + group % 26));
    return group < 26 ? name : name + "'";
}

}  // namespace

void StagePaint::caption_under(const Band& band, float y, const std::string& text) const {
    const Rect below{band.box.x0, y, band.box.x1, std::max(band.box.y1, y + brush.px(14))};
    text_in(brush, Face::caption, below, brush.colors().quiet,
            fit_text(brush.look, Face::caption, text, band.box.width()));
}

void StagePaint::say(const Scene& scene, const Band& band, float y) const {
    const Theme& colors = brush.colors();
    for (const LaneFacts& facts : scene.facts) {
        if (!facts.active || facts.says < 0) continue;
        const Point c{middle_of(scene, facts.lane), y};
        const Color kind = band.kind == StepKind::block_barrier ? colors.step_barrier : colors.step_vote;
        circle(brush, c, brush.px(5), facts.says ? kind : colors.ground);
        ring(brush, c, brush.px(5), kind, brush.px(1.5f));
    }
}

void StagePaint::barrier(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    const float y = band.box.center().y - (trace::is_barrier_vote(band.op) ? brush.px(4) : 0);
    const Color color = colors.step_barrier;
    for (int i = 0; i < scene.lanes; ++i) {
        if (!((band.active >> i) & 1u)) continue;
        const float x = middle_of(scene, i);
        const float reach = band.box.y0 + (y - band.box.y0) * travel;
        hairline(brush, {x, band.box.y0}, {x, reach}, with_alpha(color, 0.55), brush.px(1.4f));
    }
    fill(brush, {band.box.x0, y - brush.px(1.5f), band.box.x1, y + brush.px(1.5f)}, color, brush.px(1.5f));
    std::string text = band.kind == StepKind::block_barrier ? "all threads of the block wait here for each other"
                                                             : "the lanes of the mask wait here for each other";
    const std::uint32_t threads = block_threads(run_view->steps(), scene.warp);
    if (band.kind == StepKind::block_barrier && band.waiting < threads) {
        text =
            fmt::format("{} of {} threads wait here; the others are elsewhere or have ended", band.waiting, threads);
    }
    const LaneFacts* told = first_active(scene);
    if (trace::is_barrier_vote(band.op) && told && told->has_answer) {
        say(scene, band, y);
        const std::string answer = format_element(told->answer_type, told->answer);
        if (band.op == Op::sync_block_count) text += ", and count who says yes: every thread receives " + answer;
        else if (band.op == Op::sync_block_and)
            text += ", and ask whether all say yes: every thread receives " + answer;
        else text += ", and ask whether any says yes: every thread receives " + answer;
    }
    caption_under(band, y + brush.px(trace::is_barrier_vote(band.op) ? 8 : 4), text);
}

void StagePaint::vote(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    const float y = band.box.center().y;
    hairline(brush, {band.box.x0, y}, {band.box.x1, y}, with_alpha(colors.step_vote, 0.6), brush.px(1.5f));
    for (const LaneFacts& facts : scene.facts) {
        if (!facts.active) continue;
        const float x = middle_of(scene, facts.lane);
        hairline(brush, {x, band.box.y0}, {x, y}, with_alpha(colors.step_vote, 0.5), brush.px(1));
    }
    say(scene, band, y);
    const LaneFacts* told = first_active(scene);
    std::string text = "filled: the lane says yes";
    if (told && told->has_answer) text += "; every lane receives " + answer_of(*told);
    caption_under(band, y + brush.px(8), text);
}

// Lanes with equal values share a letter and a line at the letter's own height.
void StagePaint::match(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    constexpr int kLevels = 6;
    const int groups = 1 + *std::max_element(band.groups.begin(), band.groups.end());
    const float top = band.box.y0 + brush.px(8);
    const float pitch = std::max(brush.px(4), (band.box.height() - brush.px(52)) / kLevels);
    const float letters = top + pitch * kLevels + brush.px(6);
    const int lit = lane >= 0 ? band.groups[lane_index(lane)] : -1;
    for (int group = 0; group < groups; ++group) {
        int first = trace::kWarpSize, last = -1, count = 0;
        const float y = top + pitch * static_cast<float>(group % kLevels);
        const Color color = group == lit ? colors.accent : with_alpha(colors.step_vote, lit >= 0 ? 0.45 : 0.9);
        for (int i = 0; i < scene.lanes; ++i) {
            if (band.groups[lane_index(i)] != group) continue;
            first = std::min(first, i);
            last = i;
            ++count;
            hairline(brush, {middle_of(scene, i), y}, {middle_of(scene, i), letters}, with_alpha(color, 0.7),
                     brush.px(1.2f));
            circle(brush, {middle_of(scene, i), y}, brush.px(2.5f), color);
        }
        if (count > 1)
            hairline(brush, {middle_of(scene, first), y}, {middle_of(scene, last), y}, color,
                     brush.px(group == lit ? 2.5f : 1.4f));
    }
    for (int i = 0; i < scene.lanes; ++i) {
        const int group = band.groups[lane_index(i)];
        if (group < 0) continue;
        const Rect box{middle_of(scene, i) - brush.px(8), letters, middle_of(scene, i) + brush.px(8),
                       letters + brush.px(16)};
        fill(brush, box, group == lit ? colors.accent : mix(colors.ground, colors.step_vote, 0.3), brush.px(3));
        text_in(brush, Face::small, box, group == lit ? text_on(colors.accent) : colors.strong, group_name(group));
    }
    std::string text;
    const LaneFacts* told = first_active(scene);
    if (band.op == Op::vote_match_all && told && told->has_answer) {
        text = told->answer ? "all hold the same value: every lane receives " + answer_of(*told)
                             : fmt::format("{} different values: not all the same, every lane receives 0", groups);
    } else {
        text = fmt::format("{}: one letter each; a lane receives the mask of its own letter's lanes",
                            groups == 1 ? "one value" : fmt::format("{} different values", groups));
        if (lit >= 0)
            text = fmt::format("letter {}: lane {} receives {}", group_name(lit), lane,
                                answer_of(scene.facts[lane_index(lane)]));
    }
    caption_under(band, letters + brush.px(18), text);
}

// All lanes into one bar, and out of it again: no line stands for one lane's value in another, since all come together.
void StagePaint::reduce(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    if (!band.active) return;
    const int first = std::countr_zero(band.active);
    const int last = 31 - std::countl_zero(band.active);
    const float y = band.box.center().y;
    const Rect bar{middle_of(scene, first) - scene.cell * 0.4f, y - brush.px(12),
                   middle_of(scene, last) + scene.cell * 0.4f, y + brush.px(12)};
    for (int i = 0; i < scene.lanes; ++i) {
        if (!((band.active >> i) & 1u)) continue;
        const float x = middle_of(scene, i);
        const bool lit = i == lane;
        const Color in = with_alpha(colors.step_shuffle, lane >= 0 && !lit ? 0.45 : 0.9);
        hairline(brush, {x, band.box.y0 + brush.px(1)}, {x, bar.y0}, in, brush.px(lit ? 2.5f : 1.4f));
        if (travel < 1) continue;
        const Color out = lit ? colors.accent : with_alpha(colors.step_shuffle, lane >= 0 ? 0.45 : 0.9);
        hairline(brush, {x, bar.y1}, {x, band.box.y1 - brush.px(4)}, out, brush.px(lit ? 2.5f : 1.4f));
        arrow_head(brush, {x, band.box.y1 - brush.px(1)}, brush.px(lit ? 4.5f : 3), out);
    }
    fill(brush, bar, mix(colors.ground, colors.step_shuffle, 0.24), brush.px(5));
    outline(brush, bar, colors.step_shuffle, brush.px(5), brush.px(1.2f));
    const int lanes = std::popcount(band.active);
    std::string text =
        fmt::format("{} of {} lanes", std::string(op_name(band.op)).substr(7), lanes);  // after "reduce_"
    const LaneFacts* told = first_active(scene);
    if (told && told->view.has_received) text += " = " + format_element(told->type, told->view.received);
    const std::string full = text + ", and every lane receives it";
    const float room = bar.width() - brush.px(16);
    text_in(brush, Face::small, bar, colors.strong,
            text_width(brush.look, Face::small, full) <= room ? full : fit_text(brush.look, Face::small, text, room));
}

void StagePaint::active_mask(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    const float y = band.box.y0 + brush.px(16);
    for (int i = 0; i < scene.lanes; ++i) {
        const bool here = (band.active >> i) & 1u;
        const Point c{middle_of(scene, i), y};
        if (here) {
            hairline(brush, {c.x, band.box.y0}, {c.x, y}, with_alpha(colors.step_vote, 0.6), brush.px(1.2f));
            fill(brush, {c.x - brush.px(5), y - brush.px(5), c.x + brush.px(5), y + brush.px(5)}, colors.step_vote,
                 brush.px(2));
        } else {
            outline(brush, {c.x - brush.px(5), y - brush.px(5), c.x + brush.px(5), y + brush.px(5)}, colors.faint,
                    brush.px(2), brush.px(1));
        }
    }
    std::string text = "filled: the lanes that were here together";
    const LaneFacts* told = first_active(scene);
    if (told && told->has_answer) text += ", as " + answer_of(*told);
    caption_under(band, y + brush.px(8), text + "; one legal answer of several");
}

void StagePaint::fence(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    const float y = band.box.y0 + brush.px(16);
    // A short double bar for each lane: nothing joins one lane with another.
    for (int i = 0; i < scene.lanes; ++i) {
        if (!((band.active >> i) & 1u)) continue;
        const float x = middle_of(scene, i);
        const float half = std::min(scene.cell * 0.32f, brush.px(14));
        const Color color = i == lane ? colors.accent : colors.step_access;
        for (const float dy : {-brush.px(3), brush.px(3)})
            fill(brush, {x - half, y + dy - brush.px(1), x + half, y + dy + brush.px(1)}, color);
    }
    caption_under(band, y + brush.px(8),
                  "each lane's own writes before it are seen before its writes after it; it waits for nobody");
}

}  // namespace lanewise::viz
