// How a lane's number and a word of memory look, wherever they stand: on the stage, in banks and sectors, in legends.
#pragma once

#include <string_view>

#include "common/scene/coverage.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

// Characters of a number that fit in a cell of that width.
int cell_chars(float cell, float scale);

// A word of memory: square, with its upper corners cut where the memory is shared.
void word_shape(const Brush& brush, const Rect& box, bool shared, Color ground, Color edge, float thick);

// What marks a lane that a finding names; a lane that holds something else than in the run beside this one (the sign
// stands under its cell).
void fault_mark(const Brush& brush, const Rect& box);
void differ_mark(const Brush& brush, const Rect& box);

// How a sum stands, along the foot of its cell: a line, short while it is partial (where `gauge` asks for that), broken
// where an input was counted twice. `more_perhaps` leaves its end open.
void coverage_foot(const Brush& brush, const Rect& cell, Color ink, scene::Coverage coverage, float part,
                   bool more_perhaps, bool gauge);

// "-inf" as "-∞" where it would fill a cell of that width from edge to edge.
std::string_view infinity_in(const Look& look, Face face, std::string_view text, float width);

// The largest face whose digits let `chars` of them stand in a cell.
Face cell_face(const Look& look, float cell, int chars);

}  // namespace lanewise::viz
