#include "viz/views/timeline_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanewise::viz {
namespace {

// "add tree +64" where it fits, else "add +64", else "+64"; "store warp_sums" becomes "store".
std::string chip_label(const Look& look, const std::string& label, float width) {
    const auto fits = [&](const std::string& words) { return text_width(look, Face::small, words) <= width; };
    if (fits(label)) return label;
    const std::size_t first = label.find(' ');
    const std::size_t last = label.rfind(' ');
    if (first == std::string::npos) return fit_text(look, Face::small, label, width);
    if (label.find('|') != std::string::npos) return fit_text(look, Face::small, label, width);
    if (first != last) {
        const std::string ends = label.substr(0, first) + label.substr(last);
        return fits(ends) ? ends : fit_text(look, Face::small, label.substr(last + 1), width);
    }
    return fit_text(look, Face::small, label.substr(0, first), width);
}

}  // namespace

Color step_color(const Theme& theme, steps::StepKind kind) {
    switch (kind) {
        case steps::StepKind::shuffle: return theme.step_shuffle;
        case steps::StepKind::vote: return theme.step_vote;
        case steps::StepKind::warp_barrier:
        case steps::StepKind::block_barrier: return theme.step_barrier;
        case steps::StepKind::atomic: return theme.step_atomic;
        default: return theme.step_access;
    }
}

Intent TimelineView::draw(const Pane& pane, const Exhibit& exhibit, const Playhead& playhead, Selection& selection) {
    const steps::Steps& steps = exhibit.steps();
    const std::size_t block = block_place(steps, selection.warp);
    std::vector<TimelineEntry> entries;
    for (const steps::Step& step : steps.steps) {
        const std::uint32_t lanes = block < step.counters.size() ? step.counters[block].lanes_at_work : 0;
        entries.push_back({step.label, step.kind, lanes});
    }
    return draw_entries(pane, entries, block_threads(steps, selection.warp), playhead);
}

Intent TimelineView::draw_controls(const Pane& pane, const Rect& where, const Playhead& playhead) const {
    Intent intent;
    const std::array<std::pair<Sign, Intent>, 5> buttons = {{
        {Sign::first, {Intent::Kind::go_to, 0}},
        {Sign::back, {Intent::Kind::go_to, playhead.step > 0 ? playhead.step - 1 : 0}},
        {playhead.playing ? Sign::pause : Sign::play, {Intent::Kind::toggle_play, 0}},
        {Sign::forward, {Intent::Kind::go_to, playhead.step + 1}},
        {Sign::last, {Intent::Kind::go_to, playhead.count}},
    }};
    float x = where.x0;
    for (std::size_t i = 0; i < buttons.size(); ++i) {
        const float width = pane.px(i == 2 ? 40 : 30);
        const Rect box{x, where.y0, x + width, where.y1};
        const bool hovered = pane.hovers(box);
        if (i == 2) fill(pane.brush, box.inset(0, pane.px(1)), mix(pane.colors().panel, pane.colors().accent, hovered ? 0.4 : 0.22), pane.px(6));
        else if (hovered) fill(pane.brush, box.inset(0, pane.px(1)), pane.colors().raised, pane.px(6));
        sign(pane.brush, box, buttons[i].first, i == 2 ? pane.colors().accent : pane.colors().text);
        if (pane.button(box)) intent = buttons[i].second;
        x += width + pane.px(2);
    }
    const std::string place = playhead.count == 0 ? "no steps"
        : "step " + std::to_string(playhead.step + 1) + " of " + std::to_string(playhead.count);
    Rect rest{x + pane.px(12), where.y0, where.x1, where.y1};
    text_in(pane.brush, Face::strong, rest, pane.colors().strong, place, Align::left);
    if (playhead.speed != 1) {
        std::string speed = std::to_string(playhead.speed);
        speed.resize(speed.find('.') + 3);
        text_in(pane.brush, Face::caption, {rest.x0 + text_width(pane.look(), Face::strong, place) + pane.px(14), rest.y0, rest.x1, rest.y1},
                pane.colors().quiet, "speed " + speed + "×", Align::left);
    }

    // What to press, always in sight.
    static constexpr std::array<std::pair<const char*, const char*>, 6> kHints = {{
        {"Space", "play"}, {"← →", "step"}, {"Home End", "ends"}, {"Tab", "next variant"}, {"C", "compare"}, {"?", "all keys"}}};
    float width = 0;
    for (const auto& [key, what] : kHints) {
        width += std::max(text_width(pane.look(), Face::small, key) + pane.px(9), pane.px(17)) + pane.px(6) +
                 text_width(pane.look(), Face::caption, what) + pane.px(14);
    }
    float hint_x = where.x1 - width;
    const float left = rest.x0 + text_width(pane.look(), Face::strong, place) + pane.px(24);
    for (const auto& [key, what] : kHints) {
        if (hint_x < left) {   // what does not fit is left out, from the left
            hint_x += std::max(text_width(pane.look(), Face::small, key) + pane.px(9), pane.px(17)) + pane.px(6) +
                      text_width(pane.look(), Face::caption, what) + pane.px(14);
            continue;
        }
        const Point at{hint_x, where.center().y - pane.px(8.5f)};
        hint_x += key_hint(pane.brush, at, key, what) + pane.px(14);
    }
    return intent;
}

