#include "common/player/answers.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "common/base/folder_test.testing.hpp"

namespace lanewise::player {
namespace {

using Answers = lanewise::testing::FolderTest;

TEST_F(Answers, AreCountedByLesson) {
    const AnswerFile file(folder_ / "new" / "answers.tsv");
    EXPECT_TRUE(file.scores().empty());
    Question question;
    question.answer = "21";
    EXPECT_TRUE(file.add("05_warp_shuffle", "warp_sum_xor", question, "21", true));
    EXPECT_TRUE(file.add("05_warp_shuffle", "warp_sum_xor", question, "pasted\ttab\nline", false));
    EXPECT_TRUE(file.add("06_grid_stride", "grid_stride", question, "3", false));
    const auto scores = file.scores();
    EXPECT_EQ(scores.at("05_warp_shuffle"), (LessonScore{2, 1, 0, 0}));
    EXPECT_EQ(scores.at("06_grid_stride"), (LessonScore{1, 0, 0, 0}));
}

TEST_F(Answers, TheBestExamCounts) {
    const AnswerFile file(folder_ / "answers.tsv");
    for (const auto& [right, asked] : {std::pair{5, 10}, std::pair{9, 10}, std::pair{8, 9}, std::pair{1, 9}})
        EXPECT_TRUE(file.add_exam("05", "xor", right, asked));
    EXPECT_EQ(file.scores().at("05"), (LessonScore{0, 0, 10, 9}));
    EXPECT_EQ(score_text(file.scores().at("05")), "exam 9 of 10");
    EXPECT_EQ(score_text({3, 2, 10, 9}), "2 of 3 answers right · exam 9 of 10");
}

TEST_F(Answers, WhatIsNoLineIsPassedOver) {
    std::ofstream(folder_ / "answers.tsv")
        << "exam\t05\txor\t9\t0\nexam\t05\txor\t9\t-3\nnothing\n\t\t\nexam\t05\txor\t99\t3\n";
    EXPECT_TRUE(AnswerFile(folder_ / "answers.tsv").scores().empty());
    EXPECT_TRUE(AnswerFile().add_exam("05", "xor", 1, 2));   // kept nowhere
}

}  // namespace
}  // namespace lanewise::player
