#include "common/trace/io.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/trace/io.testing.hpp"
#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::trace {
namespace {

using testing::error_of;
using testing::expect_same;
using testing::random_trace;
using testing::read_text;
using testing::TraceBuilder;
using testing::written;

TEST(TraceFile, RandomTracesReadBack) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Trace trace = random_trace(seed);
        const Trace back = read_text(written(trace));
        EXPECT_FALSE(back.partial) << back.partial_reason;
        expect_same(trace, back);
        EXPECT_FALSE(back.header.statements.at(0).conditional);
        EXPECT_TRUE(back.header.statements.at(1).conditional);
        const Statement& known = back.header.statements.at(1);
        EXPECT_TRUE(known.copies && known.calls && known.loads == 2);
        EXPECT_EQ(known.uses, (std::vector<std::string>{"in", "i"}));
        EXPECT_EQ(known.function, (Statement::Lines{1, 9}));
        EXPECT_EQ(known.loop, (Statement::Lines{3, 5}));
        EXPECT_EQ(known.branch, (Statement::Lines{4, 5}));
        ASSERT_EQ(back.reruns.size(), 2u);
        EXPECT_EQ(back.reruns[0].how, "descending");
        EXPECT_EQ(back.reruns[0].outputs.at(0).values, trace.reruns[0].outputs[0].values);
        ASSERT_EQ(back.plain.size(), 1u);
        EXPECT_EQ(back.plain[0].values, trace.plain[0].values);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST(TraceFile, CutOffAnywhereGivesAPrefixOrASentence) {
    Trace trace = random_trace(7);
    // A few kinds of records will do: reading every prefix is quadratic in the file's size.
    std::erase_if(trace.records, [](const Record& record) { return record.index % 4 != 0; });
    for (Record& record : trace.records) record.active &= 0xfu, record.has_after &= 0xfu;
    const std::string text = written(trace);
    const std::size_t header = text.find('\n');
    for (std::size_t length = 0; length < text.size(); ++length) {
        if (length < header) {
            EXPECT_NE(error_of(text.substr(0, length)), "") << length;
            continue;
        }
        const Trace part = read_text(text.substr(0, length));
        if (length + 1 == text.size()) {
            EXPECT_FALSE(part.partial);  // only the last newline is missing
            continue;
        }
        ASSERT_TRUE(part.partial) << length;
        ASSERT_NE(part.partial_reason.find("t.ndjson is cut off"), std::string::npos) << part.partial_reason;
        ASSERT_LE(part.records.size(), trace.records.size());
    }
}

TEST(TraceFile, FlippedBytesNeverPassUnnoticed) {
    const std::string text = written(random_trace(11));
    std::mt19937_64 random(5);
    for (int i = 0; i < 3000; ++i) {
        std::string mangled = text;
        const std::size_t at = random() % mangled.size();
        mangled[at] = static_cast<char>(mangled[at] ^ (1 << random() % 8));
        try {
            const Trace back = read_text(mangled);
            // A flip in white space or in the case of the checksum's own digits changes nothing that is read.
            EXPECT_TRUE(back.partial || written(back) == text) << "byte " << at;
        } catch (const Error& error) {
            EXPECT_STRNE(error.what(), "");
        }
    }
}

TEST(TraceFile, AMangledLineEndsThePrefix) {
    TraceBuilder made;
    made.array("in", Space::global, 64);
    auto warp = made.warp(0, 0);
    for (int i = 0; i < 4; ++i)
        warp.load(
            3 + i, 0, [](int lane) { return lane; }, [](int lane) { return float(lane); });
    const std::string text = written(made.trace);
    const auto mangled = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        return read_text(changed);
    };
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"\"line\":5", "\"line\":-5"},        {"\"line\":5", "\"line\":5.5"},
             {"\"line\":5", "\"line\":\"5\""},     {"\"line\":5", "\"lime\":5"},
             {"\"line\":5", "\"line\":5,\"array\":9"}, {"\"line\":5,", "\"line\":5,\"elements\":9,"},
             {"\"launch\":0,\"block\":0,\"warp\":0,\"index\":2", "\"launch\":1,\"block\":0,\"warp\":0,\"index\":2"},
             {"\"warp\":0,\"index\":2", "\"warp\":4096,\"index\":2"}, {"\"index\":2,", "\"index\":2,,"}}) {
        const Trace part = mangled(from, to);
        EXPECT_TRUE(part.partial) << to;
        EXPECT_LE(part.records.size(), to.find("array") != std::string::npos ? 4u : 2u) << to;
        EXPECT_NE(part.partial_reason.find("t.ndjson"), std::string::npos);
    }
    EXPECT_NE(read_text(text + "{}\n").partial_reason.find("goes on after its end"), std::string::npos);
}

