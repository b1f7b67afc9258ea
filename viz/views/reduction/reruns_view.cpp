#include "viz/views/reduction/reruns_view.hpp"

#include <algorithm>
#include <set>

#include "common/base/element.hpp"

namespace lanewise::viz {
namespace {

const trace::Output* find_output(const std::vector<trace::Output>& outputs, const std::string& name) {
    const auto at =
        std::find_if(outputs.begin(), outputs.end(), [&](const trace::Output& each) { return each.name == name; });
    return at == outputs.end() || at->values.empty() ? nullptr : &*at;
}

RerunTable table_of(const trace::Trace& trace, const trace::Output& output) {
    RerunTable table;
    if (output.values.empty()) return table;
    table.output = output.name;
    table.type = output.element;
    table.rows.push_back({trace::run_name(trace.header.source), output.values.front()});
    std::set<std::uint64_t> different{output.values.front()};
    for (const trace::Rerun& rerun : trace.reruns) {
        const trace::Output* again = find_output(rerun.outputs, output.name);
        if (!again || again->element != output.element) return {};
        table.rows.push_back({rerun.how, again->values.front()});
        different.insert(again->values.front());
    }
    table.results = different.size();
    return table;
}

}  // namespace

std::vector<bool> RerunTable::differing(std::size_t row) const {
    const std::string own = format_bits(type, rows.at(row).bits), first = format_bits(type, rows.at(0).bits);
    std::vector<bool> digits(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) digits[i] = own[i] != first[i];
    return digits;
}

RerunTable rerun_table(const trace::Trace& trace) {
    RerunTable best;
    if (trace.reruns.empty()) return best;
    for (const trace::Output& output : trace.outputs) {
        RerunTable table = table_of(trace, output);
        if (table.results > best.results) best = std::move(table);
    }
    return best;
}

std::string rerun_sentence(const RerunTable& table) {
    return table.output + " of the same values, blocks in other orders: " +
           (table.results == 1 ? "the same result" : std::to_string(table.results) + " different results") + " in " +
           std::to_string(table.rows.size()) + " runs";
}

std::string describe_reruns(const RerunTable& table) {
    if (table.rows.empty()) return {};
    std::string out = rerun_sentence(table) + "\n";
    for (const RerunRow& row : table.rows) {
        out += "  " + row.how + "  " + format_element(table.type, row.bits) + " (0x" +
               format_bits(table.type, row.bits) + ")\n";
    }
    return out;
}

float RerunsView::height(const Look& look, const trace::Trace& trace) const {
    const RerunTable table = rerun_table(trace);
    if (table.rows.empty()) return 0;
    const std::size_t rows = std::min(table.rows.size(), most);
    return look.px(54 + 18 * static_cast<float>(rows) + (table.rows.size() > rows ? 16.0f : 0.0f));
}

void RerunsView::draw(const Pane& pane, const trace::Trace& trace) const {
    const RerunTable table = rerun_table(trace);
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
        const RerunRow& row = table.rows[i];
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
