#include "viz/views/stage/timeline_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "viz/model/result_line.hpp"
#include "viz/views/stage/utilization_paint.hpp"

namespace lanewise::viz {
namespace {

// "round 3": the number is what distinguishes it from the others.
bool is_numbered(const std::string& label) {
    const std::size_t last = label.rfind(' ');
    return last != std::string::npos && label.find(' ') == last && last + 1 < label.size() &&
           label.find_first_not_of("0123456789", last + 1) == std::string::npos && label.starts_with("round");
}

// Does it say by itself what a step does: "+64"? The "x4" of a wide load and a number do not.
bool is_distance(const std::string& token) { return token.starts_with('+') || token.starts_with('-'); }

// "add tree +64" where it fits, else "add +64", else "+64"; "store warp_sums" becomes "store", "load boxes x4" "load
// x4" and then "load", "round 3" "r3".
std::string chip_label(const Look& look, const std::string& label, float width, Face face = Face::small) {
    const auto fits = [&](const std::string& text) { return text_width(look, face, text) <= width; };
    if (fits(label)) return label;
    const std::size_t first = label.find(' ');
    const std::size_t last = label.rfind(' ');
    if (first == std::string::npos) return fit_text(look, face, label, width);
    if (is_numbered(label)) return fit_text(look, face, "r" + label.substr(last + 1), width);
    // Of steps that are together the first is named where there is no room for all.
    if (const std::size_t bar = label.find(" | "); bar != std::string::npos)
        return chip_label(look, label.substr(0, bar), width, face);
    if (first != last) {
        const std::string ends = label.substr(0, first) + label.substr(last);
        if (fits(ends)) return ends;
        if (is_distance(label.substr(last + 1))) return fit_text(look, face, label.substr(last + 1), width);
        // Of "exchange store 1" that it stores.
        const std::string second = label.substr(first + 1, label.find(' ', first + 1) - first - 1);
        if (!fits(label.substr(0, first)) && fits(second)) return second;
    }
    return fit_text(look, face, label.substr(0, first), width);
}

std::string work_hint(const TimelineEntry& entry, const TimelineScale& scale) {
    std::string text;
    for (std::size_t side = 0; side < scale.sides; ++side) {
        if (!entry.has[side]) continue;
        text += (text.empty() ? " · " : " | ") +
                scene::work_text(entry.kind, entry.work[side], scale.threads[side], " of the block");
    }
    return text;
}

}  // namespace

TimelinePlaces place_entries(const std::vector<TimelineEntry>& entries, float width, float scale) {
    TimelinePlaces all;
    if (entries.empty()) return all;
    const float readable = 46 * scale;
    const float uniform = width / static_cast<float>(entries.size());
    // Entries of one name in a row, three and more of them.
    std::size_t in_runs = 0;
    all.places.resize(entries.size());
    for (std::size_t i = 0; i < entries.size();) {
        std::size_t last = i;
        while (last + 1 < entries.size() && entries[last + 1].label == entries[i].label &&
               entries[last + 1].kind == entries[i].kind)
            ++last;
        for (std::size_t k = i; k <= last; ++k) {
            all.places[k].run_first = i;
            all.places[k].run_last = last;
        }
        if (last - i >= 2) in_runs += last - i + 1;
        i = last + 1;
    }
    float own = std::clamp(uniform, readable, 124 * scale);
    float tick = own;
    if (uniform < readable && in_runs > 0) {
        const auto others = static_cast<float>(entries.size() - in_runs);
        tick = std::clamp((width - others * readable) / static_cast<float>(in_runs), 7 * scale, readable);
        own = others > 0 ? std::clamp((width - static_cast<float>(in_runs) * tick) / others, readable, 124 * scale)
                         : readable;
    }
    for (TimelinePlaces::Place& place : all.places) {
        const bool shared = tick < readable && place.run_last - place.run_first >= 2;
        place.tick = shared;
        place.x = all.total;
        place.width = shared ? tick : own;
        all.total += place.width;
    }
    return all;
}

Intent TimelineView::draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection) {
    const auto& steps = run_view.outline.steps;
    const Utilization work = utilization_of(run_view.steps(), selection.warp);
    lights_.look(run_view, selection);
    std::vector<TimelineEntry> entries;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        TimelineEntry entry{steps[k].label, steps[k].kind};
        entry.work[0] = work.steps[k];
        entry.warned = k < run_view.outline.findings_at.size() && !run_view.outline.findings_at[k].empty();
        entry.lit = lights_.step(k);
        entries.push_back(std::move(entry));
    }
    for (const WordUse& use : lights_.uses()) {
        entries[use.step].reads |= use.reads;
        entries[use.step].writes |= use.writes;
    }
    TimelineScale scale;
    scale.threads[0] = work.threads;
    if (work.adds()) {
        scale.utilization = work.utilization();
        scale.figure = scene::utilization_text(work);
    }
    const Intent intent = draw_entries(pane, entries, scale, playhead);
    if (pointed < steps.size()) selection.next.step = pointed;
    return intent;
}

