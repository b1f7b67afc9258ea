// Times as text, the same in the terminal, the window and a page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/timing/costs.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::timing {

// To three digits, in the unit that suits: "2.10 µs", "23.5 µs", "118 µs", "1.84 ms", "2.00 s".
std::string time_text(double us);
// "3580 GB/s", "94.2 GB/s", "1.37 GB/s"
std::string rate_text(double gb_per_s);
// How many values: "4096×1024", rows by columns, where they are rows; else "2^20".
std::string shape_text(std::uint64_t n, std::uint64_t columns);
// "4096×1024 values"
std::string values_text(const Timing& row);
// Where times come from: "NVIDIA H200 · recorded 2026-11-21", or "measured"; empty for a table without rows.
std::string times_from(const TimingTable& table);
std::string costs_from(const CostTable& table);

// Why these times may say less than they seem to, a sentence each: results outside their bound, another process on the
// GPU, a wide spread, what was not measured, an interruption.
std::vector<std::string> doubts_of(const TimingTable& table);

}  // namespace lanewise::timing
