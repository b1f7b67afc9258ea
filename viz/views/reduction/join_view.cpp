#include "viz/views/reduction/join_view.hpp"

#include <algorithm>

#include "common/base/element.hpp"
#include "viz/views/reduction/join_scene.hpp"
#include "viz/model/cell_paint.hpp"
#include "viz/model/lane_colors.hpp"

namespace lanewise::viz {
namespace {

std::string given(const Chain& chain, const Join& join, int chars) {
    const std::string value = format_element(chain.type, join.gave, chars);
    if (chain.op == "add") return value.starts_with('-') ? value : "+" + value;
    if (chain.op == "sub") return "-" + value;
    return std::string(chain.op) + " " + value;
}

std::string giver(const Chain& chain, const Join& join) {
    if (chain.unit == Chain::Unit::block) return "block " + std::to_string(join.warp.block);
    const std::string warp = (chain.unit == Chain::Unit::warp ? "warp " : "w") + std::to_string(join.warp.warp);
    const std::string name = chain.global ? "b" + std::to_string(join.warp.block) + " " + warp : warp;
    return chain.unit == Chain::Unit::warp ? name : name + " lane " + std::to_string(join.lane);
}

}  // namespace

float JoinView::height(const Look& look, const RunView& run_view, const Playhead& playhead,
                       const Selection& selection) {
    if (run_ != run_view.run || step_ != playhead.step || !(warp_ == selection.warp)) {
        run_ = run_view.run;
        step_ = playhead.step;
        warp_ = selection.warp;
        chains_ = chains_at(run_view.steps(), step_, warp_);
    }
    const Chain* chain = shown(selection);
    if (!chain) return 0;
    const bool alone = chain->joins.size() < 2 && chain->blocks_missing == 0;
    return alone ? 0 : look.px(148);
}

const Chain* JoinView::shown(const Selection& selection) const {
    for (const Chain& chain : chains_) {
        for (const Join& join : chain.joins) {
            if (join.now && join.warp == selection.warp && join.lane == selection.lane()) return &chain;
        }
    }
    return chains_.empty() ? nullptr : &chains_.front();
}

void JoinView::draw(const Pane& pane, const Rect& where, const RunView& run_view, Selection& selection) const {
    const Chain* found = shown(selection);
    if (!found) return;
    const Chain& chain = *found;
    const bool ordered = chain.unknown.empty();
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    Rect rest = where;
    std::string text = chain_sentence(chain);
    if (chains_.size() > 1) text += " " + std::to_string(chains_.size() - 1) + " more words change in this step.";
    const Rect title = rest.cut_top(pane.px(22));
    const std::string fitted = fit_text(pane.look(), Face::caption, text, title.width());
    text_in(brush, Face::caption, title, ordered ? colors.quiet : colors.warning, fitted, Align::left);
    if (fitted != text && pane.hovers(title)) hint_card(pane.look(), text);
    rest.cut_left(
        std::clamp(text_width(pane.look(), Face::small, chain.word()) + pane.px(10), pane.px(62), pane.px(140)));

    const bool by_lane = chain.unit == Chain::Unit::lane;
    const auto lit = [&](const Join& join) {
        // Where lanes join one by one, the lane that is pointed at; else the warp that is drawn large.
        return join.warp == selection.warp && join.now && (!by_lane || join.lane == selection.lane());
    };
    // The first of those that are to be in sight, in their order.
    std::size_t focus = chain.joins.size();
    for (std::size_t i = 0; i < chain.joins.size(); ++i) {
        const Join& join = chain.joins[i];
        const bool wanted = lit(join) || (by_lane && selection.lane() < 0 && join.now && join.warp == selection.warp);
        if (!wanted) continue;
        const bool before =
            focus == chain.joins.size() ||
            std::pair(join.record, join.lane) < std::pair(chain.joins[focus].record, chain.joins[focus].lane);
        if (before) focus = i;
    }
    const JoinScene scene = build_join_scene(chain, rest, pane.look().scale, focus);
    const float givers_y = rest.y0;
    const float held_y = rest.y0 + pane.px(76);
    const Rect head{where.x0, givers_y, rest.x0, givers_y + pane.px(34)};
    text_in(brush, Face::caption, head, colors.quiet, scene::chain_verb(chain), Align::left);
    text_in(brush, Face::small, {where.x0, held_y, rest.x0 - pane.px(4), held_y + pane.px(24)}, colors.strong,
            fit_text(pane.look(), Face::small, chain.word(), rest.x0 - pane.px(4) - where.x0), Align::left);
    if (!ordered)
        text_in(brush, Face::caption, {where.x0, held_y + pane.px(24), rest.x0, held_y + pane.px(40)}, colors.quiet,
                "as found", Align::left);

    brush.canvas->push_clip({rest.x0 - pane.px(2), rest.y0, rest.x1 + pane.px(2), rest.y1});
    const ValueScale plain = plain_words(colors);
    const ValueScale& scale = selection.display.colors == ColorBy::value ? run_view.scale : plain;
    // Lines first.
    for (const bool now : {false, true}) {
        for (const JoinScene::Line& line : scene.lines) {
            const Join& join = chain.joins[line.join];
            if (lit(join) != now) continue;
            const Color color =
                now ? colors.accent
                    : with_alpha(mix(scale.color(chain.type, join.gave), colors.strong, 0.15), join.now ? 0.9 : 0.4);
            arc(brush, line.from, line.to, {color, pane.px(now ? 2.6f : 1.5f), 20, 1});
            arrow_head(brush, line.to, pane.px(now ? 4.5f : 3.5f), color);
        }
    }
    const auto whole = [&](const Rect& box) {
        return box.x0 >= rest.x0 - pane.px(2) && box.x1 <= rest.x1 + pane.px(2);
    };
    for (const JoinScene::Giver& giver_box : scene.givers) {
        const Join& join = chain.joins[giver_box.join];
        const Rect& box = giver_box.box;
        if (box.x1 < rest.x0 || box.x0 > rest.x1) continue;
        const bool hovered = pane.hovers(box);
        fill(brush, box, mix(colors.panel, colors.raised, hovered ? 1.0 : 0.6), pane.px(4));
        outline(brush, box, lit(join) ? colors.accent : colors.line, pane.px(4), pane.px(lit(join) ? 1.8f : 1));
        if (!whole(box)) continue;   // what is half out of sight has no text to be cut
        Rect line = box.inset(pane.px(5), pane.px(2));
        const Rect top = line.cut_top(pane.px(15));
        const std::string name = giver(chain, join), place = "#" + std::to_string(giver_box.join + 1);
        text_in(brush, Face::caption, top, join.now ? colors.text : colors.quiet,
                fit_text(pane.look(), Face::caption, name, top.width()), Align::left);
        const float both =
            text_width(pane.look(), Face::caption, name) + text_width(pane.look(), Face::tiny, place) + pane.px(4);
        if (ordered && both <= top.width()) text_in(brush, Face::tiny, top, colors.quiet, place, Align::right);
        const int chars = static_cast<int>(line.width() / (*pane.look().fonts)[Face::small].digit) - 1;
        text_in(brush, Face::small, line, join.now ? colors.strong : colors.quiet,
                given(chain, join, std::max(3, chars)), Align::left);
        if (hovered) {
            hint_card(pane.look(),
                      warp_name(run_view.steps(), join.warp) + " · lane " + std::to_string(join.lane) + " · before " +
                          format_element(chain.type, join.found) + ", " + scene::chain_verb(chain) + " " +
                          format_element(chain.type, join.gave) +
                          (join.has_left ? ", after " + format_element(chain.type, join.left) : std::string()));
            if (join.warp == selection.warp) selection.next.lane = join.lane;
            if (pane.button(box)) selection.warp = join.warp;
        }
    }
    for (std::size_t i = 0; i < scene.held.size(); ++i) {
        const JoinScene::Held& each = scene.held[i];
        const Rect& box = each.box;
        if (box.x1 < rest.x0 || box.x0 > rest.x1) continue;
        if (each.gap && !whole(box.inset(-pane.px(8), 0))) continue;
        if (each.gap) {
            for (float dot = box.x0 + pane.px(4); dot < box.x1 - pane.px(6); dot += pane.px(6)) {
                fill(brush, {dot, box.center().y - pane.px(1), dot + pane.px(3), box.center().y + pane.px(1)},
                     colors.quiet);
            }
            text_in(brush, Face::caption,
                    {box.x0 - pane.px(8), box.y1 + pane.px(1), box.x1 + pane.px(8), box.y1 + pane.px(15)}, colors.quiet,
                    "not recorded");
            continue;
        }
        const bool own = each.join != kNoStep && lit(chain.joins[each.join]);
        const Color ground = scale.color(chain.type, each.bits);
        fill(brush, box, mix(colors.panel, ground, 0.2));
        outline(brush, box, own ? colors.accent : mix(ground, colors.strong, 0.15), 0, pane.px(own ? 2 : 1));
        if (!whole(box)) continue;
        const FittedNumber number =
            fit_number(pane.look(), chain.type, each.bits, box.width() - pane.px(6), Face::small);
        text_in(brush, number.face, box, colors.text, number.text);
        if (each.end)
            text_in(brush, Face::caption, {box.x0, box.y1 + pane.px(1), box.x1, box.y1 + pane.px(15)}, colors.strong,
                    "final");
        else if (i == 0 && ordered)
            text_in(brush, Face::caption, {box.x0, box.y1 + pane.px(1), box.x1, box.y1 + pane.px(15)}, colors.quiet,
                    "before");
        // One value after the other, unless a break says otherwise.
        if (ordered && i + 1 < scene.held.size() && !scene.held[i + 1].gap)
            hairline(brush, {box.x1, box.center().y}, {box.x1 + pane.px(4), box.center().y}, colors.quiet,
                     pane.px(1.5f));
        if (pane.hovers(box))
            hint_card(pane.look(), chain.word() + " held " + format_element(chain.type, each.bits) + " (0x" +
                                       format_bits(chain.type, each.bits) + ")");
    }
    brush.canvas->pop_clip();
    const std::string hidden = hidden_lines(scene);
    text_in(brush, Face::caption, {rest.x0, where.y1 - pane.px(14), where.x1, where.y1}, colors.quiet, hidden,
            Align::right);
}

}  // namespace lanewise::viz
