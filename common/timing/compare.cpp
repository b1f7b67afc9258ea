#include "common/timing/compare.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace lanewise::timing {
namespace {

constexpr double kUnsteady = 0.1;
constexpr double kSameTime = 1.005;   // medians this far apart, and no further, are the same

bool same_size(const Timing& a, const Timing& b) { return a.n == b.n && a.size == b.size && a.element == b.element; }

// The baseline of as many values. What computes must have rows as long; a limit moves bytes, whatever their rows are.
const Timing* find(const TimingTable& table, const Timing& beside, const std::string& variant) {
    for (const Timing& row : table.rows)
        if (row.baseline && row.variant == variant && same_size(row, beside) &&
            (row.limit || row.columns == beside.columns))
            return &row;
    return nullptr;
}

std::optional<double> percent_of(const Timing* limit, const Timing& row) {
    if (!limit || !is_timed(*limit) || row.on_cpu || !is_timed(row)) return std::nullopt;
    return 100 * row.gb_per_s() / limit->gb_per_s();
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

const Timing* timing_of(const TimingTable& table, const std::string& variant) {
    // A row of the lesson's own shape before one of the table of sizes, then the one of more values.
    const auto rank = [](const Timing& row) { return std::pair(row.columns != 0 && row.size.empty(), row.n); };
    const Timing* best = nullptr;
    for (const Timing& row : table.rows)
        if (is_timed(row) && row.variant == variant && (!best || rank(*best) < rank(row))) best = &row;
    return best;
}

std::vector<const Timing*> comparable_times(const TimingTable& table, const std::vector<std::string>& variants) {
    if (variants.empty()) return {};
    const auto like = [&](const std::string& variant, const Timing& wanted) {
        const Timing* found = nullptr;
        for (const Timing& row : table.rows)
            if (is_timed(row) && row.variant == variant && row.n == wanted.n && row.columns == wanted.columns &&
                (!found || row.size.empty()))
                found = &row;
        return found;
    };
    std::vector<const Timing*> first;
    for (const Timing& row : table.rows)
        if (is_timed(row) && row.variant == variants.front()) first.push_back(&row);
    std::stable_sort(first.begin(), first.end(), [](const Timing* a, const Timing* b) { return a->n > b->n; });
    for (const Timing* wanted : first) {
        std::vector<const Timing*> times;
        for (const std::string& variant : variants) times.push_back(like(variant, *wanted));
        if (std::find(times.begin(), times.end(), nullptr) == times.end()) return times;
    }
    return {};
}

const Timing* limit_of(const TimingTable& table, const Timing& row) {
    if (row.on_cpu || row.limit || row.bytes == 0 || !is_timed(row)) return nullptr;
    const Timing* nearest = nullptr;
    for (const char* name : {kPlainRead, kPlainCopy}) {
        const Timing* limit = find(table, row, name);
        if (limit && is_timed(*limit) && limit->bytes > 0 &&
            (!nearest || is_nearer(row.bytes, limit->bytes, nearest->bytes)))
            nearest = limit;
    }
    return nearest;
}

bool is_nearer(std::uint64_t bytes, std::uint64_t one, std::uint64_t other) {
    const auto factor = [bytes](std::uint64_t limit) {
        return static_cast<double>(std::max(limit, bytes)) / static_cast<double>(std::min(limit, bytes));
    };
    return factor(one) < factor(other);
}

std::optional<double> percent_of_limit(const TimingTable& table, const Timing& row) {
    return percent_of(limit_of(table, row), row);
}

std::optional<double> percent_of_read(const TimingTable& table, const Timing& row) {
    return percent_of(find(table, row, kPlainRead), row);
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