Intent TimelineView::draw_controls(const Pane& pane, const Rect& where, const Playhead& playhead,
                                   const std::string& figure) const {
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
        if (i == 2)
            fill(pane.brush, box.inset(0, pane.px(1)),
                 mix(pane.colors().panel, pane.colors().accent, hovered ? 0.4 : 0.22), pane.px(6));
        else if (hovered) fill(pane.brush, box.inset(0, pane.px(1)), pane.colors().raised, pane.px(6));
        sign(pane.brush, box, buttons[i].first, i == 2 ? pane.colors().accent : pane.colors().text);
        if (pane.button(box)) intent = buttons[i].second;
        x += width + pane.px(2);
    }
    const std::string place = playhead.count == 0 ? std::string(instead.empty() ? "no steps" : "no step yet")
        : "step " + std::to_string(playhead.step + 1) + " of " + std::to_string(playhead.count);
    Rect rest{x + pane.px(12), where.y0, where.x1, where.y1};
    text_in(pane.brush, Face::strong, rest, pane.colors().strong, place, Align::left);
    rest.x0 += text_width(pane.look(), Face::strong, place) + pane.px(20);
    if (!figure.empty() && text_width(pane.look(), Face::strong, figure) + pane.px(16) < rest.width()) {
        fill(pane.brush, {rest.x0, rest.center().y - pane.px(5), rest.x0 + pane.px(10), rest.center().y + pane.px(5)},
             pane.colors().good, pane.px(2));
        rest.x0 += pane.px(16);
        text_in(pane.brush, Face::strong, rest, pane.colors().text, figure, Align::left);
        rest.x0 += text_width(pane.look(), Face::strong, figure) + pane.px(18);
    }
    if (playhead.speed != 1) {
        std::string speed = std::to_string(playhead.speed);
        speed.resize(speed.find('.') + 3);
        const std::string text = "speed " + speed + "×";
        text_in(pane.brush, Face::caption, rest, pane.colors().quiet, text, Align::left);
        rest.x0 += text_width(pane.look(), Face::caption, text) + pane.px(20);
    }

    // What to press, always in sight.
    static constexpr std::array<std::pair<const char*, const char*>, 6> kHints = {{{"Space", "play"},
                                                                                   {"← →", "step"},
                                                                                   {"Home End", "ends"},
                                                                                   {"Tab", "next variant"},
                                                                                   {"C", "compare"},
                                                                                   {"?", "all keys"}}};
    float width = 0;
    for (const auto& [key, what] : kHints) {
        width += std::max(text_width(pane.look(), Face::small, key) + pane.px(9), pane.px(17)) + pane.px(6) +
                 text_width(pane.look(), Face::caption, what) + pane.px(14);
    }
    const std::string others = "active, not adding";
    const float others_width = text_width(pane.look(), Face::caption, others) + pane.px(35);
    if (!figure.empty() && others_width + width < rest.width()) {
        outline(pane.brush,
                {rest.x0, rest.center().y - pane.px(5), rest.x0 + pane.px(10), rest.center().y + pane.px(5)},
                pane.colors().quiet, pane.px(2), pane.px(1));
        text_in(pane.brush, Face::caption, {rest.x0 + pane.px(15), rest.y0, rest.x1, rest.y1}, pane.colors().quiet,
                others, Align::left);
        rest.x0 += others_width;
    }
    float hint_x = where.x1 - width;
    const float left = rest.x0;
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