// The fields that came with minor 1.
TEST(TraceFile, AMangledCollectiveEndsThePrefix) {
    TraceBuilder made;
    const auto out = made.array("out", Space::global, 64);
    auto warp = made.warp(0, 0);
    warp.sync_warp(3);
    warp.fence(4, 2);
    warp.reduce_add(5, [](int lane) { return static_cast<std::uint32_t>(lane); }, Effect::replace);
    warp.match_any(6, [](int lane) { return static_cast<std::uint32_t>(lane % 4); });
    warp.active_mask(7, 0xff);
    warp.barrier_vote(8, Op::sync_block_count, [](int lane) { return lane < 5; }, 5);
    warp.last().shared.push_back({out, 32, std::vector<std::uint64_t>(32, 7), {}});
    made.trace.reruns.push_back({"descending", {{"out", Element::f32, 1, {to_bits(0.5f)}}}});
    const std::string text = written(made.trace);
    ASSERT_FALSE(read_text(text).partial);
    const auto in_line = [&](const std::string& op, const std::string& from, const std::string& to) {
        std::string changed = text;
        const std::size_t line = changed.find(op);
        changed.replace(changed.find(from, line), from.size(), to);
        return read_text(changed);
    };
    struct Case {
        const char *op, *from, *to;
        std::size_t records;
    };
    for (const Case& one : std::vector<Case>{
             {"\"fence\"", "\"arg\":2", "\"arg\":3", 1},
             {"\"fence\"", "\"arg\":2", "\"arg\":-1", 1},
             {"\"fence\"", "\"arg\"", "\"org\"", 1},
             {"\"reduce_add\"", "\"replace\"", "\"swallow\"", 2},
             {"\"reduce_add\"", "\"before\":[\"00000000\",", "\"before\":[", 2},
             {"\"reduce_add\"", "\"received\"", "\"refused\"", 2},
             {"\"vote_match_any\"", "\"before\"", "\"after\"", 3},
             {"\"vote_match_any\"", "\"received\":[\"11111111", "\"received\":[\"111111111", 3},
             {"\"active_mask\"", "\"received\":[\"000000ff", "\"received\":[\"00000gff", 4},
             {"\"sync_block_count\"", "\"arg\":[1", "\"arg\":[1.5", 5},
             {"\"sync_block_count\"", "\"first\":32", "\"first\":33", 5},
             {"\"sync_block_count\"", "\"first\":32", "\"first\":18446744073709551615", 5},
             {"\"sync_block_count\"", "\"first\":32", "\"first\":-1", 5},
             {"\"rerun\"", "\"outputs\":[", "\"outputs\":[7,", 6},
             {"\"rerun\"", "\"rerun\":\"descending\"", "\"rerun\":1", 6}}) {
        const Trace part = in_line(one.op, one.from, one.to);
        EXPECT_TRUE(part.partial) << one.op << one.to;
        EXPECT_NE(part.partial_reason.find("cannot be read from line"), std::string::npos) << part.partial_reason;
        EXPECT_EQ(part.records.size(), one.records) << one.op << one.to;
        EXPECT_TRUE(part.reruns.empty());
    }
}

// A header that is not what it should be leaves nothing to show.
TEST(TraceFile, MangledFactsOfAStatementAreRefused) {
    TraceBuilder made;
    made.statement(4, Effect::join, "sum", false, true);
    Statement& statement = made.trace.header.statements.back();
    statement.loads = 2;
    statement.uses = {"p"};
    statement.loop = {3, 5};
    const std::string text = written(made.trace);
    ASSERT_EQ(error_of(text), "");
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"\"conditional\":true", "\"conditional\":1"},
             {"\"loads\":2", "\"loads\":-2"},
             {"\"uses\":[\"p\"]", "\"uses\":[7]"},
             {"\"uses\":[\"p\"]", "\"uses\":\"p\""},
             {"\"loop\":[3,5]", "\"loop\":[3]"},
             {"\"loop\":[3,5]", "\"loop\":[3,\"5\"]"}}) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        EXPECT_NE(error_of(changed).find("t.ndjson"), std::string::npos) << to;
    }
}

}  // namespace
}  // namespace lanewise::trace
