// How the rows of a table are compared: with the plain read or copy, with the library, with each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/timing/timing.hpp"

namespace lanewise::timing {

inline constexpr const char* kPlainRead = "plain read";
inline constexpr const char* kPlainCopy = "plain copy";
inline constexpr const char* kEmptyKernel = "empty kernel";   // moves no bytes: what a launch alone takes

// The plain read or the plain copy of the same size and type: the one that moves more nearly as many bytes as the row.
// So a kernel that writes as much as it reads has a copy for its limit. Null where neither was measured, for the limits
// themselves, and for what ran on the CPU.
const Timing* limit_of(const TimingTable& table, const Timing& row);
// Is `one` more nearly `bytes` than `other` is? By how many times one is more than the other; none is 0.
bool is_nearer(std::uint64_t bytes, std::uint64_t one, std::uint64_t other);

// A row's GB/s in percent of those of its limit; nothing where it has none.
std::optional<double> percent_of_limit(const TimingTable& table, const Timing& row);
// The same of the plain read, whatever the row writes.
std::optional<double> percent_of_read(const TimingTable& table, const Timing& row);

// A variant's time that stands for it: of a lesson on rows that of the shape that all variants are timed at, else that of
// the most values. Null where it has none.
const Timing* timing_of(const TimingTable& table, const std::string& variant);

// The times by which variants can be compared, one of each in their order: of the most values that all of them were timed
// on, in rows of one length. Empty where there are none.
std::vector<const Timing*> comparable_times(const TimingTable& table, const std::vector<std::string>& variants);

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
