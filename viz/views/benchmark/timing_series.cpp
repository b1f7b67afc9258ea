#include "viz/views/benchmark/timing_series.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "common/timing/compare.hpp"
#include "common/timing/sizes.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::viz {
namespace {

using timing::Timing;
using timing::TimingTable;

bool is_launch(const Timing& row) { return row.limit && row.bytes == 0; }

// "1024×2048"
std::optional<std::pair<std::uint64_t, std::uint64_t>> shape_of(const std::string& size) {
    static constexpr std::string_view kTimes = "×";
    const std::size_t at = size.find(kTimes);
    if (at == std::string::npos) return std::nullopt;
    std::uint64_t s = 0, k = 0;
    const char* end = size.data() + size.size();
    if (std::from_chars(size.data(), size.data() + at, s).ptr != size.data() + at) return std::nullopt;
    if (std::from_chars(size.data() + at + kTimes.size(), end, k).ptr != end) return std::nullopt;
    return std::pair{s, k};
}

std::size_t place_in(const std::vector<std::uint64_t>& values, std::uint64_t value) {
    return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin());
}

}  // namespace

Role role_of(const Timing& row) {
    return row.on_cpu ? Role::cpu : row.limit ? Role::limit : row.baseline ? Role::library : Role::variant;
}

const Series* TimingSeries::find(const std::string& name) const {
    const auto at = std::find_if(series.begin(), series.end(), [&](const Series& each) { return each.name == name; });
    return at == series.end() ? nullptr : &*at;
}

std::vector<std::string> elements_of(const TimingTable& table) {
    std::vector<std::string> elements;
    for (const Timing& row : table.rows)
        if (is_timed(row) && !row.baseline &&
            std::find(elements.begin(), elements.end(), row.element) == elements.end())
            elements.push_back(row.element);
    return elements;
}

std::string element_of(const TimingTable& table, const std::string& variant) {
    for (const Timing& row : table.rows)
        if (is_timed(row) && row.variant == variant) return row.element;
    const auto all = elements_of(table);
    return all.empty() ? std::string() : all.front();
}

TimingSeries series_of(const TimingTable& table, const std::string& element) {
    TimingSeries all;
    std::set<std::uint64_t> sizes;
    for (const Timing& row : table.rows) {
        if (!is_timed(row)) continue;
        if (is_launch(row)) {
            all.launch = &row;
            continue;
        }
        // What a baseline did on an input without a type of its own belongs to all.
        if (row.element != element && !(row.baseline && row.element.empty())) continue;
        auto at = std::find_if(all.series.begin(), all.series.end(),
                               [&](const Series& each) { return each.name == row.variant; });
        if (at == all.series.end()) at = all.series.insert(all.series.end(), {row.variant, role_of(row), 0, {}});
        const auto same =
            std::find_if(at->points.begin(), at->points.end(), [&](const Timing* other) { return other->n == row.n; });
        if (same == at->points.end()) at->points.push_back(&row);
        else if (!(*same)->size.empty() && row.size.empty()) *same = &row;
        if (!row.on_cpu) sizes.insert(row.n);
    }
    std::stable_sort(all.series.begin(), all.series.end(),
                     [](const Series& a, const Series& b) { return a.role < b.role; });
    std::map<Role, std::size_t> places;
    for (Series& each : all.series) {
        each.place = places[each.role]++;
        std::sort(each.points.begin(), each.points.end(), [](const Timing* a, const Timing* b) { return a->n < b->n; });
    }
    all.sizes.assign(sizes.begin(), sizes.end());
    return all;
}

Shapes shapes_of(const TimingTable& table, const std::string& element) {
    Shapes shapes;
    std::set<std::uint64_t> rows, columns;
    const auto belongs = [&](const Timing& row) {
        return is_timed(row) && !row.limit && !row.on_cpu && row.element == element && shape_of(row.size);
    };
    for (const Timing& row : table.rows) {
        if (!belongs(row)) continue;
        shapes.of_rows |= row.columns != 0;
        rows.insert(shape_of(row.size)->first);
        columns.insert(shape_of(row.size)->second);
    }
    shapes.rows.assign(rows.begin(), rows.end());
    shapes.columns.assign(columns.begin(), columns.end());
    for (const Timing& row : table.rows) {
        if (!belongs(row)) continue;
        auto at = std::find_if(shapes.grids.begin(), shapes.grids.end(),
                               [&](const Shapes::Grid& grid) { return grid.name == row.variant; });
        if (at == shapes.grids.end())
            at = shapes.grids.insert(shapes.grids.end(), {row.variant, role_of(row),
                                                          std::vector<const Timing*>(rows.size() * columns.size())});
        const auto [s, k] = *shape_of(row.size);
        at->cells[place_in(shapes.rows, s) * columns.size() + place_in(shapes.columns, k)] = &row;
    }
    std::stable_partition(shapes.grids.begin(), shapes.grids.end(),
                          [](const Shapes::Grid& grid) { return grid.role == Role::library; });
    return shapes;
}

std::vector<std::string> figure_lines(const TimingTable& table, const Timing& row) {
    using timing::time_text;
    std::vector<std::string> lines{
        row.variant, row.size.empty() ? timing::size_text(row.n) + " values"
                                      : fmt::format("{} = {} values", row.size, timing::size_text(row.n))};
    if (!row.element.empty()) lines.back() += " of " + row.element;
    lines.push_back("median " + time_text(row.median_us));
    lines.push_back(fmt::format("5 % to 95 %: {} to {}", time_text(row.low_us), time_text(row.high_us)));
    if (row.max_us > 0)
        lines.push_back(
            fmt::format("of {} samples, {} to {}", row.samples, time_text(row.min_us), time_text(row.max_us)));
    else lines.push_back(fmt::format("of {} samples", row.samples));
    if (row.bytes > 0)
        lines.push_back(timing::rate_text(row.gb_per_s()) + (row.on_cpu ? ", on one core of the CPU" : ""));
    if (const auto part = timing::percent_of_limit(table, row))
        lines.push_back(fmt::format("{:.0f} % of a {}'s rate", *part, timing::limit_of(table, row)->variant));
    if (const auto ratio = timing::times_as_fast(table, row))
        lines.push_back(fmt::format("{:.2f} × as fast as {}", *ratio, row.against));
    return lines;
}

}  // namespace lanewise::viz
