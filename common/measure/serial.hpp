// The serial CPU baseline: one core that adds the values one after the other.
#pragma once

#include <string>

#include "common/launch/plan.hpp"
#include "common/measure/measure.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::measure {

inline constexpr const char* kSerialSum = "serial sum, one CPU core";

// The processor of this machine as it names itself ("AMD EPYC 9575F 64-Core Processor"); "unknown" where it does not.
std::string cpu_name();

// A plain float loop over the plan's first f32 input, timed on this machine's CPU by the steady clock: each sample is
// one pass, after one that is not counted. Needs no GPU. Throws Error where the plan has no such input.
timing::Timing measure_serial_sum(const launch::Plan& plan, const MeasureOptions& options = {});

}  // namespace lanewise::measure
