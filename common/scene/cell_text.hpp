// A number in a narrow cell: whole where it fits, else its first digits and "…" (common/base/short_number.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/element.hpp"

namespace lanewise::scene {

// Width of a text, of its longer line, in digits of the face of narrow cells: its point and its minus are narrower.
double cell_columns(std::string_view text);
inline constexpr double kPointColumns = 0.6;
inline constexpr double kMinusColumns = 0.85;

// Columns for a number that is whole, and for one that is cut, which may be larger. `last`: no smaller type is left, so
// digits without a mark are better than none.
struct CellRoom {
    double whole;
    double cut;
    bool last;
    CellRoom(double columns) : CellRoom(columns, columns) {}
    CellRoom(double for_whole, double for_cut, bool is_last = true) : whole(for_whole), cut(for_cut), last(is_last) {}
};

// A number on one line, in so many columns; a wider one where there is no shorter form of it. A fraction has a digit if
// there is room for one: ".04…" in the smaller type, else first_digits (".04", "4e-5"); of one from 0.1 on only in the
// last type.
std::string cell_text(Element type, std::uint64_t bits, const CellRoom& room);

// Does the text of `value` that was made for this room fit, and show how large it is? "0…" does so only below 0.1.
bool shows_size(std::string_view text, double value, const CellRoom& room);

// The lines of a text in a cell; the second is empty where there is one.
std::pair<std::string_view, std::string_view> lines_of_cell(std::string_view text);

// Signs of the longer line.
int cell_width(std::string_view text);

}  // namespace lanewise::scene
