// The kernels of measure_costs() as a table: plain data, includable without CUDA's compiler.
#pragma once

#include <cstdint>
#include <span>

namespace lanewise::measure {

// What every cost kernel is given. Values a compiler must not know come from here.
struct CostInput {
    unsigned one = 1;                    // 1
    unsigned* words = nullptr;           // that atomics and stores go to, zeroed before
    unsigned word_step = 0;              // 1: each thread has words of its own; 0: all share one
    unsigned char* nodes = nullptr;  // what loads read: a node each `node_stride` bytes, linked by link_cost_nodes()
    unsigned first_node = 0;
    unsigned node_stride = 0;            // bytes
    const unsigned* stream =
        nullptr;  // lines of 32 words, word i holding i * kCostWordFactor; their number is a power of two
    unsigned stream_lines = 0;
};

// A word of the stream is its place times this.
inline constexpr unsigned kCostWordFactor = 2654435761u;

// Where a chain ran: for what it must have computed.
struct CostPlace {
    unsigned thread = 0;    // in its block
    unsigned block = 0;
    unsigned chain = 0;     // of those of one thread
    unsigned blocks = 1, threads = 32;
    unsigned lane() const { return thread % 32; }
    unsigned warp() const { return thread / 32; }
};

// How what a chain computed is checked.
enum class CostCheck : std::uint8_t {
    value,    // each thread's result is the sum of CostKernel::expected over its chains
    adds,     // what all threads say they added is what the words then hold
    adds_f32,  // as adds; the words are floats that hold whole numbers
    node,     // the place of the node that each thread has come to
    nothing,  // there is no value: barriers and fences
};

// One kernel: `unroll` steps a round, in each of `chains` independent chains of a thread.
struct CostKernel {
    const void* address = nullptr;   // null: none
    unsigned unroll = 0;
    unsigned chains = 1;
    bool one_lane = false;           // only lane 0 of each warp takes part
    CostCheck check = CostCheck::nothing;
    // What one chain holds after so many rounds; null where `check` needs none.
    unsigned (*expected)(const CostInput& input, const CostPlace& place, unsigned rounds) = nullptr;
};

// Latency: void(CostInput, CostRounds, std::int64_t* times, unsigned* results), one block. times: 2·samples differences
// of clock64 (brief, full, brief, …), then the clock and the global timer at the start, then both at the end.
// Throughput: void(CostInput, unsigned rounds, std::int64_t* times, unsigned* results): for each warp of the grid the
// clock at its start and at its end.
// results: one word for each thread of the grid.
struct CostRounds {
    unsigned warm = 1, brief = 2, full = 10, samples = 100;
    unsigned all() const { return warm + samples * (brief + full); }
};

struct CostKernels {
    const char* id;          // as in cost_catalog()
    CostKernel latency, throughput;
};

// One for each operation of the catalog.
std::span<const CostKernels> cost_kernels();

// Bytes of dynamic shared memory that each of them is launched with.
inline constexpr std::size_t kCostSharedBytes = 16384;

// Writes into each of `count` nodes the address of the one after it in `order` (on the GPU), the last leading to the
// first. Returns a cudaError_t.
int link_cost_nodes(unsigned char* nodes, unsigned stride, const unsigned* order, unsigned count);
// Fills so many words with their place times kCostWordFactor.
int fill_cost_stream(unsigned* words, unsigned count);
// Keeps the GPU busy for about `microseconds`, so that its clocks rise.
int spin(unsigned microseconds);

}  // namespace lanewise::measure
