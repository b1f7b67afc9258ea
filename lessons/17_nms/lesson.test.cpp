#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "common/base/error.hpp"
#include "common/check/checker.hpp"
#include "common/lesson/lesson.testing.hpp"
#include "common/lesson/provenance.testing.hpp"
#include "common/scene/boxes/suppression.hpp"
#include "common/steps/steps.hpp"
#include "lessons/17_nms/case.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using lesson::testing::run;   // not the namespace
using nms_lesson::BoxCorners;

lesson::Inputs inputs_for(const std::string& variant, std::uint64_t n, const std::string& kind) {
    lesson::Inputs inputs = inputs_of(variant);
    inputs.n = n;
    inputs.kind = kind;
    return inputs;
}

// The plan of `variant` over these boxes instead of its own; what must come out is not the plan's to say.
launch::Plan plan_over(const std::string& variant, const std::vector<BoxCorners>& boxes,
                       const std::vector<float>& scores) {
    auto plan = plan_of(variant, inputs_for(variant, boxes.size(), "random"));
    std::memcpy(plan.buffers[0].contents.data(), boxes.data(), boxes.size() * sizeof(BoxCorners));
    std::memcpy(plan.buffers[1].contents.data(), scores.data(), scores.size() * sizeof(float));
    plan.expectations.clear();
    return plan;
}

// The kept boxes' numbers, lowest first, by a variant.
std::vector<int> kept_by(const std::string& variant, const std::vector<BoxCorners>& boxes,
                         const std::vector<float>& scores) {
    const auto plan = plan_over(variant, boxes, scores);
    const auto outcome = run(plan);
    std::vector<int> kept;
    if (variant == "bit_mask") {
        const auto keep = buffer<int>(plan, outcome, "keep");
        for (std::size_t i = 0; i < keep.size(); ++i)
            if (keep[i]) kept.push_back(static_cast<int>(i));
    } else {
        kept = buffer<int>(plan, outcome, "kept");
        kept.resize(static_cast<std::size_t>(buffer<int>(plan, outcome, "count").at(0)));
        std::sort(kept.begin(), kept.end());
    }
    return kept;
}

const char* const kRight[] = {"bit_mask", "tiles"};

TEST(Nms, RightKernelsCountNoInputTwice) {
    for (const char* variant : {"tiles", "tiles_by_class"}) expect_no_input_counted_twice(variant);
}

// A suppresses B; B would suppress C, but B is gone.
TEST(Nms, ASuppressedBoxSuppressesNoOther) {
    const std::vector<BoxCorners> chain = {{0, 0, 40, 40}, {10, 0, 50, 40}, {20, 0, 60, 40}};
    for (const char* variant : kRight) {
        EXPECT_EQ(kept_by(variant, chain, {3, 2, 1}), (std::vector<int>{0, 2})) << variant;
        EXPECT_EQ(kept_by(variant, chain, {2, 3, 1}), (std::vector<int>{1})) << variant;
        EXPECT_EQ(kept_by(variant, chain, {1, 2, 3}), (std::vector<int>{0, 2})) << variant;
    }
}

TEST(Nms, EqualScoresTheLowerNumberFirst) {
    const std::vector<BoxCorners> same(5, {1, 1, 9, 9});
    for (const char* variant : kRight) {
        EXPECT_EQ(kept_by(variant, same, {1, 1, 1, 1, 1}), std::vector<int>{0}) << variant;
        EXPECT_EQ(kept_by(variant, same, {-0.0f, 0.0f, -1, 0.0f, -0.0f}), std::vector<int>{0}) << variant;
        EXPECT_EQ(kept_by(variant, same, {-3, -2, -2, -5, -4}), std::vector<int>{1}) << variant;
    }
}

