// --costs: what single operations cost on this machine's GPU, or what was recorded of one. The same for every lesson.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "common/cli/options.hpp"
#include "common/print/print.hpp"
#include "common/cli/program.hpp"
#include "common/timing/costs.hpp"

namespace lanewise::cli {

// A GPU's costs.json among the recordings; empty when there is none. Of several GPUs the first by name.
std::filesystem::path find_costs(const lesson::Lesson& lesson);

// Measured where the options and the machine allow it, else as recorded; with --record DIR measured, and written to
// DIR/costs.json. Throws Error where there is neither, or --backend gpu or --record finds no GPU.
timing::CostTable costs_of(Program& program, const Options& options, const Console& console);

// To the terminal, and to --csv and --json.
void show_costs(const timing::CostTable& table, const Options& options, const Console& console, print::Paint paint);

// Each group's rows: latency, throughput, the figure commonly quoted; a sentence below each.
void print_costs(std::ostream& out, const timing::CostTable& table, print::Paint paint);

}  // namespace lanewise::cli
