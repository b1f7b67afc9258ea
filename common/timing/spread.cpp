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

}  // namespace

Spread spread_of(std::vector<double> samples) {
    if (samples.empty()) throw std::invalid_argument("a spread needs at least one sample");
    std::sort(samples.begin(), samples.end());
    return {percentile(samples, 0.5), percentile(samples, 0.05), percentile(samples, 0.95)};
}

}  // namespace lanewise::timing
