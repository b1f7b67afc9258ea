// Measuring plain kernels, and library baselines, on the first GPU. Includable without CUDA: then measure() throws the
// sentence of gpu::available().
#pragma once

#include <string>
#include <vector>

#include "common/launch/kernel.hpp"
#include "common/launch/plan.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::timing {

struct MeasureOptions {
    int replays = 20;         // of the plan in one graph: what one sample divides by
    int samples = 100;        // at most
    double max_seconds = 2;   // of sampling; slow kernels get fewer samples, at least kMinSamples
};
inline constexpr int kMinSamples = 5;

// TimingTable::method and ::l2 of what measure() does.
std::string method_text(const MeasureOptions& options);
inline constexpr const char* kL2Warm = "warm";

// Runs `plan` once on fresh buffers and verifies it, then times it: outputs zeroed and all launches made, again and
// again over the same buffers. A result outside its bound is not timed: within_bound is false and samples 0. Fills in
// value, error, times, samples and bytes; the variant's name, n and block are the caller's. Throws Error where a
// launch is not possible or there is no GPU.
Timing measure(const launch::Plan& plan, const launch::KernelSet& kernels, const MeasureOptions& options = {});

// Names for measure_baseline(): "CUB DeviceReduce::Sum", "…::Max", "…::Min". Empty without CUDA.
std::vector<std::string> baselines();

// A library's kernel over the plan's first f32 input, timed in the same way; `variant`, `baseline` and `n` are filled
// in too. Throws Error when there is no such baseline, no such input or no GPU.
Timing measure_baseline(const std::string& name, const launch::Plan& plan, const MeasureOptions& options = {});

// The values of the plan's first f32 input, for a baseline that takes them as they are. Throws Error naming `what`
// needs them where there is none.
std::vector<float> first_floats(const launch::Plan& plan, const std::string& what);

// Global bytes that one run of `plan` must move: bytes_moved, or inputs and outputs once each.
std::uint64_t bytes_of(const launch::Plan& plan);

}  // namespace lanewise::timing
