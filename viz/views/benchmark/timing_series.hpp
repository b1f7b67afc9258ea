// Times as what is drawn of them: a series for each variant over its sizes, the S×K table, the bytes against the rate.
// Pure functions of a table; pointers are into it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/timing/timing.hpp"

namespace lanewise::viz {

// What a row stands for.
enum class Role : std::uint8_t { variant, library, limit, cpu };
Role role_of(const timing::Timing& row);

struct Series {
    std::string name;
    Role role = Role::variant;
    std::size_t place = 0;                        // among those of its role
    std::vector<const timing::Timing*> points;    // one for each size, by size
};

struct TimingSeries {
    std::vector<Series> series;                   // variants in the table's order, the library, the limits, the CPU
    std::vector<std::uint64_t> sizes;             // that a GPU was measured at, ascending
    const timing::Timing* launch = nullptr;  // what a launch alone takes (an empty kernel), where that was measured

    bool empty() const { return series.empty(); }
    bool swept() const { return sizes.size() > 1; }
    const Series* find(const std::string& name) const;
};

// The types of input that were timed, in the table's order; one, perhaps empty, where all are alike.
std::vector<std::string> elements_of(const timing::TimingTable& table);
// The type of input of a variant; the first of all where it was not timed.
std::string element_of(const timing::TimingTable& table, const std::string& variant);

// Those on inputs of one type. What was not timed (a wrong result) is left out. Of several rows of one size the one
// outside the S×K table stands, else the first.
TimingSeries series_of(const timing::TimingTable& table, const std::string& element);

// The S×K table: each variant's times by rows and columns, beside the library's.
struct Shapes {
    struct Grid {
        std::string name;
        Role role = Role::variant;
        std::vector<const timing::Timing*> cells;   // row by row; null where it was not measured
    };
    std::vector<std::uint64_t> rows, columns;       // S and K, ascending
    bool of_rows = false;                           // each row is a work of its own; else one sum of all S·K values
    std::vector<Grid> grids;                        // the library's first

    bool empty() const { return grids.empty(); }
};
Shapes shapes_of(const timing::TimingTable& table, const std::string& element);

// One figure described, a line each: the variant, the size, the median and where 90 of 100 samples lie, the rate.
std::vector<std::string> figure_lines(const timing::TimingTable& table, const timing::Timing& row);

}  // namespace lanewise::viz
