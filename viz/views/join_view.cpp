#include "viz/views/join_view.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "common/base/element.hpp"
#include "viz/views/stage_paint.hpp"

namespace lanewise::viz {
namespace {

// What the word held, one after the other; a break where something that was not recorded came between.
struct Held {
    bool gap = false;
    std::uint64_t bits = 0;
    std::size_t join = steps::kNoStep;   // that left it (found it, where no order can be told)
    bool end = false;                    // after the run
    float width = 0;
    float x = 0;
};

std::vector<Held> held_by(const Chain& chain) {
    std::vector<Held> all;
    const bool told = chain.untold.empty();
    for (std::size_t i = 0; i < chain.joins.size(); ++i) {
        const Join& join = chain.joins[i];
        if (!told) {
            all.push_back({false, join.found, i, false});
            continue;
        }
        if (i > 0 && !join.follows) all.push_back({.gap = true});
        if (!join.follows) all.push_back({false, join.found, steps::kNoStep, false});
        all.push_back({false, join.left, i, false});
    }
    if (chain.has_end && chain.end_follows) all.back().end = true;
    else if (chain.has_end) {
        all.push_back({.gap = true});
        all.push_back({false, chain.end, steps::kNoStep, true});
    }
    return all;
}

std::string given(const Chain& chain, const Join& join, int chars) {
    const std::string value = format_element(chain.type, join.gave, chars);
    if (chain.op == trace::Op::atomic_add) return value.starts_with('-') ? value : "+" + value;
    if (chain.op == trace::Op::atomic_sub) return "-" + value;
    return std::string(trace::op_name(chain.op)).substr(7) + " " + value;   // after "atomic_"
}

std::string giver(const Chain& chain, const Join& join) {
    if (chain.unit == Chain::Unit::block) return "block " + std::to_string(join.warp.block);
    const std::string warp = (chain.unit == Chain::Unit::warp ? "warp " : "w") + std::to_string(join.warp.warp);
    const std::string name = chain.global ? "b" + std::to_string(join.warp.block) + " " + warp : warp;
    return chain.unit == Chain::Unit::warp ? name : name + " lane " + std::to_string(join.lane);
}

// How far a row of `total` is moved so that `focus` is in sight.
float shift_for(float total, float room, float focus) { return total <= room ? 0 : std::clamp(focus - room / 2, 0.0f, total - room); }

}  // namespace

float JoinView::height(const Look& look, const Exhibit& exhibit, const Playhead& playhead, const Selection& selection) {
    if (run_ != exhibit.run || step_ != playhead.step || !(warp_ == selection.warp)) {
        run_ = exhibit.run;
        step_ = playhead.step;
        warp_ = selection.warp;
        chains_ = chains_at(exhibit.steps(), step_, warp_);
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

void JoinView::draw(const Pane& pane, const Rect& where, const Exhibit& exhibit, Selection& selection) const {
    const Chain* found = shown(selection);
    if (!found) return;
    const Chain& chain = *found;
    const bool told = chain.untold.empty();
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    Rect rest = where;
    std::string words = chain_sentence(chain);
    if (chains_.size() > 1) words += " " + std::to_string(chains_.size() - 1) + " more words change in this step.";
    const Rect title = rest.cut_top(pane.px(22));
    const std::string fitted = fit_text(pane.look(), Face::caption, words, title.width());
    text_in(brush, Face::caption, title, told ? colors.quiet : colors.warning, fitted, Align::left);
    if (fitted != words && pane.hovers(title)) hint_card(pane.look(), words);
    rest.cut_left(std::clamp(text_width(pane.look(), Face::small, chain.word()) + pane.px(10), pane.px(62), pane.px(140)));

    // Those that gave, in the order of blocks, warps and lanes.
    std::vector<std::size_t> givers(chain.joins.size());
    std::iota(givers.begin(), givers.end(), std::size_t{0});
    std::sort(givers.begin(), givers.end(), [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t i) {
            const Join& join = chain.joins[i];
            return std::tuple(join.warp.block, join.warp.warp, join.record, join.lane);
        };
        return key(a) < key(b);
    });
    const bool by_lane = chain.unit == Chain::Unit::lane;
    const auto lit = [&](const Join& join) {
        // Where lanes join one by one, the lane that is pointed at; else the warp that is drawn large.
        return join.warp == selection.warp && join.now && (!by_lane || join.lane == selection.lane());
    };
    const auto count = static_cast<float>(givers.size());
    const float cell = std::clamp(rest.width() / std::max(count, 1.0f), pane.px(by_lane ? 92 : 72), pane.px(112));
    std::size_t focus = 0;
    for (std::size_t g = 0; g < givers.size(); ++g) {
        const Join& join = chain.joins[givers[g]];
        if (lit(join) || (by_lane && selection.lane() < 0 && join.now && join.warp == selection.warp)) {
            focus = g;
            break;
        }
    }
    const float givers_shift = shift_for(cell * count, rest.width(), cell * (static_cast<float>(focus) + 0.5f));

    std::vector<Held> held = held_by(chain);
    const auto gaps = static_cast<float>(std::count_if(held.begin(), held.end(), [](const Held& each) { return each.gap; }));
    const float boxes = static_cast<float>(held.size()) - gaps;
    const float gap_width = pane.px(58);
    // Where not all fit, a value stands about as far along as who left it.
    const bool crowded = cell * count > rest.width();
    const float box_width = crowded ? cell : std::clamp((rest.width() - gaps * gap_width) / std::max(boxes, 1.0f), pane.px(58), pane.px(112));
    float total = 0, held_focus = 0;
    std::vector<std::size_t> box_of(chain.joins.size(), held.size());   // where a join's value stands
    for (std::size_t i = 0; i < held.size(); ++i) {
        Held& each = held[i];
        if (each.join != steps::kNoStep) box_of[each.join] = i;
        each.x = total;
        each.width = each.gap ? gap_width : box_width;
        total += each.width;
        if (each.join == givers[focus]) held_focus = each.x + each.width / 2;
    }
    const float held_shift = shift_for(total, rest.width(), held_focus);

    const float givers_y = rest.y0;
    const float held_y = rest.y0 + pane.px(76);
    const Rect head{where.x0, givers_y, rest.x0, givers_y + pane.px(34)};
    text_in(brush, Face::caption, head, colors.quiet, "gave", Align::left);
    text_in(brush, Face::small, {where.x0, held_y, rest.x0 - pane.px(4), held_y + pane.px(24)}, colors.strong,
            fit_text(pane.look(), Face::small, chain.word(), rest.x0 - pane.px(4) - where.x0), Align::left);
    if (!told) text_in(brush, Face::caption, {where.x0, held_y + pane.px(24), rest.x0, held_y + pane.px(40)}, colors.quiet, "as found", Align::left);

    brush.canvas->push_clip({rest.x0 - pane.px(2), rest.y0, rest.x1 + pane.px(2), rest.y1});
    const ValueScale& scale = exhibit.scale;
    // Lines first.
    for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t g = 0; g < givers.size(); ++g) {
            const Join& join = chain.joins[givers[g]];
            if (lit(join) != (pass == 1)) continue;
            if (box_of[givers[g]] == held.size()) continue;
            const Held& to = held[box_of[givers[g]]];
            const Point a{rest.x0 + cell * (static_cast<float>(g) + 0.5f) - givers_shift, givers_y + pane.px(36)};
            const Point b{rest.x0 + to.x + to.width / 2 - held_shift, held_y - pane.px(3)};
            if (std::max(a.x, b.x) < rest.x0 || std::min(a.x, b.x) > rest.x1) continue;
            const Color color = lit(join) ? colors.accent : with_alpha(mix(scale.color(chain.type, join.gave), colors.strong, 0.15), join.now ? 0.9 : 0.4);
            arc(brush, a, b, {color, pane.px(lit(join) ? 2.6f : 1.5f), 20, 1});
            arrow_head(brush, b, pane.px(lit(join) ? 4.5f : 3.5f), color);
        }
    }
    for (std::size_t g = 0; g < givers.size(); ++g) {
        const Join& join = chain.joins[givers[g]];
        const float x = rest.x0 + cell * static_cast<float>(g) - givers_shift;
        const Rect box{x + pane.px(2), givers_y, x + cell - pane.px(2), givers_y + pane.px(34)};
        if (box.x1 < rest.x0 || box.x0 > rest.x1) continue;
        const bool hovered = pane.hovers(box);
        fill(brush, box, mix(colors.panel, colors.raised, hovered ? 1.0 : 0.6), pane.px(4));
        outline(brush, box, lit(join) ? colors.accent : colors.line, pane.px(4), pane.px(lit(join) ? 1.8f : 1));
        Rect line = box.inset(pane.px(5), pane.px(2));
        const Rect top = line.cut_top(pane.px(15));
        const std::string name = giver(chain, join), place = "#" + std::to_string(givers[g] + 1);
        text_in(brush, Face::caption, top, join.now ? colors.text : colors.quiet, fit_text(pane.look(), Face::caption, name, top.width()), Align::left);
        const float both = text_width(pane.look(), Face::caption, name) + text_width(pane.look(), Face::tiny, place) + pane.px(4);
        if (told && both <= top.width()) text_in(brush, Face::tiny, top, colors.quiet, place, Align::right);
        const int chars = static_cast<int>(line.width() / (*pane.look().fonts)[Face::small].digit) - 1;
        text_in(brush, Face::small, line, join.now ? colors.strong : colors.quiet, given(chain, join, std::max(3, chars)), Align::left);
        if (hovered) {
            hint_card(pane.look(), warp_name(exhibit.steps(), join.warp) + " · lane " + std::to_string(join.lane) + " · found " +
                                       format_element(chain.type, join.found) + ", gave " + format_element(chain.type, join.gave) +
                                       (join.has_left ? ", left " + format_element(chain.type, join.left) : std::string()));
            if (join.warp == selection.warp) selection.next.lane = join.lane;
            if (pane.button(box)) selection.warp = join.warp;
        }
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
        const Held& each = held[i];
        const float x = rest.x0 + each.x - held_shift;
        const Rect box{x + pane.px(2), held_y, x + each.width - pane.px(2), held_y + pane.px(24)};
        if (box.x1 < rest.x0 || box.x0 > rest.x1) continue;
        if (each.gap) {
            for (float dot = box.x0 + pane.px(4); dot < box.x1 - pane.px(6); dot += pane.px(6)) {
                fill(brush, {dot, box.center().y - pane.px(1), dot + pane.px(3), box.center().y + pane.px(1)}, colors.quiet);
            }
            text_in(brush, Face::caption, {box.x0 - pane.px(8), box.y1 + pane.px(1), box.x1 + pane.px(8), box.y1 + pane.px(15)}, colors.quiet, "not recorded");
            continue;
        }
        const bool own = each.join != steps::kNoStep && lit(chain.joins[each.join]);
        const Color ground = scale.color(chain.type, each.bits);
        const int chars = std::max(3, static_cast<int>((box.width() - pane.px(6)) / (*pane.look().fonts)[Face::small].digit));
        fill(brush, box, mix(colors.panel, ground, 0.2));
        outline(brush, box, own ? colors.accent : mix(ground, colors.strong, 0.15), 0, pane.px(own ? 2 : 1));
        text_in(brush, Face::small, box, colors.text, format_element(chain.type, each.bits, chars));
        if (each.end) text_in(brush, Face::caption, {box.x0, box.y1 + pane.px(1), box.x1, box.y1 + pane.px(15)}, colors.strong, "in the end");
        else if (i == 0 && told) text_in(brush, Face::caption, {box.x0, box.y1 + pane.px(1), box.x1, box.y1 + pane.px(15)}, colors.quiet, "found");
        // One value after the other, unless a break says otherwise.
        if (told && i + 1 < held.size() && !held[i + 1].gap) hairline(brush, {box.x1, box.center().y}, {box.x1 + pane.px(4), box.center().y}, colors.quiet, pane.px(1.5f));
        if (pane.hovers(box)) hint_card(pane.look(), chain.word() + " held " + format_element(chain.type, each.bits) + " (0x" + format_bits(chain.type, each.bits) + ")");
    }
    brush.canvas->pop_clip();
}

}  // namespace lanewise::viz
