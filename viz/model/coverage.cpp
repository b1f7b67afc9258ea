#include "viz/model/coverage.hpp"

#include <algorithm>
#include <cmath>

namespace lanewise::viz {

Coverage coverage_of(std::size_t inputs, bool counted_twice, bool undefined, std::size_t most) {
    if (undefined) return Coverage::undefined;
    if (counted_twice) return Coverage::twice;
    if (inputs == 0) return Coverage::unknown;
    return inputs == most && most > 1 ? Coverage::complete : Coverage::partial;
}

float part_held(std::size_t inputs, std::size_t most) {
    if (inputs == 0) return 0;
    if (most <= 1 || inputs >= most) return 1;
    // One input is not nothing: it stands where the first doubling would begin.
    return static_cast<float>((1 + std::log2(static_cast<double>(inputs))) /
                              (1 + std::log2(static_cast<double>(most))));
}

Color coverage_color(const Theme& theme, Coverage coverage, float part) {
    switch (coverage) {
        case Coverage::unknown: return mix(theme.ground, theme.quiet, 0.25);
        case Coverage::partial: return mix(mix(theme.ground, theme.sum_partial, 0.16), theme.sum_partial, part);
        case Coverage::complete: return theme.sum_complete;
        case Coverage::twice: return theme.sum_twice;
        case Coverage::undefined: break;
    }
    return mix(theme.ground, theme.warning, 0.18);
}

Color LaneColors::of(Element type, std::uint64_t bits, std::size_t inputs, bool counted_twice, bool undefined) const {
    if (undefined) return coverage_color(*theme, Coverage::undefined, 0);
    if (by == ColorBy::value) return scale->color(type, bits);
    const std::size_t most = run_view->most_inputs;
    return coverage_color(*theme, coverage_of(inputs, counted_twice, false, most), part_held(inputs, most));
}

Color LaneColors::of(const steps::LaneValues& lane_values, int lane) const {
    const auto at = static_cast<std::size_t>(lane);
    const steps::Provenance inputs = run_view->steps().provenances.at(lane_values.inputs[at]);
    return of(lane_values.type, lane_values.bits[at], inputs.count(), inputs.counted_twice(), inputs.undefined);
}

ValueScale plain_words(const Theme& theme) { return ValueScale::plain(mix(theme.panel, theme.quiet, 0.35)); }

}  // namespace lanewise::viz
