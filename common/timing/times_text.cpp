#include "common/timing/times_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/timing/compare.hpp"
#include "common/timing/sizes.hpp"

namespace lanewise::timing {
namespace {

std::string three_digits(double value) {
    // What would be rounded up to one digit more is written with one decimal less: "10.0", never "10.00".
    return value < 9.995   ? fmt::format("{:.2f}", value)
           : value < 99.95 ? fmt::format("{:.1f}", value)
                           : fmt::format("{:.0f}", value);
}

}  // namespace

std::string time_text(double us) {
    if (us < 999.5) return three_digits(us) + " µs";
    if (us < 999.5e3) return three_digits(us * 1e-3) + " ms";
    return three_digits(us * 1e-6) + " s";
}

std::string rate_text(double gb_per_s) { return three_digits(gb_per_s) + " GB/s"; }

std::string shape_text(std::uint64_t n, std::uint64_t columns) {
    if (columns == 0) return size_text(n);
    // As lesson::rows_of() makes rows of values.
    return n % columns == 0 ? fmt::format("{}×{}", n / columns, columns) : fmt::format("1×{}", n);
}

std::string values_text(const Timing& row) { return shape_text(row.n, row.columns) + " values"; }

namespace {

template <class Table>
std::string from(const Table& table) {
    if (table.rows.empty()) return {};
    return table.gpu + (table.recorded ? " · recorded " : " · measured ") + table.date;
}

}  // namespace

std::string times_from(const TimingTable& table) { return from(table); }
std::string costs_from(const CostTable& table) { return from(table); }

std::vector<std::string> doubts_of(const TimingTable& table) {
    std::vector<std::string> doubts;
    const auto say = [&](std::string sentence) {
        if (std::find(doubts.begin(), doubts.end(), sentence) == doubts.end()) doubts.push_back(std::move(sentence));
    };
    for (const Timing& row : table.rows)
        if (!row.within_bound) say(row.variant + " gave a result outside its bound: its time means nothing.");
    const int others =
        std::max(table.before ? table.before->other_processes : 0, table.after ? table.after->other_processes : 0);
    if (others > 0)
        say(fmt::format("{} also used this GPU: times may be longer and spread wider than its own.",
                        others == 1 ? "Another process" : fmt::format("{} other processes", others)));
    if (const int rows = unsteady_rows(table); rows > 0)
        say(fmt::format("{} of {} measurements vary by more than 10 % (5th to 95th percentile): something else "
                        "ran, the clocks moved, or it matters here where in memory the "
                        "buffers lie.",
                        rows, table.rows.size()));
    for (const std::string& note : table.notes) say(note);
    if (!table.partial.empty()) say(fmt::format("Partial, what was measured before: {}.", table.partial));
    return doubts;
}

}  // namespace lanewise::timing
