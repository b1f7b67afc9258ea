#include "viz/views/stage/stage_legend.hpp"

#include <functional>
#include <vector>

#include <fmt/ranges.h>

#include "viz/views/stage/stage_paint.hpp"

namespace lanewise::viz {
namespace {

// A mark and what it means.
struct Entry {
    float mark = 16;   // wide, at scale 1
    std::string label;
    std::function<void(const Rect& box)> draw;
};

}  // namespace

LegendFacts legend_facts(const Scene& scene, std::size_t most_inputs, const Rect& seen) {
    LegendFacts facts;
    facts.faulting = scene.faulting != 0;
    facts.differing = scene.differing != 0;
    for (const Row& row : scene.rows) {
        if (!row.reached || row.y1 < seen.y0 || row.y0 > seen.y1) continue;
        for (int lane = 0; lane < scene.lanes; ++lane) {
            const LaneCell& cell = row.lanes[static_cast<std::size_t>(lane)];
            if (!cell.known) continue;
            const Coverage coverage = coverage_of(cell.inputs, cell.counted_twice, cell.undefined, most_inputs);
            facts.values |= !cell.undefined;
            facts.parts |= !cell.more.empty();
            facts.undefined |= cell.undefined;
            facts.more_perhaps |= cell.more_perhaps && !row.thin;
            facts.partial |= coverage == Coverage::partial;
            facts.unknown |= coverage == Coverage::unknown;
            // Their marks are in cells with numbers only; their colours also elsewhere.
            facts.complete |= coverage == Coverage::complete;
            facts.twice |= coverage == Coverage::twice;
        }
    }
    for (const Band& band : scene.bands) {
        if (!band.present) continue;
        for (const Word& word : band.words) (word.shared ? facts.shared_words : facts.global_words) = true;
    }
    return facts;
}

Intent StageLegend::draw(const Pane& pane, const Rect& where, const RunView& run_view, const LegendFacts& facts,
                         ColorBy by) const {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const float y = where.center().y;
    Intent intent;
    float x = where.x0;
    const auto width_of = [&](const Entry& entry) {
        return pane.px(entry.mark + 6) + text_width(pane.look(), Face::caption, entry.label) + pane.px(16);
    };
    const auto put = [&](const Entry& entry) {
        if (x + width_of(entry) - pane.px(16) > where.x1) return;
        entry.draw({x, y - pane.px(7), x + pane.px(entry.mark), y + pane.px(7)});
        text_in(brush, Face::caption, {x + pane.px(entry.mark + 6), where.y0, where.x1, where.y1}, colors.quiet,
                entry.label, Align::left);
        x += width_of(entry);
    };

    // The switch, first and always in the same place.
    text_in(brush, Face::caption, {x, where.y0, where.x1, where.y1}, colors.quiet, "colours", Align::left);
    x += text_width(pane.look(), Face::caption, "colours") + pane.px(7);
    for (const ColorBy each : {ColorBy::value, ColorBy::inputs}) {
        const char* name = each == ColorBy::value ? "by value" : "by inputs";
        const Rect tab{x, y - pane.px(9), x + text_width(pane.look(), Face::caption, name) + pane.px(12),
                       y + pane.px(9)};
        const bool chosen = each == by;
        if (chosen) fill(brush, tab, colors.raised, pane.px(4));
        else if (pane.hovers(tab)) fill(brush, tab, mix(colors.ground, colors.raised, 0.6), pane.px(4));
        text_in(brush, Face::caption, tab, chosen ? colors.strong : colors.quiet, name);
        if (pane.hovers(tab)) {
            hint_card(pane.look(), each == ColorBy::value
                                       ? "lanes in the colours of their numbers · I"
                                       : "lanes by what their sums hold: part, all, or something twice · I");
        }
        if (pane.button(tab) && !chosen) intent = {Intent::Kind::colors, 0};
        x = tab.x1 + pane.px(2);
    }
    x += pane.px(14);

    if (!lacking.empty()) put({0, lacking, [](const Rect&) {}});
    // What is looked for in a wrong run comes first.
    if (facts.faulting) put({18, "named by what was found wrong", [&](const Rect& box) { fault_mark(brush, box); }});
    if (facts.differing) {
        put({18, "differs from " + differing_from, [&](const Rect& box) {
                 differ_mark(brush, {box.x0, y - pane.px(9), box.x1, y - pane.px(5)});
             }});
    }
    if (facts.parts && !run_view.outline.parts.empty())
        put({0, fmt::format("each value: ({})", fmt::join(run_view.outline.parts, ", ")), [](const Rect&) {}});
    const std::size_t most = run_view.most_inputs;
    const bool by_inputs = by == ColorBy::inputs;
    const auto swatch = [&](Coverage coverage, float part, bool more) {
        return [&, coverage, part, more](const Rect& box) {
            const Color ground = by_inputs ? coverage_color(colors, coverage, part) : 0;
            if (by_inputs) fill(brush, box, ground, pane.px(3));
            coverage_foot(brush,
                          {box.x0 - pane.px(2), box.y0, box.x1 + pane.px(2), box.y1 + (by_inputs ? 0 : -pane.px(3))},
                          by_inputs ? text_on(ground) : colors.text, coverage, part, more, by_inputs);
        };
    };
    const auto put_twice = [&] { put({18, "an input counted twice", swatch(Coverage::twice, 1, false)}); };
    if (!by_inputs && facts.twice) put_twice();   // the scale of colours explains itself sooner than this
    if (!by_inputs && facts.values) {
        put({102, "high, in this warp", [&](const Rect& box) {
            text_in(brush, Face::caption, {box.x0, where.y0, box.x1, where.y1}, colors.quiet, "low", Align::left);
            float at = box.x0 + text_width(pane.look(), Face::caption, "low") + pane.px(6);
            const float piece = (box.x1 - at) / 24;
            for (int i = 0; i < 24; ++i, at += piece)
                fill(brush, {at, y - pane.px(4), at + piece, y + pane.px(4)}, viridis(0.06 + 0.94 * i / 23.0));
        }});
    }
    if (by_inputs && run_view.outline.input_count == 0) {
        put({0, "inputs included are not known: this trace has no loads", [](const Rect&) {}});
        return intent;
    }
    if (facts.undefined) {
        put({16, "undefined", [&](const Rect& box) {
            fill(brush, box, coverage_color(colors, Coverage::undefined, 0), pane.px(3));
            outline(brush, box, colors.warning, pane.px(3), pane.px(1));
            text_in(brush, Face::tiny, box, colors.warning, "?");
        }});
    }
    const std::string all = most == run_view.outline.input_count ? "all " + std::to_string(most) + " inputs"
                                                                : std::to_string(most) + " inputs, the most here";
    if (facts.complete) put({18, (by_inputs ? "" : "holds ") + all, swatch(Coverage::complete, 1, false)});
    if (by_inputs && facts.twice) put_twice();
    if (by_inputs && facts.partial && most > 1)
        put({18, "some inputs (bar length = log2 of count)", swatch(Coverage::partial, 0.55f, false)});
    if (by_inputs && facts.partial && most <= 1)
        put({18, "one input",
             [&](const Rect& box) { fill(brush, box, coverage_color(colors, Coverage::partial, 1), pane.px(3)); }});
    if (by_inputs && facts.more_perhaps) put({18, "perhaps more", swatch(Coverage::partial, 0.4f, true)});
    if (by_inputs && facts.unknown) put({18, "no inputs, or not known", swatch(Coverage::unknown, 0, false)});
    for (const bool shared : {true, false}) {
        if (!(shared ? facts.shared_words : facts.global_words)) continue;
        put({13, shared ? "word of shared memory" : "word of global memory", [&](const Rect& box) {
                 word_shape(brush, box.inset(pane.px(0.5f), pane.px(1.5f)), shared,
                            mix(colors.panel, colors.quiet, 0.2), colors.quiet, pane.px(1));
             }});
    }
    return intent;
}

}  // namespace lanewise::viz
