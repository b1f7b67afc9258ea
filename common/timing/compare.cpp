#include "common/timing/compare.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace lanewise::timing {
namespace {

constexpr double kUnsteady = 0.1;
constexpr double kSameTime = 1.005;   // medians this far apart, and no further, are the same

bool same_size(const Timing& a, const Timing& b) { return a.n == b.n && a.size == b.size && a.element == b.element; }

const Timing* find(const TimingTable& table, const Timing& beside, const std::string& variant) {
    for (const Timing& row : table.rows)
        if (row.baseline && row.variant == variant && same_size(row, beside)) return &row;
    return nullptr;
}

// Geometric means of `ratios` under their keys, in the order in which keys came.
class Means {
public:
    void add(const std::string& variant, const std::string& element, const std::string& against, double ratio) {
        const auto at = std::find_if(sums_.begin(), sums_.end(), [&](const Summary& sum) {
            return std::tie(sum.variant, sum.element, sum.against) == std::tie(variant, element, against);
        });
        Summary& sum = at != sums_.end() ? *at : sums_.emplace_back(Summary{variant, element, against, 0, 0, ratio});
        ++sum.rows;
        sum.mean += std::log(ratio);
        sum.worst = std::min(sum.worst, ratio);
    }
    std::vector<Summary> result() && {
        std::erase_if(sums_, [](const Summary& sum) { return sum.rows < 2; });
        for (Summary& sum : sums_) sum.mean = std::exp(sum.mean / sum.rows);
        return std::move(sums_);
    }

private:
    std::vector<Summary> sums_;
};

}  // namespace

int compare_times(const Timing& a, const Timing& b) {
    // Rows of older files have a median alone.
    const auto low = [](const Timing& row) { return row.high_us > 0 ? row.low_us : row.median_us; };
    const auto high = [](const Timing& row) { return row.high_us > 0 ? row.high_us : row.median_us; };
    if (std::max(a.median_us, b.median_us) <= kSameTime * std::min(a.median_us, b.median_us)) return 0;
    return low(a) > high(b) ? 1 : high(a) < low(b) ? -1 : 0;
}

std::optional<double> percent_of_read(const TimingTable& table, const Timing& row) {
    if (row.on_cpu || row.median_us <= 0) return std::nullopt;
    const Timing* read = find(table, row, kPlainRead);
    if (!read || read->median_us <= 0) return std::nullopt;
    return 100 * row.gb_per_s() / read->gb_per_s();
}

std::optional<double> times_as_fast(const TimingTable& table, const Timing& row) {
    if (row.against.empty() || row.baseline || row.median_us <= 0) return std::nullopt;
    const Timing* other = find(table, row, row.against);
    if (!other || other->median_us <= 0) return std::nullopt;
    return other->median_us / row.median_us;
}

std::vector<Summary> summaries(const TimingTable& table) {
    Means means;
    for (const Timing& row : table.rows)
        if (const auto ratio = times_as_fast(table, row)) means.add(row.variant, row.element, row.against, *ratio);
    return std::move(means).result();
}

std::vector<Summary> summaries_of_best(const TimingTable& table) {
    std::vector<const Timing*> best;
    for (const Timing& row : table.rows) {
        if (!times_as_fast(table, row)) continue;
        const auto at = std::find_if(best.begin(), best.end(), [&](const Timing* other) {
            return same_size(*other, row) && other->against == row.against;
        });
        if (at == best.end()) best.push_back(&row);
        else if (row.median_us < (*at)->median_us) *at = &row;
    }
    Means means;
    for (const Timing* row : best) means.add("", row->element, row->against, *times_as_fast(table, *row));
    return std::move(means).result();
}

int unsteady_rows(const TimingTable& table) {
    return static_cast<int>(std::count_if(table.rows.begin(), table.rows.end(), [](const Timing& row) {
        return !row.on_cpu && row.high_us - row.low_us > kUnsteady * row.median_us;
    }));
}

}  // namespace lanewise::timing