void TimelineView::draw_chip(const Pane& pane, const Rect& chip, const TimelineEntry& entry, bool present, bool past,
                             bool hovered) const {
    const Theme& colors = pane.colors();
    const Color kind = step_color(colors, entry.kind);
    fill(pane.brush, chip, present ? kind : mix(colors.panel, kind, hovered ? 0.34 : past ? 0.24 : 0.13), pane.px(4));
    if (present) outline(pane.brush, chip.inset(-pane.px(1)), colors.focus, pane.px(5), pane.px(1.6f));
    // The kind of a step is a stripe as well as a colour and a name.
    else
        fill(pane.brush, {chip.x0 + pane.px(4), chip.y1 - pane.px(2), chip.x1 - pane.px(4), chip.y1},
             with_alpha(kind, 0.7));
    // Smaller before shorter.
    const float room = chip.width() - pane.px(4);
    const std::string label = chip_label(pane.look(), entry.label, room);
    const std::string tiny = chip_label(pane.look(), entry.label, room, Face::tiny);
    const bool cut = label.ends_with("…") || (is_numbered(entry.label) && label != entry.label);
    const bool shrink = cut && (tiny == entry.label || (label.ends_with("…") && !tiny.ends_with("…")));
    text_in(pane.brush, shrink ? Face::tiny : Face::small, chip, present ? text_on(kind) : colors.text,
            shrink ? tiny : label);
    // On the corner: the name keeps its room.
    if (!entry.warned) return;
    const Point corner{chip.x1 - pane.px(4.5f), chip.y0 + pane.px(3)};
    circle(pane.brush, corner, pane.px(7.5f), colors.panel);   // a chip may have the sign's own colour
    warning_sign(pane.brush, corner, pane.px(5.5f));
}

// A roof over a step that is pointed at elsewhere; with a wedge down for a word that is written there, up for one that
// is read.
void TimelineView::draw_lit(const Pane& pane, const Rect& chip, const TimelineEntry& entry) const {
    const Color color = pane.colors().accent;
    const float y = chip.y0 - pane.px(2);
    fill(pane.brush, {chip.x0, y, chip.x1, y + pane.px(2)}, color, pane.px(1));
    const float x = chip.center().x, r = pane.px(4);
    if (entry.writes) triangle(pane.brush, {x - r, y}, {x + r, y}, {x, y + r * 1.7f}, color);
    else if (entry.reads) triangle(pane.brush, {x - r, y + r * 1.7f}, {x, y}, {x + r, y + r * 1.7f}, color);
}

