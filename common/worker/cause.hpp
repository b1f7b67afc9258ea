// From a worker's crash report to a finding that a learner understands.
#pragma once

#include <span>
#include <string>

#include "common/emu/execute.hpp"
#include "common/emu/source_lines.hpp"
#include "common/trace/trace.hpp"
#include "common/worker/crash_report.hpp"

namespace lanewise::worker {

// Why the program ended a run.
enum class Ended { not_by_us, cancelled, too_long, too_much_output };

// What ended the run. `plan` and `kernels` are those it ran.
trace::Finding cause_of_death(const emu::RunMemory& memory, const launch::Plan& plan,
                              std::span<const emu::Runnable> kernels, emu::SourceLines& lines, Ended ended,
                              double seconds);

}  // namespace lanewise::worker
