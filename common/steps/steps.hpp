// What a learner steps through: a pure function of a trace.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/steps/provenance/provenance.hpp"
#include "common/trace/trace.hpp"

namespace lanewise::steps {

using lanewise::kNoStep;
using lanewise::StepKind;
using lanewise::WarpRef;

// What one lane held around a step. Bits have the type of the record.
struct LaneView {
    bool active = false;
    int source = -1;
    std::uint64_t before = 0;
    std::uint64_t received = 0;
    std::uint64_t after = 0;
    bool has_received = false;
    bool has_after = false;
    bool undefined = false;
    trace::Effect effect = trace::Effect::unknown;
    std::uint32_t inputs_before = 0;  // place in Steps::provenances: what the lane's value held before and after
    std::uint32_t inputs_after = 0;
};

// One warp's part of a step: usually one record; several where the learner takes them in at once (the two loads and
// the store of `tree[t] += tree[t + offset]`; the shuffles of the parts of one value, `p.max` and `p.sum`).
struct WarpStep {
    WarpRef warp;
    std::vector<std::size_t> records;   // into Trace::records, in order; the first gives op, type and line
    std::vector<std::string> parts = {};   // "max", "sum": one for each record that exchanges a part of one value;
                                           // empty where values have no parts
    trace::PerLane<LaneView> lanes{};   // of the shuffle, vote or atomic; for accesses: before = value the lane wrote
                                        // or held, received = value read
};

struct Step {
    StepKind kind = StepKind::load;
    std::string label;      // "xor 16", "down 8", "load in", "store warp_sums", "barrier", "atomic out"
    std::string stage;      // what it is for: "load", "warp rounds", "exchange", "finish", …
    // How far the other value lies, where it is as far for all lanes: a shuffle's argument; words between the two of
    // `tree[t] += tree[t + 16]`, or between a lane's own and the one that `value += tree[t + 16]` reads.
    std::optional<std::int64_t> distance;
    int line = 0;
    std::vector<WarpStep> warps;         // by launch, block, warp
    // Up to and with this step, for each recorded block (same order as Steps::blocks).
    struct Counters {
        std::uint32_t active_lanes = 0;  // at this step
        std::uint32_t shuffles = 0;       // and reductions: rounds so far, the most that any warp of the block took
                                          // part in
        std::uint32_t block_barriers = 0;
        std::uint32_t warp_barriers = 0;
        std::uint32_t shared_accesses = 0;  // by lanes
        std::uint32_t global_accesses = 0;
        std::uint32_t atomics = 0;
        // Lane utilization. A step adds where some lane joins a value to another (`X op= …`, a shuffle's join, a
        // reduction): the lanes that do, of the lanes that the block has.
        std::uint32_t lanes_adding = 0;     // at this step; 0 where it adds nothing
        std::uint32_t lanes_perhaps_adding = 0;   // besides: the text does not say whether they do
        std::uint64_t added = 0;            // lanes_adding of all steps so far that add, of which all lanes are known
        std::uint64_t add_slots = 0;        // the block's lanes times the number of those steps
        // What memory was asked for by this block's loads and stores, not its atomics (memory_cost.hpp).
        std::uint32_t global_requests = 0;  // a warp's load or store: one
        std::uint32_t global_sectors = 0;   // of 32 bytes, that they touch
        std::uint64_t global_bytes = 0;     // that their lanes asked for, once where several want the same
        std::uint32_t shared_requests = 0;
        std::uint32_t shared_wavefronts = 0;    // one for a request without bank conflicts

        // added / add_slots: 0.14 for a tree over 128 values; 0 where nothing was added.
        double utilization() const {
            return add_slots ? static_cast<double>(added) / static_cast<double>(add_slots) : 0;
        }
    };
    std::vector<Counters> counters;

