// What a sweep measures with: a GPU, or in a test something that pretends to be one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/launch/kernel.hpp"
#include "common/launch/plan.hpp"
#include "common/measure/measure.hpp"
#include "common/timing/costs.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::measure {

class Meter {
public:
    virtual ~Meter() = default;

    // A table without rows: the machine's name and driver.
    virtual timing::TimingTable machine() const = 0;
    virtual timing::GpuState state() const = 0;
    // Bytes of memory the GPU has to give.
    virtual std::uint64_t free_bytes() const = 0;

    // As measure::measure and measure::measure_baseline.
    virtual timing::Timing measure(const launch::Plan& plan, const MeasureOptions& options) = 0;
    virtual timing::Timing measure_baseline(const std::string& name, const launch::Plan& plan, std::uint64_t n,
                                            const MeasureOptions& options) = 0;
    // As measure::measure_limit.
    virtual timing::Timing measure_limit(const std::string& name, const launch::Plan& plan,
                                         const MeasureOptions& options) = 0;
};

// The first GPU, running `kernels` (kept by reference). Throws Error where there is none.
std::unique_ptr<Meter> make_gpu_meter(const launch::KernelSet& kernels);

// Measures the catalog of operations on the first GPU, in a few seconds. CostTable::date is the caller's. Throws Error
// with gpu::available()'s sentence where there is no GPU, and where a chain computed something wrong.
timing::CostTable measure_costs(const timing::CostProgress& progress = {});

}  // namespace lanewise::measure
