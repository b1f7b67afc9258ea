#include "viz/views/compare/compare_view.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/run/front_end.hpp"
#include "viz/model/result_line.hpp"
#include "viz/views/stage/utilization_paint.hpp"

namespace lanewise::viz {
namespace {

static_assert(kMostSides == kMostBars);

// Narrower than this (at scale 1) the numbers of 32 lanes are no longer read with ease.
constexpr float kNarrow = 520;
// Lower than this a panel shows its warp alone.
constexpr float kLowSide = 470;
constexpr float kSideHead = 36, kSideRow = 24;
// The least height that a panel may have below another one.
constexpr float kLeast = 250;

using Kind = Intent::Kind;

// A small square with a cross or a plus, that lights up under the pointer.
bool sign_button(const Pane& pane, const Rect& box, bool plus, const char* hint) {
    const bool hovered = pane.hovers(box);
    if (hovered) fill(pane.brush, box, pane.colors().raised, pane.px(5));
    const Point c = box.center();
    const float r = pane.px(plus ? 5.0f : 4.0f);
    const Color ink = hovered ? pane.colors().strong : pane.colors().quiet;
    if (plus) {
        hairline(pane.brush, {c.x - r, c.y}, {c.x + r, c.y}, ink, pane.px(1.6f));
        hairline(pane.brush, {c.x, c.y - r}, {c.x, c.y + r}, ink, pane.px(1.6f));
    } else {
        hairline(pane.brush, {c.x - r, c.y - r}, {c.x + r, c.y + r}, ink, pane.px(1.6f));
        hairline(pane.brush, {c.x - r, c.y + r}, {c.x + r, c.y - r}, ink, pane.px(1.6f));
    }
    if (hovered) hint_card(pane.look(), hint);
    return pane.button(box);
}

std::vector<ComparedRun> runs_of(const std::vector<CompareSide>& shown) {
    std::vector<ComparedRun> runs;
    for (const CompareSide& side : shown) runs.push_back({side.name, side.run_view->run.get(), side.title});
    return runs;
}

bool is_wrong(const CompareSide& side) { return scene::is_wrong(*side.run_view->run); }

bool is_shown(const std::vector<CompareSide>& shown, const std::string& name) {
    return std::any_of(shown.begin(), shown.end(), [&](const CompareSide& side) { return side.name == name; });
}

}  // namespace

ComparePlaces place_panels(const Rect& body, std::size_t count, float scale) {
    ComparePlaces places;
    if (count == 0) return places;
    const bool wide = body.width() / static_cast<float>(count) >= kNarrow * scale;
    // Two are below each other where that leaves each a stage.
    const bool in_row = wide || (count <= 2 && body.height() < 2 * kLeast * scale);
    const std::size_t columns = in_row ? count : count <= 2 ? 1 : 2, rows = in_row ? 1 : 2;
    const float width = body.width() / static_cast<float>(columns), height = body.height() / static_cast<float>(rows);
    for (std::size_t i = 0; i < columns * rows; ++i) {
        const float x = body.x0 + width * static_cast<float>(i % columns),
                    y = body.y0 + height * static_cast<float>(i / columns);
        const Rect box{x, y, x + width, y + height};
        if (i < count) places.panels.push_back(box);
        else places.free = box;
    }
    places.compact = height < kLowSide * scale;
    return places;
}

Intent CompareView::draw(const Look& look, Rect body, const std::vector<CompareSide>& shown,
                         const std::vector<run::VariantInfo>& variants, const timing::TimingTable& times,
                         run::View view, const Playhead& playhead, Selection& selection) {
    working = false;
    Intent intent;
    const auto keep = [&](Intent asked) {
        if (asked) intent = asked;
    };
    const std::size_t count = std::min(shown.size(), kMostSides);
    chosen = std::min(chosen, count == 0 ? 0 : count - 1);
    const Rect bottom = body.cut_bottom(std::min(TimelineView::height(look), body.height() * 0.4f));
    const bool ready =
        std::all_of(shown.begin(), shown.end(), [](const CompareSide& side) { return side.run_view != nullptr; }) &&
        steps.sides() == count && playhead.count == steps.size();
    scene_ = ready ? build_compare_scene(runs_of(shown), steps, times, playhead.step, selection.warp) : CompareScene{};
    if (ready) sentence_of(shown, times);
    place_around(look, body, count);
    const ComparePlaces around = places_;
    const Rect sentence = around.sentence, source = around.sources;
    // In a low window the first side and the chosen one have a stage, or beside a text the chosen one alone.
    std::vector<std::size_t> visible;
    for (std::size_t side = 0; side < count; ++side) visible.push_back(side);
    if (around.low && (!source.empty() || !around.text.empty())) visible = {chosen};
    else if (around.low && count > 2) visible = {0, chosen == 0 ? 1 : chosen};
    places_ = place_panels(body, visible.size(), look.scale);
    if (visible.size() < count) {
        const std::vector<Rect> rooms = places_.panels;
        places_.panels.assign(count, Rect{});
        for (std::size_t i = 0; i < visible.size(); ++i) places_.panels[visible[i]] = rooms[i];
    }
    places_.sentence = sentence;
    places_.text = around.text;
    places_.sources = source;
    places_.low = around.low;
    places_.narrow = around.narrow;
    if (!sentence.empty()) {
        const Pane pane(look, "comparison", sentence, look.colors().panel);
        keep(draw_sentence(pane, sentence, ready));
    }
    if (!source.empty() && ready) keep(draw_sources(look, shown, selection));
    reference_ = count > 0 ? shown[scene_.reference].title : "";
    for (std::size_t side = 0; side < count; ++side) {
        Rect box = places_.panels[side];
        if (box.empty()) continue;
        const Pane pane(look, ("side " + std::to_string(side)).c_str(), box);
        keep(draw_head(pane, box.cut_top(look.px(kSideHead)), side, shown, ready));
        if (!shown[side].error.empty()) {
            sentence_card(pane, box, "This variant did not run", shown[side].error, look.colors().warning);
        } else if (!ready) {
            text_in(pane.brush, Face::title, box, look.colors().quiet,
                    shown[side].run_view ? "waits for the others…" : "running " + shown[side].title + "…");
        } else {
            const bool any_wrong = std::any_of(shown.begin(), shown.end(),
                                               [](const CompareSide& each) { return is_wrong(each); });
            if (any_wrong)
                draw_banner(pane, box.cut_top(look.px(places_.compact ? 30 : 38)), side, *shown[side].run_view);
            const Rect foot = box.cut_bottom(look.px(places_.low ? 26 : places_.compact ? 64 : 122));
            {
                const Pane inner(look, ("within " + std::to_string(side)).c_str(), box);
                keep(draw_panel(inner, side, shown, view, playhead, selection));
            }
            draw_foot(pane, foot, side, *shown[side].run_view, times);
        }
        const Rect& edge = places_.panels[side];
        if (edge.x0 > body.x0 + 1)
            fill(pane.brush, {edge.x0, edge.y0, edge.x0 + look.px(1), edge.y1}, look.colors().line);
        if (edge.y0 > body.y0 + 1)
            fill(pane.brush, {edge.x0, edge.y0, edge.x1, edge.y0 + look.px(1)}, look.colors().line);
    }
    keep(draw_timeline(look, bottom, shown, ready, playhead, selection));
    const auto last =
        std::find_if(places_.panels.rbegin(), places_.panels.rend(), [](const Rect& r) { return !r.empty(); });
    if (count > 0) keep(draw_list(look, places_.free, *last, shown, variants));
    return intent;
}

Intent CompareView::draw_head(const Pane& pane, const Rect& where, std::size_t side,
                              const std::vector<CompareSide>& shown, bool ready) const {
    Intent intent;
    const Theme& colors = pane.colors();
    const CompareSide& own = shown[side];
    Rect rest = where.inset(pane.px(16), 0);
    rest.x1 = where.x1 - pane.px(8);
    const auto button = [&] {
        return Rect{rest.x1 - pane.px(24), rest.center().y - pane.px(12), rest.x1, rest.center().y + pane.px(12)};
    };
    if (sign_button(pane, button(), false, "take it away (Shift C: the chosen one)"))
        intent = {Kind::uncompare, side + 1};
    rest.cut_right(pane.px(26));
    const bool last = side + 1 == shown.size();
    if (last && places_.free.empty() && shown.size() < kMostSides) {
        if (sign_button(pane, button(), true, "set another beside these (C: the next one)"))
            intent = {Kind::compare_list, 0};
        rest.cut_right(pane.px(28));
    }
    const float width = std::min(text_width(pane.look(), Face::title, own.title), rest.width() * 0.62f);
    const Rect title{rest.x0, where.y0, rest.x0 + width, where.y1};
    text_in(pane.brush, Face::title, title, colors.strong, fit_text(pane.look(), Face::title, own.title, width),
            Align::left);
    if (side == chosen)
        fill(pane.brush, {title.x0, title.y1 - pane.px(5), title.x1, title.y1 - pane.px(2.5f)}, colors.accent,
             pane.px(1));
    if (pane.hovers(title)) {
        hint_card(pane.look(), side == chosen
                                   ? own.name + " · Tab, 1 … 9 and the tabs change this one"
                                   : own.name + " · click, or X: let Tab, 1 … 9 and the tabs change this one");
        if (pane.button(title)) intent = {Kind::side, side + 1};
    }
    rest.cut_left(width + pane.px(14));
    if (!ready) return intent;
    const CompareScene::Side& here = scene_.sides[side];
    const Outline& outline = own.run_view->outline;
    std::string text = here.stands;
    if (here.step != kNoStep)
        text += fmt::format(" · step {} of {}", here.step + 1, own.run_view->outline.steps.size());
    if (here.own && outline.warps.size() > 1) text += " · " + warp_name(own.run_view->steps(), here.warp);
    text_in(pane.brush, Face::body, rest, colors.quiet, fit_text(pane.look(), Face::body, text, rest.width()),
            Align::left);
    rest.cut_left(text_width(pane.look(), Face::body, text) + pane.px(14));
    const bool any_wrong =
        std::any_of(shown.begin(), shown.end(), [](const CompareSide& each) { return is_wrong(each); });
    if (!outline.notice.empty())
        text_in(pane.brush, Face::caption, rest, colors.warning,
                fit_text(pane.look(), Face::caption, outline.notice, rest.width()), Align::right);
    else if (!any_wrong && text_width(pane.look(), Face::caption, outline.result) + pane.px(20) < rest.width())
        draw_result(pane.brush, rest, *own.run_view, Face::caption, Align::right);
    return intent;
}

Intent CompareView::draw_panel(const Pane& pane, std::size_t side, const std::vector<CompareSide>& shown,
                               run::View view, const Playhead& playhead, Selection& selection) {
    const CompareScene::Side& here = scene_.sides[side];
    const RunView& run_view = *shown[side].run_view;
    Side& own = sides[side];
    // Each side has its own steps and its own warps; what is pointed at is shared.
    Playhead at = playhead;
    at.step = here.step == kNoStep ? 0 : here.step;
    at.count = run_view.outline.steps.size();
    if (!here.own) at.since_step = 1e9f;
    Selection there = selection;
    there.warp = here.warp;
    Intent intent;
    if (view == run::View::rounding) {
        own.rounding.wait_for_results = wait_for_results;
        intent = own.rounding.draw(pane, run_view, at, there);
        working |= own.rounding.working();
    } else if (view == run::View::tree) {
        own.tree.compact = places_.compact;
        own.tree.wait_for_results = wait_for_results;
        intent = own.tree.draw(pane, run_view, at, there);
        working |= own.tree.working();
    } else if (view == run::View::boxes) {
        own.boxes.compact = places_.compact || pane.box.width() < pane.px(480);
        intent = own.boxes.draw(pane, run_view, at, there);
    } else {
        StageView& stage = own.stage;
        stage.headed = false;
        stage.compact = places_.compact;
        stage.differing = here.differing;
        stage.differing_from = shown[scene_.reference].title;
        stage.note = here.own ? "" : here.stands;
        intent = stage.draw(pane, run_view, at, there);
        // What it did last stays in sight, and stands back.
        if (!here.own) fill(pane.brush, pane.box, with_alpha(pane.colors().ground, 0.45));
    }
    if (!(there.warp == here.warp)) selection.warp = there.warp;
    selection.next = there.next;
    selection.pinned_lane = there.pinned_lane;
    if (intent.kind == Kind::go_to) intent.value = steps.place_of(side, intent.value);
    return intent;
}

// The variants that can still be added: in the free place, or over the last panel while it is open.
Intent CompareView::draw_list(const Look& look, const Rect& free, const Rect& under,
                              const std::vector<CompareSide>& shown, const std::vector<run::VariantInfo>& variants) {
    Intent intent;
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < variants.size(); ++i)
        if (!is_shown(shown, variants[i].name)) left.push_back(i);
    if (shown.size() >= kMostSides || left.empty()) listing = false;
    const bool over = free.empty();
    if (left.empty() || (over && !listing)) return intent;

