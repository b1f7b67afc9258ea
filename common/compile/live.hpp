// A kernel file that is edited while a window shows it: each save is compiled, and runs are made on it.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "common/cli/program.hpp"
#include "common/compile/watch_file.hpp"
#include "common/worker/contained_emulator.hpp"

namespace lanewise::compile {

// What a run may take: less than a lesson's, for it is somebody's who tries something.
inline constexpr worker::Limits kLimits{.seconds = 3, .patience = 30};

// Runs what is asked for on the newest save. `prepare` gets the version and makes it ready; true: it is another one.
cli::Program::Live live_of(const std::shared_ptr<WatchedFile>& file,
                           std::function<bool(const WatchedFile::TakenUp&)> prepare);

// A run that ends when the file is saved again: throws Stopped then.
launch::Outcome run_until_saved(launch::Backend& emulator, const launch::Plan& plan, const launch::KernelSet& kernels,
                                const launch::Request& request, const std::stop_token& saved);

}  // namespace lanewise::compile
