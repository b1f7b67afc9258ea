// What is drawn where.
#include <algorithm>

#include "viz/app/app.hpp"

namespace lanewise::viz {

Intent App::draw(const Look& look, const Rect& window) {
    begin(look, window);
    Rect body = window;
    Intent intent;
    const auto keep = [&](Intent asked) {
        if (asked) intent = asked;
    };
    header_.tab = tab_of(names_[chosen_side()]);
    header_.shown.clear();
    for (const std::string& name : names_) header_.shown.push_back(tab_of(name));
    header_.menu_open = menu_.is_open();
    header_.with_tabs = !start_open_;
    header_.with_hints = !prediction_.open();
    const Rect header = body.cut_top(header_.height(look, presentation_, window.width()));
    {
        const Pane pane(look, "header", header, look.colors().panel);
        keep(header_.draw(pane, presentation_, origin()));
    }
    if (!notice_.sentence.empty()) {
        const Pane pane(look, "notice", body.cut_top(NoticeBar::height(look, notice_, body.width())));
        keep(NoticeBar::draw(pane, notice_));
    }
    draw_run_bar(look, body);
    keep(start_open_ ? draw_start(look, body) : draw_view(look, body, true));
    draw_run_card(look, window);
    keep(draw_cards(look, window, header));
    end();
    return intent;
}

Intent App::draw_view(const Look& look, const Rect& body, bool with_panels) {
    switch (view_) {
        case View::costs: draw_costs(look, body); return {};
        case View::table: return draw_table(look, body);
        case View::timings:
        case View::roofline: return draw_times(look, body);
        default: break;
    }
    if (comparing()) return draw_compare(look, body);
    return with_panels ? draw_single(look, body) : draw_middle(look, body);
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
        Rect box = places.text;
        if (text_.height > box.height()) {
            const Rect foot = box.cut_bottom(look.px(30));
            const Pane pane(look, "reading", foot, look.colors().panel);
            hairline(pane.brush, {foot.x0, foot.y0}, {foot.x1, foot.y0}, look.colors().line);
            key_hint(pane.brush, {foot.x0 + look.px(18), foot.center().y - look.px(8.5f)}, "PgUp PgDn", "read on");
        }
        const Pane pane(without_keys(look), "text", box, look.colors().panel, Pane::Scroll::vertical);
        turn(pane);
        keep(text_.draw(pane));
    }
    if (!places.side.empty()) keep(draw_side(look, places.side, places.text_in_side));
    Rect stage = places.stage;
    draw_questions(look, stage);
    keep(draw_middle(look, stage));
    if (!places.timeline.empty()) {
        const Pane pane(without_keys(look), "timeline", places.timeline, look.colors().panel);
        timeline_.instead.clear();
        if (!shown_[0] && whole_ && prediction_.on())
            timeline_.instead =
                "This run has " + std::to_string(whole_->steps().size()) +
                " steps. Each appears here once its questions are answered; the arrow keys then go through those "
                "that are there. Q changes how much is asked: gently, as an exam, or nothing.";
        keep(shown_[0] ? timeline_.draw(pane, *shown_[0], playhead_, selection_)
                       : timeline_.draw_entries(pane, {}, {}, playhead_));
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
    timing_.most = column.height() > look.px(760) ? 5 : column.height() > look.px(640) ? 3 : 2;
    const float times = whole_ ? 0 : timing_.height(look, presentation_.timings, own);   // they show answers
    // In a low column source and lane need the room; T shows the times.
    if (times > 0 && column.height() > look.px(400)) {
        const Rect box = column.cut_bottom(std::min(times, column.height() * 0.26f));
        const Pane pane(look, "times", box);
        timing_.draw(pane, presentation_.timings, own);
    }
    reruns_.most = static_cast<std::size_t>(std::clamp((column.height() * 0.32f / look.scale - 70) / 18, 2.0f, 9.0f));
    const RerunTable reruns = shown_[0] ? rerun_table(shown_[0]->trace()) : RerunTable{};
    const float orders = shown_[0] ? reruns_.height(look, reruns) : 0;
    if (orders > 0) {
        const Pane pane(look, "orders", column.cut_bottom(orders));
        reruns_.draw(pane, reruns);
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
            if (shown)
                fill(pane.brush, {tab.x0 + look.px(8), tab.y1 - look.px(2), tab.x1 - look.px(8), tab.y1},
                     colors.accent);
            if (pane.button(tab)) text_tab_ = text;
        }
        key_hint(pane.brush, {head.x1 - look.px(74), head.center().y - look.px(8.5f)}, "L", "switch");
    }
    if (with_text && text_tab_) {
        const Pane pane(without_keys(look), "narrow text", body, 0, Pane::Scroll::vertical);
        turn(pane);
        keep(text_.draw(pane));
    } else {
        Rect title = head;
        if (with_text) title = body.cut_top(look.px(24));
        source_.draw_title(ground, title, shown_[0].get(), playhead_);
        const Pane pane(look, "source", body, 0, Pane::Scroll::vertical);
        keep(source_.draw(pane, shown_[0].get(), playhead_, selection_));
    }
    hairline(ground.brush, {column.x0, top.y1}, {column.x1, top.y1}, colors.line);
    if (shown_[0]) {
        const Pane pane(look, "inspector", column.inset(0, 1), 0, Pane::Scroll::vertical);
        keep(inspector_.draw(pane, *shown_[0], playhead_, selection_));
    }
    return intent;
}

Intent App::draw_compare(const Look& look, const Rect& body) {
    Intent asked = compare_.draw(look, body, compare_sides(), presentation_.variants, presentation_.timings, view_,
                                 playhead_, selection_);
    again_ |= compare_.working;
    if (const Rect box = compare_.places().text; !box.empty()) {
        const Pane pane(without_keys(look), "text", box, look.colors().panel, Pane::Scroll::vertical);
        hairline(pane.brush, {box.x1 - 1, box.y0}, {box.x1 - 1, box.y1}, look.colors().line);
        turn(pane);
        if (const Intent link = text_.draw(pane)) asked = link;
    }
    return asked;
}

void App::draw_costs(const Look& look, const Rect& body) {
    const Pane pane(look, "costs", body, look.colors().panel, Pane::Scroll::vertical);
    turn(pane);
    costs_.draw(pane, presentation_.costs);
}

Intent App::draw_table(const Look& look, const Rect& body) {
    const Pane pane(look, "table", body, look.colors().panel, Pane::Scroll::vertical);
    turn(pane);
    const run::Comparison rows = comparison();
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
    const Pane pane(look, ("waiting " + variant).c_str(), where);
    if (!error.empty()) sentence_card(pane, where, "This variant did not run", error, look.colors().warning);
    else
        text_in(pane.brush, Face::title, where, look.colors().quiet,
                "running " + tab_title(variant) + "… Esc cancels it");
}

}  // namespace lanewise::viz