    const float row = look.px(kSideRow), head = look.px(kSideHead);
    Rect box = free;
    if (over) {
        const float width = std::min(look.px(380), under.width() - look.px(24));
        const float height =
            std::min(head + row * static_cast<float>(left.size()) + look.px(10), under.height() - look.px(60));
        box = Rect{under.x1 - look.px(12) - width, under.y0 + look.px(kSideHead), under.x1 - look.px(12),
                   under.y0 + look.px(kSideHead) + height};
    }
    const Theme& colors = look.colors();
    const Pane pane(look, "compare list", box, over ? colors.panel : 0);
    if (over) outline(pane.brush, box.inset(look.px(0.5f)), colors.accent, 0, look.px(1));
    Rect rest = box.inset(look.px(16), look.px(2));
    Rect title = rest.cut_top(head - look.px(2));
    text_in(pane.brush, Face::strong, title, colors.text,
            shown.size() == 2 ? "Set a third beside these" : "Set a fourth beside these", Align::left);
    key_hint(pane.brush, {title.x1 - look.px(72), title.center().y - look.px(8.5f)}, "C", "the next");
    if (!over) {
        fill(pane.brush, {box.x0, box.y0, box.x0 + look.px(1), box.y1}, colors.line);
        fill(pane.brush, {box.x0, box.y0, box.x1, box.y0 + look.px(1)}, colors.line);
    }
    const float spare = std::max(0.0f, row * static_cast<float>(left.size()) - rest.height());
    list_scroll_ = std::clamp(list_scroll_ - pane.wheel() * row * 2, 0.0f, spare);
    pane.brush.canvas->push_clip(rest.inset(-look.px(8), 0));
    float y = rest.y0 - list_scroll_;
    for (const std::size_t i : left) {
        const run::VariantInfo& variant = variants[i];
        const Rect line{rest.x0, y, rest.x1, y + row};
        y += row;
        if (line.y1 < rest.y0 || line.y0 > rest.y1) continue;
        const bool hovered = pane.hovers(line) && rest.contains(pane.pointer());
        if (hovered) fill(pane.brush, line.inset(-look.px(8), 0), colors.raised, look.px(5));
        const std::string& name = variant.title.empty() ? variant.name : variant.title;
        const float width = text_width(look, Face::strong, name);
        text_in(pane.brush, Face::strong, line, hovered ? colors.strong : colors.text, name, Align::left);
        Rect after_name = line;
        after_name.cut_left(width + look.px(12));
        const std::string& summary = variant.declared_wrong ? "wrong on purpose: " + variant.summary : variant.summary;
        text_in(pane.brush, Face::caption, after_name, variant.declared_wrong ? colors.warning : colors.quiet,
                fit_text(look, Face::caption, summary, after_name.width()), Align::left);
        if (hovered && pane.button(line)) intent = {Kind::compare_with, i};
    }
    pane.brush.canvas->pop_clip();
    if (over && !intent && ImGui::IsMouseClicked(0) && !pane.hovers()) listing = false;
    return intent;
}

