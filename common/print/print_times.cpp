#include <algorithm>
#include <functional>
#include <ostream>

#include <fmt/format.h>

#include "common/print/print.hpp"
#include "common/print/table.hpp"
#include "common/timing/compare.hpp"
#include "common/timing/gpu_state.hpp"
#include "common/timing/ladder.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::print {

namespace {

using timing::Timing;
using timing::TimingTable;

// A column: its heading, what is in a row, and whether it is worth its room.
struct TimeColumn {
    std::string heading;
    std::function<std::string(const Timing&)> cell;
    bool shown = true;
};

std::vector<TimeColumn> columns_of(const TimingTable& t, bool samples) {
    const auto any = [&](const auto& holds) { return std::any_of(t.rows.begin(), t.rows.end(), holds); };
    const std::string element = t.rows.empty() ? "" : t.rows.front().element;
    const auto optional = [](std::optional<double> value, const char* format) {
        return value ? fmt::format(fmt::runtime(format), *value) : "";
    };
    return {
        {"variant", [](const Timing& row) { return row.variant; }},
        {"type", [](const Timing& row) { return row.element; },
         any([&](const Timing& row) { return row.element != element; })},
        {"size", [](const Timing& row) { return row.size; }, any([](const Timing& row) { return !row.size.empty(); })},
        {"rows×columns", [](const Timing& row) { return row.columns != 0 ? timing::shape_text(row.n, row.columns) : ""; },
         any([](const Timing& row) { return row.size.empty() && row.columns != 0; })},
        {"n", [](const Timing& row) { return fmt::format("{}", row.n); }},
        {"block", [](const Timing& row) { return row.baseline ? "" : fmt::format("{}", row.block); }},
        // 0: a library that gave many values has no first one.
        {"value",
         [](const Timing& row) {
             return row.limit || (row.baseline && row.value == 0) ? "" : format_number(row.value);
         }},
        {"error",
         [](const Timing& row) {
             return (row.limit ? "" : format_error(row.error)) + std::string(row.within_bound ? "" : " !");
         }},
        {"time µs", [](const Timing& row) { return fmt::format("{:.2f}", row.median_us); }},
        {"5%…95%", [](const Timing& row) { return fmt::format("{:.2f}…{:.2f}", row.low_us, row.high_us); }},
        {"min…max", [](const Timing& row) { return fmt::format("{:.2f}…{:.2f}", row.min_us, row.max_us); }, samples},
        {"samples", [](const Timing& row) { return fmt::format("{}", row.samples); }, samples},
        {"outliers", [](const Timing& row) { return fmt::format("{}", row.outliers); }, samples},
        {"GB/s", [](const Timing& row) { return fmt::format("{:.1f}", row.gb_per_s()); }},
        {"% of limit",
         [&, optional](const Timing& row) { return optional(timing::percent_of_limit(t, row), "{:.1f}"); },
         any([&](const Timing& row) { return timing::limit_of(t, row) != nullptr; })},
        {"× library", [&, optional](const Timing& row) { return optional(timing::times_as_fast(t, row), "{:.2f}"); },
         any([](const Timing& row) { return !row.against.empty(); })},
    };
}

void print_rows(std::ostream& out, const TimingTable& t, const Paint& paint, bool samples) {
    auto columns = columns_of(t, samples);
    std::erase_if(columns, [](const TimeColumn& column) { return !column.shown; });
    std::vector<std::string> headings;
    for (const TimeColumn& column : columns) headings.push_back(column.heading);
    Table table(headings, 1);
    for (const Timing& row : t.rows) {
        std::vector<std::string> cells;
        for (const TimeColumn& column : columns) cells.push_back(column.cell(row));
        table.add(std::move(cells));
    }
    const auto lines = table.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool baseline = i > 0 && t.rows[i - 1].baseline;
        out << (i == 0 ? paint.faint(lines[i]) : baseline ? paint.source(lines[i]) : lines[i]) << '\n';
    }
}

