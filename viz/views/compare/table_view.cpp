#include "viz/views/compare/table_view.hpp"

#include <algorithm>

namespace lanewise::viz {
namespace {

using run::Column;
using run::ComparedVariant;

constexpr float kTableRow = 23;

}  // namespace

void TableView::click(Column column) {
    const bool again = sorted && sorting.column == column;
    if (again && sorting.down) sorted = false;
    else sorting.down = again;
    if (!again) sorted = true;
    sorting.column = column;
}

Intent TableView::draw(const Pane& pane, const run::Comparison& comparison, const std::string& shown) {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const Look& look = pane.look();
    Intent intent;
    run::Comparison table = comparison;
    if (sorted) run::sort(table, sorting);
    order_.clear();
    for (const ComparedVariant& row : table.rows) order_.push_back(row.variant);

    const float top = pane.box.y0 - pane.scrolled;
    Rect rest{pane.box.x0 + pane.px(18), top + pane.px(12), pane.box.x1 - pane.px(18), top + 1e6f};
    for (Rect& heading : headings_) heading = {};
    const Rect title = rest.cut_top(pane.px(26));
    text_in(brush, Face::title, title, colors.strong, "All variants in one table", Align::left);
    key_hint(brush, {title.x1 - pane.px(66), title.center().y - pane.px(8.5f)}, "B", "close");
    const std::string times = "times: " + run::times_text(table);
    text_in(brush, Face::caption, rest.cut_top(pane.px(18)), colors.quiet,
            fit_text(look, Face::caption, times, rest.width()), Align::left);
    rest.cut_top(pane.px(8));

    // Each column as wide as its widest cell; the name gives way where there is too little room.
    std::vector<Column> columns;
    for (int c = 0; c < run::kColumnCount; ++c) columns.push_back(static_cast<Column>(c));
    std::vector<float> widths;
    float total = 0;
    for (const Column column : columns) {
        const bool name = column == Column::variant;
        float width = text_width(look, Face::strong, run::column_heading(column)) + pane.px(14);
        for (const ComparedVariant& row : table.rows)
            width = std::max(width, text_width(look, name ? Face::body : Face::small, run::cell_text(row, column)));
        widths.push_back(width + pane.px(18));
        total += widths.back();
    }
    const float verdict = pane.px(74);
    // Too little room: first what lies between the columns goes, then the threads and the bound, then letters of the
    // names.
    const auto too_wide = [&] { return total + verdict - rest.width(); };
    if (too_wide() > 0) {
        const float each = std::min(pane.px(3), too_wide() / static_cast<float>(columns.size()));
        for (float& width : widths) width -= each;
        total -= each * static_cast<float>(columns.size());
    }
    for (const Column spare : {Column::threads, Column::bound}) {
        const auto at = std::find(columns.begin(), columns.end(), spare);
        if (at == columns.end() || too_wide() <= pane.px(20)) continue;
        const auto place = at - columns.begin();
        total -= widths[static_cast<std::size_t>(place)];
        widths.erase(widths.begin() + place);
        columns.erase(at);
    }
    widths[0] = std::max(pane.px(120), widths[0] - std::max(0.0f, too_wide()));
    // What room is left goes between the columns.
    const float spare = std::max(0.0f, rest.width() - verdict - (total - 0)) / static_cast<float>(columns.size());
    for (std::size_t c = 1; c < widths.size(); ++c) widths[c] += std::min(spare, pane.px(28));

    Rect head = rest.cut_top(pane.px(26));
    hairline(brush, {head.x0, head.y1}, {head.x1, head.y1}, colors.line);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const Rect cell = head.cut_left(widths[c]);
        headings_[static_cast<std::size_t>(columns[c])] = cell;
        const bool lit = sorted && sorting.column == columns[c];
        const bool hovered = pane.hovers(cell);
        if (hovered) fill(brush, cell.inset(pane.px(2), pane.px(3)), colors.raised, pane.px(4));
        Rect inside = cell.inset(pane.px(6), 0);
        if (lit) {
            // Which way it is sorted: a triangle beside the name.
            const float r = pane.px(3.5f);
            const Point at{
                c == 0 ? inside.x0 + text_width(look, Face::strong, run::column_heading(columns[c])) + pane.px(9)
                       : inside.x1 - r,
                inside.center().y};
            if (sorting.down)
                triangle(brush, {at.x - r, at.y - r * 0.8f}, {at.x + r, at.y - r * 0.8f}, {at.x, at.y + r},
                         colors.accent);
            else
                triangle(brush, {at.x - r, at.y + r * 0.8f}, {at.x, at.y - r}, {at.x + r, at.y + r * 0.8f},
                         colors.accent);
            if (c > 0) inside.x1 -= pane.px(11);
        }
        text_in(brush, Face::strong, inside, lit ? colors.accent : colors.quiet, run::column_heading(columns[c]),
                c == 0 ? Align::left : Align::right);
        if (pane.button(cell)) click(columns[c]);
    }
    for (const ComparedVariant& row : table.rows) {
        Rect line = rest.cut_top(pane.px(kTableRow));
        const Rect whole = line;
        const bool own = row.variant == shown;
        const bool hovered = pane.hovers(whole);
        if (own || hovered)
            fill(brush, whole, mix(colors.panel, own ? colors.accent : colors.raised, own ? 0.14 : 0.7), pane.px(3));
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const Rect cell = line.cut_left(widths[c]).inset(pane.px(6), 0);
            const std::string text = run::cell_text(row, columns[c]);
            const bool off = !row.ok && (columns[c] == Column::error || columns[c] == Column::value);
            const Color ink = off             ? colors.warning
                              : text == "-"  ? colors.quiet
                              : own && c == 0 ? colors.accent
                                              : colors.text;
            if (c == 0)
                text_in(brush, Face::body, cell, ink, fit_text(look, Face::body, text, cell.width()), Align::left);
            else text_in(brush, Face::small, cell, ink, text, Align::right);
        }
        const char* status = !row.why_not.empty() ? "not run"
                             : row.declared_wrong ? row.ok ? "wrong on purpose" : "wrong, as declared"
                             : row.ok             ? ""
                                                  : "outside";
        const std::string short_of_it =
            row.declared_wrong && text_width(look, Face::caption, status) > line.width() ? "wrong" : status;
        text_in(brush, Face::caption, line, colors.warning, fit_text(look, Face::caption, short_of_it, line.width()),
                Align::right);
        if (!hovered) continue;
        if (!row.why_not.empty()) hint_card(look, row.why_not);
        if (pane.button(whole)) {
            const auto at = std::find_if(comparison.rows.begin(), comparison.rows.end(),
                                         [&](const ComparedVariant& each) { return each.variant == row.variant; });
            intent = {Intent::Kind::variant, static_cast<std::size_t>(at - comparison.rows.begin())};
        }
    }
    rest.cut_top(pane.px(10));
    hairline(brush, {rest.x0, rest.y0}, {rest.x1, rest.y0}, colors.line);
    rest.cut_top(pane.px(10));
    const float prose = std::min(rest.width(), pane.px(920));
    for (const std::string& sentence : run::explain(comparison)) {
        fill(brush, {rest.x0, rest.y0 + pane.px(2), rest.x0 + pane.px(3), rest.y0 + pane.px(16)}, colors.accent);
        rest.cut_top(paragraph(brush, Face::body, {rest.x0 + pane.px(12), rest.y0}, prose - pane.px(12), colors.text,
                               sentence, 1.4f) +
                     pane.px(8));
    }
    const char* notes[] = {
        "value and error: of the first output, against a reference in double; bound: the error that the lesson allows.",
        "loads/thread: of global memory by a thread of the recorded blocks, however wide; atomics: of all blocks, as "
        "the recorded ones."};
    for (const char* note : notes)
        rest.cut_top(paragraph(brush, Face::caption, {rest.x0, rest.y0}, rest.width(), colors.quiet, note, 1.3f) +
                     pane.px(2));
    if (columns.size() < static_cast<std::size_t>(run::kColumnCount))
        rest.cut_top(paragraph(brush, Face::caption, {rest.x0, rest.y0}, rest.width(), colors.quiet,
                               "A wider window, or --table, shows the number of threads and the bound, too.", 1.3f));
    pane.content_height(rest.y0 - top + pane.px(16));
    return intent;
}

}  // namespace lanewise::viz