// Has any round another name on another side? All are then called by their number.
bool CompareView::rounds_differ(const std::vector<CompareSide>& shown) const {
    for (std::size_t place = 0; place < steps.size(); ++place) {
        const std::string* label = nullptr;
        for (std::size_t s = 0; s < shown.size() && steps.is_round(place); ++s) {
            if (!steps.has_own_step(s, place)) continue;
            const std::string& own = shown[s].run_view->outline.steps[steps.step_of(s, place)].label;
            if (label && *label != own) return true;
            label = &own;
        }
    }
    return false;
}

Intent CompareView::draw_timeline(const Look& look, const Rect& where, const std::vector<CompareSide>& shown,
                                  bool ready, const Playhead& playhead, const Selection& selection) {
    const Pane pane(look, "compare timeline", where, look.colors().panel);
    std::vector<TimelineEntry> entries;
    TimelineScale scale;
    scale.sides = shown.size();
    if (!ready) return timeline.draw_entries(pane, entries, scale, playhead);
    std::vector<scene::Utilization> works;
    for (std::size_t s = 0; s < shown.size(); ++s) {
        works.push_back(scene::utilization_of(shown[s].run_view->steps(),
                                              matching_warp(shown[s].run_view->steps(), selection.warp)));
        scale.threads[s] = works[s].threads;
    }
    const bool by_number = rounds_differ(shown);
    for (std::size_t place = 0; place < steps.size(); ++place) {
        TimelineEntry entry;
        std::vector<std::string> labels;
        for (std::size_t s = 0; s < shown.size(); ++s) {
            entry.has[s] = steps.has_own_step(s, place);
            if (!entry.has[s]) continue;
            const std::size_t step = steps.step_of(s, place);
            const StepHead& own = shown[s].run_view->outline.steps[step];
            // The first side's kind is shown where several have one; each name once.
            if (labels.empty()) entry.kind = own.kind;
            if (std::find(labels.begin(), labels.end(), own.label) == labels.end()) labels.push_back(own.label);
            entry.work[s] = works[s].steps[step];
            entry.warned |= step < shown[s].run_view->outline.findings_at.size() &&
                            !shown[s].run_view->outline.findings_at[step].empty();
        }
        // One name where all sides have it; else what they do, and their names under the pointer.
        entry.label = labels.size() > 1 || (by_number && steps.is_round(place)) ? steps.name(place) : labels.front();
        for (const std::string& label : labels) entry.names += (entry.names.empty() ? "" : " | ") + label;
        if (labels.size() > 1) entry.names = entry.label + ": " + entry.names;
        entries.push_back(std::move(entry));
    }
    return timeline.draw_entries(pane, entries, scale, playhead);
}

}  // namespace lanewise::viz
