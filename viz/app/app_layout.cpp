// What is drawn where.
#include <algorithm>

#include "viz/app/app.hpp"

namespace lanewise::viz {
namespace {

std::vector<KeyGroup> key_groups() {
    std::vector<KeyGroup> groups;
    for (const Group group : {Group::play, Group::variant, Group::look, Group::view, Group::panel, Group::file, Group::help})
        groups.push_back({std::string(lesson::group_title(group)), key_rows(group)});
    return groups;
}

}  // namespace

Intent App::draw(const Look& look, const Rect& window) {
    ImGui::SetNextWindowPos({window.x0, window.y0});
    ImGui::SetNextWindowSize({window.width(), window.height()});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, look.px(8));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, look.colors().ground);
    ImGui::PushStyleColor(ImGuiCol_ScrollbarBg, ImU32{0});
    ImGui::PushStyleColor(ImGuiCol_ScrollbarGrab, look.colors().raised);
    ImGui::Begin("Lanewise", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
    Rect body = window;
    Intent intent;
    const auto keep = [&](Intent asked) {
        if (asked) intent = asked;
    };
    header_.tab = tab_of(names_[0]);
    header_.second_tab = tab_of(names_[1]);
    header_.comparing = comparing_;
    {
        const Rect top = body.cut_top(HeaderBar::height(look, presentation_, window.width()));
        const Pane pane(look, "header", top, look.colors().panel);
        keep(header_.draw(pane, presentation_, origin()));
    }
    if (view_ == View::table) keep(draw_table(look, body));
    else keep(comparing_ ? draw_compare(look, body) : draw_single(look, body));
    if (keys_.open) {
        const Pane pane(look, "keys", window);
        keep(keys_.draw(pane, key_groups()));
    }
    ImGui::End();
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar(3);
    return intent;
}

Intent App::draw_single(const Look& look, Rect body) {
    Intent intent;
    const auto keep = [&](Intent asked) {
        if (asked) intent = asked;
    };
    Panels shown = panels_;
    if (focus_) shown.show_text = shown.show_side = false;
    const Contents contents{.text = !presentation_.text.empty(), .timeline_height = TimelineView::height(look)};
    const Places places = arrange(body, shown, contents, look.scale);
    shared_place_ = places.text_in_side;
    if (!places.text.empty()) {
        const Pane pane(look, "text", places.text, look.colors().panel, Pane::Scroll::vertical);
        keep(text_.draw(pane, tab_names_));
    }
    if (!places.side.empty()) keep(draw_side(look, places.side, places.text_in_side));
    if (!shown_[0] || !errors_[0].empty()) {
        draw_waiting(look, places.stage, names_[0], errors_[0]);
    } else {
        const Pane pane(look, "stage", places.stage, look.colors().ground);
        if (view_ == View::rounding) keep(rounding_[0].draw(pane, *shown_[0], playhead_, selection_));
        else stage_.draw(pane, *shown_[0], playhead_, selection_);
    }
    if (!places.timeline.empty()) {
        const Pane pane(look, "timeline", places.timeline, look.colors().panel);
        keep(shown_[0] ? timeline_.draw(pane, *shown_[0], playhead_, selection_) : timeline_.draw_entries(pane, {}, {}, playhead_));
    }
    draw_edges(look, body, places);
    return intent;
}

// Hairlines between the panels, and what drags them.
void App::draw_edges(const Look& look, const Rect& body, const Places& places) {
    const auto edge = [&](Edge which, const Rect& line) {
        again_ |= splitters_.draw(look, which, line, body, places, panels_);
    };
    if (!places.text.empty()) edge(Edge::text, {places.text.x1, places.text.y0, places.text.x1, places.text.y1});
    if (!places.side.empty()) {
        const float split = places.side.y0 + source_height(panels_, side_upper_, look.scale);
        edge(Edge::side, {places.side.x0, places.side.y0, places.side.x0, places.side.y1});
        edge(Edge::source, {places.side.x0 + look.px(6), split, places.side.x1, split});
    }
    if (!places.timeline.empty()) edge(Edge::timeline, {body.x0, places.timeline.y0, body.x1, places.timeline.y0});
}