void print_summaries(std::ostream& out, const TimingTable& t, const Paint& paint) {
    const auto each = timing::summaries(t);
    if (each.empty()) return;
    Table table({"variant", "type", "sizes", "× library, geometric mean", "worst", "library"}, 1);
    const auto add = [&](const std::string& name, const timing::Summary& sum) {
        table.add({name, sum.element, fmt::format("{}", sum.rows), fmt::format("{:.3f}", sum.mean),
                   fmt::format("{:.3f}", sum.worst), sum.against});
    };
    for (const auto& sum : each) add(sum.variant, sum);
    const auto best = timing::summaries_of_best(t);
    for (const auto& sum : best) add("the fastest of each size", sum);
    const auto lines = table.lines();
    out << '\n';
    for (std::size_t i = 0; i < lines.size(); ++i)
        out << (i == 0 ? paint.faint(lines[i]) : i > each.size() ? paint.result(lines[i]) : lines[i]) << '\n';
}

// What "% of limit" is of.
void print_limit(std::ostream& out, const TimingTable& t, const Paint& paint) {
    const auto has = [&](const char* name) {
        return std::any_of(t.rows.begin(), t.rows.end(), [&](const Timing& row) {
            const Timing* limit = timing::limit_of(t, row);
            return limit && limit->variant == name;
        });
    };
    const bool read = has(timing::kPlainRead), copy = has(timing::kPlainCopy);
    if (!read && !copy) return;
    out << paint.faint(fmt::format("% of limit: GB/s compared with a {} of the same values",
                                   !copy  ? "plain read"
                                   : read ? "plain read, or with a plain copy where the kernel writes as much as it reads,"
                                          : "plain copy"))
        << '\n';
}

void print_doubts(std::ostream& out, const TimingTable& t, const Paint& paint) {
    for (const std::string& doubt : timing::doubts_of(t)) out << paint.warning(doubt) << '\n';
}

}  // namespace

void print_ladder(std::ostream& out, const timing::Ladder& ladder, Paint paint) {
    auto cells = timing::ladder_cells(ladder);
    if (cells.empty()) {
        out << "No lesson's times on 2^24 floats were recorded; --record measures them on a machine with a GPU.\n";
        return;
    }
    // Within 80 columns: the long heading is explained below, and of a long name the end is kept.
    constexpr std::size_t kLongest = 27;
    std::replace(cells[0].begin(), cells[0].end(), std::string("% of a plain read"), std::string("% read"));
    for (auto& row : cells) {
        if (row[0] == "serial CPU baseline") row[0] = "CPU, serial";
        if (row[1].size() > kLongest) row[1] = "…" + row[1].substr(row[1].size() - kLongest + 1);
    }
    Table table(cells.front(), 2);
    for (std::size_t i = 1; i < cells.size(); ++i) table.add(cells[i]);
    const auto lines = table.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) out << (i == 0 ? paint.faint(lines[i]) : lines[i]) << '\n';
    out << paint.faint(timing::ladder_source(ladder)) << '\n'
        << paint.faint("% read: of a plain read of the same values; speed-up over the row above") << '\n';
}

void print_time(std::ostream& out, const TimingTable& t, Paint paint, bool samples) {
    out << paint.strong(t.recorded ? fmt::format("Recorded on {} · {}", t.gpu, t.date) : t.gpu) << '\n'
        << paint.faint(fmt::format("CUDA {} · L2 {} · {}", t.driver, t.l2, t.method)) << '\n';
    if (!t.cpu.empty()) out << paint.faint(fmt::format("CPU {}", t.cpu)) << '\n';
    if (t.before) out << paint.faint("before: " + timing::state_text(*t.before)) << '\n';
    if (t.after) out << paint.faint("after: " + timing::state_text(*t.after)) << '\n';
    print_rows(out, t, paint, samples);
    print_limit(out, t, paint);
    print_summaries(out, t, paint);
    print_doubts(out, t, paint);
}

}  // namespace lanewise::print
