#include "viz/views/benchmark/timing_view.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "common/timing/sizes.hpp"
#include "common/timing/compare.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::viz {
namespace {

using timing::time_text;

constexpr float kTimingRow = 19;

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// Of several library baselines the one that does the same: "warp_max_xor" and "CUB DeviceReduce::Max" share a part.
const timing::Timing* baseline_for(const std::vector<const timing::Timing*>& rows, const std::string& variant) {
    const timing::Timing* first = nullptr;
    for (const timing::Timing* row : rows) {
        if (!row->baseline || row->on_cpu || row->limit) continue;
        if (!first) first = row;
        const std::string name = lower(row->variant);
        for (std::size_t at = 0; at < variant.size();) {
            const std::size_t end = std::min(variant.find('_', at), variant.size());
            if (end - at >= 3 && name.ends_with(lower(variant.substr(at, end - at)))) return row;
            at = end + 1;
        }
    }
    return first;
}

// What is compared with a variant: the rows of the largest size that it was measured at, fastest first.
std::vector<const timing::Timing*> rows_for(const timing::TimingTable& table, const std::string& variant,
                                            std::size_t most) {
    const timing::Timing* own = timing::timing_of(table, variant);
    std::uint64_t largest = 0;
    for (const timing::Timing& row : table.rows) {
        if (is_timed(row)) largest = std::max(largest, row.n);
    }
    std::vector<const timing::Timing*> rows = timings_near(table, own ? own->n : largest);
    // Rows of another length, and a row of the table of sizes next to the lesson's own, are another measurement.
    if (own)
        std::erase_if(rows, [&](auto* row) {
            return row->size != own->size || (!row->limit && row->columns != own->columns);
        });
    // The library and the limit on other types of input say nothing of this one.
    if (own && !own->element.empty())
        std::erase_if(
            rows, [&](auto* row) { return row->baseline && !row->element.empty() && row->element != own->element; });
    std::stable_sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->median_us < b->median_us; });
    if (rows.size() <= most) return rows;
    // The shown one, its baseline, then the fastest of the lesson's own.
    const timing::Timing* baseline = baseline_for(rows, variant);
    std::erase_if(rows, [&](auto* row) { return row->baseline && !row->on_cpu && row != baseline; });
    // What "slow" is stays in sight.
    // Like beside like: variants on another type of input come last, before them those that read or write other bytes
    // and so do something else.
    const auto as_many_bytes = [&](const timing::Timing& row) {
        return std::abs(static_cast<double>(row.bytes) - static_cast<double>(own->bytes)) <=
               0.1 * static_cast<double>(own->bytes);
    };
    if (own) {
        std::stable_partition(rows.begin(), rows.end(),
                              [&](auto* row) { return row->baseline || as_many_bytes(*row); });
        std::stable_partition(rows.begin(), rows.end(),
                              [&](auto* row) { return row->baseline || row->element == own->element; });
    }
    std::stable_partition(rows.begin(), rows.end(), [](auto* row) { return row->on_cpu; });
    std::stable_partition(rows.begin(), rows.end(), [&](auto* row) { return row == baseline; });
    std::stable_partition(rows.begin(), rows.end(), [&](auto* row) { return row->variant == variant; });
    if (rows.size() <= most) most = rows.size();
    rows.resize(most);
    std::stable_sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->median_us < b->median_us; });
    return rows;
}

// A row's name, with the type of its input where that is not the shown variant's and its name does not say it.
std::string name_of(const timing::Timing& row, const timing::Timing* own) {
    const bool type_known = !own || row.baseline || row.element.empty() || row.element == own->element ||
                            row.variant.find(row.element) != std::string::npos;
    return type_known ? row.variant : row.variant + " (" + row.element + ")";
}

}  // namespace

std::vector<const timing::Timing*> timings_near(const timing::TimingTable& table, std::uint64_t n) {
    std::vector<const timing::Timing*> rows;
    for (const timing::Timing& row : table.rows) {
        if (is_timed(row) && row.n == n) rows.push_back(&row);
    }
    return rows;
}