TEST(Nms, TouchingZeroAreaAndTheThreshold) {
    for (const char* variant : kRight) {
        EXPECT_EQ(kept_by(variant, {{0, 0, 4, 4}, {4, 0, 8, 4}}, {2, 1}), (std::vector<int>{0, 1})) << variant;
        EXPECT_EQ(kept_by(variant, {{2, 2, 2, 2}, {2, 2, 2, 2}, {2, 2, 2, 5}}, {3, 2, 1}), (std::vector<int>{0, 1, 2}))
            << variant;
        EXPECT_EQ(kept_by(variant, {{0, 0, 4, 4}, {1, 1, 1, 1}}, {2, 1}), (std::vector<int>{0, 1})) << variant;
        // Half of the larger: 0.5, which is not more than 0.5. A unit wider, and it is.
        EXPECT_EQ(kept_by(variant, {{0, 0, 8, 8}, {0, 0, 4, 8}}, {2, 1}), (std::vector<int>{0, 1})) << variant;
        EXPECT_EQ(kept_by(variant, {{0, 0, 8, 8}, {0, 0, 5, 8}}, {2, 1}), (std::vector<int>{0})) << variant;
    }
}

// Corners on a grid of eight places: boxes touch, coincide, lie within each other, have no area or are inside out;
// scores of four values, one of them in both zeroes. All exact, so nothing may differ from the reference.
TEST(Nms, BoxesOnASmallGrid) {
    std::mt19937 random(17);
    const auto place = [&] { return static_cast<float>(random() % 8); };
    for (const std::size_t n : {2u, 3u, 5u, 17u, 64u, 65u, 150u, 300u}) {
        for (int round = 0; round < 4; ++round) {
            std::vector<BoxCorners> boxes(n);
            std::vector<float> scores(n);
            std::vector<int> classes(n);
            for (std::size_t i = 0; i < n; ++i) {
                boxes[i] = {place(), place(), place(), place()};
                if (random() % 4) {  // most with area
                    boxes[i].x2 = boxes[i].x1 + 1 + place() / 2;
                    boxes[i].y2 = boxes[i].y1 + 1 + place() / 2;
                }
                const float of_four[] = {-1, -0.0f, 0, 0.5f};
                scores[i] = of_four[random() % 4];
                classes[i] = static_cast<int>(i % nms_lesson::kClasses);
            }
            for (const char* variant : {"bit_mask", "tiles", "tiles_by_class"}) {
                const bool by_class = std::string(variant) == "tiles_by_class";
                std::vector<int> lives = nms_lesson::kept_boxes(boxes, scores, nms_lesson::kThreshold,
                                                                by_class ? classes : std::vector<int>());
                std::sort(lives.begin(), lives.end());
                EXPECT_EQ(kept_by(variant, boxes, scores), lives) << variant << ", " << n << " boxes, round " << round;
            }
        }
    }
}

// A NaN sets the status, wherever it stands, and nothing is read or written out of bounds.
TEST(Nms, NotANumberSetsTheStatus) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (int place = 0; place < 6; ++place) {
        std::vector<BoxCorners> boxes(70, {0, 0, 8, 8});
        std::vector<float> scores(70, 1.0f);
        if (place < 4) (&boxes[65].x1)[place] = nan;
        if (place == 4) scores[65] = nan;
        for (const char* variant : kRight) {
            const auto plan = plan_over(variant, boxes, scores);
            launch::Request request;
            request.checks = true;
            const auto outcome = check::make_emulator()->run(plan, kernels(), request);
            EXPECT_EQ(buffer<std::uint32_t>(plan, outcome, "status").at(0), place < 5 ? 1u : 0u)
                << variant << " " << place;
            for (const auto& finding : outcome.findings)
                EXPECT_EQ(finding.severity, trace::Severity::note) << variant << ": " << finding.sentence;
        }
    }
}

