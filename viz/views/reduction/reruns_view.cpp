#include "viz/views/reduction/reruns_view.hpp"

#include <algorithm>

#include "common/base/element.hpp"

namespace lanewise::viz {

float RerunsView::height(const Look& look, const scene::RerunTable& table) const {
    if (table.rows.empty()) return 0;
    const std::size_t rows = std::min(table.rows.size(), most);
    return look.px(54 + 18 * static_cast<float>(rows) + (table.rows.size() > rows ? 16.0f : 0.0f));
}

void RerunsView::draw(const Pane& pane, const scene::RerunTable& table) const {
    if (table.rows.empty()) return;
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    hairline(brush, {pane.box.x0, pane.box.y0}, {pane.box.x1, pane.box.y0}, colors.line);
    Rect rest = pane.box.inset(pane.px(16), pane.px(8));
    const Rect head = rest.cut_top(pane.px(20));
    text_in(brush, Face::strong, head, colors.strong,
            fit_text(pane.look(), Face::strong, "Blocks in other orders", head.width()), Align::left);
    const std::string text = table.results == 1 ? "one result in " + std::to_string(table.rows.size()) + " runs"
                                                 : std::to_string(table.results) + " different results in " +
                                                       std::to_string(table.rows.size()) + " runs";
    text_in(brush, Face::caption, rest.cut_top(pane.px(17)), table.results == 1 ? colors.quiet : colors.accent,
            fit_text(pane.look(), Face::caption, table.output + ", the same values: " + text, head.width()),
            Align::left);
    const float digit = (*pane.look().fonts)[Face::small].digit;
    const std::size_t count = std::min(table.rows.size(), most);
    for (std::size_t i = 0; i < count; ++i) {
        const scene::RerunRow& row = table.rows[i];
        const Rect line = rest.cut_top(pane.px(18));
        const std::string hex = format_bits(table.type, row.bits);
        const float bits_width = digit * static_cast<float>(hex.size() + 2);
        text_in(brush, Face::caption, {line.x0, line.y0, line.x0 + pane.px(78), line.y1},
                i == 0 ? colors.text : colors.quiet, fit_text(pane.look(), Face::caption, row.how, pane.px(76)),
                Align::left);
        const Rect value{line.x0 + pane.px(80), line.y0, line.x1 - bits_width - pane.px(10), line.y1};
        text_in(brush, Face::small, value, colors.text,
                fit_text(pane.look(), Face::small, format_element(table.type, row.bits), value.width()), Align::right);
        float x = line.x1 - bits_width;
        text_in(brush, Face::small, {x, line.y0, x + 2 * digit, line.y1}, colors.quiet, "0x", Align::left);
        x += 2 * digit;
        const std::vector<bool> differs = table.differing(i);
        for (std::size_t d = 0; d < hex.size(); ++d) {
            const Rect box{x, line.y0, x + digit, line.y1};
            text_in(brush, Face::small, box, differs[d] ? colors.accent : colors.quiet, hex.substr(d, 1), Align::left);
            if (differs[d])
                fill(brush, {box.x0, box.y1 - pane.px(2.5f), box.x1 - pane.px(0.5f), box.y1 - pane.px(1)},
                     colors.accent);
            x += digit;
        }
    }
    if (table.rows.size() > count) {
        text_in(brush, Face::caption, rest.cut_top(pane.px(16)), colors.quiet,
                "and " + std::to_string(table.rows.size() - count) + " more", Align::left);
    }
}

}  // namespace lanewise::viz
