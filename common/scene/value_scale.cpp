#include "common/scene/value_scale.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/element.hpp"

namespace lanewise::scene {

void ValueScale::add(const steps::LaneValues& lane_values) {
    for (int lane = 0; lane < trace::kWarpSize; ++lane) {
        if (!((lane_values.known >> lane) & 1u)) continue;
        const double value = element_to_double(lane_values.type, lane_values.bits[static_cast<std::size_t>(lane)]);
        if (std::isfinite(value)) sorted_.push_back(value);
    }
}

void ValueScale::finish() {
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
}

double ValueScale::place(double value) const {
    if (sorted_.size() < 2 || std::isnan(value)) return 0.35;
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), value) - sorted_.begin();
    return std::min(1.0, static_cast<double>(at) / static_cast<double>(sorted_.size() - 1));
}

}  // namespace lanewise::scene
