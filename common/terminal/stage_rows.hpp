// The stage as lines of cells, and how they are laid out; without a screen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/warp.hpp"
#include "common/scene/lane_facts.hpp"

namespace lanewise::terminal {

inline constexpr int kLabels = 11;   // columns of a row's name

// One line of the stage: a name and a cell for each lane.
struct Row {
    enum class Kind { numbers, value, text };
    struct Cell {
        bool has = false;
        bool is_value = false;
        Element type = Element::f32;
        std::uint64_t bits = 0;
        std::string text;
    };
    std::string label;
    Kind kind = Kind::text;
    scene::ValueRow::Role role = scene::ValueRow::Role::plain;
    std::vector<Cell> cells;
};

// What a warp's lanes held before step k, did in it and held then.
std::vector<Row> stage_rows(const steps::Steps& steps, std::size_t k, const WarpRef& warp);

// Lanes of each row.
inline int lanes_of(const std::vector<Row>& rows) {
    return rows.empty() ? 0 : static_cast<int>(rows.front().cells.size());
}

// Lanes next to each other, and columns for each: as many lanes as leave every number whole, if they fit below each
// other; else with fewer digits.
struct Grid {
    int across = 32;
    int cell = 4;
    int gap = 0;   // lines between groups of lanes
};
Grid grid_of(const std::vector<Row>& rows, int columns, int height);

// Lines that the rows take on a screen of `columns` × `screen_rows`, with one for a heading.
int stage_height(const std::vector<Row>& rows, int columns, int screen_rows);

// Leaves out what a lane held, then what it holds then, where the rows take more than `height` lines.
void make_fit(std::vector<Row>& rows, int columns, int height);

}  // namespace lanewise::terminal
