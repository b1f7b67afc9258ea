#include "viz/views/benchmark/timing_full_view.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/timing/compare.hpp"
#include "common/timing/sizes.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::viz {
namespace {

// "NVIDIA H200 · recorded 2026-11-21 · L2 warm · CUDA 13.0 · median of …"
std::string origin_of(const timing::TimingTable& table) {
    std::string text = timing::times_from(table);
    if (!table.l2.empty()) text += " · L2 " + table.l2;
    if (!table.driver.empty()) text += " · CUDA " + table.driver;
    if (!table.method.empty()) text += " · " + table.method;
    return text;
}

// A button with a label; true when it was clicked.
bool text_button(const Pane& pane, const Rect& box, const std::string& text, bool lit, bool can) {
    const Theme& colors = pane.colors();
    const bool hovered = can && pane.hovers(box);
    fill(pane.brush, box,
         lit       ? colors.accent_ground
         : hovered ? mix(colors.raised, colors.line, 0.7)
                   : colors.raised,
         pane.px(5));
    if (lit) outline(pane.brush, box, colors.accent, pane.px(5), pane.px(1));
    text_in(pane.brush, Face::caption, box, lit ? colors.accent : can ? colors.text : colors.quiet, text);
    return can && pane.button(box);
}

float button_width(const Look& look, const std::string& text) {
    return text_width(look, Face::caption, text) + look.px(22);
}

constexpr const char* kMeasure = "Measure over sizes on this GPU";
constexpr const char* kTime = "Time";
constexpr const char* kRate = "GB/s";
constexpr const char* kRoofline = "Roofline";
constexpr const char* kInputsOf = "inputs of";
constexpr const char* kOther = "other";
const char* shapes_name(const Shapes& shapes) { return shapes.of_rows ? "rows × columns" : "S×K"; }

}  // namespace

std::vector<std::string> timing_notes(const timing::TimingTable& table, const TimingSeries& series, bool roofline,
                                      bool curves) {
    std::vector<std::string> notes;
    if (curves && !series.swept() && !series.sizes.empty())
        notes.push_back(
            fmt::format("Measured at one size only, {} values: a curve needs more. On a machine with a GPU, Shift T "
                        "measures over sizes, and so "
                        "does --time --sizes 2^10:2^26.",
                        timing::size_text(series.sizes.front())));
    if (roofline && !series.find(timing::kPlainRead))
        notes.push_back(
            "The limit was not measured with these times (a plain read of the same bytes): no roof is drawn. Measuring "
            "anew brings it.");
    if (table.l2 == "warm" && roofline)
        notes.push_back("L2 warm: inputs that fit into the L2 cache are read from there, faster than memory is.");
    for (std::string& doubt : timing::doubts_of(table)) notes.push_back(std::move(doubt));
    return notes;
}

Rect TimingFullView::tab(const std::string& name) const {
    const auto at = std::find_if(tabs_.begin(), tabs_.end(), [&](const auto& each) { return each.first == name; });
    return at == tabs_.end() ? Rect{} : at->second;
}

