// Measuring in a program built without CUDA: there is nothing to measure on, and it says so.
#include "common/base/error.hpp"
#include "common/gpu/device.hpp"
#include "common/timing/measure.hpp"

namespace lanewise::timing {
namespace {

[[noreturn]] void refuse() {
    std::string why;
    gpu::available(&why);
    throw Error(why);
}

}  // namespace

Timing measure(const launch::Plan&, const launch::KernelSet&, const MeasureOptions&) { refuse(); }

std::vector<std::string> baselines() { return {}; }

Timing measure_baseline(const std::string&, const launch::Plan&, const MeasureOptions&) { refuse(); }

}  // namespace lanewise::timing
