// All variants of a lesson next to each other: what each computed, how far off that is, what it took. Plain data, for
// the terminal and the window.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/run/run.hpp"
#include "common/timing/times_text.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::run {

using timing::times_from;

// One variant. What is not known is empty.
struct ComparedVariant {
    std::string variant;
    std::string why_not;                     // why there is no run: a sentence; only the time is known then, if that
    bool declared_wrong = false;

    // Of the run that was recorded.
    std::uint64_t n = 0;
    std::uint64_t threads = 0;               // of all its launches
    std::string input;                       // the format of its input: "f16"
    bool has_result = false;                 // the first output
    double value = 0, reference = 0, error = 0, bound = 0;
    bool ok = true;
    std::optional<double> loads;  // of global memory, by a thread of the recorded blocks, on average; a load of
                                  // several values is one
    std::optional<double> atomics;           // of all blocks, if those that were not recorded do as those that were
    bool one_address = false;                // all atomics that were recorded change one address

    // Of the plain kernels on a GPU.
    std::optional<double> median_us;
    std::optional<double> gb_per_s;
    std::uint64_t timed_n = 0;
    std::uint64_t timed_columns = 0;   // values a row; 0: no rows
};

struct Comparison {
    std::vector<ComparedVariant> rows;
    std::string times_from;                  // "NVIDIA H200 · recorded 2026-11-21"; empty where there are no times
};

// What a run and the times show of a variant.
ComparedVariant compared(const Run& run, const timing::TimingTable& times);
// The times alone, for a variant without a run.
ComparedVariant compared(const std::string& variant, const std::string& why_not, const timing::TimingTable& times);

enum class Column : std::uint8_t { variant, n, value, error, bound, time, gbs, threads, loads, atomics };
inline constexpr int kColumnCount = 10;

// "variant", …: what --sort takes.
std::string column_name(Column column);
// The heading above it: "loads/thread".
std::string column_heading(Column column);
// A cell as it is shown; "-" where it is not known.
std::string cell_text(const ComparedVariant& row, Column column);

struct Sorting {
    Column column = Column::variant;
    bool down = false;      // the largest first
};
// "error", "error:down". Throws Error that names the columns, or the nearest.
Sorting parse_sorting(const std::string& text);
// Stable; what is not known comes last in either direction.
void sort(Comparison& comparison, const Sorting& sorting);

// What the figures themselves show of known effects, as sentences: as many atomics on one address, and so no faster
// with fewer threads; one as fast and closer; memory as the limit. Nothing where they show none.
std::vector<std::string> explain(const Comparison& comparison);

// One n for all rows that have any; 0: they differ.
std::uint64_t shared_n(const Comparison& comparison, std::uint64_t ComparedVariant::*n);
// Whose times, and of how many values: "NVIDIA H200 · recorded 2026-11-21 · 1048576 values", or that there are none.
std::string times_text(const Comparison& comparison);

}  // namespace lanewise::run
