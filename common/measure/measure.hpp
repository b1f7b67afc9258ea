// Measuring plain kernels, and library baselines, on the first GPU. Includable without CUDA: then measure() throws the
// sentence of gpu::available().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/launch/kernel.hpp"
#include "common/launch/plan.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::measure {

// What the L2 cache holds when a launch begins.
enum class L2 : std::uint8_t {
    warm,     // what the launch before left there: runs follow each other over the same buffers, as a graph
    flushed,  // nothing of the buffers: more than the L2 is written before each run, and the run alone is timed
};
const char* l2_name(L2 l2);   // "warm", "flushed"

struct MeasureOptions {
    int samples = 100;        // at most
    double max_seconds = 2;   // of sampling; slow kernels get fewer samples, at least kMinSamples
    L2 l2 = L2::warm;
    double warm_seconds = 0.05;   // of runs that are not counted; long enough for the clocks to rise from idle
    double graph_us = 600;        // warm: runs are repeated until a graph lasts so long. What surrounds it between the
                                  // events, 3 us on an H200, then counts half a percent
    int least_replays = 5, most_replays = 500;   // in one graph, however long a run is
    int places = 5;               // in memory, where the buffers can stay in L2: a part of the samples in each
};
inline constexpr int kMinSamples = 5;

// TimingTable::method of what measure() does, as text.
std::string method_text(const MeasureOptions& options);

// Runs `plan` once on fresh buffers and verifies it, then times it: outputs that launches add to zeroed, and all
// launches made, again and again over the same buffers. A result outside its bound is not timed: within_bound is false
// and samples 0. Fills in value, error, times, samples and bytes; the variant's name, n and block are the caller's.
// Throws Error where a launch is not possible or there is no GPU.
timing::Timing measure(const launch::Plan& plan, const launch::KernelSet& kernels, const MeasureOptions& options = {});

// Names for measure_baseline(): "CUB DeviceReduce::Sum", "…::Max", "…::Min". Empty without CUDA.
std::vector<std::string> baselines();

// A library's kernel over the last `n` values of the plan's first input of floats or of i8 (what is before them
// belongs to no variant's sum), verified, then timed in the same way; `variant`, `baseline` and `n` are filled in too.
// Of what is narrower than f32 it knows the sum alone, with a float as accumulator (of i8 an int): CUB's Reduce, and
// the row is named so. Values of 8 bits are converted as they are read. Throws Error when there is no such baseline, no
// such input or no GPU.
timing::Timing measure_baseline(const std::string& name, const launch::Plan& plan, std::uint64_t n,
                                const MeasureOptions& options = {});

// What no kernel on these inputs can be faster than: "plain read" reads every byte of the plan's inputs once, in
// unrolled loads of 16 bytes, and writes nothing; "plain copy" writes them to another buffer as well. Both are verified
// first, and of several launch shapes the fastest is timed. "empty kernel" is a launch alone. Throws Error as
// measure_baseline().
timing::Timing measure_limit(const std::string& name, const launch::Plan& plan, const MeasureOptions& options = {});

// The plan's first input of one or more f32, f16 or bf16. Throws Error naming `what` needs it where there is none.
const launch::BufferSpec& first_floats(const launch::Plan& plan, const std::string& what);

// Is the plan's first input of f32?
bool has_floats(const launch::Plan& plan);

// The name of the type of the plan's first input ("f32"); empty where it has none.
std::string input_element(const launch::Plan& plan);

// Global bytes that one run of `plan` must move: bytes_moved, or inputs and outputs once each.
std::uint64_t bytes_of(const launch::Plan& plan);

}  // namespace lanewise::measure
