// Hand-made traces for tests: a warp's records, written down as a kernel would leave them.
//
//     TraceBuilder made;
//     const auto in = made.array("in", Space::global, 64);
//     made.statement(3, Effect::replace, "value");
//     auto warp = made.warp(0, 0);
//     warp.load(3, in, [](int lane) { return lane; }, [](int lane) { return lane + 1.0f; });
//     warp.shuffle_sum(5, Op::shfl_xor, 16);
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "common/trace/shuffle_rule.hpp"
#include "common/trace/trace.hpp"

namespace lanewise::trace::testing {

inline constexpr std::uint32_t kAllLanes = 0xffffffffu;

class TraceBuilder;

// One warp of floats that writes its own records; `values` are what its lanes hold.
class WarpBuilder {
public:
    using Values = PerLane<float>;
    using ElementOf = std::function<std::int64_t(int lane)>;
    using ValueOf = std::function<float(int lane)>;

    WarpBuilder(TraceBuilder& trace, std::uint32_t launch, std::uint32_t block, std::uint32_t warp)
        : trace_(&trace), launch_(launch), block_(block), warp_(warp) {}

    Values values{};

    // The record that was added last, to be changed by hand.
    Record& last();

    // A load of several elements a lane (float4 of a float array: 4), the k-th as given. `values` stay as they are.
    void load_pack(int line, std::uint32_t array, int elements, const ElementOf& element,
                   const std::function<float(int lane, int k)>& value, std::uint32_t active = kAllLanes) {
        Record& record = add(Op::load, line, active);
        record.array = array;
        record.elements = elements;
        each(active, [&](std::size_t lane) {
            record.element_index[lane] = element(static_cast<int>(lane));
            for (int k = 0; k < elements; ++k)
                record.value[lane][static_cast<std::size_t>(k / 2)] |= to_bits(value(static_cast<int>(lane), k))
                                                                       << (k % 2 * 32);
        });
    }

    // A load into `values`.
    void load(int line, std::uint32_t array, const ElementOf& element, const ValueOf& value,
              std::uint32_t active = kAllLanes) {
        Record& record = add(Op::load, line, active);
        record.array = array;
        each(active, [&](std::size_t lane) {
            record.element_index[lane] = element(static_cast<int>(lane));
            values[lane] = value(static_cast<int>(lane));
            record.value[lane] = {to_bits(values[lane]), 0};
        });
    }

    // A store of `values`.
    void store(int line, std::uint32_t array, const ElementOf& element, std::uint32_t active = kAllLanes) {
        Record& record = add(Op::store, line, active);
        record.array = array;
        each(active, [&](std::size_t lane) {
            record.element_index[lane] = element(static_cast<int>(lane));
            record.value[lane] = {to_bits(values[lane]), 0};
        });
    }

    // An atomicAdd of `values`, old values as given.
    void atomic_add(int line, std::uint32_t array, std::int64_t element, float old, std::uint32_t active) {
        Record& record = add(Op::atomic_add, line, active);
        record.array = array;
        each(active, [&](std::size_t lane) {
            record.element_index[lane] = element;
            record.value[lane] = {to_bits(values[lane]), 0};
            record.received[lane] = to_bits(old);
            old += values[lane];
        });
    }

    // A shuffle and what its statement did with it: join adds, replace takes, keep on the lanes of `kept`.
    void shuffle(int line, Op op, int arg, Effect effect, int width = kWarpSize, std::uint32_t active = kAllLanes,
                 std::uint32_t kept = 0) {
        Record& record = add(op, line, active);
        record.mask = active;
        record.width = width;
        const Values before = values;
        each(active, [&](std::size_t lane) {
            const int source = source_lane(op, static_cast<int>(lane), arg, width);
            const auto from = static_cast<std::size_t>(source);
            record.arg[lane] = arg;
            record.source[lane] = static_cast<std::int8_t>(source);
            record.before[lane] = to_bits(before[lane]);
            if (active >> from & 1) record.received[lane] = to_bits(before[from]);
            else record.undefined |= std::uint32_t{1} << lane;
            record.effect[lane] = kept >> lane & 1 ? Effect::keep : effect;
            if (record.effect[lane] == Effect::join)
                values[lane] = before[lane] + from_bits<float>(record.received[lane]);
            if (record.effect[lane] == Effect::replace) values[lane] = from_bits<float>(record.received[lane]);
            record.after[lane] = to_bits(values[lane]);
        });
        record.has_after = active;
    }
    void shuffle_sum(int line, Op op, int arg, int width = kWarpSize, std::uint32_t active = kAllLanes) {
        shuffle(line, op, arg, Effect::join, width, active);
    }

