#include "common/scene/coverage.hpp"

#include <cmath>

namespace lanewise::scene {

Coverage coverage_of(std::size_t inputs, bool counted_twice, bool undefined, std::size_t most) {
    if (undefined) return Coverage::undefined;
    if (counted_twice) return Coverage::twice;
    if (inputs == 0) return Coverage::unknown;
    return inputs == most && most > 1 ? Coverage::complete : Coverage::partial;
}

float part_included(std::size_t inputs, std::size_t most) {
    if (inputs == 0) return 0;
    if (most <= 1 || inputs >= most) return 1;
    // One input is not nothing: it is where the first doubling would begin.
    return static_cast<float>((1 + std::log2(static_cast<double>(inputs))) /
                              (1 + std::log2(static_cast<double>(most))));
}

}  // namespace lanewise::scene
