// Playing in the window: the run bar, one change back, and questions before the answer is seen.
#include <unistd.h>

#include "common/base/error.hpp"
#include "viz/app/desk.testing.hpp"
#include "viz/testing/labels.testing.hpp"

namespace lanewise::viz {
namespace {

using run::FieldKind;
using run::RunChanges;
using testing::Desk;
using testing::LabelCanvas;

// The samples with a run that can be changed: n, the values, and an order. 496 is the sum of 0 … 31.
run::Presentation playable() {
    run::Presentation shown = testing::with_lessons();
    for (const std::string& name : {"warp_sum_xor", "warp_sum_down"})
        shown.fields[name] = {{"arg", FieldKind::per_lane, "1", "What each lane reads"},
                              {"n", FieldKind::number, "32", "How many", {}, 1, 1024},
                              {"mask", FieldKind::mask, "0xffffffff", "Who takes part"},
                              {"input", FieldKind::choice, "ramp", "What values", {"ramp", "random"}},
                              {"values", FieldKind::values, "", "The values"}};
    const auto run = shown.services.run;
    const auto with = [run](const std::string& name, const RunChanges& changes) {
        auto made = std::make_shared<run::Run>(*run(name));
        made->trace.header.n = 32;
        made->trace.header.input = "ramp";
        for (int i = 0; i < 32; ++i) made->inputs.push_back(i);
        for (const auto& [field, text] : changes) {
            if (field == "n" && text == "0") throw Error("--n 0 is out of range; give a number from 1 to 1024.");
            if (field == "n") made->trace.header.n = std::stoul(text);
            if (field == "input" || field == "values") made->trace.header.input = field == "input" ? text : "values";
            else if (field != "n") made->trace.header.controls.emplace_back(field, text);
        }
        made->results.resize(1);
        made->results[0] = {"out", Element::f32, 1, false, changes.empty() ? 496.0 : 528.0, 496, 0, 1, true, ""};
        made->steps = steps::build_steps(made->trace);
        return std::shared_ptr<const run::Run>(made);
    };
    shown.services.run = [with](const std::string& name) { return with(name, {}); };
    shown.services.run_changed = [with](const std::string& name, const std::vector<std::string>&,
                                        const RunChanges& changes) { return with(name, changes); };
    return shown;
}

void type(Desk& desk, const std::string& text) {
    desk.frame();
    desk.frame();   // the field has the keyboard from the next frame on
    for (const char c : text) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
    desk.frame();
}

void click_chip(Desk& desk, const std::string& field) {
    const Rect box = desk.app->run_bar().chip_box(field);
    ASSERT_FALSE(box.empty()) << field;
    desk.move(box.center().x, box.center().y);
    desk.click();
}

std::uint64_t n_shown(const Desk& desk) { return desk.app->run_shown()->trace().header.n; }

// All that a frame writes.
std::string text_of_frame(Desk& desk) {
    LabelCanvas canvas;
    Look look = desk.gui.look();
    look.canvas = &canvas;
    desk.gui.frame([&] { desk.app->frame(look, desk.gui.window(), 1.0f); });
    std::string text;
    for (const auto& label : canvas.labels) text += label.text + " ";   // prose comes piece by piece
    return text;
}

// Enter as ImGui sees it.
void enter(Desk& desk) {
#if IMGUI_VERSION_NUM >= 18900
    ImGui::GetIO().AddKeyEvent(ImGuiKey_Enter, true);
    desk.frame();
    ImGui::GetIO().AddKeyEvent(ImGuiKey_Enter, false);
#else
    ImGuiIO& io = ImGui::GetIO();
    io.KeyMap[ImGuiKey_Enter] = 13;
    io.KeysDown[13] = true;
    desk.frame();
    io.KeysDown[13] = false;
#endif
    desk.settle();
}

TEST(RunBar, ANumberIsTypedRunsInPlaceAndOneKeyUndoesIt) {
    Desk desk(playable());
    desk.press(Key::right);
    desk.press(Key::right);
    const std::size_t step = desk.app->playhead().step;
    click_chip(desk, "n");
    EXPECT_EQ(desk.app->run_bar().open_field(), "n");
    type(desk, "33");
    enter(desk);
    EXPECT_EQ(n_shown(desk), 33u);
    EXPECT_EQ(desk.app->playhead().step, step);
    EXPECT_NE(text_of_frame(desk).find("out 496 → 528"), std::string::npos);
    desk.press(Key::escape);
    EXPECT_FALSE(desk.app->run_bar().is_open());
    desk.press(letter(','));
    EXPECT_EQ(n_shown(desk), 32u);
    EXPECT_EQ(desk.app->playhead().step, step);
    EXPECT_TRUE(desk.app->changes().empty());
}

TEST(RunBar, WhatDoesNotRunIsExplainedAtItsFieldAndThePictureStays) {
    Desk desk(playable());
    const auto shown = desk.app->run_shown();
    click_chip(desk, "n");
    type(desk, "0");
    enter(desk);
    EXPECT_EQ(desk.app->run_shown(), shown);
    EXPECT_EQ(desk.app->run_bar().open_field(), "n");
    const std::string text = text_of_frame(desk);
    EXPECT_NE(text.find("--n 0 is out of range"), std::string::npos) << text;
    EXPECT_EQ(text.find("did not run"), std::string::npos);
}

TEST(RunBar, KeysOpenItAndTabGoesOn) {
    Desk desk(playable());
    desk.press(letter('/'));
    EXPECT_EQ(desk.app->run_bar().open_field(), "arg");
    desk.press(Key::tab);
    EXPECT_EQ(desk.app->run_bar().open_field(), "n");
    EXPECT_EQ(desk.app->variant(), "warp_sum_xor");
    desk.press(Key::tab, true);
    desk.press(Key::escape);
    EXPECT_FALSE(desk.app->run_bar().is_open());
    desk.press(Key::tab);
    EXPECT_EQ(desk.app->variant(), "warp_sum_down");
}

TEST(RunBar, ALanesOwnNumberIsChangedByADoubleClick) {
    Desk desk(playable());
    desk.app->apply({Intent::Kind::lane_value, 5});
    desk.settle();
    EXPECT_EQ(desk.app->run_bar().open_field(), "values");
    type(desk, "99.5");
    enter(desk);
    ASSERT_EQ(desk.app->changes().size(), 1u);
    EXPECT_TRUE(desk.app->changes()[0].second.starts_with("0,1,2,3,4,99.5,6,7"));
    EXPECT_FALSE(desk.app->run_bar().is_open());
}

TEST(RunBar, AllSidesOfAComparisonChangeTogether) {
    Desk desk(playable());
    desk.press(letter('C'));
    ASSERT_EQ(desk.app->compared().size(), 2u);
    click_chip(desk, "n");
    type(desk, "33");
    enter(desk);
    for (const std::size_t side : {0u, 1u}) EXPECT_EQ(desk.app->run_shown(side)->trace().header.n, 33u) << side;
}

// A side that chooses the threads of its blocks refuses a number of them: it is not asked, and the field says so.
TEST(RunBar, ASideThatChoosesItsOwnBlockKeepsItInAComparison) {
    run::Presentation shown = playable();
    shown.fields["warp_sum_xor"].push_back({"block", FieldKind::choice, "64", "Threads in a block", {"64", "128"}});
    const auto changed = shown.services.run_changed;
    shown.services.run_changed = [changed](const std::string& name, const std::vector<std::string>& sides,
                                           const RunChanges& changes) {
        auto made = std::make_shared<run::Run>(*changed(name, sides, changes));
        for (const auto& [field, text] : changes) {
            if (field != "block") continue;
            if (name == "warp_sum_down") throw Error("warp_sum_down chooses its threads; leave out --block.");
            made->trace.header.block = static_cast<std::uint32_t>(std::stoul(text));
        }
        made->steps = steps::build_steps(made->trace);
        return std::shared_ptr<const run::Run>(made);
    };
    Desk desk(shown);
    ASSERT_EQ(desk.app->run_shown(0)->trace().header.block, 64u);
    const std::uint32_t own = desk.app->run_shown(0)->trace().header.block;
    desk.press(letter('C'));
    ASSERT_EQ(desk.app->compared(), (std::vector<std::string>{"warp_sum_xor", "warp_sum_down"}));
    EXPECT_TRUE(desk.app->run_bar().chip_box("block").empty());   // of the side that chooses its own
    desk.press(letter('X'));
    desk.frame();
    click_chip(desk, "block");
    desk.frame();
    EXPECT_NE(text_of_frame(desk).find("warp_sum_down chooses its own"), std::string::npos) << text_of_frame(desk);
    desk.press(Key::right);
    desk.settle();
    EXPECT_EQ(desk.app->changes(), (RunChanges{{"block", "128"}}));
    EXPECT_EQ(desk.app->run_shown(0)->trace().header.block, 128u);
    EXPECT_EQ(desk.app->run_shown(1)->trace().header.block, own);
}

TEST(RunBar, ALinkSetsIt) {
    run::Presentation shown = playable();
    shown.text = "# Links\n\n[strange](variant:warp_sum_xor,set:arg=lane%20^%205,step:2)\n";
    Desk desk(shown);
    desk.app->apply({Intent::Kind::link, 0});
    desk.settle();
    EXPECT_EQ(desk.app->changes(), (RunChanges{{"arg", "lane ^ 5"}}));
    EXPECT_EQ(desk.app->playhead().step, 1u);
}

TEST(RunBar, LessonsWithoutFieldsHaveNone) {
    Desk desk;
    desk.press(letter('/'));
    EXPECT_FALSE(desk.app->run_bar().is_open());
}

TEST(Questions, AnExamHidesWhatItAsksInEveryPanel) {
    Desk desk(playable());
    EXPECT_NE(text_of_frame(desk).find("496"), std::string::npos);   // the result is known before
    desk.press(letter('Q'));
    desk.press(letter('Q'));
    ASSERT_EQ(desk.app->prediction().mode(), player::PredictMode::exam);
    int questions = 0;
    for (int i = 0; i < 100 && desk.app->prediction().known() < 6; ++i) {
        if (const player::Question* open = desk.app->prediction().open()) {
            ++questions;
            const std::string text = text_of_frame(desk);
            const player::Answered* last = desk.app->prediction().last_answered();
            if (!last || last->question.answer != "496") {
                EXPECT_EQ(text.find("496"), std::string::npos) << "step " << open->step;
            }
            EXPECT_NE(text.find(open->text.substr(0, 12)), std::string::npos) << open->text;
            // Views that would show it do not open.
            desk.app->apply({Intent::Kind::table, 0});
            EXPECT_FALSE(desk.app->table_open());
            type(desk, open->answer == "yes" ? "y" : open->answer);
            enter(desk);
        } else {
            desk.press(Key::enter);
        }
    }
    EXPECT_GE(questions, 10);
    EXPECT_EQ(desk.app->prediction().right(), questions);
    desk.press(Key::end);
    EXPECT_NE(text_of_frame(desk).find("Exam: "), std::string::npos);
    EXPECT_NE(text_of_frame(desk).find("496"), std::string::npos);
}

TEST(Questions, AClickOnALaneAnswersAndAWrongOneIsReported) {
    Desk desk(playable());
    desk.app->apply({Intent::Kind::first, 0});
    desk.press(letter('Q'));
    // Gently: the first question comes with the fourth step that has some.
    for (int i = 0; i < 10 && !desk.app->prediction().open(); ++i) desk.press(Key::right);
    ASSERT_NE(desk.app->prediction().open(), nullptr);
    const player::Question asked = *desk.app->prediction().open();
    const std::size_t before = desk.app->playhead().step;
    EXPECT_LT(before, asked.step);
    if (asked.kind == player::QuestionKind::source_lane) {
        const int wrong = asked.lane;   // itself
        const Scene& scene = desk.app->stage().scene();
        const float x = scene.lanes_x0 + scene.cell * (static_cast<float>(wrong) + 0.5f);
        desk.move(x, scene.rows.front().y1 - 2);
        desk.click();
    } else {
        type(desk, "0.5");
        enter(desk);
    }
    ASSERT_NE(desk.app->prediction().last_answered(), nullptr);
    EXPECT_FALSE(desk.app->prediction().last_answered()->marked.right);
    EXPECT_EQ(desk.app->playhead().step, asked.step);   // revealed
    EXPECT_NE(text_of_frame(desk).find("it is " + asked.answer), std::string::npos);
    desk.press(Key::escape);
}

// A lesson whose text asks of a step, and gives the answer further down.
run::Presentation with_text() {
    run::Presentation shown = playable();
    shown.text = "# Sums\n\nfirstsentence\n\n## Predict\n\nWhich does lane 5 read? "
                 "[Answer](variant:warp_sum_xor,step:2,lane:5,ask:source_lane)\n\n## Look at\n\nspoiler\n";
    return shown;
}

TEST(Questions, TheTextAsksAndDoesNotGiveTheAnswer) {
    Desk desk(with_text());
    EXPECT_NE(text_of_frame(desk).find("spoiler"), std::string::npos);
    desk.press(Key::end);   // all was seen; the question hides it again
    desk.app->apply({Intent::Kind::link, 0});
    desk.settle();
    const player::Question* open = desk.app->prediction().open();
    ASSERT_NE(open, nullptr);
    EXPECT_EQ(open->text, "Which does lane 5 read?");
    EXPECT_EQ(desk.app->playhead().count, 1u);   // the load
    const std::string text = text_of_frame(desk);
    EXPECT_NE(text.find("Predict"), std::string::npos);
    EXPECT_EQ(text.find("firstsentence"), std::string::npos);
    EXPECT_EQ(text.find("spoiler"), std::string::npos);
    EXPECT_EQ(text.find("496"), std::string::npos);
    type(desk, "21");
    enter(desk);
    ASSERT_NE(desk.app->prediction().last_answered(), nullptr);
    EXPECT_TRUE(desk.app->prediction().last_answered()->marked.right);
    EXPECT_EQ(desk.app->playhead().step, 1u);
    EXPECT_NE(text_of_frame(desk).find("spoiler"), std::string::npos);
}

// Views that were open, links to them, exports: nothing shows what is asked.
TEST(Questions, NoViewShowsTheAnswerWhileOneIsOpen) {
    run::Presentation shown = with_text();
    shown.text +=
        "\n[times](view:timings) [tree](view:tree) [boxes](view:boxes) [bits](view:rounding) [all](view:table)\n";
    Desk desk(shown);
    desk.press(letter('Q'));
    desk.press(letter('Q'));
    ASSERT_NE(desk.app->prediction().open(), nullptr);
    for (std::size_t link = 1; link <= 5; ++link) {
        desk.app->apply({Intent::Kind::link, link});
        desk.frame();
        EXPECT_FALSE(desk.app->timings_open() || desk.app->tree_open() || desk.app->boxes_open() ||
                     desk.app->rounding_open() || desk.app->table_open())
            << link;
        EXPECT_EQ(text_of_frame(desk).find("496"), std::string::npos) << link;
    }
    for (const Intent::Kind kind : {Intent::Kind::tree, Intent::Kind::rounding, Intent::Kind::timings,
                                    Intent::Kind::table, Intent::Kind::measure, Intent::Kind::export_run}) {
        desk.app->apply({kind, 0});
        desk.frame();
        EXPECT_NE(desk.app->notice().sentence.find("would show"), std::string::npos) << static_cast<int>(kind);
        desk.app->apply({Intent::Kind::dismiss, 0});
    }
}

TEST(Questions, ACommandLineMayAskFromTheBeginning) {
    Desk desk(playable(), {}, 1280, 800, "exam");
    desk.settle();
    EXPECT_EQ(desk.app->prediction().mode(), player::PredictMode::exam);
    EXPECT_NE(desk.app->prediction().open(), nullptr);
    EXPECT_EQ(text_of_frame(desk).find("496"), std::string::npos);
}

TEST(Questions, AreKeptAndShownWithTheLesson) {
    const auto folder = std::filesystem::temp_directory_path() / ("lanewise_answers_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    {
        Desk desk(playable());
        desk.app->keep_answers(folder / "answers.tsv");
        desk.press(letter('Q'));
        desk.press(letter('Q'));
        ASSERT_NE(desk.app->prediction().open(), nullptr);
        type(desk, "4");
        enter(desk);
    }
    Desk again(playable());
    again.app->keep_answers(folder / "answers.tsv");
    again.press(letter('H'));
    EXPECT_NE(text_of_frame(again).find("1 of 1 answers right"), std::string::npos);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lanewise::viz