// The name once, over a tick for each step.
void TimelineView::draw_shared_chip(const Pane& pane, const Rect& chip, const Rect& seen, const TimelineEntry& entry,
                                    std::size_t count, std::size_t present) const {
    const Theme& colors = pane.colors();
    const Color kind = step_color(colors, entry.kind);
    const bool inside = present < count;
    fill(pane.brush, chip, mix(colors.panel, kind, inside ? 0.3 : 0.16), pane.px(4));
    const float pitch = (chip.width() + pane.px(3)) / static_cast<float>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const float x = chip.x0 + pitch * static_cast<float>(i);
        const Rect tick{x + pane.px(1), chip.y1 - pane.px(7), x + pitch - pane.px(2), chip.y1 - pane.px(2)};
        fill(pane.brush, tick, i == present ? colors.focus : with_alpha(kind, 0.6), pane.px(1));
    }
    const Rect where{std::max(chip.x0, seen.x0), chip.y0, std::min(chip.x1, seen.x1), chip.y1 - pane.px(7)};
    // With its name where that fits whole; else the place in the run alone, at last as "3/4".
    const std::string of = std::to_string(count), at = std::to_string(present + 1);
    const std::string place = inside ? at + " of " + of : "×" + of;
    const std::string name = chip_label(
        pane.look(), entry.label, where.width() - text_width(pane.look(), Face::small, " " + place) - pane.px(8));
    const std::string named = name.empty() || name.ends_with("…") ? place : name + " " + place;
    for (const std::string& text : {named, place, inside ? at + "/" + of : place}) {
        if (text_width(pane.look(), Face::small, text) > where.width() - pane.px(2)) continue;
        text_in(pane.brush, Face::small, where, inside ? colors.strong : colors.text, text);
        break;
    }
    if (inside) outline(pane.brush, chip.inset(-pane.px(1)), colors.focus, pane.px(5), pane.px(1.2f));
}

void TimelineView::draw_bars(const Pane& pane, const Rect& where, const TimelineEntry& entry,
                             const TimelineScale& scale, bool present) const {
    const float pitch = where.width() / static_cast<float>(scale.sides);
    // Numbers over all sides or over none: one alone would seem to be that of all.
    bool all_fit = true;
    for (std::size_t side = 0; side < scale.sides; ++side)
        all_fit &= !entry.has[side] || text_width(pane.look(), Face::tiny, std::to_string(entry.work[side].lanes)) <=
                                           pitch - (scale.sides > 1 ? pane.px(1) : 0);
    for (std::size_t side = 0; side < scale.sides; ++side) {
        if (!entry.has[side]) continue;
        const float x = where.x0 + pitch * static_cast<float>(side);
        const Rect track{x, where.y0 + pane.px(12), x + pitch - (scale.sides > 1 ? pane.px(1) : 0), where.y1};
        // "·": the chosen block has no part in the step.
        const std::string number = entry.work[side].lanes ? std::to_string(entry.work[side].lanes) : "·";
        if (all_fit) {
            const Color ink = present                   ? pane.colors().strong
                              : entry.work[side].adding ? pane.colors().text
                                                        : pane.colors().quiet;
            text_in(pane.brush, Face::tiny, {track.x0, where.y0, track.x1, where.y0 + pane.px(10)}, ink, number);
        }
        work_bar(pane.brush, track, entry.work[side], scale.threads[side], present);
    }
}