Intent TimingFullView::draw(const Pane& pane, const timing::TimingTable& table, const timing::TimingTable& by_shape,
                            const std::string& shown, const MeasureState& state, bool roofline) {
    chart_ = {};
    button_ = {};
    tabs_.clear();
    Content content;
    content.roofline = roofline;
    const bool shapes_of_others = !by_shape.rows.empty();
    const timing::TimingTable& shape_table = shapes_of_others ? by_shape : table;
    const bool has_rows = std::any_of(shape_table.rows.begin(), shape_table.rows.end(), [](const timing::Timing& row) {
        return row.columns != 0 && !row.size.empty();
    });
    content.show = show.value_or(has_rows ? Show::shapes : Show::time);
    const bool by_shape_table = content.show == Show::shapes && !roofline;
    content.elements = elements_of(by_shape_table ? shape_table : table);
    if (std::find(content.elements.begin(), content.elements.end(), element) == content.elements.end())
        element = element_of(by_shape_table ? shape_table : table, shown);
    content.series = series_of(table, element);
    content.shapes = shapes_of(shape_table, element);
    const bool by_shapes = by_shape_table && !content.shapes.empty();
    content.table = by_shapes ? &shape_table : &table;
    const TimingSeries& series = content.series;
    const float top = pane.box.y0 - pane.scrolled;
    Rect rest{pane.box.x0 + pane.px(22), top + pane.px(12), pane.box.x1 - pane.px(22), top + 1e6f};
    const Intent intent = draw_head(pane, rest, content, state);

    const ChartInput input{&table, &series, shown, pinned};
    const std::vector<std::string> notes = timing_notes(*content.table, series, roofline, content.table == &table);
    float notes_height = pane.px(16);
    const Brush measure{nullptr, pane.look()};
    const float prose = std::min(rest.width(), pane.px(1100));
    for (const std::string& note : notes)
        notes_height += paragraph(measure, Face::caption, {}, prose, 0, note, 1.35f) + pane.px(3);
    // The picture takes what the sentences leave, and scrolls where that is too little.
    const float height = std::max(pane.box.y1 + top - pane.box.y0 - rest.y0 - notes_height, pane.px(260));
    Rect chart = rest.cut_top(height);
    float reached = chart.y1;
    if (by_shapes) {
        chart_ = draw_shapes(pane, chart, shape_table, content.shapes, reached);
    } else if (series.empty()) {
        const std::string text =
            "No time is known: none was measured on a GPU, or recorded on one. What the emulator takes is not shown, "
            "for it says nothing of a kernel's time.";
        paragraph(pane.brush, Face::body, {chart.x0, chart.y0 + pane.px(20)}, std::min(chart.width(), pane.px(620)),
                  pane.colors().text, text, 1.4f);
        reached = chart.y0 + pane.px(80);
    } else if (roofline) {
        chart_ = draw_roofline(pane, chart, input);
    } else if (!series.swept()) {
        chart_ = draw_bars(pane, chart, input, reached);
    } else {
        chart_ = draw_curves(pane, chart, input, content.show == Show::rate ? Measure::rate : Measure::time);
    }
    for (const auto& [name, box] : chart_.labels)
        if (pane.button(box)) pinned = pinned == name ? std::string() : name;
    rest.y0 = reached + pane.px(10);
    for (const std::string& note : notes)
        rest.cut_top(paragraph(pane.brush, Face::caption, {rest.x0, rest.y0}, prose, pane.colors().quiet, note, 1.35f) +
                     pane.px(3));
    pane.content_height(rest.y0 - top + pane.px(4));
    return intent;
}

Intent TimingFullView::draw_head(const Pane& pane, Rect& rest, const Content& content, const MeasureState& state) {
    const Theme& colors = pane.colors();
    const Rect title = rest.cut_top(pane.px(26));
    text_in(pane.brush, Face::title, title, colors.strong,
            content.roofline ? "Bandwidth by size" : "Kernel times (uninstrumented)", Align::left);
    key_hint(pane.brush, {title.x1 - pane.px(66), title.center().y - pane.px(8.5f)}, "T", "close");
    if (!content.table->rows.empty()) {
        for (const std::string& line :
             fit_lines(pane.look(), Face::caption, origin_of(*content.table), rest.width(), 2))
            text_in(pane.brush, Face::caption, rest.cut_top(pane.px(15)), colors.quiet, line, Align::left);
        rest.cut_top(pane.px(4));
    }
    rest.cut_top(pane.px(8));
    const float row = pane.px(28);
    const bool two_rows = content.elements.size() > 1 &&
                          tabs_width(pane.look(), content) + button_width(pane.look(), kMeasure) > rest.width();
    const Intent intent = draw_controls(pane, rest.cut_top(two_rows ? 2 * row : row), row, content, state);
    if (!state.note.empty() && !state.running)
        rest.cut_top(paragraph(pane.brush, Face::caption, {rest.x0, rest.y0 + pane.px(6)}, rest.width(), colors.warning,
                               state.note, 1.35f) +
                     pane.px(6));
    rest.cut_top(pane.px(10));
    return intent;
}

float TimingFullView::tabs_width(const Look& look, const Content& content) {
    if (content.series.empty() && content.shapes.empty()) return 0;
    std::vector<std::string> names{kTime, kRoofline};
    if (content.series.swept()) names.emplace_back(kRate);
    if (!content.shapes.empty()) names.emplace_back(shapes_name(content.shapes));
    float width = 0;
    if (content.elements.size() > 1) {
        width += look.px(24) + text_width(look, Face::caption, kInputsOf);
        for (const std::string& each : content.elements) names.push_back(each.empty() ? kOther : each);
    }
    for (const std::string& name : names) width += button_width(look, name) + look.px(5);
    return width;
}

