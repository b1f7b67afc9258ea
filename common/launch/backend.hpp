// Something that runs plans: the emulator or a GPU. Both are used through this and nothing else.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/launch/kernel.hpp"
#include "common/launch/plan.hpp"
#include "common/trace/trace.hpp"

namespace lanewise::launch {

// The order in which the emulator lets lanes, warps and blocks run. A GPU ignores it.
struct Order {
    enum class Kind : std::uint8_t { ascending, descending, seeded, listed } kind = Kind::ascending;
    std::uint64_t seed = 0;
    // Listed: the blocks of the grid, each once, as a GPU's atomics show that they came; lanes and warps ascending.
    std::vector<std::uint32_t> blocks = {};

    // "ascending", "descending", "seed 7", "blocks as listed"
    std::string name() const;
    // From "ascending", "descending" or a number. Throws Error naming the text.
    static Order parse(const std::string& text);
};

// How far a run is.
struct Progress {
    std::uint32_t launch = 0;
    std::uint64_t blocks = 0;   // that have ended, of all launches
};

struct Request {
    bool record = false;                       // make a trace
    std::vector<std::uint32_t> blocks = {0, 1};  // linear numbers of the blocks to record; those that exist
    Order order;
    std::optional<Order> block_order = {};     // of blocks, where it is another one than that of lanes and warps
    bool checks = false;                       // emulator: judge races, bounds, reads of what was never written
    int threads = 1;                           // emulator: OS threads over blocks (one where it records or checks)
    // A backend in a process of its own (common/worker) ends the run within 0.2 s where that is asked for, with a
    // finding, and says now and then how far it is; others do not look.
    std::stop_token stop = {};
    std::function<void(const Progress&)> progress = {};
};

struct Outcome {
    std::vector<std::vector<std::byte>> buffers;  // final contents, one for each of the plan's buffers
    std::vector<trace::Finding> findings;         // the emulator's
    trace::Verdict verdict = trace::Verdict::not_checked;   // with Request::checks
    std::string undecided;                        // which limit was reached, where the verdict is not decided
    // When recorded: arrays, records, findings, and of the header `source`, `launches`, `statements`, `blocks`. The
    // rest of the header is the caller's to fill in.
    std::optional<trace::Trace> trace;
};

class Backend {
public:
    virtual ~Backend() = default;

    // Runs every launch of the plan in order on fresh buffers. With Request::record the traced builds run. Throws
    // Error where a launch is not possible: no such kernel or instance, arguments that do not fit, a launch that the
    // machine refuses (with its own message).
    virtual Outcome run(const Plan& plan, const KernelSet& kernels, const Request& request) = 0;

    // Which machine: kind, GPU name, driver, compute capability; for the emulator without an order.
    virtual trace::Source describe() const = 0;
};

// Throws Error when the arguments of `launch` do not fit the kernel's parameters (number, size, pointer or value) or
// the block is larger than 1024 threads or empty.
void check_arguments(const Kernel& kernel, const LaunchSpec& launch);

}  // namespace lanewise::launch
