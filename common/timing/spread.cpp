#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "common/timing/timing.hpp"

namespace lanewise::timing {
namespace {

// Linear between the two samples around the place asked for.
double percentile(const std::vector<double>& sorted, double fraction) {
    const double place = fraction * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

bool same_row(const Timing& a, const Timing& b) {
    return a.variant == b.variant && a.n == b.n && a.size == b.size && a.element == b.element;
}

}  // namespace

Spread spread_of(std::vector<double> samples) {
    if (samples.empty()) throw std::invalid_argument("a spread needs at least one sample");
    std::sort(samples.begin(), samples.end());
    Spread spread{percentile(samples, 0.5), percentile(samples, 0.05), percentile(samples, 0.95), samples.front(),
                  samples.back(), 0};
    spread.outliers = static_cast<int>(std::count_if(samples.begin(), samples.end(), [&](double sample) {
        return std::abs(sample - spread.median) > kOutlier * spread.median;
    }));
    return spread;
}

void set_times(Timing& row, std::vector<double> samples) {
    row.samples = static_cast<int>(samples.size());
    const Spread spread = spread_of(std::move(samples));
    row.median_us = spread.median;
    row.low_us = spread.low;
    row.high_us = spread.high;
    row.min_us = spread.min;
    row.max_us = spread.max;
    row.outliers = spread.outliers;
}

TimingTable merge(const std::vector<TimingTable>& tables) {
    if (tables.empty()) throw std::invalid_argument("no tables to merge");
    TimingTable merged = tables.front();
    for (std::size_t r = 0; r < merged.rows.size(); ++r) {
        Timing& row = merged.rows[r];
        std::vector<double> medians;
        row.samples = row.outliers = 0;
        for (const TimingTable& table : tables) {
            if (table.rows.size() != merged.rows.size() || !same_row(table.rows[r], row))
                throw std::invalid_argument("tables of other rows cannot be merged");
            const Timing& other = table.rows[r];
            medians.push_back(other.median_us);
            row.low_us = std::min(row.low_us, other.low_us);
            row.high_us = std::max(row.high_us, other.high_us);
            row.min_us = std::min(row.min_us, other.min_us);
            row.max_us = std::max(row.max_us, other.max_us);
            row.samples += other.samples;
            row.outliers += other.outliers;
            row.within_bound &= other.within_bound;
        }
        row.median_us = spread_of(medians).median;
    }
    merged.after = tables.back().after;
    if (tables.size() > 1)
        merged.method += "; " + std::to_string(tables.size()) + " such tables: lowest, median and highest";
    return merged;
}

}  // namespace lanewise::timing