Intent TimelineView::draw_entries(const Pane& pane, const std::vector<TimelineEntry>& entries,
                                  const TimelineScale& scale, const Playhead& playhead) {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    pointed = kNoStep;
    hairline(brush, {pane.box.x0, pane.box.y0}, {pane.box.x1, pane.box.y0}, colors.line);
    Rect rest = pane.box.inset(pane.px(16), pane.px(8));
    Intent intent = draw_controls(pane, rest.cut_top(pane.px(30)), playhead, scale.figure);
    rest.cut_top(pane.px(7));
    if (entries.empty()) {
        paragraph(brush, Face::body, {rest.x0, rest.y0}, std::min(rest.width(), pane.px(760)), colors.quiet, instead,
                  1.35f);
        return intent;
    }

    const Rect margin = rest.cut_left(pane.px(74));
    const TimelinePlaces all = place_entries(entries, rest.width(), pane.look().scale);
    const std::size_t step = std::min(playhead.step, entries.size() - 1);
    const float spare = std::max(0.0f, all.total - rest.width());
    if (pane.hovers(rest) && pane.wheel() != 0) {
        scroll -= pane.wheel() * pane.px(92);
    } else if (playhead.since_step < 0.3f || playhead.since_step > 1e8f) {
        // The present step and a neighbour to either side.
        const TimelinePlaces::Place& at = all.places[step];
        const float before = step > 0 ? all.places[step - 1].width : 0;
        const float after = step + 1 < entries.size() ? all.places[step + 1].width : 0;
        const float least = at.x + at.width + after + pane.px(30) - rest.width();
        scroll = std::clamp(scroll, least, std::max(least, at.x - before - pane.px(30)));
    }
    scroll = std::clamp(scroll, 0.0f, spare);

    const float chip_height = pane.px(24);
    const Rect bars{rest.x0, rest.y0 + chip_height + pane.px(6), rest.x1, rest.y1};
    const auto label = [&](float y, Color ink, const std::string& text) {
        text_in(brush, Face::caption, {margin.x0, y, margin.x1, y + pane.px(14)}, ink, text, Align::left);
    };
    text_in(brush, Face::caption, {margin.x0, rest.y0, margin.x1, rest.y0 + chip_height}, colors.quiet, "steps",
            Align::left);
    label(bars.y0 - pane.px(2), colors.quiet, "active");
    label(bars.y0 + pane.px(10), colors.quiet, "lanes");
    if (scale.utilization > 0) label(bars.y0 + pane.px(25), colors.accent, "mean " + scene::percent(scale.utilization));

    brush.canvas->push_clip({rest.x0 - pane.px(2), rest.y0 - pane.px(2), rest.x1 + pane.px(2), pane.box.y1});
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const TimelineEntry& entry = entries[i];
        const TimelinePlaces::Place& place = all.places[i];
        const float x = rest.x0 + place.x - scroll;
        const std::size_t count = place.run_last - place.run_first + 1;
        if (place.tick && place.run_first == i) {
            const Rect chip{x, rest.y0, x + place.width * static_cast<float>(count) - pane.px(3),
                            rest.y0 + chip_height};
            if (chip.overlaps(rest)) draw_shared_chip(pane, chip, rest, entry, count, step >= i ? step - i : count);
        }
        if (x > rest.x1 || x + place.width < rest.x0) continue;
        const float gap = place.tick ? pane.px(place.width > pane.px(12) ? 3 : 2) : pane.px(3);
        const Rect chip{x, rest.y0, x + place.width - gap, rest.y0 + chip_height};
        const Rect whole{x, chip.y0, x + place.width, bars.y1};
        const bool present = i == step;
        const bool under = pane.hovers(whole) && rest.contains(pane.pointer());
        if (under) pointed = i;
        if (!place.tick) draw_chip(pane, chip, entry, present, i < step, under || entry.lit);
        draw_bars(pane, {chip.x0, bars.y0, chip.x1, bars.y1}, entry, scale, present);
        if (entry.lit) draw_lit(pane, chip, entry);
        if (place.tick && under)
            outline(brush, {chip.x0, bars.y0 + pane.px(12), chip.x1, bars.y1}, colors.quiet, 0, pane.px(1));
        if (under) {
            hint_card(pane.look(), "step " + std::to_string(i + 1) + " · " +
                                       (entry.names.empty() ? entry.label : entry.names) + work_hint(entry, scale));
            if (pane.button(whole)) intent = {Intent::Kind::go_to, i};
        }
    }
    // Over the steps that there are, not past them.
    if (scale.utilization > 0)
        mean_line(brush, {rest.x0, bars.y0 + pane.px(12), std::min(rest.x1, rest.x0 + all.total - scroll), bars.y1},
                  scale.utilization);
    const auto fade = [&](float x0, float x1, bool left) {
        const Color solid = colors.panel, clear = with_alpha(colors.panel, 0);
        const Color l = left ? solid : clear, r = left ? clear : solid;
        brush.canvas->gradient({x0, rest.y0 - pane.px(2), x1, bars.y1}, l, r, Canvas::Towards::right);
    };
    if (scroll > 1) fade(rest.x0 - pane.px(2), rest.x0 + pane.px(28), true);
    if (scroll < spare - 1) fade(rest.x1 - pane.px(28), rest.x1 + pane.px(2), false);
    brush.canvas->pop_clip();
    return intent;
}

}  // namespace lanewise::viz
