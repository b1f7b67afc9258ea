#include "viz/model/lane_colors.hpp"

namespace lanewise::viz {

using scene::Coverage;

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

Color LaneColors::of(const scene::LaneCell& cell) const {
    if (cell.undefined) return coverage_color(*theme, Coverage::undefined, 0);
    if (by == ColorBy::value) return scale->color(cell.type, cell.bits);
    const std::size_t most = run_view->most_inputs;
    return coverage_color(*theme, scene::coverage_of(cell.inputs, cell.counted_twice, false, most),
                          scene::part_included(cell.inputs, most));
}

ValueScale plain_words(const Theme& theme) { return ValueScale::plain(mix(theme.panel, theme.quiet, 0.35)); }

}  // namespace lanewise::viz
