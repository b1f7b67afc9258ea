// The ladder: each lesson's main variant at one size, to one number, compared with the lesson before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/timing/timing.hpp"

namespace lanewise::timing {

// Floats that the ladder's sums are of.
inline constexpr std::uint64_t kLadderValues = std::uint64_t{1} << 24;

// One lesson of the ladder, or the serial CPU baseline before the first.
struct LadderRow {
    std::string lesson;                     // "05_warp_shuffle"; empty: of the baseline
    Timing timing;
    std::optional<double> percent_of_read;  // GB/s against a plain read of the same bytes in the same table
    std::optional<double> speedup;          // against the row before; none in the first
};

struct Ladder {
    std::string gpu;                 // "NVIDIA H200"; empty where nothing was recorded
    std::string cpu;                 // of the baseline
    std::vector<std::string> dates;  // of the recordings, each once, in order
    std::vector<LadderRow> rows;     // in the order of the tables; empty where none has a main variant at that size
};

// From each lesson's sweep over sizes, in the order of lessons; tables of another GPU than the first, and those without
// a main variant, have no row.
Ladder make_ladder(const std::vector<TimingTable>& sweeps);

// The same from `recordings`/GPU/LESSON/sweep.json of the first GPU that has any. Throws Error where a file is damaged.
Ladder load_ladder(const std::filesystem::path& recordings);

// As a table of Markdown with a sentence on where it is from, as README shows it; and its cells in the same order, with
// the headings first, for a terminal or a window. Empty where there are no rows.
std::string ladder_markdown(const Ladder& ladder);
std::vector<std::vector<std::string>> ladder_cells(const Ladder& ladder);
// "2^24 floats to one number · NVIDIA H200 · recorded 2026-11-22"
std::string ladder_source(const Ladder& ladder);

}  // namespace lanewise::timing
