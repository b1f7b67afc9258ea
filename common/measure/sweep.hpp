// A list of things to measure, one after the other, each compared with the library and the limit at its size.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/measure/meter.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::measure {

// One variant at one size. Plans hold their inputs, so they are made shortly before their turn and freed after it.
struct Job {
    std::string variant;
    std::string baseline;        // as Variant's; empty: none
    std::string size;            // Timing::size
    std::uint64_t n = 0;
    std::uint64_t columns = 0;   // Timing::columns
    // The plan on n values, from any thread. May throw Error: of what exit status kExitUsage the row is skipped, and
    // the sentence noted.
    std::function<launch::Plan()> plan;
    // Bytes the plan's buffers will take on the GPU, without making it; nothing: unknown until it is made.
    std::function<std::uint64_t()> bytes = {};
};

struct SweepOptions {
    MeasureOptions measure;
    bool serial = false;   // also what one core of this machine's CPU takes for a sum
    std::uint64_t serial_at = 0;   // the same on so many values alone; 0: nowhere
    bool launch = false;   // also what a launch alone takes, once: a row without bytes
    bool nearest_limit = false;   // of the plain read and copy only what moves more nearly as many bytes as a variant
    // Called before each measurement with how many are done and how many there will be, and what comes next.
    std::function<void(std::size_t done, std::size_t all, const std::string& what)> progress = {};
    // Asked before each measurement: true ends the sweep.
    std::function<bool()> cancelled = {};
};

// Measures the jobs in their order, and after the last job of each size its baselines and the plain read and copy of
// the same bytes, each once for each size and type of input. The GPU's state is noted before and after. What does not
// fit or does not exist is noted and skipped; a cancelled sweep, or one whose GPU fails, keeps its rows and says so in
// `partial`. Throws Error where nothing at all was measured.
timing::TimingTable sweep(Meter& meter, const std::vector<Job>& jobs, const SweepOptions& options);

inline constexpr const char* kCancelled = "interrupted";

}  // namespace lanewise::measure