    const WarpStep* find(const WarpRef& warp) const;   // null where the warp has no part in the step
};

// What a warp's lanes held after a step, whether or not they took part in it: what is drawn as "the present value".
struct LaneValues {
    trace::PerLane<std::uint64_t> bits{};
    Element type = Element::f32;
    std::uint32_t known = 0;                       // lanes whose value has been seen in a record
    trace::PerLane<std::uint32_t> inputs{};        // into Steps::provenances
    // Of a value with parts the second, third, …; `bits` are of the first.
    struct Part {
        trace::PerLane<std::uint64_t> bits{};
        Element type = Element::f32;
        std::uint32_t known = 0;                   // lanes that hold a value with this part
        bool operator==(const Part&) const = default;
    };
    std::vector<Part> more = {};
};

struct Steps {
    const trace::Trace* trace = nullptr;   // not owned: outlives the steps
    std::vector<Step> steps;
    std::vector<WarpRef> warps;            // all that were recorded
    std::vector<WarpRef> blocks;           // (launch, block), warp = 0
    Provenances provenances;               // 0 is the empty one
    std::size_t input_count = 0;           // elements of the first input array: the first in global memory that is
                                           // read before it is written. 0: no loads were recorded (a GPU's trace
                                           // alone), or too many sets of inputs to keep; provenances are then empty

    std::size_t size() const { return steps.size(); }
    // The warp's values after step `k` (k = size_t(-1): before the first). Throws Error where there is no such warp.
    const LaneValues& lane_values(std::size_t k, const WarpRef& warp) const;

    // What a warp's lanes hold from step `row` - 1 on (row 0: before the first step) until the next entry: one for each
    // step that the warp takes part in, so that memory grows with the trace and not with steps times warps.
    struct LaneValuesFrom {
        std::size_t row = 0;
        LaneValues values;
    };
    std::vector<std::vector<LaneValuesFrom>> lane_values_of;   // by warp, as in `warps`
};

// A step is what a learner takes in at once. Records of different warps and blocks that are the same stage of the
// program (same operation, line, argument and turn between the same barriers) are one step. Pure: the same trace and
// text give the same steps.
//
// Provenance follows the statements' text (Effect), never a comparison of values: `X op= shfl` joins, `X = shfl`
// replaces, a conditional add joins only on lanes that took it; a load takes the word's inputs, a store gives them.
//
// `text` is the kernel file's. Which function calls which stands there alone: without it a value that is handed to a
// function is not followed past the next record of another one. A text that is not the one which ran is left aside.
Steps build_steps(const trace::Trace& trace, std::string_view text = {});

// Pairs of steps (k of a, l of b; kNoStep where one has none) so that two variants can be scrubbed together: steps that
// do the same, in order (align.hpp). The k-th reduction rounds stand together whether they are made by shuffles, in
// shared or in global memory, and however far their words lie apart.
std::vector<std::pair<std::size_t, std::size_t>> align(const Steps& a, const Steps& b);

// "lane 5 ← lane 21 = 5 xor 16: 00101 ^ 10000 = 10101; 5 + 21 = 26", for a shuffle; a sentence of the same kind for
// votes, accesses and atomics; empty where the lane has no part in the step.
std::string formula(const Steps& steps, std::size_t step, const WarpRef& warp, int lane);

// The line above in parts, for a view that sets them apart.
struct Formula {
    std::string who;         // "lane 5 ← lane 21", "lane 30 keeps its own", "lane 0 → out[0]"
    std::string rule;        // "5 xor 16", "30 + 8 = 38 is past lane 31"
    bool is_equation = false;  // `who` = `rule`; else the rule says why: `who`: `rule`
    std::string bits;        // "00101 ^ 10000 = 10101"; empty where bits explain nothing
    std::string arithmetic;  // "5 + 21 = 26"; only where before, received and after are recorded and the statement
                             // is a plain sum, else "received 21, now 26"
};
Formula formula_parts(const Steps& steps, std::size_t step, const WarpRef& warp, int lane);

}  // namespace lanewise::steps
