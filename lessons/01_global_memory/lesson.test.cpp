#include "common/lesson/lesson.testing.hpp"
#include "common/steps/testing/pairs.testing.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;

trace::Trace traced(const std::string& variant) {
    return *run(plan_of(variant, inputs_of(variant)), "ascending", true).trace;
}

// Of the first block, at the end.
steps::Step::Counters counts_of(const trace::Trace& trace) {
    return steps::build_steps(trace).steps.back().counters.at(0);
}

// The threads of block 0 that add, for each round.
std::vector<std::uint32_t> threads_of_rounds(const trace::Trace& trace) {
    std::vector<std::uint32_t> threads;
    for (const auto& step : steps::build_steps(trace).steps)
        if (step.label.starts_with("add")) threads.push_back(step.counters.at(0).active_lanes);
    return threads;
}

// What the slice of block 0 in scratch holds at each of its barriers.
std::vector<std::vector<double>> scratch_at_barriers(const trace::Trace& trace) {
    std::vector<std::vector<double>> images;
    for (const auto& record : trace.records)
        for (const auto& image : record.shared) {
            if (record.block != 0) continue;
            EXPECT_EQ(trace.arrays.at(image.array).name, "scratch");
            EXPECT_EQ(image.first, 0u);
            images.emplace_back();
            for (const auto bits : image.values) images.back().push_back(element_to_double(Element::f32, bits));
        }
    return images;
}

TEST(GlobalMemory, HalfOfTheThreadsStopEachRound) {
    const std::vector<std::uint32_t> halves = {64, 32, 16, 8, 4, 2, 1};
    for (const char* variant : {"global_tree", "global_tree_interleaved"}) {
        const auto trace = traced(variant);
        EXPECT_EQ(threads_of_rounds(trace), halves) << variant;
        EXPECT_EQ(counts_of(trace).block_barriers, 8u) << variant;  // one after the load, one a round
        EXPECT_EQ(counts_of(trace).shared_accesses, 0u) << variant;
    }
}

// The first round of one is matched with the first of the other, though they add words 64 apart and 1 apart.
TEST(GlobalMemory, ComparisonGoesRoundByRound) {
    const auto halves = traced("global_tree"), neighbours = traced("global_tree_interleaved");
    EXPECT_EQ(steps::testing::places({steps::build_steps(halves), steps::build_steps(neighbours)}),
              "load in | load in\n"
              "store scratch | store scratch\n"
              "barrier | barrier\n"
              "add scratch +64 | add scratch +1\n"
              "barrier | barrier\n"
              "add scratch +32 | add scratch +2\n"
              "barrier | barrier\n"
              "add scratch +16 | add scratch +4\n"
              "barrier | barrier\n"
              "add scratch +8 | add scratch +8\n"
              "barrier | barrier\n"
              "add scratch +4 | add scratch +16\n"
              "barrier | barrier\n"
              "add scratch +2 | add scratch +32\n"
              "barrier | barrier\n"
              "add scratch +1 | add scratch +64\n"
              "barrier | barrier\n"
              "load scratch | load scratch\n"
              "store out | store out\n");
}

TEST(GlobalMemory, EightThreadsOnPaper) {
    const std::vector<std::vector<double>> halves = {{1, 2, 3, 4, 5, 6, 7, 8},
                                                     {6, 8, 10, 12, 5, 6, 7, 8},
                                                     {16, 20, 10, 12, 5, 6, 7, 8},
                                                     {36, 20, 10, 12, 5, 6, 7, 8}};
    EXPECT_EQ(scratch_at_barriers(traced("global_tree_8")), halves);
    const std::vector<std::vector<double>> neighbours = {{1, 2, 3, 4, 5, 6, 7, 8},
                                                         {3, 2, 7, 4, 11, 6, 15, 8},
                                                         {10, 2, 7, 4, 26, 6, 15, 8},
                                                         {36, 2, 7, 4, 26, 6, 15, 8}};
    EXPECT_EQ(scratch_at_barriers(traced("global_tree_interleaved_8")), neighbours);
}

// In the round +16 lane 5 of warp 0 reads its own word and the one 16 above.
TEST(GlobalMemory, LanesReadFromTheirSources) {
    const auto trace = traced("global_tree");
    const auto steps = steps::build_steps(trace);
    for (const auto& step : steps.steps) {
        if (step.label != "add scratch +16") continue;
        std::vector<std::int64_t> read, written;
        for (const std::size_t number : step.find({0, 0, 0})->records) {
            const auto& record = trace.records[number];
            (record.op == trace::Op::load ? read : written).push_back(record.element_index[5]);
        }
        EXPECT_EQ(read, (std::vector<std::int64_t>{5, 21}));
        EXPECT_EQ(written, std::vector<std::int64_t>{5});
        return;
    }
    FAIL() << "no round +16";
}

// Each block leaves its own sum, and the input is what it was.
TEST(GlobalMemory, OnePartialSumABlock) {
    for (const char* variant : {"global_tree", "global_tree_interleaved"}) {
        const auto plan = plan_of(variant, inputs_of(variant));
        const auto outcome = run(plan);
        EXPECT_EQ(buffer(plan, outcome, "out"), (std::vector<float>{8128, 24512})) << variant;  // 0…127, 128…255
        const auto in = buffer(plan, outcome, "in");
        for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(in[i], static_cast<float>(i)) << variant;
    }
}

// The same additions at other addresses: as many requests, and 189 sectors in the rounds instead of 54.
TEST(GlobalMemory, InterleavedTouchesMoreSectors) {
    const auto tree = counts_of(traced("global_tree")), interleaved = counts_of(traced("global_tree_interleaved"));
    EXPECT_EQ(tree.global_requests, 34u);
    EXPECT_EQ(interleaved.global_requests, 34u);
    EXPECT_EQ(tree.global_sectors, 34u + 54u);
    EXPECT_EQ(interleaved.global_sectors, 34u + 189u);
    EXPECT_EQ(tree.global_accesses, interleaved.global_accesses);
}

// 127 additions in seven rounds of 128 threads.
TEST(GlobalMemory, OneLaneInSevenAdds) {
    EXPECT_NEAR(counts_of(traced("global_tree")).utilization(), 1.0 / 7, 0.002);
}

}  // namespace
