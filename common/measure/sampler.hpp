// The clock: how a piece of GPU work is warmed and sampled.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/measure/measure.hpp"
#include "common/timing/timing.hpp"

struct CUstream_st;

namespace lanewise::measure {

// Puts one run of what is timed on the stream it is given.
using Work = std::function<void(CUstream_st*)>;

// Times `work` and fills in the times and samples of `timing`. `what` names it in sentences. `runs` of a graph, 0 until
// they are known: those of work that takes about as long need not be looked for again.
void sample(const Work& work, const std::string& what, const MeasureOptions& options, timing::Timing& timing,
            int& runs);

// Times the same work in several places of memory, options.places of them where its `bytes` can stay in L2: the samples
// are those of all, the median is the mean of the places' medians. Each call of `place` gives the work on buffers of
// its own, which must live as long as it does. Where a buffer lies decides which half of an H200's L2 holds what of it,
// and with it up to 4 % of a time: samples of one place agree with each other and not with the next run, and the median
// of all would be of the one kind or the other by the turn of one place.
void sample_in_places(std::uint64_t bytes, const std::function<Work()>& place, const std::string& what,
                      const MeasureOptions& options, timing::Timing& timing);

// Throws Error with the reason when there is no GPU.
void require_gpu();

// Of the first GPU, as GpuWatch takes it. Throws Error where there is none.
std::string pci_address();

}  // namespace lanewise::measure
