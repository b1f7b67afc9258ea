// Whatever can be read can be stepped through: no damaged file brings the program down.
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/steps/testing/programs.testing.hpp"
#include "common/rounding/rounding.hpp"
#include "common/trace/diff.hpp"
#include "common/trace/io.hpp"

namespace lanewise::rounding {

using steps::Steps;

namespace {

using namespace steps::testing;

// Digits become other digits, so that most damage is still JSON.
void damage(std::string& text, std::mt19937& random) {
    const std::size_t at = random() % text.size();
    const std::size_t digit = text.find_first_of("0123456789abcdef", at);
    if (random() % 8 == 0 || digit == std::string::npos) text[at] = static_cast<char>(random());
    else text[digit] = "0123456789abcdef"[random() % 16];
}

// A loop of vector loads that join their sum, then what warps do together; with all that the text says.
Trace collectives() {
    TraceBuilder made;
    const auto in = made.array("in", Space::global, 256);
    made.statement(2, Effect::replace, "sum");
    made.statement(4, Effect::replace, "p");
    made.statement(5, Effect::join, "sum");
    for (trace::Statement& statement : made.trace.header.statements) {
        statement.function = {1, 20};
        if (statement.line > 2) statement.loop = {3, 6};
    }
    made.trace.header.statements[1].loads = 1;
    made.trace.header.statements[2].uses = {"p"};
    auto warp = made.warp(0, 0);
    for (int turn = 0; turn < 2; ++turn)
        warp.load_pack(4, in, 4, [&](int lane) { return 128 * turn + 4 * lane; }, [](int, int k) { return ramp(k); });
    warp.reduce_add(8, [](int lane) { return static_cast<std::uint32_t>(lane); }, Effect::join);
    warp.match_any(9, [](int lane) { return static_cast<std::uint32_t>(lane % 4); }, 0xff);
    warp.fence(10, 1);
    warp.active_mask(11, 0xf0);
    warp.barrier_vote(12, Op::sync_block_and, [](int) { return true; }, 1);
    warp.last().shared.push_back({in, 32, {1, 2, 3}, {true, false, true}});
    made.trace.reruns.push_back({"descending", {{"out", Element::f32, 1, {7}}}});
    return made.trace;
}

TEST(MalformedTrace, TracesAreSteppedThroughAndCompared) {
    std::mt19937 random(17);
    for (const Trace& trace : {two_level(4, 1), shared_tree(64), collectives()}) {
        std::ostringstream out;
        trace::write(out, trace);
        for (int i = 0; i < 150; ++i) {
            std::string text = out.str();
            for (int k = 0; k < 4; ++k) damage(text, random);
            std::istringstream in(text);
            try {
                const Trace read = trace::read(in, "t.ndjson");
                const Steps steps = steps::build_steps(read);
                for (std::size_t k = 0; k < steps.size(); ++k)
                    for (const steps::WarpStep& warp : steps.steps[k].warps)
                        steps::formula(steps, k, warp.warp, i % 32);
                const RoundingLens lens = build_rounding(steps);
                for (std::size_t s = 0; s < lens.sums.size(); ++s)
                    describe_addition(lens, static_cast<std::int32_t>(s));
                EXPECT_EQ(rounding_rows(steps, lens).empty(), !lens.why_not.empty());
                EXPECT_FALSE(trace::diff(trace, read).sentence.empty());
            } catch (const Error& error) {
                EXPECT_STRNE(error.what(), "");
            }
        }
    }
}

TEST(MalformedTrace, AnImpossiblyLargeInput) {
    Trace trace = warp_tree(Op::shfl_xor, {16});
    trace.arrays[0].count = ~std::uint64_t{0};
    trace.records[0].element_index[3] = std::int64_t{1} << 40;
    const Steps steps = steps::build_steps(trace);
    EXPECT_EQ(steps.input_count, 0u);
    EXPECT_EQ(steps.size(), 2u);
}

}  // namespace
}  // namespace lanewise::rounding
