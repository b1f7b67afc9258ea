// How a lane's number and a word of memory look, wherever they stand: on the stage, in banks and sectors, in legends.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/base/element.hpp"
#include "common/scene/cell_text.hpp"
#include "common/scene/coverage.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

// Columns (scene::cell_columns) of numbers that fit in cells of that width: whole in the smallest face of scale 1, cut in
// the next. At larger scales there are smaller faces: the room is that of the largest in which all of the numbers
// `show_size`, else of the smallest.
scene::CellRoom cell_room(float cell, float scale,
                          const std::function<bool(const scene::CellRoom&)>& show_size = {});

// The widest of several texts in cells, in signs and in columns.
struct CellWidths {
    int signs = 0;
    double columns = 0;
    void add(std::string_view text);
};

// The largest face in which such texts are drawn in a cell.
Face cell_face(const Look& look, float cell, const CellWidths& widths);

// A number as it fits in `width`: whole in `largest` or a smaller face, else its first digits and "…".
struct FittedNumber {
    Face face;
    std::string text;
};
FittedNumber fit_number(const Look& look, Element type, std::uint64_t bits, float width, Face largest);

// A word of memory: square, with its upper corners cut where the memory is shared.
void word_shape(const Brush& brush, const Rect& box, bool shared, Color ground, Color edge, float thick);

// What marks a lane that a finding names; a lane that holds something else than in the run beside this one (the sign
// is under its cell).
void fault_mark(const Brush& brush, const Rect& box);
void differ_mark(const Brush& brush, const Rect& box);

// How a sum stands, along the foot of its cell: a line, short while it is partial (where `gauge` asks for that), broken
// where an input was counted twice. `more_perhaps` leaves its end open.
void coverage_foot(const Brush& brush, const Rect& cell, Color ink, scene::Coverage coverage, float part,
                   bool more_perhaps, bool gauge);

}  // namespace lanewise::viz