TEST(Nms, ChainsCopiesAndCrowds) {
    for (const char* variant : {"bit_mask", "tiles", "tiles_by_class"})
        for (const char* kind : {"ramp", "small", "random"})
            for (const std::uint64_t n : {1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 129u, 200u, 1000u, 1024u})
                for (const std::uint64_t seed : {1u, 2u}) {
                    auto inputs = inputs_for(variant, n, kind);
                    inputs.seed = seed;
                    const auto plan = plan_of(variant, inputs);
                    expect_verified(plan, run(plan), std::string(variant) + " " + kind + " " + std::to_string(n));
                }
}

// Copies of one box: by class the first of each class lives, else the first of all.
TEST(Nms, ByClassOnlyOnesOwnClassSuppresses) {
    for (const std::uint64_t n : {1u, 2u, 7u, 70u}) {
        for (const auto& [variant, lives] :
             {std::pair{"tiles", std::uint64_t{1}}, {"tiles_by_class", std::uint64_t{3}}}) {
            const auto plan = plan_of(variant, inputs_for(variant, n, "small"));
            const auto outcome = run(plan);
            const auto kept = buffer<int>(plan, outcome, "kept");
            const auto count = static_cast<int>(std::min(n, lives));
            EXPECT_EQ(buffer<int>(plan, outcome, "count").at(0), count) << variant << " " << n;
            for (int i = 0; i < static_cast<int>(n); ++i)
                EXPECT_EQ(kept[static_cast<std::size_t>(i)], i < count ? i : -1) << variant << " " << n;
        }
    }
}

// Every second box of a chain lives: each of them depends on the one before, across masks and tiles.
TEST(Nms, AChainKeepsEverySecondBox) {
    const auto plan = plan_of("tiles", inputs_for("tiles", 150, "ramp"));
    const auto kept = buffer<int>(plan, run(plan), "kept");
    for (int i = 0; i < 150; ++i) EXPECT_EQ(kept[static_cast<std::size_t>(i)], i < 75 ? 2 * i : -1);
}

// Each round of a tile is four ballots. Of copies the first is kept in the first round, and all others go with it; in a
// chain a round keeps one box and decides the one that it suppresses.
TEST(Nms, RoundsOfATile) {
    const auto rounds = [](const std::string& kind) {
        const auto trace = *run(plan_of("tiles", inputs_for("tiles", 64, kind)), "ascending", true).trace;
        int ballots = 0;
        for (const auto& record : trace.records) ballots += record.launch == 2 && record.op == trace::Op::vote_ballot;
        EXPECT_EQ(ballots % 4, 0);
        return ballots / 4;
    };
    EXPECT_EQ(rounds("small"), 1);
    EXPECT_EQ(rounds("ramp"), 32);
    EXPECT_LE(rounds("random"), 3);
}

TEST(Nms, TheRaceIsFoundAndKeepsOtherBoxes) {
    const auto plan = plan_of("racing", inputs_for("racing", 48, "random"));
    launch::Request request;
    request.checks = true;
    const auto outcome = check::make_emulator()->run(plan, kernels(), request);
    bool race = false;
    for (const auto& finding : outcome.findings) race = race || finding.kind == "race";
    EXPECT_TRUE(race);
    // In a chain, a box asked before it is suppressed suppresses the next.
    const auto chain = plan_of("racing", inputs_for("racing", 48, "ramp"));
    EXPECT_NE(buffer<int>(chain, run(chain, "ascending"), "keep"),
              buffer<int>(chain, run(chain, "descending"), "keep"));
}