    // __reduce_add_sync of whole numbers, offered as given; its statement does `effect` with the sum.
    void reduce_add(int line, const std::function<std::uint32_t(int lane)>& offered, Effect effect,
                    std::uint32_t active = kAllLanes) {
        Record& record = add(Op::reduce_add, line, active);
        record.type = Element::u32;
        record.mask = active;
        std::uint32_t sum = 0;
        each(active, [&](std::size_t lane) {
            record.before[lane] = offered(static_cast<int>(lane));
            sum += offered(static_cast<int>(lane));
        });
        each(active, [&](std::size_t lane) {
            record.received[lane] = sum;
            record.effect[lane] = effect;
            record.after[lane] = effect == Effect::join ? (record.before[lane] + sum) & 0xffffffffu : sum;
        });
        record.has_after = active;
    }

    // __match_any_sync of whole numbers.
    void match_any(int line, const std::function<std::uint32_t(int lane)>& offered, std::uint32_t active = kAllLanes) {
        Record& record = add(Op::vote_match_any, line, active);
        record.type = Element::u32;
        record.mask = active;
        each(active, [&](std::size_t lane) {
            record.before[lane] = offered(static_cast<int>(lane));
            each(active, [&](std::size_t other) {
                if (offered(static_cast<int>(other)) == record.before[lane])
                    record.received[lane] |= std::uint64_t{1} << other;
            });
        });
    }

    void active_mask(int line, std::uint32_t active) {
        Record& record = add(Op::active_mask, line, active);
        record.type = Element::u32;
        each(active, [&](std::size_t lane) { record.received[lane] = active; });
    }

    // scope: 0 block, 1 device, 2 system
    void fence(int line, int scope, std::uint32_t active = kAllLanes) {
        Record& record = add(Op::fence, line, active);
        each(active, [&](std::size_t lane) { record.arg[lane] = scope; });
    }

    // __syncthreads_count, _and or _or, with the answer of the whole block.
    void barrier_vote(int line, Op op, const std::function<bool(int lane)>& predicate, std::uint32_t answer,
                      std::uint32_t active = kAllLanes) {
        Record& record = add(op, line, active);
        record.type = Element::i32;
        each(active, [&](std::size_t lane) {
            record.arg[lane] = predicate(static_cast<int>(lane));
            record.received[lane] = answer;
        });
    }

    void ballot(int line, const std::function<bool(int lane)>& predicate, std::uint32_t active = kAllLanes) {
        Record& record = add(Op::vote_ballot, line, active);
        record.type = Element::u32;
        record.mask = active;
        std::uint32_t answer = 0;
        each(active, [&](std::size_t lane) {
            record.arg[lane] = predicate(static_cast<int>(lane));
            answer |= static_cast<std::uint32_t>(record.arg[lane]) << lane;
        });
        each(active, [&](std::size_t lane) { record.received[lane] = answer; });
    }

    void sync_warp(int line, std::uint32_t mask = kAllLanes) { add(Op::sync_warp, line, mask).mask = mask; }
    void barrier(int line, std::uint32_t active = kAllLanes) { add(Op::sync_block, line, active); }

    Record& add(Op op, int line, std::uint32_t active);

private:
    template <class F>
    static void each(std::uint32_t lanes, F act) {
        for (std::size_t lane = 0; lane < kWarpSize; ++lane)
            if (lanes >> lane & 1) act(lane);
    }

    TraceBuilder* trace_;
    std::uint32_t launch_, block_, warp_;
};

class TraceBuilder {
public:
    Trace trace;

    TraceBuilder() {
        Header& header = trace.header;
        header.lesson = "00_test";
        header.variant = "test";
        header.source.order = "ascending";
        header.date = "2026-11-21";
        header.n = 64;
        header.block = 64;
        header.input = "ramp";
        header.kernel_file = "kernels.cuh";
        header.kernel_hash = "0123456789abcdef";
        header.launches.push_back({"test<64>", {2, 1, 1}, {64, 1, 1}, 0});
        header.blocks = {0, 1};
    }

    std::uint32_t array(const std::string& name, Space space, std::uint64_t count) {
        trace.arrays.push_back({name, space, Element::f32, count});
        return static_cast<std::uint32_t>(trace.arrays.size() - 1);
    }

    void statement(int line, Effect effect, const std::string& target, bool to_memory = false,
                   bool conditional = false) {
        trace::Statement& added = trace.header.statements.emplace_back();
        added.line = added.last_line = line;
        added.effect = effect;
        added.target = target;
        added.to_memory = to_memory;
        added.conditional = conditional;
    }

    WarpBuilder warp(std::uint32_t block, std::uint32_t warp, std::uint32_t launch = 0) {
        return {*this, launch, block, warp};
    }

    Record& add(std::uint32_t launch, std::uint32_t block, std::uint32_t warp) {
        Record& record = trace.records.emplace_back();
        record.source.fill(-1);
        record.launch = launch;
        record.block = block;
        record.warp = warp;
        record.index = lengths_[{launch, {block, warp}}]++;
        return record;
    }

private:
    std::map<std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>, std::uint32_t> lengths_;
};

inline Record& WarpBuilder::last() { return trace_->trace.records.back(); }

inline Record& WarpBuilder::add(Op op, int line, std::uint32_t active) {
    Record& record = trace_->add(launch_, block_, warp_);
    record.op = op;
    record.line = line;
    record.active = active;
    return record;
}

}  // namespace lanewise::trace::testing
