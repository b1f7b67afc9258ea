// The command line's flags: their names and help, and the sentences for those that do not exist.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "common/cli/options.hpp"

namespace lanewise::cli {

// What CLI11 collects before the values are looked at.
struct Raw {
    std::string backend, n, rows, columns, block, warp, offset, seed, input, values, order;
    std::map<std::string, std::string> controls;   // by name
    std::string save_trace, record, open;
    std::string screenshot, exported, report, step, size, scale, theme, focus, lane, color, sort, predict;
    std::string sizes, l2, csv, json;
};

// The app keeps references to `options`, which takes what needs no look, and to `raw`.
void define_flags(CLI::App& app, Options& options, Raw& raw, const lesson::Lesson& lesson);

// Throws CLI::CallForHelp and CLI::CallForVersion where they are asked for; Error that names the flag where the
// arguments do not fit the flags.
void parse_flags(CLI::App& app, std::vector<std::string> arguments);

}  // namespace lanewise::cli
