#include "viz/views/memory.hpp"

#include <gtest/gtest.h>

#include "viz/views/sample_runs.hpp"

namespace lanewise::viz {
namespace {

TEST(SharedMemory, WordsAreWrittenReadAndKept) {
    const auto run = samples::two_level();
    const steps::Steps& steps = run->steps;
    std::size_t store = 0, load = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        if (steps.steps[k].kind == steps::StepKind::store) store = k;
        if (steps.steps[k].kind == steps::StepKind::load && k > 0) load = k;
    }
    const auto before = shared_memory(steps, store - 1, steps.warps.front());
    ASSERT_EQ(before.size(), 1u);
    EXPECT_EQ(before[0].name, "warp_sums");
    for (const SharedWord& word : before[0].words) EXPECT_FALSE(word.known);

    const auto written = shared_memory(steps, store, steps.warps.front());
    for (std::size_t i = 0; i < written[0].words.size(); ++i) {
        EXPECT_TRUE(written[0].words[i].written_now);
        EXPECT_EQ(written[0].words[i].by.warp, i);
        EXPECT_EQ(from_bits<float>(written[0].words[i].bits), 496.0f + 1024.0f * static_cast<float>(i));
    }
    const auto read = shared_memory(steps, load, steps.warps.front());
    EXPECT_TRUE(read[0].words[7].read_now);
    EXPECT_FALSE(read[0].words[7].written_now);
    EXPECT_EQ(read[0].words[7].lane, 7);

    // The other block has its own.
    const auto other = shared_memory(steps, store, {0, 1, 0});
    EXPECT_NE(other[0].words[0].bits, written[0].words[0].bits);
}

TEST(SharedMemory, SnapshotsOfAGpuShowValuesThatNoStoreTold) {
    lesson::Run run = *samples::two_level();
    std::erase_if(run.trace.records, [](const trace::Record& record) { return trace::is_access(record.op); });
    for (trace::Record& record : run.trace.records) {
        if (record.op == trace::Op::sync_block && record.warp == 0) {
            record.shared = {{1, std::vector<std::uint64_t>(8, to_bits(5.0f)), {}}};
        }
    }
    run.steps = steps::build_steps(run.trace);
    const auto last = shared_memory(run.steps, run.steps.size() - 1, run.steps.warps.front());
    ASSERT_EQ(last[0].words.size(), 8u);
    EXPECT_TRUE(last[0].words[3].known);
    EXPECT_EQ(from_bits<float>(last[0].words[3].bits), 5.0f);
    EXPECT_FALSE(last[0].words[3].written);
}

}  // namespace
}  // namespace lanewise::viz
