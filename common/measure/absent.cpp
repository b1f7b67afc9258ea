// Measuring in a program built without CUDA: there is nothing to measure on, and it says so.
#include "common/base/error.hpp"
#include "common/gpu/device.hpp"
#include "common/timing/costs.hpp"
#include "common/measure/meter.hpp"

namespace lanewise::measure {

using timing::Timing;

namespace {

[[noreturn]] void refuse() {
    std::string why;
    gpu::available(&why);
    throw Error(why);
}

}  // namespace

Timing measure(const launch::Plan&, const launch::KernelSet&, const MeasureOptions&) { refuse(); }

std::vector<std::string> baselines() { return {}; }

Timing measure_baseline(const std::string&, const launch::Plan&, std::uint64_t, const MeasureOptions&) { refuse(); }

Timing measure_limit(const std::string&, const launch::Plan&, const MeasureOptions&) { refuse(); }

timing::CostTable measure_costs(const timing::CostProgress&) { refuse(); }

std::unique_ptr<Meter> make_gpu_meter(const launch::KernelSet&) { refuse(); }

}  // namespace lanewise::measure
