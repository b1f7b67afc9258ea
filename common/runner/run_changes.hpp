// What flags and the run bar of a window say of a run: read in one place, refused with the same messages.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/run/run_fields.hpp"
#include "common/runner/lesson_setup.hpp"
#include "common/runner/run_options.hpp"

namespace lanewise::runner {

// A whole number from `low` to `high`. Throws Error that names the flag.
std::uint64_t whole_number(const std::string& flag, const std::string& text, std::uint64_t low, std::uint64_t high);

// Sets what the flag --`name` says of a run: n, rows, columns, block, warp, offset, seed, input, values, order, or one
// of the lesson's controls. Throws Error where there is no such flag, or it does not take `text`.
void set_run_option(RunOptions& options, const std::string& name, const std::string& text,
                    const lesson::Lesson& lesson);

// What can be changed of a run of each variant, in the order in which a run bar shows it.
std::map<std::string, std::vector<run::RunField>> fields_of(const lesson::Lesson& lesson,
                                                            const launch::KernelSet& kernels);

// `options` with the changes. An order is the emulator's: with one, runs go there. Throws as set_run_option().
RunOptions with_changes(const RunOptions& options, const run::RunChanges& changes, const lesson::Lesson& lesson);

}  // namespace lanewise::runner
