// The clock: how a piece of GPU work is warmed and sampled.
#pragma once

#include <functional>
#include <string>

#include "common/gpu/stream.hpp"
#include "common/timing/measure.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::timing {

// Times `work`, which puts one run on the stream it is given, and fills in the times and samples of `timing`. `what`
// names it in sentences.
void sample(const std::function<void(CUstream_st*)>& work, const std::string& what, const MeasureOptions& options,
            Timing& timing);

// Throws Error with the reason when there is no GPU.
void require_gpu();

// Of the first GPU, as GpuWatch takes it. Throws Error where there is none.
std::string pci_address();

}  // namespace lanewise::timing
