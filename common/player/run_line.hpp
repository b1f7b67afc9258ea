// What a run was on, and what was changed of it: the run bar as plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/warp.hpp"
#include "common/run/run_fields.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::player {

// One field with its value.
struct RunChip {
    run::RunField field;
    std::string value;           // what the run was on
    std::string shown;           // the same, short: "typed", "lane ^ 5"
    std::string before;          // of the run before, where that was on something else; else empty
    bool chosen = false;         // by the learner; else as the variant or the command line has it
    std::string error;           // why the last change of it did not run
};

struct RunLine {
    std::vector<RunChip> chips;
    std::string outcome;         // "out 496 → 528", where the result is another one than before
    std::string error;           // of the last change, where it is about no field
};

// `before`: the run that the last change was made of; null where nothing was changed. `error`: why the last change did
// not run; empty where it did.
RunLine run_line(const std::vector<run::RunField>& fields, const run::Run& run, const run::Run* before,
                 const run::RunChanges& changes, const std::string& error);

// Lanes of the warp that hold something else after the step than in the run before; none where that has no such step.
std::uint32_t lanes_changed(const steps::Steps& now, const steps::Steps& before, std::size_t step, const WarpRef& warp);

// The number of the input that a lane of the warp took first, for who wants to change it; kNoInput where the records do
// not show it.
inline constexpr std::size_t kNoInput = static_cast<std::size_t>(-1);
std::size_t own_input(const steps::Steps& steps, const WarpRef& warp, int lane);

}  // namespace lanewise::player
