// Traces with random contents, as text and back.
#pragma once

#include <random>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/trace/io.hpp"
#include "common/trace/shuffle_rule.hpp"
#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::trace::testing {

inline std::string written(const Trace& trace) {
    std::ostringstream out;
    write(out, trace);
    return out.str();
}

inline Trace read_text(const std::string& text) {
    std::istringstream in(text);
    return read(in, "t.ndjson");
}

inline std::string error_of(const std::string& text) {
    try {
        read_text(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// What a record holds beside its lanes' values is the same text when written; so are those.
inline void expect_same(const Trace& a, const Trace& b) {
    EXPECT_EQ(written(a), written(b));
    ASSERT_EQ(a.records.size(), b.records.size());
    for (std::size_t i = 0; i < a.records.size(); ++i) {
        const Record& left = a.records[i];
        const Record& right = b.records[i];
        EXPECT_EQ(left.op, right.op);
        EXPECT_EQ(left.active, right.active);
        EXPECT_EQ(left.has_after, right.has_after);
        if (left.has_after && left.op == Op::load) {
            EXPECT_EQ(left.after_type, right.after_type);
        }
        EXPECT_EQ(left.undefined, right.undefined);
        EXPECT_EQ(left.elements, right.elements);
        EXPECT_EQ(left.width, right.width);
        for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
            if (!(left.active >> lane & 1)) continue;
            EXPECT_EQ(left.before[lane], right.before[lane]);
            EXPECT_EQ(left.received[lane], right.received[lane]);
            EXPECT_EQ(left.after[lane], right.after[lane]);
            EXPECT_EQ(left.arg[lane], right.arg[lane]);
            EXPECT_EQ(left.effect[lane], right.effect[lane]);
            EXPECT_EQ(left.element_index[lane], right.element_index[lane]);
            EXPECT_EQ(left.value[lane], right.value[lane]);
            if (!is_shuffle(left.op)) continue;
            EXPECT_EQ(left.source[lane], right.source[lane]);
        }
        ASSERT_EQ(left.shared.size(), right.shared.size());
        for (std::size_t k = 0; k < left.shared.size(); ++k) {
            EXPECT_EQ(left.shared[k].values, right.shared[k].values);
            EXPECT_EQ(left.shared[k].written, right.shared[k].written);
            EXPECT_EQ(left.shared[k].first, right.shared[k].first);
        }
    }
}

// One record of any kind with random contents, as far as the kind has them.
inline Record random_record(Op op, std::mt19937_64& random, std::uint32_t index) {
    Record record;
    record.source.fill(-1);
    record.op = op;
    record.block = static_cast<std::uint32_t>(random() % 3);
    record.warp = static_cast<std::uint32_t>(random() % 32);
    record.index = index;
    record.line = static_cast<int>(random() % 500);
    record.active = static_cast<std::uint32_t>(random()) | 1u << (random() % 32);
    if (random() % 3 == 0) record.active &= 0xffu;
    const bool has_type = op != Op::sync_warp && op != Op::sync_block && op != Op::fence;
    const bool matches = op == Op::vote_match_any || op == Op::vote_match_all;
    const bool counts = op == Op::sync_block_count || op == Op::sync_block_and || op == Op::sync_block_or;
    const bool exchanges = is_shuffle(op) || is_reduce(op);
    if (has_type) record.type = static_cast<Element>(random() % 12);
    const int size = element_size(record.type);
    const auto bits = [&] { return size == 8 ? random() : random() & ((std::uint64_t{1} << (size * 8)) - 1); };
    if (is_collective(op) && !is_block_barrier(op)) record.mask = static_cast<std::uint32_t>(random());
    if (is_shuffle(op)) record.width = 1 << random() % 6;
    const bool uniform = random() % 2;
    const bool reaches_memory = is_access(op) || is_atomic(op);
    if (reaches_memory) record.elements = 1 + static_cast<int>(random() % static_cast<unsigned>(16 / size));
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        if (!(record.active >> lane & 1)) continue;
        if (is_shuffle(op) || is_vote(op) || counts)
            record.arg[lane] = uniform ? 16 : static_cast<std::int32_t>(random());
        if (matches) record.arg[lane] = 0;
        if (op == Op::fence) record.arg[lane] = uniform ? 1 : static_cast<std::int32_t>(random() % 3);
        if (is_shuffle(op)) record.source[lane] = static_cast<std::int8_t>(static_cast<int>(random() % 33) - 1);
        if (exchanges || matches) record.before[lane] = bits();
        if (exchanges) {
            record.effect[lane] = uniform ? Effect::join : static_cast<Effect>(random() % 4);
            if (random() % 4) {
                record.has_after |= 1u << lane;
                record.after[lane] = bits();
            }
            if (random() % 8 == 0) record.undefined |= 1u << lane;
        }
        if (exchanges || is_predicate_vote(op) || is_atomic(op)) record.received[lane] = bits();
        if (matches || counts || op == Op::active_mask) record.received[lane] = random() & 0xffffffffu;
        if (op == Op::load && random() % 2) {
            record.after_type = Element::f64;
            record.has_after |= 1u << lane;
            record.after[lane] = random();
        }
        if (!reaches_memory) continue;
        record.array = 1;
        record.element_index[lane] = static_cast<std::int64_t>(random()) >> 24;
        const int used = record.elements * size * 8;
        record.value[lane] = {used >= 64 ? random() : random() & ((std::uint64_t{1} << used) - 1),
                              used <= 64    ? 0
                              : used == 128 ? random()
                                            : random() & ((std::uint64_t{1} << (used - 64)) - 1)};
    }
    if (is_block_barrier(op) && random() % 2) {
        ArrayImage image{0, 0, {}, {}};
        const bool known = random() % 2;
        if (random() % 2) image = {2, random() % 1000, {}, {}};
        for (int i = 0; i < 64; ++i) {
            const bool is_written = !known || random() % 2;
            image.values.push_back(is_written ? random() & 0xffffffffu : 0);
            if (known) image.written.push_back(is_written);
        }
        record.shared.push_back(image);
    }
    return record;
}

inline Trace random_trace(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    TraceBuilder made;
    made.array("tree \"of\" sums", Space::shared, 64);
    made.array("in", Space::global, 1u << 20);
    made.array("sums", Space::global, 4096);
    made.statement(4, Effect::join, "tree[thread]", true);
    made.statement(5, Effect::replace, "value", false, true);
    Statement& known = made.trace.header.statements.back();
    known.copies = known.calls = true;
    known.loads = 2;
    known.uses = {"in", "i"};
    known.function = {1, 9};
    known.loop = {3, 5};
    known.branch = {4, 5};
    Trace& trace = made.trace;
    trace.header.seed = random();
    trace.header.source = {SourceKind::gpu, "NVIDIA H200", "13.0", "9.0", ""};
    for (int op = 0; op <= static_cast<int>(Op::atomic_cas); ++op)
        trace.records.push_back(random_record(static_cast<Op>(op), random, static_cast<std::uint32_t>(op)));
    trace.findings.push_back({"deadlock", "test<64>", 7, 1, 0, 0xff, 3, "Lane 3 waits \xe2\x86\x90 for lane 5."});
    Finding& race = trace.findings.emplace_back(trace.findings.front());
    race.kind = "race";
    race.severity = Severity::note;
    race.advice = "Put a barrier between.";
    race.launch = 0;
    race.array = "tree";
    race.index = -3;
    race.record = 12;
    race.value = "1.5";
    race.other = FindingPlace{8, 0, 3, 0x80000001, 17, "2"};
    trace.verdict = Verdict::wrong;
    trace.undecided = "The block came to an end too late.";
    trace.outputs.push_back({"out", Element::f64, 2, {random(), random()}});
    trace.plain.push_back({"out", Element::f64, 2, {random(), random()}});
    trace.reruns.push_back({"descending", {{"out", Element::f64, 2, {random(), random()}}}});
    trace.reruns.push_back({"seed 3", {}});
    return trace;
}

}  // namespace lanewise::trace::testing
