// The tree as it is drawn: rows, lines, sums and folds.
#include <algorithm>
#include <array>

#include "common/base/counted.hpp"
#include "viz/model/cell_paint.hpp"
#include "viz/views/reduction/tree_view.hpp"

namespace lanewise::viz {
Color warp_color(const Theme& theme, std::uint32_t warp) {
    // Okabe and Ito's, without black; darker on a light ground, so that they keep their contrast.
    static constexpr std::array<std::uint32_t, 8> kDark = {0x56b4e9, 0xe69f00, 0x2cc295, 0xcc79a7,
                                                           0xf0e442, 0xe8743b, 0x7f9cf5, 0xb0b0b0};
    static constexpr std::array<std::uint32_t, 8> kLight = {0x0072b2, 0xb06f00, 0x007a5a, 0xa84f82,
                                                            0x8a7f00, 0xc04a00, 0x4054c8, 0x666666};
    return rgb((theme.dark ? kDark : kLight)[warp % 8]);
}

// The steps, from top to bottom; a click goes there.
Intent TreeView::draw_rows(const Pane& pane, std::size_t step) const {
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    Intent intent;
    const float x1 = area_.x0 + pane.px(compact ? 72 : 80);
    const bool folds = scene_.fold != SumLayout::Fold::none;
    for (std::size_t r = 0; r < scene_.levels.size(); ++r) {
        const PlacedLevel& row = scene_.levels[r];
        const Rect whole{area_.x0, row.y0 - pane.px(4), area_.x1, row.y1 + pane.px(4)};
        const bool now = row.step == step && r > 0;
        if (now)
            fill(pane.brush, {whole.x0 - pane.px(8), whole.y0, whole.x1 + pane.px(8), whole.y1}, theme.accent_ground,
                 pane.px(5));
        Rect label{area_.x0, row.y0, x1, row.y1};
        if (r == 0) {
            label.y0 = label.y1 - pane.px(22);
            text_in(pane.brush, Face::caption, label, theme.quiet, folds ? "collapsed" : "inputs", Align::left);
            continue;
        }
        const bool later = row.step > step;
        const bool hovered = pane.hovers(label);
        const std::string number = std::to_string(row.step + 1);
        const float room = label.width();
        text_in(pane.brush, now ? Face::strong : Face::caption, label,
                now       ? theme.accent
                : hovered ? theme.strong
                : later   ? theme.quiet
                          : theme.text,
                fit_text(look, now ? Face::strong : Face::caption, row.label, room), Align::left);
        if (!hovered) continue;
        hint_card(look, "step " + number + " · " + row.label + (now ? ", the present one" : ""));
        if (pane.button(label)) intent = {Intent::Kind::go_to, row.step};
    }
    return intent;
}

void TreeView::draw_lines(const Pane& pane, std::size_t step, const std::vector<bool>& lit) const {
    const Theme& theme = pane.colors();
    // The present ones lie over the others.
    for (const int pass : {0, 1}) {
        for (std::size_t b = 1; b < scene_.boxes.size(); ++b) {
            const PlacedSum& box = scene_.boxes[b];
            const PlacedSum& to = scene_.boxes[static_cast<std::size_t>(box.parent)];
            const std::size_t made = sum_of(to).step;
            const bool now = made == step, later = made > step;
            const bool above = now || lit[b];
            if (above != (pass == 1)) continue;
            const bool wide = to.parts > 2;
            const Point a{box.box.center().x, box.box.y1};
            const float x = wide ? std::clamp(a.x, to.box.x0, to.box.x1)
                                 : to.box.center().x + std::clamp((a.x - to.box.center().x) * 0.25f,
                                                                  -to.box.width() * 0.35f, to.box.width() * 0.35f);
            const Point end{x, to.box.y0};
            const Color color = lit[b]  ? theme.focus
                                : now   ? theme.accent
                                : later ? theme.faint
                                        : mix(theme.ground, theme.text, 0.45);
            // What the lane held stays; what comes to it moves, with a head.
            arc(pane.brush, a, end, {color, pane.px((box.own ? 2.2f : 1.2f) * (above ? 1.25f : 1)), 12, 1});
            if (!box.own && !wide && to.box.y0 - box.box.y1 > pane.px(12))
                arrow_head(pane.brush, end, pane.px(3.5f), color);
        }
    }
}

Color TreeView::color_of(const Theme& theme, const RunView& run_view, const PlacedSum& box) const {
    const Sum& sum = sum_of(box);
    return colors == Colors::value ? run_view.scale.color(sum.type, sum.bits) : warp_color(theme, box.adder);
}

void TreeView::draw_box(const Pane& pane, const RunView& run_view, std::size_t step, std::size_t which,
                        bool lit) const {
    const PlacedSum& box = scene_.boxes[which];
    if (box.collapsed) return draw_fold(pane, run_view, step, box, lit);
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    const Sum& sum = sum_of(box);
    const bool leaf = box.parts == 0;
    const bool now = sum.step == step, later = sum.step > step;
    const Color color = color_of(theme, run_view, box);
    const Rect& cell = box.box;
    const float round = pane.px(leaf ? 0 : 4);
    if (later) {
        outline(pane.brush, cell, theme.faint, round, pane.px(1));
    } else {
        fill(pane.brush, cell, color, round);
    }
    if (lit || (now && !leaf))
        outline(pane.brush, cell.inset(-pane.px(1)), lit ? theme.focus : theme.accent, round,
                pane.px(lit ? 1.8f : 2.2f));
    // Which element it is: over an input, as far as there is room.
    if (leaf && !compact && sum.kind == Sum::Kind::input) {
        const std::string index = std::to_string(sum.element);
        const Rect over{cell.x0 - pane.px(2), cell.y0 - pane.px(13), cell.x1 + pane.px(2), cell.y0 - pane.px(1)};
        if (text_width(look, Face::tiny, index) <= over.width())
            text_in(pane.brush, Face::tiny, over, lit ? theme.strong : theme.quiet, index);
    }
    if (later) return;
    const bool wide = box.parts > 2;
    const float room = cell.width() - pane.px(4);
    std::string text = format_element(sum.type, sum.bits);
    if (wide) {
        const std::string longer = text + (box.join == SumJoin::at_once ? ", all at once" : ", one after the other");
        if (text_width(look, Face::small, longer) <= room) text = longer;
    }
    if (box.join == SumJoin::again) text = "again " + text;
    Face face = Face::small;
    if (text_width(look, face, text) > room) {
        const FittedNumber fitted = fit_number(look, sum.type, sum.bits, room, Face::small);
        face = fitted.face;
        text = fitted.text;
    }
    text_in(pane.brush, face, cell, text_on(color), text);
    // Which lane: beside a sum that stands freely.
    if (leaf || wide || compact) return;
    const std::string lane = "lane " + std::to_string(sum.lane);
    const Rect beside{cell.x1 + pane.px(5), cell.y0, box.span.x1 - pane.px(2), cell.y1};
    const float width = text_width(look, Face::tiny, lane);
    if (width > beside.width()) return;
    // Ground under the text: the line of a sum from another block may pass here.
    const float half = pane.px(6);
    if (!now)
        fill(pane.brush, {beside.x0 - pane.px(2), beside.center().y - half, beside.x0 + width + pane.px(2),
                          beside.center().y + half}, theme.ground, pane.px(3));
    text_in(pane.brush, Face::tiny, beside, now ? theme.text : theme.quiet, lane, Align::left);
}

void TreeView::draw_fold(const Pane& pane, const RunView& run_view, std::size_t step, const PlacedSum& box,
                         bool lit) const {
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    const Sum& sum = sum_of(box);
    const bool later = sum.step > step;
    const bool now = std::binary_search(box.steps.begin(), box.steps.end(), step);
    fill(pane.brush, box.box, mix(theme.ground, theme.raised, lit ? 1 : 0.5), pane.px(5));
    outline(pane.brush, box.box,
            lit   ? theme.focus
            : now ? theme.accent
                  : theme.line,
            pane.px(5), pane.px(lit || now ? 1.6f : 1));
    Rect inside = box.box.inset(pane.px(3), pane.px(2));
    const Rect title = inside.cut_top(pane.px(15)), foot = inside.cut_bottom(pane.px(18));
    const std::string& name = box.name;
    const Face title_face = text_width(look, Face::caption, name) <= title.width() ? Face::caption : Face::tiny;
    if (text_width(look, title_face, name) <= title.width() + pane.px(4))
        text_in(pane.brush, title_face, title, lit ? theme.strong : theme.text, name);

    // Its inputs as a strip of colours; no more of them than there are pixels.
    const Rect strip{box.small.x0, box.small.y0, box.small.x1,
                     box.small.y0 + pane.px(box.lines.empty() ? 10.0f : 5.0f)};
    const std::size_t most = static_cast<std::size_t>(std::max(strip.width() / pane.px(1.5f), 1.0f));
    const std::size_t shown = std::min(box.inputs.size(), most);
    for (std::size_t i = 0; i < shown; ++i) {
        const Sum& input = sums().at(box.inputs[i * box.inputs.size() / shown]);
        const float x = strip.x0 + strip.width() * static_cast<float>(i) / static_cast<float>(shown),
                    width = strip.width() / static_cast<float>(shown);
        const Color color =
            colors == Colors::value ? run_view.scale.color(input.type, input.bits) : warp_color(theme, sum.warp.warp);
        if (input.step <= step) fill(pane.brush, {x, strip.y0, x + width, strip.y1}, color);
        else fill(pane.brush, {x, strip.y0, x + width, strip.y0 + pane.px(1)}, theme.faint);
    }
    for (const PlacedTwig& twig : box.lines) {
        const Color color = twig.step == step  ? theme.accent
                            : twig.step > step ? theme.faint
                                               : mix(theme.ground, theme.text, 0.45);
        hairline(pane.brush, twig.from, twig.to, color, pane.px(twig.step == step ? 1.4f : 1));
    }
    if (box.lines.empty()) {
        // Too many to draw each: what they come to.
        // As far down as its additions are done.
        const auto done =
            static_cast<float>(std::upper_bound(box.steps.begin(), box.steps.end(), step) - box.steps.begin());
        const float part = done / static_cast<float>(std::max<std::size_t>(box.steps.size(), 1));
        const Point end{foot.center().x, foot.y0 - pane.px(1)};
        for (const float x : {strip.x0, strip.x1}) {
            const Point from{x, strip.y1 + pane.px(1)},
                to{from.x + (end.x - from.x) * part, from.y + (end.y - from.y) * part};
            hairline(pane.brush, to, end, theme.faint, pane.px(1));
            hairline(pane.brush, from, to, now ? theme.accent : mix(theme.ground, theme.text, 0.45),
                     pane.px(now ? 1.6f : 1.2f));
        }
        const std::string many = counted(box.inputs.size(), "input");
        const Rect middle{inside.x0, strip.y1, inside.x1, strip.y1 + (foot.y0 - strip.y1) * 0.55f};
        if (text_width(look, Face::caption, many) < middle.width() * 0.6f)
            text_in(pane.brush, Face::caption, middle, theme.quiet, many);
    }
    if (later) return;
    const Color color = color_of(theme, run_view, box);
    fill(pane.brush, foot, color, pane.px(3));
    const FittedNumber fitted = fit_number(look, sum.type, sum.bits, foot.width() - pane.px(2), Face::small);
    text_in(pane.brush, fitted.face, foot, text_on(color), fitted.text);
}

}  // namespace lanewise::viz
