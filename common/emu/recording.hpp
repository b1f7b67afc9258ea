// From the journal of a run to its outcome: the records, the findings, what the buffers held in the end. A run that was
// cut short has the same, of what was done before.
#pragma once

#include <cstdint>
#include <vector>

#include "common/emu/run_memory.hpp"
#include "common/emu/source_lines.hpp"
#include "common/launch/backend.hpp"

namespace lanewise::emu {

// Records that one run may have: more than can be looked at, and some 230 MB.
inline constexpr std::size_t kMaxRecords = std::size_t{1} << 17;

// Records of a run that would not end: its steps repeat, and with all of them a window takes 1.1 GB.
inline constexpr std::size_t kMaxRecordsOfRunaway = std::size_t{1} << 15;
// Events of a cancelled run that are made into records, so that a cancel takes no time.
inline constexpr std::uint64_t kMaxEventsOfCancelled = std::uint64_t{1} << 14;

// How a run came to its end.
enum class RunEnd : std::uint8_t { by_itself, runaway, cancelled };

// The outcome of the run of `plan` that left `memory`. The reading may be cancelled, too. Throws Error where the run
// says that it was not possible.
launch::Outcome collect(const launch::Plan& plan, const launch::KernelSet& kernels, const launch::Request& request,
                        const RunMemory& memory, SourceLines& lines, RunEnd end = RunEnd::by_itself);

// A finding ended the run: its trace holds what was done before.
void end_early(trace::Trace& trace);
// Says on which line that was, where it is known.
void add_line_of_end(trace::Trace& trace, int line);

// The verdict of a run with checks, from its findings and from what was not decided. Wrong: something is. Not decided:
// a limit came first.
void judge(launch::Outcome& outcome);

}  // namespace lanewise::emu