Intent TimelineView::draw_entries(const Pane& pane, const std::vector<TimelineEntry>& entries, std::uint32_t threads,
                                  const Playhead& playhead) {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    hairline(brush, {pane.box.x0, pane.box.y0}, {pane.box.x1, pane.box.y0}, colors.line);
    Rect rest = pane.box.inset(pane.px(16), pane.px(8));
    Intent intent = draw_controls(pane, rest.cut_top(pane.px(30)), playhead);
    rest.cut_top(pane.px(7));
    if (entries.empty()) return intent;

    const Rect margin = rest.cut_left(pane.px(50));
    const auto count = static_cast<float>(entries.size());
    const float pitch = std::clamp(rest.width() / count, pane.px(34), pane.px(124));
    const float spare = std::max(0.0f, pitch * count - rest.width());
    if (pane.hovers(rest) && pane.wheel() != 0) {
        scroll -= pane.wheel() * pitch * 2;
    } else if (playhead.since_step < 0.3f || playhead.since_step > 1e8f) {
        const float x = pitch * static_cast<float>(playhead.step);
        scroll = std::clamp(scroll, x + 2 * pitch - rest.width(), std::max(x - pitch, x + 2 * pitch - rest.width()));
    }
    scroll = std::clamp(scroll, 0.0f, spare);

    const float chip_height = pane.px(24);
    const Rect bars{rest.x0, rest.y0 + chip_height + pane.px(6), rest.x1, rest.y1};
    text_in(brush, Face::caption, {margin.x0, rest.y0, margin.x1, rest.y0 + chip_height}, colors.quiet, "steps", Align::left);
    text_in(brush, Face::caption, {margin.x0, bars.y0 - pane.px(2), margin.x1, bars.y0 + pane.px(12)}, colors.quiet, "lanes", Align::left);
    text_in(brush, Face::caption, {margin.x0, bars.y0 + pane.px(11), margin.x1, bars.y0 + pane.px(25)}, colors.quiet, "at work", Align::left);

    brush.list->PushClipRect({rest.x0 - pane.px(2), rest.y0 - pane.px(2)}, {rest.x1 + pane.px(2), pane.box.y1}, true);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const TimelineEntry& entry = entries[i];
        const float x = rest.x0 + pitch * static_cast<float>(i) - scroll;
        if (x > rest.x1 || x + pitch < rest.x0) continue;
        const Rect chip{x, rest.y0, x + pitch - pane.px(3), rest.y0 + chip_height};
        const Rect whole{chip.x0, chip.y0, chip.x1, bars.y1};
        const bool present = i == playhead.step;
        const bool hovered = pane.hovers(whole) && rest.contains(pane.pointer());
        const Color kind = step_color(colors, entry.kind);
        const Color ground = present ? kind : mix(colors.panel, kind, hovered ? 0.34 : i < playhead.step ? 0.24 : 0.13);
        fill(brush, chip, ground, pane.px(4));
        if (present) outline(brush, chip.inset(-pane.px(1)), colors.focus, pane.px(5), pane.px(1.6f));
        // The kind of a step is a stripe as well as a colour and a name.
        else fill(brush, {chip.x0 + pane.px(4), chip.y1 - pane.px(2), chip.x1 - pane.px(4), chip.y1}, with_alpha(kind, 0.7));
        const Color ink = present ? text_on(kind) : colors.text;
        text_in(brush, Face::small, chip, ink, chip_label(pane.look(), entry.label, chip.width() - pane.px(6)));

        const float full = bars.height() - pane.px(13);
        const float part = threads ? static_cast<float>(entry.lanes) / static_cast<float>(threads) : 0;
        const float height = entry.lanes == 0 ? 0 : std::max(pane.px(1.5f), full * std::min(part, 1.0f));
        text_in(brush, Face::tiny, {chip.x0, bars.y0, chip.x1, bars.y0 + pane.px(10)}, present ? colors.strong : colors.quiet, std::to_string(entry.lanes));
        const Rect track{chip.x0, bars.y1 - full, chip.x1, bars.y1};
        fill(brush, track, mix(colors.panel, colors.raised, 0.5), pane.px(2));
        fill(brush, {track.x0, bars.y1 - height, track.x1, bars.y1}, with_alpha(colors.good, present ? 1 : 0.6), pane.px(2));
        if (hovered) {
            hint_card(pane.look(), "step " + std::to_string(i + 1) + " · " + entry.label + " · " + std::to_string(entry.lanes) +
                                       " of " + std::to_string(threads) + " lanes of the block at work");
            if (pane.button(whole)) intent = {Intent::Kind::go_to, i};
        }
    }
    brush.list->PopClipRect();
    return intent;
}

}  // namespace lanewise::viz
