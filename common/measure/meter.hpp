// What a sweep measures with: a GPU, or in a test something that pretends to be one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/launch/kernel.hpp"
#include "common/launch/plan.hpp"
#include "common/measure/measure.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::timing {

class Meter {
public:
    virtual ~Meter() = default;

    // A table without rows: the machine's name and driver.
    virtual TimingTable machine() const = 0;
    virtual GpuState state() const = 0;
    // Bytes of memory the GPU has to give.
    virtual std::uint64_t free_bytes() const = 0;

    // As timing::measure and timing::measure_baseline.
    virtual Timing measure(const launch::Plan& plan, const MeasureOptions& options) = 0;
    virtual Timing measure_baseline(const std::string& name, const launch::Plan& plan, std::uint64_t n,
                                    const MeasureOptions& options) = 0;
    // As timing::measure_limit.
    virtual Timing measure_limit(const std::string& name, const launch::Plan& plan, const MeasureOptions& options) = 0;
};

// The first GPU, running `kernels` (kept by reference). Throws Error where there is none.
std::unique_ptr<Meter> make_gpu_meter(const launch::KernelSet& kernels);

}  // namespace lanewise::timing
