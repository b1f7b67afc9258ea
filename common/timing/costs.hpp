// What single operations cost on one GPU, in cycles: how long a warp waits for each (latency), how often an SM can
// start one (throughput), and the figure that people quote, which is often the other of the two.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/timing/timing.hpp"

namespace lanewise::timing {

// What a warp that has started an operation waits for.
enum class CostWait : std::uint8_t {
    answer,    // a value comes back
    leave,     // it may continue: barriers and fences
    nothing,   // Cost::latency is how soon the warp can start the next
};

// What is known of an operation before it is measured. Text lives as long as the program.
struct CostInfo {
    const char* id;       // "shuffle_xor"
    const char* group;    // "Lanes of a warp"
    const char* name;     // as in a kernel: "__shfl_xor_sync"
    const char* noun;     // in a sentence, after "one": "shuffle"
    const char* what;     // what was measured, as a sentence or two
    double quoted = 0;    // cycles, as commonly quoted; 0: not quoted
    CostWait wait = CostWait::answer;
    unsigned architecture = 75;   // the first that has it: 80 for sm_80
    bool shared = false;          // all SMs want the same thing, L2 or memory: throughput is what each gets of it
};

// All operations, those of a group together, in the order of the tables.
std::span<const CostInfo> cost_catalog();
// Null where there is none of that id.
const CostInfo* cost_info(std::string_view id);

// Median, 5th and 95th percentile of its samples. Nothing was measured where there are none.
struct CostFigure {
    double median = 0, low = 0, high = 0;
    int samples = 0;

    explicit operator bool() const { return samples > 0; }
};

struct Cost {
    std::string id, group, name;
    double quoted = 0;            // cycles; 0: not quoted
    CostFigure latency = {};      // cycles for each of a chain in which every operation waits for the one before
    double latency_ns = 0;        // the same at CostTable::sm_mhz
    CostFigure throughput = {};   // warp instructions a cycle on each SM, from 32 warps
    double gpu_ns = 0;  // of global atomics: ns for each lane's operation when all SMs send them; 0: not asked
    std::string lacking = {};     // why nothing was measured, as a sentence; empty where something was
};

struct CostTable {
    std::string gpu;                  // "NVIDIA H200"
    std::string compute_capability;   // "9.0"
    std::string driver;
    int multiprocessors = 0;
    std::string date;
    double sm_mhz = 0;                // while the chains ran: their cycles over the GPU's global timer
    std::string method;
    bool recorded = false;            // read from a file rather than just measured
    std::vector<Cost> rows;
    std::optional<GpuState> before = {}, after = {};
};

// Called before each operation: how many are done, of how many, and what comes.
using CostProgress = std::function<void(std::size_t done, std::size_t all, const std::string& name)>;

// "Throughput of an SM: one shuffle every 2 cycles; latency: 24 cycles.": what a row says.
std::string cost_text(const Cost& row);
// The commonly quoted figure and which of the two it is; empty where none is quoted.
std::string quoted_text(const Cost& row);
// "23.9", "290", "0.25": three digits, as many as are steady.
std::string cost_number(double value);
// "NVIDIA H200 · measured 2026-11-21"
std::string cost_origin(const CostTable& table);

// The file's text: JSON that load_costs() reads back; CSV with a heading, a line for each row, the machine in each.
std::string to_json(const CostTable& table);
std::string to_csv(const CostTable& table);
void save(const std::filesystem::path& path, const CostTable& table);
void save_csv(const std::filesystem::path& path, const CostTable& table);
// Throws Error naming the file and what is wrong with it.
CostTable load_costs(const std::filesystem::path& path);

}  // namespace lanewise::timing