// What the view of boxes takes from the records, beside the reference: the order, every bit that was made, every fate.
TEST(Nms, TheViewOfBoxesHoldsWhatTheReferenceSays) {
    for (const char* variant : {"bit_mask", "chain", "tiles", "tiles_by_class", "racing"}) {
        for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{2}, inputs_of(variant).n}) {
            for (const char* kind : {"random", "ramp", "small"}) {
                const std::string what = std::string(variant) + " " + kind + " " + std::to_string(n);
                const auto inputs = inputs_for(variant, n, kind);
                std::vector<std::uint32_t> blocks(the_lesson().find(variant).recorded_blocks);
                std::iota(blocks.begin(), blocks.end(), 0u);
                const auto outcome = run(plan_of(variant, inputs), launch::Order::parse("ascending"), true, blocks);
                const auto steps = steps::build_steps(*outcome.trace);
                const auto all = scene::suppression_of(steps);
                ASSERT_TRUE(all.why_none.empty()) << what << ": " << all.why_none;
                ASSERT_EQ(all.boxes.size(), n) << what;
                EXPECT_EQ(all.note, "") << what;
                const nms_lesson::Boxes boxes = nms_lesson::boxes_of(inputs);
                const bool by_class = std::string(variant) == "tiles_by_class";
                const auto classes = by_class ? boxes.classes : std::vector<int>();
                const std::vector<int> order = nms_lesson::order_of(boxes.scores);
                const std::vector<int> kept =
                    nms_lesson::kept_boxes(boxes.corners, boxes.scores, nms_lesson::kThreshold, classes);
                std::size_t made = 0;
                for (std::size_t row = 0; row < n; ++row) {
                    const auto own = static_cast<std::size_t>(order[row]);
                    EXPECT_EQ(all.boxes[row].number, order[row]) << what;
                    EXPECT_EQ(all.boxes[row].x2, boxes.corners[own].x2) << what;
                    EXPECT_EQ(all.boxes[row].score, boxes.scores[own]) << what;
                    const bool lives = std::find(kept.begin(), kept.end(), order[row]) != kept.end();
                    EXPECT_EQ(all.fate(row, steps.size()), lives ? scene::Fate::kept : scene::Fate::removed)
                        << what << " row " << row;
                    for (std::size_t column = row + 1; column < n; ++column) {
                        const auto other = static_cast<std::size_t>(order[column]);
                        const scene::PairBit& bit = all.pair(row, column);
                        if (bit.made == kNoStep) continue;
                        ++made;
                        const bool same = !by_class || boxes.classes[own] == boxes.classes[other];
                        EXPECT_EQ(bit.set, same && nms_lesson::overlap(boxes.corners[own], boxes.corners[other]) >
                                                       nms_lesson::kThreshold)
                            << what << " " << row << " " << column;
                    }
                }
                // The one kernel compares only for boxes that are found kept.
                if (std::string(variant) != "racing") {
                    EXPECT_EQ(made, n * (n - 1) / 2) << what;
                }
                // A tile's rows are read in one step and joined in a later one.
                if (all.tiled && all.boxes[0].read != kNoStep) {
                    EXPECT_NE(scene::suppression_caption(all, all.boxes[0].read).find("bits are read"),
                              std::string::npos)
                        << what;
                }
                for (const scene::ChainQuestion& question : all.questions)
                    EXPECT_EQ(question.lives, std::find(kept.begin(), kept.end(), order[question.c]) != kept.end());
            }
        }
    }
}

// In descending order of lanes a thread asks before the one that crosses out its box: of a chain one box is left.
TEST(Nms, TheViewOfBoxesShowsTheRace) {
    const auto outcome = run(plan_of("racing", inputs_for("racing", 8, "ramp")), "descending", true);
    const auto steps = steps::build_steps(*outcome.trace);
    const auto all = scene::suppression_of(steps);
    ASSERT_EQ(all.boxes.size(), 8u);
    for (std::size_t box = 0; box < 8; ++box) {
        EXPECT_TRUE(all.boxes[box].lives_at_turn) << box;
        EXPECT_EQ(all.fate(box, steps.size()), box == 0 ? scene::Fate::kept : scene::Fate::removed) << box;
    }
    EXPECT_NE(scene::suppression_caption(all, all.boxes[0].turn).find("Too early for 7"), std::string::npos);
}

TEST(Nms, MoreBoxesThanAWarpHasBitsForAreRefused) {
    EXPECT_THROW(plan_of("bit_mask", inputs_for("bit_mask", 1025, "random")), lanewise::Error);
}

}  // namespace
