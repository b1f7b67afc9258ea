// Boxes, bits and decisions compared with what greedy suppression over the same boxes comes to on paper.
#include "common/scene/boxes/suppression.hpp"

#include <gtest/gtest.h>

#include "common/steps/steps.hpp"
#include "common/trace/io.hpp"

namespace lanewise::scene {
namespace {

// A chain of six boxes, each of which overlaps the next: lesson 17's `chain`, recorded on the emulator.
struct Chain {
    trace::Trace trace = trace::load(std::string(LANEWISE_GOLDEN) + "/chain.ndjson");
    steps::Steps steps = steps::build_steps(trace);
    Suppression all = suppression_of(steps);
    std::size_t last = steps.size() - 1;
};

TEST(Suppression, EverySecondBoxOfAChainLives) {
    const Chain chain;
    ASSERT_TRUE(chain.all.empty() == false) << chain.all.why_none;
    ASSERT_EQ(chain.all.boxes.size(), 6u);
    for (std::size_t box = 0; box < 6; ++box) {
        const RankedBox& each = chain.all.boxes[box];
        EXPECT_EQ(each.name, std::string(1, static_cast<char>('A' + box)));
        EXPECT_EQ(each.number, static_cast<std::int64_t>(box));
        EXPECT_EQ(each.x1, 5.0f * static_cast<float>(box));
        EXPECT_EQ(each.y2, 5.0f * static_cast<float>(box) + 40);
        EXPECT_TRUE(each.has_score);
        EXPECT_EQ(each.score, static_cast<float>(6 - box));
        EXPECT_EQ(chain.all.fate(box, chain.last), box % 2 == 0 ? Fate::kept : Fate::removed) << box;
        EXPECT_EQ(chain.all.fate(box, 0), Fate::unplaced) << box;
        EXPECT_EQ(chain.all.suppressor(box), box % 2 == 0 ? 6u : box - 1) << box;
        // Rows of suppressed boxes are not read; of the last, nothing is left to suppress, and it is read all the same.
        EXPECT_EQ(each.read != kNoStep, box % 2 == 0) << box;
        for (std::size_t other = box + 1; other < 6; ++other) {
            EXPECT_NE(chain.all.pair(box, other).made, kNoStep) << box << " " << other;
            EXPECT_EQ(chain.all.pair(box, other).set, other == box + 1) << box << " " << other;
        }
    }
}

// Order, then bits, then decisions; a box is crossed out when the row before is joined, and its turn comes after.
TEST(Suppression, ComesAboutStepByStep) {
    const Chain chain;
    const auto& boxes = chain.all.boxes;
    for (std::size_t box = 0; box < 6; ++box) {
        EXPECT_LT(boxes[box].placed, boxes[0].turn);
        EXPECT_LT(boxes[box].turn, boxes[box].stored);
        if (box > 0) { EXPECT_LT(boxes[box - 1].turn, boxes[box].turn); }
        if (box % 2 == 0) {
            EXPECT_EQ(boxes[box].crossed, kNoStep);
            EXPECT_GT(boxes[box].read, boxes[box].turn);
        } else {
            EXPECT_EQ(boxes[box].crossed, boxes[box - 1].read);
            EXPECT_EQ(chain.all.fate(box, boxes[box].crossed), Fate::crossed);
            EXPECT_EQ(chain.all.fate(box, boxes[box].turn), Fate::removed);
        }
        EXPECT_EQ(chain.all.fate(box, boxes[0].placed), Fate::open);
    }
    // The ballot made the bits, not the store after it.
    EXPECT_EQ(chain.steps.steps[chain.all.pair(0, 1).made].kind, StepKind::vote);
}

TEST(Suppression, AsksWhetherCLives) {
    const Chain chain;
    ASSERT_EQ(chain.all.questions.size(), 2u);
    const ChainQuestion& first = chain.all.questions[0];
    EXPECT_EQ(first.text, "A suppresses B, and B would suppress C: does C live?");
    EXPECT_EQ(first.answer, "C is kept: B is suppressed by A, and a suppressed box suppresses no other.");
    EXPECT_TRUE(first.lives);
    EXPECT_EQ(chain.all.questions[1].text, "C suppresses D, and D would suppress E: does E live?");
    EXPECT_EQ(open_question(chain.all, first.asked - 1), nullptr);
    EXPECT_EQ(open_question(chain.all, first.asked), &first);
    EXPECT_EQ(open_question(chain.all, first.answered), &chain.all.questions[1]);
    EXPECT_EQ(last_answered(chain.all, first.answered - 1), nullptr);
    EXPECT_EQ(last_answered(chain.all, first.answered), &first);
    EXPECT_EQ(open_question(chain.all, chain.last), nullptr);
}

TEST(Suppression, SaysWhatAStepDid) {
    const Chain chain;
    const auto& boxes = chain.all.boxes;
    EXPECT_EQ(suppression_caption(chain.all, 0), "");
    EXPECT_EQ(suppression_caption(chain.all, boxes[1].turn),
              "Turn of B: its suppressed bit is 1, set by A. Its row is not read: B suppresses no other.");
    EXPECT_EQ(suppression_caption(chain.all, boxes[2].read),
              "The row of C is joined to the suppressed bits: D is suppressed.");
    EXPECT_EQ(suppression_counts(chain.all, boxes[2].read), "6 boxes: 2 kept, 2 suppressed, 2 undecided");
    EXPECT_EQ(box_text(chain.all, 1, chain.last),
              "B · row 1 · box 1 of the input · score 5 · (5, 5) to (45, 45) · suppressed by A");
    EXPECT_EQ(pair_text(chain.all, 0, 2, chain.last), "A and C do not overlap by more than the threshold");
    EXPECT_EQ(pair_text(chain.all, 0, 1, 0), "A and B: not compared yet");
    const std::string text = describe_suppression(chain.all, chain.last);
    EXPECT_NE(text.find("   B   #... suppressed by A\n"), std::string::npos) << text;
}

// A box is kept or suppressed: no step says it in another word.
TEST(Suppression, HasOneWordForOneThing) {
    const Chain chain;
    std::string all;
    for (std::size_t step = 0; step < chain.steps.size(); ++step) all += describe_suppression(chain.all, step);
    for (const char* other : {"removed", "crossed", "out by", "C lives", "does not live"})
        EXPECT_EQ(all.find(other), std::string::npos) << other;
    const std::size_t when = chain.all.boxes[1].crossed;
    EXPECT_NE(describe_suppression(chain.all, when).find("   B   #... suppressed by A\n"), std::string::npos);
}

TEST(Suppression, OfAnotherRunIsASentence) {
    const trace::Trace trace = trace::load(std::string(LANEWISE_GOLDEN) + "/vectors.ndjson");
    const steps::Steps steps = steps::build_steps(trace);
    EXPECT_FALSE(has_boxes(trace));
    EXPECT_NE(suppression_of(steps).why_none.find("lesson 17"), std::string::npos);
    // Boxes of which the records show nothing: a GPU's trace without accesses.
    Chain chain;
    std::erase_if(chain.trace.records, [](const trace::Record& record) { return trace::is_access(record.op); });
    EXPECT_NE(suppression_of(steps::build_steps(chain.trace)).why_none.find("--backend cpu"), std::string::npos);
}

}  // namespace
}  // namespace lanewise::scene