float TimingView::height(const Look& look, const timing::TimingTable& table, const std::string& variant) const {
    if (table.rows.empty()) return 0;
    return look.px(58 + kTimingRow * static_cast<float>(rows_for(table, variant, most).size()));
}

void TimingView::draw(const Pane& pane, const timing::TimingTable& table, const std::string& variant) {
    const auto rows = rows_for(table, variant, most);
    if (rows.empty()) return;
    const Theme& colors = pane.colors();
    hairline(pane.brush, {pane.box.x0, pane.box.y0}, {pane.box.x1, pane.box.y0}, colors.line);
    Rect rest = pane.box.inset(pane.px(16), pane.px(8));
    Rect head = rest.cut_top(pane.px(20));
    text_in(pane.brush, Face::strong, head, colors.strong, "Kernel times (uninstrumented)", Align::left);
    const timing::Timing* shown = timing::timing_of(table, variant);
    const std::string from = (shown ? "" : "not this variant · ") +
                             timing::values_text(shown ? *shown : *rows.front()) + " · " + timing::times_from(table);
    text_in(pane.brush, Face::caption, rest.cut_top(pane.px(17)), colors.quiet,
            fit_text(pane.look(), Face::caption, from, rest.width()), Align::left);
    rest.cut_top(pane.px(3));
    double slowest = 0;
    for (const timing::Timing* row : rows)
        if (!row->on_cpu) slowest = std::max(slowest, row->high_us);
    for (const timing::Timing* row : rows) {
        const Rect line = rest.cut_top(pane.px(kTimingRow));
        const bool own = row->variant == variant;
        const float name_width = line.width() * 0.52f;
        const float bar_x0 = line.x0 + name_width + pane.px(4);
        const float bar_room = line.width() - name_width - pane.px(70);
        text_in(pane.brush, Face::caption, {line.x0, line.y0, bar_x0, line.y1}, own ? colors.accent : colors.text,
                fit_text(pane.look(), Face::caption, name_of(*row, shown), name_width), Align::left);
        // A bar of the CPU would leave the others no room: it ends at the edge, and is drawn broken there.
        const bool broken = row->on_cpu && row->median_us > slowest;
        const auto x_of = [&](double us) {
            return bar_x0 + bar_room * static_cast<float>(std::min(us / slowest, 1.0));
        };
        const float y = line.center().y;
        const Color ink = own ? colors.accent : row->baseline ? colors.quiet : colors.step_shuffle;
        fill(pane.brush, {bar_x0, y - pane.px(4), std::max(x_of(row->median_us), bar_x0 + 1), y + pane.px(4)},
             with_alpha(ink, 0.8), pane.px(2));
        // From the 5th to the 95th percentile.
        if (!broken) hairline(pane.brush, {x_of(row->low_us), y}, {x_of(row->high_us), y}, colors.strong, pane.px(1));
        for (int stroke = 0; broken && stroke < 2; ++stroke) {
            const float x = bar_x0 + bar_room - pane.px(14 - 5 * static_cast<float>(stroke));
            hairline(pane.brush, {x - pane.px(2), y + pane.px(6)}, {x + pane.px(2), y - pane.px(6)}, colors.panel,
                     pane.px(2));
        }
        text_in(pane.brush, Face::small, line, own ? colors.strong : colors.text, time_text(row->median_us),
                Align::right);
        if (pane.hovers(line)) {
            char text[160];
            std::snprintf(text, sizeof text, "%s: median %s, 5%% to 95%%: %s to %s, %.0f GB/s, %d samples",
                          name_of(*row, shown).c_str(), time_text(row->median_us).c_str(),
                          time_text(row->low_us).c_str(), time_text(row->high_us).c_str(), row->gb_per_s(),
                          row->samples);
            hint_card(pane.look(), text);
        }
    }
}

}  // namespace lanewise::viz
