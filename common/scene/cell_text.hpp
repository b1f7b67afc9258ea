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

// Columns for a number that is whole, and for one that is cut, which may be larger.
struct CellRoom {
    double whole;
    double cut;
    CellRoom(double columns) : CellRoom(columns, columns) {}
    CellRoom(double for_whole, double for_cut) : whole(for_whole), cut(for_cut) {}
};

// A number on one line, in so many columns; a wider one where there is no shorter form of it.
std::string cell_text(Element type, std::uint64_t bits, const CellRoom& room);

// Does the text of `value` that was made for this room fit, and show how large it is? "0…" does so only below 0.1.
bool shows_size(std::string_view text, double value, const CellRoom& room);

// The lines of a text in a cell; the second is empty where there is one.
std::pair<std::string_view, std::string_view> lines_of_cell(std::string_view text);

// Signs of the longer line.
int cell_width(std::string_view text);

}  // namespace lanewise::scene