Intent TimingFullView::draw_controls(const Pane& pane, const Rect& where, float row_height, const Content& content,
                                     const MeasureState& state) {
    const bool roofline = content.roofline;
    Intent intent;
    Rect below = where;
    Rect row = below.cut_top(row_height);
    row.y0 += pane.px(2);
    row.y1 -= pane.px(2);
    if (const Intent asked = draw_measure(pane, row, state, tabs_width(pane.look(), content))) intent = asked;
    const auto tab = [&](const std::string& text, bool lit) {
        const float width = button_width(pane.look(), text);
        if (width > row.width()) return false;
        const Rect box = row.cut_left(width);
        row.cut_left(pane.px(5));
        tabs_.emplace_back(text, box);
        return text_button(pane, box, text, lit, true);
    };
    const TimingSeries& series = content.series;
    if (series.empty() && content.shapes.empty()) return intent;
    const bool has_shapes = !content.shapes.empty();
    Show now = content.show;
    if (!has_shapes && now == Show::shapes) now = Show::time;
    if (!series.swept() && now == Show::rate) now = Show::time;
    const auto choose = [&](const char* text, Show which) {
        if (!tab(text, !roofline && now == which)) return;
        show = which;
        if (roofline) intent = {Intent::Kind::timings, 1};
    };
    choose(kTime, Show::time);
    if (series.swept()) choose(kRate, Show::rate);
    if (has_shapes) choose(shapes_name(content.shapes), Show::shapes);
    if (tab(kRoofline, roofline) && !roofline) intent = {Intent::Kind::roofline, 1};
    const auto& elements = content.elements;
    if (elements.size() < 2) return intent;
    if (below.height() > pane.px(4)) {
        row = below;
        row.y0 += pane.px(4);
    } else {
        row.cut_left(pane.px(16));
    }
    text_in(pane.brush, Face::caption, row, pane.colors().quiet, kInputsOf, Align::left);
    row.cut_left(text_width(pane.look(), Face::caption, kInputsOf) + pane.px(8));
    for (const std::string& each : elements)
        if (tab(each.empty() ? kOther : each, each == element)) element = each;
    return intent;
}

Intent TimingFullView::draw_measure(const Pane& pane, Rect& row, const MeasureState& state, float tabs_width) {
    const Theme& colors = pane.colors();
    const Look& look = pane.look();
    Intent intent;
    reason_.clear();
    if (state.running) {
        const std::string text = state.cancelling ? "ending…" : "Cancel";
        button_ = row.cut_right(button_width(look, text));
        if (text_button(pane, button_, text, false, !state.cancelling)) intent = {Intent::Kind::measure, 0};
        row.cut_right(pane.px(10));
        const Rect bar = row.cut_right(std::min(pane.px(150), row.width() * 0.3f));
        const float done = state.all == 0 ? 0 : static_cast<float>(state.done) / static_cast<float>(state.all);
        const float y = bar.center().y;
        fill(pane.brush, {bar.x0, y - pane.px(3), bar.x1, y + pane.px(3)}, colors.raised, pane.px(3));
        if (done > 0)
            fill(pane.brush, {bar.x0, y - pane.px(3), bar.x0 + bar.width() * done, y + pane.px(3)}, colors.accent,
                 pane.px(3));
        row.cut_right(pane.px(10));
        std::string progress =
            state.all == 0 ? "measuring…" : fmt::format("{} of {} · {}", state.done + 1, state.all, state.what);
        if (state.done > 0)
            progress += fmt::format(" · about {:.0f} s left", state.seconds / static_cast<double>(state.done) *
                                                                  static_cast<double>(state.all - state.done));
        const float room = std::min(row.width() * 0.5f, text_width(look, Face::caption, progress));
        text_in(pane.brush, Face::caption, row.cut_right(room), colors.text,
                fit_text(look, Face::caption, progress, room), Align::right);
        row.cut_right(pane.px(10));
        return intent;
    }
    const std::string text = kMeasure;
    button_ = row.cut_right(button_width(look, text));
    if (text_button(pane, button_, text, false, state.possible)) intent = {Intent::Kind::measure, 1};
    if (!state.possible && pane.hovers(button_))
        hint_card(look, state.why_not.empty() ? "Whether there is a GPU is known once the first run is there."
                                              : state.why_not);
    row.cut_right(pane.px(8));
    // The reason, or its first sentence, is written next to the button where the tabs leave room for it.
    const float left = row.width() - tabs_width - pane.px(12);
    const auto fits = [&] { return text_width(look, Face::caption, reason_) <= left; };
    if (!state.possible) reason_ = state.why_not;
    if (!reason_.empty() && !fits()) reason_.resize(std::min(reason_.find(". "), reason_.size() - 1) + 1);
    if (!fits()) reason_.clear();
    if (!reason_.empty()) {
        const Rect place = row.cut_right(text_width(look, Face::caption, reason_));
        text_in(pane.brush, Face::caption, place, colors.quiet, reason_, Align::right);
        row.cut_right(pane.px(12));
    }
    return intent;
}

}  // namespace lanewise::viz