Intent App::draw_side(const Look& look, Rect column, bool with_text) {
    Intent intent;
    const auto keep = [&](Intent asked) {
        if (asked) intent = asked;
    };
    const Theme& colors = look.colors();
    const Pane ground(look, "right", column, colors.panel);
    hairline(ground.brush, {column.x0, column.y0}, {column.x0, column.y1}, colors.line);
    column.x0 += 1;

    const std::string own = shown_[0] ? shown_[0]->trace().header.variant : names_[0];
    timing_.few = column.height() > look.px(760) ? 5 : column.height() > look.px(640) ? 3 : 2;
    const float times = timing_.height(look, presentation_.timings, own);
    if (times > 0) {
        const Rect box = column.cut_bottom(std::min(times, column.height() * (timing_.all ? 0.7f : 0.26f)));
        const Pane pane(look, "times", box);
        timing_.draw(pane, presentation_.timings, own);
    }
    reruns_.most = static_cast<std::size_t>(std::clamp((column.height() * 0.32f / look.scale - 70) / 18, 2.0f, 9.0f));
    const float orders = shown_[0] ? reruns_.height(look, shown_[0]->trace()) : 0;
    if (orders > 0) {
        const Pane pane(look, "orders", column.cut_bottom(orders));
        reruns_.draw(pane, shown_[0]->trace());
    }
    side_upper_ = column.height();
    const Rect top = column.cut_top(source_height(panels_, side_upper_, look.scale));
    Rect body = top;
    const Rect head = body.cut_top(look.px(34));
    if (with_text) {
        // Narrow: lesson and source share the place, chosen here.
        Rect tabs = head.inset(look.px(10), look.px(4));
        const Pane pane(look, "panel tabs", head);
        for (const bool text : {true, false}) {
            const char* name = text ? "Lesson" : "Source";
            const Rect tab = tabs.cut_left(text_width(look, Face::strong, name) + look.px(20));
            const bool shown = text == text_tab_;
            text_in(pane.brush, Face::strong, tab, shown ? colors.strong : colors.quiet, name);
            if (shown) fill(pane.brush, {tab.x0 + look.px(8), tab.y1 - look.px(2), tab.x1 - look.px(8), tab.y1}, colors.accent);
            if (pane.button(tab)) text_tab_ = text;
        }
        key_hint(pane.brush, {head.x1 - look.px(74), head.center().y - look.px(8.5f)}, "L", "switch");
    }
    const steps::Steps* steps = shown_[0] ? &shown_[0]->steps() : nullptr;
    if (with_text && text_tab_) {
        const Pane pane(look, "narrow text", body, 0, Pane::Scroll::vertical);
        keep(text_.draw(pane, tab_names_));
    } else {
        Rect title = head;
        if (with_text) title = body.cut_top(look.px(24));
        source_.draw_title(ground, title, steps, playhead_);
        const Pane pane(look, "source", body, 0, Pane::Scroll::vertical);
        keep(source_.draw(pane, steps, playhead_, selection_));
    }
    hairline(ground.brush, {column.x0, top.y1}, {column.x1, top.y1}, colors.line);
    if (shown_[0]) {
        const Pane pane(look, "inspector", column.inset(0, 1), 0, Pane::Scroll::vertical);
        keep(inspector_.draw(pane, *shown_[0], playhead_, selection_));
    }
    return intent;
}

Intent App::draw_compare(const Look& look, Rect body) {
    Intent intent;
    const Rect bottom = body.cut_bottom(std::min(TimelineView::height(look), body.height() * 0.4f));
    const Rect halves[2] = {body.cut_left(body.width() / 2), body};
    const bool both = shown_[0] && shown_[1] && playhead_.count == compare_.size();
    for (int side = 0; side < 2; ++side) {
        const Rect& box = halves[side];
        const std::string id = side == 0 ? "side a" : "side b";
        if (!both) {
            draw_waiting(look, box, names_[side], errors_[side]);
            continue;
        }
        const Pane pane(look, id.c_str(), box, look.colors().ground);
        if (view_ == View::rounding) {
            RoundingView& lens = rounding_[static_cast<std::size_t>(side)];
            const std::size_t step = compare_.step_of(side, playhead_.step);
            Playhead here = playhead_;
            here.step = step == steps::kNoStep ? 0 : step;
            lens.heading = tab_title(names_[side]);
            const Intent asked = lens.draw(pane, *shown_[side], here, selection_);
            if (asked) intent = {asked.kind, compare_.place_of(side, asked.value)};
            if (side == 1) fill(pane.brush, {box.x0, box.y0, box.x0 + look.px(1), box.y1}, look.colors().line);
            continue;
        }
        compare_.draw_side(pane, side, tab_title(names_[side]), *shown_[side], *shown_[1 - side], presentation_.timings, playhead_, selection_);
        if (side == 1) fill(pane.brush, {box.x0, box.y0, box.x0 + look.px(1), box.y1}, look.colors().line);
    }
    const Pane pane(look, "compare timeline", bottom, look.colors().panel);
    const Intent asked = both ? compare_.draw_timeline(pane, *shown_[0], *shown_[1], playhead_, selection_)
                              : timeline_.draw_entries(pane, {}, {}, playhead_);
    if (asked) intent = asked;
    return intent;
}

Intent App::draw_table(const Look& look, const Rect& body) {
    const Pane pane(look, "table", body, look.colors().panel, Pane::Scroll::vertical);
    const lesson::Comparison rows = comparison();
    const Intent asked = table_.draw(pane, rows, names_[0]);
    if (asked.kind != Intent::Kind::variant || asked.value >= rows.rows.size()) return asked;
    // A variant without a tab gets one.
    const std::string& name = rows.rows[asked.value].variant;
    if (tab_of(name) == presentation_.variants.size()) {
        presentation_.variants.push_back({name, name, "", false});
        tab_names_.push_back(name);
    }
    view_ = View::stage;
    return {Intent::Kind::variant, tab_of(name)};
}

void App::draw_waiting(const Look& look, const Rect& where, const std::string& variant, const std::string& error) {
    const Pane pane(look, ("waiting " + variant).c_str(), where, look.colors().ground);
    if (!error.empty()) sentence_card(pane, where, "This variant did not run", error, look.colors().warning);
    else text_in(pane.brush, Face::title, where, look.colors().quiet, "running " + tab_title(variant) + "…");
}

}  // namespace lanewise::viz
