#include "viz/views/tree_view.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace lanewise::viz {
namespace {

using steps::AdditionNode;
using steps::Sum;
using Kind = AdditionNode::Kind;

constexpr float kLane = 17;   // of the lanes to choose from

std::string counted(std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

Color warp_color(const Theme& theme, std::uint32_t warp) {
    // Okabe and Ito's, without black; darker on a light ground, so that they keep their contrast.
    static constexpr std::array<std::uint32_t, 8> kDark = {0x56b4e9, 0xe69f00, 0x2cc295, 0xcc79a7,
                                                           0xf0e442, 0xe8743b, 0x7f9cf5, 0xb0b0b0};
    static constexpr std::array<std::uint32_t, 8> kLight = {0x0072b2, 0xb06f00, 0x007a5a, 0xa84f82,
                                                            0x8a7f00, 0xc04a00, 0x4054c8, 0x666666};
    return rgb((theme.dark ? kDark : kLight)[warp % 8]);
}

void TreeView::look_at(const Exhibit& exhibit, const Selection& selection) {
    const int lane = preview_ >= 0 ? preview_ : selection.pinned_lane;
    if (run_ != exhibit.run) {
        run_ = exhibit.run;
        exact_ = nullptr;
        stale_ = true;
    }
    if (stale_ || lane != lane_ || !(warp_ == selection.warp)) {
        if (lane != lane_ || !(warp_ == selection.warp) || !exact_) roots_.clear();
        lane_ = lane;
        warp_ = selection.warp;
        stale_ = true;
    }
    if (!exact_) exact_ = exhibit.exact(patient);
    grow();
}

// The tree that is meant, as soon as it is there.
void TreeView::grow() {
    if (stale_) {
        grown_ = nullptr;
        words_box_ = -2;
        scene_ = {};
        laid_ = nullptr;
        told_ = -1;
        // One after the other; a frame does not wait until an older tree, which has no use any more, has stopped.
        if (!exact_ || !(growing_.give_up() || patient)) return;
        growing_.begin([run = run_, exact = exact_, warp = warp_, lane = lane_, roots = roots_](const auto& stop) {
            return grown(run->steps, exact->lens, warp, lane, roots, stop);
        });
        stale_ = false;
    }
    if (!grown_) grown_ = growing_.get(patient);
}

TreeView::Grown TreeView::grown(const steps::Steps& steps, const steps::RoundingLens& lens, const steps::WarpRef& warp,
                                int lane, std::vector<std::int32_t> roots, const std::stop_token& stop) {
    Grown all;
    const std::int32_t whole = lane >= 0 ? steps::sum_of_lane(steps, lens, warp, lane)
                                         : steps::sum_of_run(steps, lens, warp, stop);
    if (whole == Sum::kNone) return all;
    roots.insert(roots.begin(), whole);
    all.roots = std::move(roots);
    all.stored = lane < 0 && steps::stored_sum(steps, lens, warp, stop) != Sum::kNone;
    all.tree = steps::build_addition_tree(steps, lens, all.roots.back(), stop);
    if (all.roots.size() == 1) all.others = steps::others_beside(steps, lens, all.tree);
    if (all.tree.empty()) return all;
    check_stop(stop);
    for (const std::int32_t each : all.tree.additions())
        all.made.push_back(lens.sums[static_cast<std::size_t>(each)].step);
    check_stop(stop);
    std::sort(all.made.begin(), all.made.end());
    const std::size_t at_steps = std::set<std::size_t>(all.made.begin(), all.made.end()).size();
    const Sum& root = lens.sums[static_cast<std::size_t>(all.tree[0].sum)];
    all.summary = fmt::format("{} = the sum of {}, by {} in {}", format_element(root.type, root.bits),
                              steps::inputs_in_words(lens, all.tree), counted(all.made.size(), "addition"),
                              counted(at_steps, "step"));
    return all;
}

Intent TreeView::draw(const Pane& pane, const Exhibit& exhibit, const Playhead& playhead, Selection& selection) {
    look_at(exhibit, selection);
    const Theme& theme = pane.colors();
    Rect rest = pane.box.inset(pane.px(16), pane.px(compact ? 4 : 8));
    Intent intent;
    back_ = switch_ = {};
    if (!grown_) {
        text_in(pane.brush, Face::title, rest, theme.quiet, being_worked_out(exhibit.steps()));
        return intent;
    }
    if (!compact || zoomed()) draw_heading(pane, rest.cut_top(pane.px(compact ? 24 : 56)), exhibit, selection);
    if (tree().empty()) {
        const std::string why = steps::why_no_tree(lens());
        words_ = !why.empty() ? why
                 : lane_ >= 0 ? fmt::format("Lane {} of this warp adds nothing, as far as the records tell.", lane_)
                              : "No sum is left at the end.";
        const float width = std::min(rest.width(), pane.px(460));
        paragraph(pane.brush, Face::body, {rest.center().x - width / 2, rest.center().y - pane.px(30)}, width,
                  theme.text, words_, 1.5f);
        scene_ = {};
        return intent;
    }
    const Rect foot = rest.cut_bottom(pane.px(compact ? 22 : 62));
    rest.cut_top(pane.px(4));
    rest.cut_bottom(pane.px(compact ? 4 : 10));
    lay_out(pane, rest);
    if (scene_.empty() && laying_.busy()) {
        text_in(pane.brush, Face::title, rest, theme.quiet, being_worked_out(exhibit.steps()));
        return intent;
    }
    const std::size_t step = playhead.step;
    told_ = pane.hovers(rest) ? scene_.box_at(pane.pointer()) : -1;
    std::vector<bool> lit(scene_.boxes.size(), false);
    if (told_ >= 0)
        for (const int box : scene_.above(told_)) lit[static_cast<std::size_t>(box)] = true;

    if (const Intent asked = draw_rows(pane, step)) intent = asked;
    draw_lines(pane, step, lit);
    for (std::size_t b = 0; b < scene_.boxes.size(); ++b) draw_box(pane, exhibit, step, b, lit[b]);
    if (told_ >= 0) {
        const TreeBox& box = scene_.boxes[static_cast<std::size_t>(told_)];
        const Sum& sum = sum_of(box.node);
        selection.next.step = sum.step;
        if (sum.kind != Sum::Kind::input && sum.warp == selection.warp) selection.next.lane = sum.lane;
        if (pane.button(box.box)) {
            if (box.folded && box.parent >= 0) {
                roots_.push_back(tree()[box.node].sum);
                stale_ = true;
                return intent;
            }
            intent = {Intent::Kind::go_to, sum.step};
        }
    }
    hairline(pane.brush, {foot.x0, foot.y0}, {foot.x1, foot.y0}, theme.line);
    tell(pane, foot, exhibit, step);
    return intent;
}

// Of a million inputs that takes 100 ms; until then the tree stands as it was laid out last.
void TreeView::lay_out(const Pane& pane, const Rect& where) {
    const auto same = [](const Rect& a, const Rect& b) {
        return a.x0 == b.x0 && a.y0 == b.y0 && a.x1 == b.x1 && a.y1 == b.y1;
    };
    if (laid_ != grown_ || !same(area_, where)) {
        laid_ = nullptr;   // what is under way is that of another place
        if (!(laying_.give_up() || patient)) return;
        laid_ = grown_;
        area_ = where;
        TreeMetrics metrics;
        metrics.area = where;
        metrics.scale = pane.look().scale;
        metrics.compact = compact;
        metrics.gutter = compact ? 76 : 86;
        metrics.near = warp_;
        taken_ = false;
        laying_.begin([run = run_, exact = exact_, grown = grown_, metrics](const std::stop_token& stop) {
            return build_tree_scene(run->steps, exact->lens, grown->tree, metrics, stop);
        });
    }
    if (taken_) return;
    if (const auto scene = laying_.get(patient)) {
        scene_ = *scene;
        taken_ = true;
    }
}

void TreeView::draw_heading(const Pane& pane, Rect where, const Exhibit& exhibit, Selection& selection) {
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    Rect line = where.cut_top(pane.px(compact ? 24 : 28));

    // What the colours tell: one of two.
    const auto choice = [&](const char* name, bool chosen) {
        const float width = text_width(look, Face::caption, name) + pane.px(14);
        const Rect box = Rect{line.x1 - width, line.center().y - pane.px(10), line.x1, line.center().y + pane.px(10)};
        if (chosen) fill(pane.brush, box, theme.raised, pane.px(5));
        text_in(pane.brush, Face::caption, box, chosen ? theme.strong : theme.quiet, name);
        line.x1 = box.x0;
        return box;
    };
    const Rect by_warp = choice("warp", colors == Colors::warp), by_value = choice("value", colors == Colors::value);
    switch_ = {by_value.x0, by_value.y0, by_warp.x1, by_warp.y1};
    text_in(pane.brush, Face::caption, line, theme.quiet, "colour by ", Align::right);
    line.x1 -= text_width(look, Face::caption, "colour by ") + pane.px(14);
    if (pane.button(switch_)) colors = colors == Colors::value ? Colors::warp : Colors::value;
    if (zoomed()) {
        const std::string words = "back to the whole";
        const float width = text_width(look, Face::caption, words) + pane.px(34);
        back_ = {line.x1 - width, line.center().y - pane.px(11), line.x1, line.center().y + pane.px(11)};
        line.x1 = back_.x0 - pane.px(12);
        fill(pane.brush, back_, pane.hovers(back_) ? theme.raised : mix(theme.ground, theme.raised, 0.6), pane.px(5));
        const Point tip{back_.x0 + pane.px(10), back_.center().y};
        triangle(pane.brush, tip, {tip.x + pane.px(6), tip.y - pane.px(4)}, {tip.x + pane.px(6), tip.y + pane.px(4)},
                 theme.accent);
        text_in(pane.brush, Face::caption, {back_.x0 + pane.px(22), back_.y0, back_.x1, back_.y1}, theme.text, words,
                Align::left);
        if (pane.button(back_)) {
            roots_.clear();
            stale_ = true;
        }
    }
    std::string title = "Who added whom";
    if (!compact) {
        text_in(pane.brush, Face::title, line, theme.strong, title, Align::left);
        line.cut_left(text_width(look, Face::title, title) + pane.px(14));
    }
    if (!tree().empty()) {
        const Sum& root = sum_of(0);
        const std::string whose = (zoomed()         ? "one part: "
                                   : lane_ >= 0     ? ""
                                   : grown_->stored ? "the total: "
                                                    : "the largest sum that is known: ") +
                                  steps::place_of_sum(exhibit.steps(), root);
        text_in(pane.brush, Face::body, line, theme.quiet, fit_text(look, Face::body, whose, line.width()),
                Align::left);
    }
    if (!compact) draw_lanes(pane, where, exhibit, selection);
}

// Whose sum: the run's own, or a lane's of this warp.
void TreeView::draw_lanes(const Pane& pane, const Rect& where, const Exhibit& exhibit, Selection& selection) {
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    preview_ = -1;
    const int lanes = lanes_of(exhibit.steps(), selection.warp);
    Rect rest = where;
    const std::string name = warp_name(exhibit.steps(), selection.warp);
    const float total = text_width(look, Face::caption, "the run's total") + pane.px(16);
    const float words = text_width(look, Face::caption, name) + pane.px(12);
    const float cell =
        std::min((rest.width() - total - words - pane.px(16)) / static_cast<float>(lanes), pane.px(kLane + 3));
    if (cell < pane.px(9)) return;
    const auto box_of = [&](float width) {
        const Rect box{rest.x0, rest.center().y - pane.px(9), rest.x0 + width, rest.center().y + pane.px(9)};
        rest.x0 += width;
        return box;
    };
    const auto choose = [&](const Rect& box, std::string_view text, int lane, Face face) {
        const bool chosen = lane == lane_;
        const bool pinned = lane >= 0 && selection.pinned_lane == lane;
        if (pane.hovers(box) || chosen)
            fill(pane.brush, box.inset(pane.px(0.5f), 0), chosen ? theme.raised : mix(theme.ground, theme.raised, 0.6),
                 pane.px(3));
        if (pinned)
            fill(pane.brush, {box.x0 + pane.px(2), box.y1 - pane.px(2), box.x1 - pane.px(2), box.y1}, theme.accent);
        text_in(pane.brush, face, box, chosen ? theme.strong : theme.quiet, text);
        if (pane.hovers(box) && lane >= 0) {
            preview_ = lane;
            selection.next.lane = lane;
        }
        if (pane.button(box)) selection.pinned_lane = pinned ? -1 : lane;
    };
    choose(box_of(total), "the run's total", -1, Face::caption);
    rest.x0 += pane.px(10);
    text_in(pane.brush, Face::caption, box_of(words), theme.quiet, name, Align::left);
    const Face face = cell >= pane.px(18) ? Face::caption : Face::tiny;
    for (int lane = 0; lane < lanes; ++lane) choose(box_of(cell), std::to_string(lane), lane, face);
}

// The steps, from top to bottom; a click goes there.
Intent TreeView::draw_rows(const Pane& pane, std::size_t step) const {
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    Intent intent;
    const float x1 = area_.x0 + pane.px(compact ? 72 : 80);
    const bool folds = scene_.fold != TreeScene::Fold::none;
    for (std::size_t r = 0; r < scene_.rows.size(); ++r) {
        const TreeRow& row = scene_.rows[r];
        const Rect whole{area_.x0, row.y0 - pane.px(4), area_.x1, row.y1 + pane.px(4)};
        const bool now = row.step == step && r > 0;
        if (now)
            fill(pane.brush, {whole.x0 - pane.px(8), whole.y0, whole.x1 + pane.px(8), whole.y1}, theme.accent_ground,
                 pane.px(5));
        Rect label{area_.x0, row.y0, x1, row.y1};
        if (r == 0) {
            label.y0 = label.y1 - pane.px(22);
            text_in(pane.brush, Face::caption, label, theme.quiet, folds ? "folded" : "inputs", Align::left);
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
            const TreeBox& box = scene_.boxes[b];
            const TreeBox& to = scene_.boxes[static_cast<std::size_t>(box.parent)];
            const std::size_t made = sum_of(to.node).step;
            const bool now = made == step, later = made > step;
            const bool above = now || lit[b];
            if (above != (pass == 1)) continue;
            const bool wide = tree()[to.node].parts.size() > 2;
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

Color TreeView::color_of(const Theme& theme, const Exhibit& exhibit, int node) const {
    const Sum& sum = sum_of(node);
    if (colors == Colors::value) return exhibit.scale.color(sum.type, sum.bits);
    // An input has the colour of the warp that adds it first.
    int at = node;
    while (sum_of(at).kind == Sum::Kind::input && tree()[at].parent >= 0) at = tree()[at].parent;
    return warp_color(theme, sum_of(at).warp.warp);
}

void TreeView::draw_box(const Pane& pane, const Exhibit& exhibit, std::size_t step, std::size_t which, bool lit) const {
    const TreeBox& box = scene_.boxes[which];
    if (box.folded) return draw_fold(pane, exhibit, step, box, lit);
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    const Sum& sum = sum_of(box.node);
    const AdditionNode& node = tree()[box.node];
    const bool leaf = node.parts.empty();
    const bool now = sum.step == step, later = sum.step > step;
    const Color color = color_of(theme, exhibit, box.node);
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
    const bool wide = node.parts.size() > 2;
    const float room = cell.width() - pane.px(4);
    std::string words = format_element(sum.type, sum.bits);
    if (wide) {
        const std::string told = words + (node.kind == Kind::reduce ? ", all at once" : ", one after the other");
        if (text_width(look, Face::small, told) <= room) words = told;
    }
    if (node.kind == Kind::again) words = "again " + words;
    Face face = Face::small;
    if (text_width(look, face, words) > room) {
        face = Face::tiny;
        if (text_width(look, face, words) > room)
            words = format_element(sum.type, sum.bits, std::max(1, static_cast<int>(room / (*look.fonts)[face].digit)));
        if (text_width(look, face, words) > room + pane.px(2)) return;
    }
    text_in(pane.brush, face, cell, text_on(color), words);
    // Which lane: beside a sum that stands freely.
    if (leaf || wide || compact) return;
    const std::string lane = "lane " + std::to_string(sum.lane);
    const Rect beside{cell.x1 + pane.px(5), cell.y0, box.span.x1 - pane.px(2), cell.y1};
    if (text_width(look, Face::tiny, lane) <= beside.width())
        text_in(pane.brush, Face::tiny, beside, now ? theme.text : theme.quiet, lane, Align::left);
}

void TreeView::draw_fold(const Pane& pane, const Exhibit& exhibit, std::size_t step, const TreeBox& box,
                         bool lit) const {
    const Theme& theme = pane.colors();
    const Look& look = pane.look();
    const Sum& sum = sum_of(box.node);
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
                     box.small.y0 + pane.px(box.twigs.empty() ? 10.0f : 5.0f)};
    const std::size_t most = static_cast<std::size_t>(std::max(strip.width() / pane.px(1.5f), 1.0f));
    const std::size_t shown = std::min(box.inputs.size(), most);
    for (std::size_t i = 0; i < shown; ++i) {
        const Sum& input = lens().sums[static_cast<std::size_t>(box.inputs[i * box.inputs.size() / shown])];
        const float x = strip.x0 + strip.width() * static_cast<float>(i) / static_cast<float>(shown),
                    width = strip.width() / static_cast<float>(shown);
        const Color color =
            colors == Colors::value ? exhibit.scale.color(input.type, input.bits) : warp_color(theme, sum.warp.warp);
        if (input.step <= step) fill(pane.brush, {x, strip.y0, x + width, strip.y1}, color);
        else fill(pane.brush, {x, strip.y0, x + width, strip.y0 + pane.px(1)}, theme.faint);
    }
    for (const TreeTwig& twig : box.twigs) {
        const Color color = twig.step == step  ? theme.accent
                            : twig.step > step ? theme.faint
                                               : mix(theme.ground, theme.text, 0.45);
        hairline(pane.brush, twig.from, twig.to, color, pane.px(twig.step == step ? 1.4f : 1));
    }
    if (box.twigs.empty()) {
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
    const Color color = color_of(theme, exhibit, box.node);
    fill(pane.brush, foot, color, pane.px(3));
    const int chars = std::max(1, static_cast<int>((foot.width() - pane.px(3)) / (*look.fonts)[Face::small].digit));
    text_in(pane.brush, Face::small, foot, text_on(color), format_element(sum.type, sum.bits, chars));
}

}  // namespace lanewise::viz
