// The walk that build_rounding() makes: what each value is a sum of. Its parts are in rounding_build.cpp (lanes with
// each other), rounding_runs.cpp (what a lane reads one after the other) and rounding_memory.cpp (memory).
#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/steps/memory.hpp"
#include "common/rounding/rounding_orders.hpp"
#include "common/rounding/rounding_tree.hpp"
#include "common/steps/update.hpp"

namespace lanewise::rounding {

// What the whole trace says of its lines: a first walk gathers it, a second relies on it.
struct Evidence {
    std::map<int, bool> adds;   // line: every value that came of a join there is the sum of its two parts
    // A run of reads, by the line of its last and the format of its sum: the orders that give every recorded value.
    std::map<std::pair<int, Element>, std::uint32_t> orders;
};

class RoundingBuilder {
public:
    RoundingBuilder(const steps::Steps& steps, RoundingLens& lens, Evidence& evidence, bool gathers,
                    const std::stop_token& stop);

    // False where there is too much to keep.
    bool build();

private:
    struct Word {
        Found sum;
        Element type = Element::f32;
        std::uint64_t bits = 0;
        std::uint32_t array = 0;
        std::int64_t element = 0;
        bool touched = false;
    };

    // What a lane read since its value was last known.
    struct Run {
        bool open = false;
        bool known = true;
        Found start;
        int line = 0;
        Reads reads;
    };

    std::size_t place_of(const WarpRef& warp) const;

    template <class F>
    void each(const trace::Record& record, F act) const {
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane)
            if (steps::takes_part(record, lane)) act(lane);
    }

    // Nothing but zeros came together: no sum.
    void set(std::size_t warp, std::size_t lane, std::size_t step, std::int32_t sum);
    // Does this line add, as far as all its records show?
    bool line_adds(int line, bool here);
    Sum sum_here(std::size_t lane, Element type, std::uint64_t bits, std::uint32_t inputs) const;

    void shuffles(const steps::WarpStep& warp);
    void reductions(const steps::WarpStep& warp);

    // --- runs ---
    void loads(const steps::WarpStep& warp);
    // The lane's value is known again: what was read must have come to it in one of the orders.
    void settle(std::size_t lane, Element type, std::uint64_t bits, std::uint32_t inputs);
    std::uint64_t start_bits(std::int32_t sum, Element type) const;
    void add_replay(std::size_t lane, const Run& run, const std::vector<Replayed>& additions);

    // --- memory ---
    // What a word holds: what was stored there, else the input.
    Found word_of(const trace::Record& record, std::int64_t element, std::uint64_t bits);
    void write_word(const trace::Record& record, std::size_t lane, std::uint64_t bits, Found sum);
    void stores(const steps::WarpStep& warp);
    // All of one step: what each found shows in which order they came.
    void atomics(const steps::Step& step);
    void atomic(const trace::Record& record, const steps::WarpStep& warp, std::size_t lane);
    // What an output holds in the end was left by the last atomic.
    void confirm(const Word& word);

    const steps::Steps& steps_;
    const trace::Trace& trace_;
    RoundingLens& lens_;
    Evidence& evidence_;
    bool gathers_;
    std::stop_token stop_;
    SumTree tree_;
    steps::Words words_;
    std::unordered_map<std::uint64_t, Word> held_;
    std::vector<trace::PerLane<std::int32_t>> latest_;
    std::vector<trace::PerLane<Run>> runs_;
    std::map<std::pair<std::size_t, std::size_t>, trace::PerLane<std::int32_t>> places_;
    std::size_t step_ = 0, place_ = 0;
};

}  // namespace lanewise::rounding
