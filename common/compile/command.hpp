// Runs another program and keeps what it says.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

namespace lanewise::compile {

struct CommandLimits {
    double seconds = 60;
    std::size_t memory = std::size_t{4} << 30;  // bytes, each process
    std::size_t output = std::size_t{1} << 20;  // bytes kept; what follows is read and dropped
    std::string temporary_folder = {};          // for files that it leaves behind where it is stopped; empty: as here
};

struct CommandResult {
    enum class End { exited, not_found, too_long, stopped } end = End::exited;
    int status = 0;      // of exited; a signal counts as 128 + its number
    std::string output;  // standard output and standard error
    bool ok() const { return end == End::exited && status == 0; }
};

// `arguments` begin with the program, a path or a name looked for on PATH. What the command started ends with it.
CommandResult run_command(const std::vector<std::string>& arguments, const std::stop_token& stop = {},
                          const CommandLimits& limits = {});

}  // namespace lanewise::compile
