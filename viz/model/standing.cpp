#include "viz/model/standing.hpp"

#include <algorithm>
#include <cmath>

namespace lanewise::viz {

Standing standing_of(std::size_t inputs, bool counted_twice, bool undefined, std::size_t most) {
    if (undefined) return Standing::undefined;
    if (counted_twice) return Standing::twice;
    if (inputs == 0) return Standing::untold;
    return inputs == most && most > 1 ? Standing::complete : Standing::partial;
}

float part_held(std::size_t inputs, std::size_t most) {
    if (inputs == 0) return 0;
    if (most <= 1 || inputs >= most) return 1;
    // One input is not nothing: it stands where the first doubling would begin.
    return static_cast<float>((1 + std::log2(static_cast<double>(inputs))) /
                              (1 + std::log2(static_cast<double>(most))));
}

Color standing_color(const Theme& theme, Standing standing, float part) {
    switch (standing) {
        case Standing::untold: return mix(theme.ground, theme.quiet, 0.25);
        case Standing::partial: return mix(mix(theme.ground, theme.sum_partial, 0.16), theme.sum_partial, part);
        case Standing::complete: return theme.sum_complete;
        case Standing::twice: return theme.sum_twice;
        case Standing::undefined: break;
    }
    return mix(theme.ground, theme.warning, 0.18);
}

Color LaneColors::of(Element type, std::uint64_t bits, std::size_t inputs, bool counted_twice, bool undefined) const {
    if (undefined) return standing_color(*theme, Standing::undefined, 0);
    if (by == ColorBy::value) return scale->color(type, bits);
    const std::size_t most = exhibit->most_inputs;
    return standing_color(*theme, standing_of(inputs, counted_twice, false, most), part_held(inputs, most));
}

Color LaneColors::of(const steps::Holding& holding, int lane) const {
    const auto at = static_cast<std::size_t>(lane);
    const steps::Provenance inputs = exhibit->steps().provenances.at(holding.inputs[at]);
    return of(holding.type, holding.bits[at], inputs.count(), inputs.counted_twice(), inputs.undefined);
}

ValueScale plain_words(const Theme& theme) { return ValueScale::plain(mix(theme.panel, theme.quiet, 0.35)); }

}  // namespace lanewise::viz
