// Collectives in which nothing is read from one particular lane: barriers, votes, matches, reductions, and what only
// looks like a collective (active masks, fences).
#include <algorithm>
#include <bit>

#include "viz/views/stage/stage_paint.hpp"

namespace lanewise::viz {
namespace {

constexpr std::size_t lane_index(int lane) { return static_cast<std::size_t>(lane); }

float middle_of(const Scene& scene, int lane) {
    return scene.lanes_x0 + scene.cell * (static_cast<float>(lane) + 0.5f);
}

}  // namespace

void StagePaint::caption_under(const Band& band, float y, const std::string& text) const {
    const Rect below{band.box.x0, y, band.box.x1, band.box.y1};
    if (below.height() < brush.px(11)) return;   // in a low panel the row comes first
    text_in(brush, Face::caption, below, brush.colors().quiet,
            fit_text(brush.look, Face::caption, text, band.box.width()));
}

void StagePaint::say(const Scene& scene, const Band& band, float y) const {
    const Theme& colors = brush.colors();
    for (const LaneFacts& facts : scene.part.facts) {
        if (!facts.active || facts.says < 0) continue;
        const Point c{middle_of(scene, facts.lane), y};
        const Color kind = band.kind == StepKind::block_barrier ? colors.step_barrier : colors.step_vote;
        circle(brush, c, brush.px(5), facts.says ? kind : colors.ground);
        ring(brush, c, brush.px(5), kind, brush.px(1.5f));
    }
}

void StagePaint::barrier(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    const float y = band.box.center().y - (scene.part.says ? brush.px(4) : 0);
    const Color color = colors.step_barrier;
    for (int i = 0; i < scene.lanes; ++i) {
        if (!((band.active >> i) & 1u)) continue;
        const float x = middle_of(scene, i);
        const float reach = band.box.y0 + (y - band.box.y0) * travel;
        hairline(brush, {x, band.box.y0}, {x, reach}, with_alpha(color, 0.55), brush.px(1.4f));
    }
    fill(brush, {band.box.x0, y - brush.px(1.5f), band.box.x1, y + brush.px(1.5f)}, color, brush.px(1.5f));
    if (scene.part.says) say(scene, band, y);
    caption_under(band, y + brush.px(scene.part.says ? 8 : 4), caption_of(scene.part));
}

void StagePaint::vote(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    const float y = band.box.center().y;
    hairline(brush, {band.box.x0, y}, {band.box.x1, y}, with_alpha(colors.step_vote, 0.6), brush.px(1.5f));
    for (const LaneFacts& facts : scene.part.facts) {
        if (!facts.active) continue;
        const float x = middle_of(scene, facts.lane);
        hairline(brush, {x, band.box.y0}, {x, y}, with_alpha(colors.step_vote, 0.5), brush.px(1));
    }
    say(scene, band, y);
    caption_under(band, y + brush.px(8), caption_of(scene.part));
}

// Lanes with equal values share a letter and a line at the letter's own height.
void StagePaint::match(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    constexpr int kLevels = 6;
    const int groups = 1 + *std::max_element(scene.part.groups.begin(), scene.part.groups.end());
    const float top = band.box.y0 + brush.px(8);
    const float pitch = std::max(brush.px(4), (band.box.height() - brush.px(52)) / kLevels);
    const float letters = top + pitch * kLevels + brush.px(6);
    const int lit = lane >= 0 ? scene.part.groups[lane_index(lane)] : -1;
    for (int group = 0; group < groups; ++group) {
        int first = kWarpSize, last = -1, count = 0;
        const float y = top + pitch * static_cast<float>(group % kLevels);
        const Color color = group == lit ? colors.accent : with_alpha(colors.step_vote, lit >= 0 ? 0.45 : 0.9);
        for (int i = 0; i < scene.lanes; ++i) {
            if (scene.part.groups[lane_index(i)] != group) continue;
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
        const int group = scene.part.groups[lane_index(i)];
        if (group < 0) continue;
        const Rect box{middle_of(scene, i) - brush.px(8), letters, middle_of(scene, i) + brush.px(8),
                       letters + brush.px(16)};
        fill(brush, box, group == lit ? colors.accent : mix(colors.ground, colors.step_vote, 0.3), brush.px(3));
        text_in(brush, Face::small, box, group == lit ? text_on(colors.accent) : colors.strong, group_name(group));
    }
    caption_under(band, letters + brush.px(18), caption_of(scene.part, lane));
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
    const std::string text = caption_of(scene.part), full = text + caption_goes_on(scene.part);
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
    caption_under(band, y + brush.px(8), caption_of(scene.part));
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
    caption_under(band, y + brush.px(8), caption_of(scene.part));
}

}  // namespace lanewise::viz
