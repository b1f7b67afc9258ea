// How a lane's value stands on its way to the whole sum: told by the inputs it has absorbed, never by its number. And
// the colours of lanes, by value or by this.
#pragma once

#include "viz/model/run_view.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

enum class Coverage : std::uint8_t {
    unknown,     // no inputs, or nobody knows which
    partial,    // some inputs
    complete,   // as many as any lane of the run ever holds
    twice,      // some input more than once
    undefined,  // something undefined came in
};

// `most`: RunView::most_inputs.
Coverage coverage_of(std::size_t inputs, bool counted_twice, bool undefined, std::size_t most);
// How far `inputs` is on the way to `most`, 0…1: each doubling is as far as any other, as in a tree.
float part_held(std::size_t inputs, std::size_t most);

Color coverage_color(const Theme& theme, Coverage coverage, float part);

// The colours of one warp's lanes, or of a whole run's.
struct LaneColors {
    const RunView* run_view = nullptr;
    const ValueScale* scale = nullptr;
    const Theme* theme = nullptr;
    ColorBy by = ColorBy::value;

    Color of(Element type, std::uint64_t bits, std::size_t inputs, bool counted_twice, bool undefined) const;
    // A known lane of `holding`.
    Color of(const steps::LaneValues& lane_values, int lane) const;
};

// The colour of words of memory while lanes are coloured by their inputs: those of a word are not told.
ValueScale plain_words(const Theme& theme);

}  // namespace lanewise::viz
