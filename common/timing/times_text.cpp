#include "common/timing/times_text.hpp"

#include <fmt/format.h>

namespace lanewise::timing {
namespace {

std::string three_digits(double value) {
    // What would be rounded up to one digit more is written with one decimal less: "10.0", never "10.00".
    return value < 9.995   ? fmt::format("{:.2f}", value)
           : value < 99.95 ? fmt::format("{:.1f}", value)
                           : fmt::format("{:.0f}", value);
}

}  // namespace

std::string time_words(double us) {
    if (us < 999.5) return three_digits(us) + " µs";
    if (us < 999.5e3) return three_digits(us * 1e-3) + " ms";
    return three_digits(us * 1e-6) + " s";
}

std::string rate_words(double gb_per_s) { return three_digits(gb_per_s) + " GB/s"; }

namespace {

template <class Table>
std::string from(const Table& table) {
    if (table.rows.empty()) return {};
    return table.gpu + (table.recorded ? " · recorded " : " · measured ") + table.date;
}

}  // namespace

std::string times_from(const TimingTable& table) { return from(table); }
std::string costs_from(const CostTable& table) { return from(table); }

}  // namespace lanewise::timing
