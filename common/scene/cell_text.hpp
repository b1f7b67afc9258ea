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

// Columns for a number that is whole, and for one that is cut: cut it may be larger. `least`: for either, in the
// smallest type, which is for numbers that have no form else.
struct CellRoom {
    double whole;
    double cut;
    double least;
    CellRoom(double columns) : CellRoom(columns, columns) {}
    CellRoom(double for_whole, double for_cut) : CellRoom(for_whole, for_cut, for_whole) {}
    CellRoom(double for_whole, double for_cut, double at_least)
        : whole(for_whole), cut(for_cut), least(at_least) {}
};

// A number on one line, in so many columns; a wider one where there is no shorter form of it.
std::string cell_text(Element type, std::uint64_t bits, const CellRoom& room);

// The lines of a text in a cell; the second is empty where there is one.
std::pair<std::string_view, std::string_view> lines_of_cell(std::string_view text);

// Signs of the longer line.
int cell_width(std::string_view text);

}  // namespace lanewise::scene
