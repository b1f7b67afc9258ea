// What the rows of a table are compared with each other: against the plain read, against the library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/timing/timing.hpp"

namespace lanewise::timing {

inline constexpr const char* kPlainRead = "plain read";
inline constexpr const char* kPlainCopy = "plain copy";
inline constexpr const char* kEmptyKernel = "empty kernel";   // moves no bytes: what a launch alone takes

// A row's GB/s in percent of those of the plain read of the same size and type; nothing where that was not measured,
// and for what ran on the CPU.
std::optional<double> percent_of_read(const TimingTable& table, const Timing& row);

// How many times as fast as the row it is compared with; nothing where that was not measured.
std::optional<double> times_as_fast(const TimingTable& table, const Timing& row);

// 1 where `a` takes longer than `b`, -1 where it takes less; 0 where there is no difference: their spreads (5th to 95th
// percentile) overlap, or the medians lie within half a percent.
int compare_times(const Timing& a, const Timing& b);

// A variant compared with its baseline over all rows of the S×K table (or of a sweep) that have both.
struct Summary {
    std::string variant;
    std::string element;
    std::string against;
    int rows = 0;
    double mean = 0;     // geometric, of times_as_fast
    double worst = 0;
};
// One for each variant and type with more than one such row, in the table's order.
std::vector<Summary> summaries(const TimingTable& table);

// For each size and type the fastest variant that is right, compared with the baseline: the ladder's end. As `summaries`,
// with the variant's name empty.
std::vector<Summary> summaries_of_best(const TimingTable& table);

// Rows of the GPU whose 5th and 95th percentiles lie further apart than a tenth of the median.
int unsteady_rows(const TimingTable& table);

}  // namespace lanewise::timing
