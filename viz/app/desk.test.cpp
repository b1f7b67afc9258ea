// What lies around the lesson: menu, cards, notices, files, the page of all lessons, panels and links.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "common/base/error.hpp"
#include "viz/app/app.hpp"
#include "viz/views/headless.testing.hpp"
#include "viz/views/sample_runs.hpp"

namespace lanewise::viz {
namespace {

namespace fs = std::filesystem;
using testing::Headless;

lesson::Presentation with_lessons() {
    lesson::Presentation shown = samples::presentation();
    shown.lessons = {{"04_before", "Before", "What was.", "/programs/04_before"},
                     {shown.lesson, shown.title, "What is.", "/programs/own"},
                     {"06_next", "Next", "What comes.", "/programs/06_next"},
                     {"07_unbuilt", "Unbuilt", "Later.", ""}};
    return shown;
}

struct Desk {
    explicit Desk(lesson::Presentation presentation = with_lessons(), const Settings& settings = {}, float width = 1280, float height = 800)
        : gui(width, height) {
        presentation.go_on = [this](const lesson::GoOn& next) { gone_on = next; };
        lesson::WindowRequest request;
        request.variant = "warp_sum_xor";
        app = std::make_unique<App>(presentation, request, std::function<void()>{}, settings);
        app->settle();
        frame();
    }
    void frame() {
        gui.frame([&] { app->frame(gui.look(), gui.window(), 1.0f); });
    }
    void press(Key key, bool shift = false) {
        app->press(key, shift);
        settle();
    }
    void settle() {
        for (int i = 0; i < 3; ++i) frame();
        app->settle();
        for (int i = 0; i < 3; ++i) frame();
    }
    void move(float x, float y) {
        gui.mouse = {x, y};
        frame();
        frame();
    }
    void drag(float from, float y, float to) {
        move(from, y);
        gui.down = true;
        frame();
        move(to, y);
        gui.down = false;
        frame();
    }
    void click() {
        gui.down = true;
        frame();
        gui.down = false;
        frame();
    }

    Headless gui;
    lesson::GoOn gone_on;
    std::unique_ptr<App> app;
};

class DeskFiles : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("lanewise_desk_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
        fs::remove_all(folder_);
        fs::create_directories(folder_ / "folder");
        for (const char* name : {"a.ndjson", "波.ndjson", "none.txt"}) std::ofstream(folder_ / name) << "x";
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string at(const std::string& name) const { return (folder_ / name).string(); }
    // Waits until the file was read.
    static void open(Desk& desk, const std::string& path) {
        desk.app->open_file(path);
        for (int i = 0; i < 200 && desk.app->reading(); ++i) {
            desk.frame();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        desk.settle();
    }
    fs::path folder_;
};

TEST_F(DeskFiles, ATraceBecomesATab) {
    lesson::Presentation shown = with_lessons();
    shown.open = [](const std::string&) { return samples::two_level(); };
    Desk desk(shown);
    open(desk, at("波.ndjson"));
    EXPECT_EQ(desk.app->notice().sentence, "");
    EXPECT_NE(desk.app->variant().find("波.ndjson"), std::string::npos);
    EXPECT_GT(desk.app->playhead().count, 6u);
    EXPECT_EQ(desk.app->settings().recent, std::vector<std::string>{at("波.ndjson")});
    // The lesson's own tabs are still there.
    desk.press(letter('1'));
    EXPECT_EQ(desk.app->variant(), "warp_sum_xor");
}

// Names of files with letters that ImGui has no room for are told apart, and open.
TEST_F(DeskFiles, EmojiInANameAreToldAndTheFileOpens) {
    fs::create_directories(folder_ / "🚀");
    std::ofstream(folder_ / "🚀" / "🎉 xor.ndjson") << "x";
    std::string opened;
    lesson::Presentation shown = with_lessons();
    shown.open = [&](const std::string& path) {
        opened = path;
        return samples::two_level();
    };
    Desk desk(shown);
    EXPECT_EQ(with_far_letters_told("a 波 🎉.ndjson"), sizeof(ImWchar) > 2 ? "a 波 🎉.ndjson" : "a 波 U+1F389.ndjson");
    EXPECT_EQ(text_width(desk.gui.look(), Face::body, "🎉"), text_width(desk.gui.look(), Face::body, with_far_letters_told("🎉")));
    // Through the card: the folder is chosen, then the file in it.
    Settings settings;
    settings.recent = {at("a.ndjson")};
    Desk card(shown, settings);
    card.press(letter('O'));
    card.frame();
    const auto choose = [&](const std::string& name) {
        for (int i = 0; i < 20; ++i) {
            card.app->press(Key::down);
            card.frame();
            const auto& choices = card.app->open_card().choices();
            if (static_cast<std::size_t>(i) < choices.size() && choices[static_cast<std::size_t>(i)].name == name) break;
        }
        card.app->press(Key::enter);
        for (int i = 0; i < 4; ++i) card.frame();
    };
    choose("🚀");
    EXPECT_EQ(card.app->open_card().typed(), at("🚀/"));
    // A letter is typed behind it: what ImGui gives back still names the folder.
    ImGui::GetIO().AddInputCharacter('p');
    for (int i = 0; i < 4; ++i) card.frame();
    EXPECT_EQ(card.app->open_card().typed(), at("🚀/p"));
    card.app->press(Key::escape);
    open(card, at("🚀/🎉 xor.ndjson"));
    EXPECT_EQ(opened, at("🚀/🎉 xor.ndjson"));
    EXPECT_EQ(card.app->notice().sentence, "");
}

// The menu's files to take away. Where they lie is said, and nothing that was there is overwritten.
TEST_F(DeskFiles, WhatIsShownIsSavedBesideAndToldWhere) {
    const fs::path before = fs::current_path();
    fs::current_path(folder_);
    lesson::Presentation shown = with_lessons();
    shown.timings.rows.push_back({});
    Desk desk(shown);
    desk.press(Key::right);
    const auto save = [&](lesson::TakeAway what) {
        desk.app->apply({Intent::Kind::take_away, static_cast<std::size_t>(what)});
        desk.settle();
    };
    const auto text = [&](const std::string& name) {
        std::ifstream in(folder_ / name);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const std::string own = shown.lesson + "-warp_sum_xor";
    save(lesson::TakeAway::picture);
    EXPECT_EQ(desk.app->notice().sentence, "The picture is in " + at(own + "-step-2.svg") + ".");
    EXPECT_NE(text(own + "-step-2.svg").find("</svg>"), std::string::npos);
    save(lesson::TakeAway::picture);
    EXPECT_EQ(desk.app->notice().sentence, "The picture is in " + at(own + "-step-2-2.svg") + ".");
    EXPECT_EQ(text(own + "-step-2-2.svg"), text(own + "-step-2.svg"));
    desk.app->apply(desk.app->notice().accepted);
    EXPECT_EQ(desk.app->notice().sentence, "Copied: " + at(own + "-step-2-2.svg"));
    save(lesson::TakeAway::page);
    EXPECT_NE(text(own + ".html").find("</html>"), std::string::npos);
    save(lesson::TakeAway::values);
    EXPECT_NE(text(own + ".csv").find("received"), std::string::npos);
    save(lesson::TakeAway::times);
    EXPECT_EQ(text(shown.lesson + "-times.csv").rfind("lesson,", 0), 0u);
    // Two beside each other are one page, and one picture.
    desk.press(letter('C'));
    save(lesson::TakeAway::page);
    EXPECT_NE(desk.app->notice().sentence.find(own + "-"), std::string::npos) << desk.app->notice().sentence;
    // The window goes on as it was.
    const std::size_t step = desk.app->playhead().step;
    desk.press(Key::right);
    EXPECT_EQ(desk.app->playhead().step, step + 1);
    fs::current_path(before);
}

TEST_F(DeskFiles, WhatCannotBeSavedIsASentence) {
    const fs::path before = fs::current_path();
    fs::current_path(folder_);
    lesson::Presentation shown = with_lessons();
    shown.timings.rows.clear();
    shown.sizes.rows.clear();
    Desk desk(shown);
    desk.app->apply({Intent::Kind::take_away, static_cast<std::size_t>(lesson::TakeAway::times)});
    EXPECT_NE(desk.app->notice().sentence.find("no times to save"), std::string::npos);
    // The folder is gone while the window is open.
    fs::create_directories(folder_ / "gone");
    fs::current_path(folder_ / "gone");
    fs::remove(folder_ / "gone");
    const char* home = std::getenv("HOME");
    const std::string kept = home ? home : "";
    setenv("HOME", "/nowhere/at/all", 1);
    desk.app->apply({Intent::Kind::take_away, static_cast<std::size_t>(lesson::TakeAway::values)});
    desk.settle();
    EXPECT_NE(desk.app->notice().sentence.find("cannot be written"), std::string::npos) << desk.app->notice().sentence;
    EXPECT_TRUE(desk.app->notice().offer.empty());
    if (home) setenv("HOME", kept.c_str(), 1);
    fs::current_path(before);
}

TEST_F(DeskFiles, WhatIsNoTraceIsASentenceAndTheWindowGoesOn) {
    lesson::Presentation shown = with_lessons();
    shown.open = [](const std::string& path) -> std::shared_ptr<const lesson::Run> { throw Error(path + " is no trace."); };
    Desk desk(shown);
    open(desk, at("folder"));
    EXPECT_NE(desk.app->notice().sentence.find("is a folder"), std::string::npos);
    open(desk, at("not there"));
    EXPECT_NE(desk.app->notice().sentence.find("does not exist"), std::string::npos);
    open(desk, at("none.txt"));
    EXPECT_EQ(desk.app->notice().sentence, at("none.txt") + " is no trace.");
    EXPECT_TRUE(desk.app->settings().recent.empty());
    desk.press(Key::right);
    EXPECT_EQ(desk.app->playhead().step, 1u);
    desk.press(Key::escape);
    EXPECT_EQ(desk.app->notice().sentence, "");
}

TEST_F(DeskFiles, ATraceOfAnotherLessonIsOfferedThere) {
    lesson::Presentation shown = with_lessons();
    shown.open = [](const std::string&) -> std::shared_ptr<const lesson::Run> { throw lesson::ForeignTrace("It is of another lesson.", "06_next"); };
    Desk desk(shown);
    open(desk, at("a.ndjson"));
    EXPECT_EQ(desk.app->notice().offer, "Open it in Next");
    desk.app->apply(desk.app->notice().accepted);
    EXPECT_TRUE(desk.app->closing());
    EXPECT_EQ(desk.gone_on.program, "/programs/06_next");
    EXPECT_EQ(desk.gone_on.arguments, (std::vector<std::string>{"--open", at("a.ndjson")}));
}

TEST_F(DeskFiles, TypingAFileNameDoesNothingElse) {
    lesson::Presentation shown = with_lessons();
    int read = 0;
    shown.open = [&](const std::string&) { ++read; return samples::warp_xor(); };
    Settings settings;
    settings.opened(at("a.ndjson"));
    Desk desk(shown, settings);
    desk.press(letter('O'));
    ASSERT_TRUE(desk.app->open_card().is_open());
    EXPECT_EQ(desk.app->open_card().typed(), folder_.string() + "/");
    for (const char c : {'C', 'T', 'D', 'N', 'Q', '2', ' '}) desk.press(letter(c));
    desk.press(Key::right);
    EXPECT_FALSE(desk.app->comparing());
    EXPECT_FALSE(desk.app->closing());
    EXPECT_EQ(desk.app->variant(), "warp_sum_xor");
    EXPECT_EQ(desk.app->playhead().step, 0u);
    ASSERT_TRUE(desk.app->open_card().is_open());
    // Down to the first trace, and Enter.
    desk.press(Key::down);
    desk.press(Key::enter);
    EXPECT_FALSE(desk.app->open_card().is_open());
    for (int i = 0; i < 200 && desk.app->reading(); ++i) {
        desk.frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(read, 1);
    desk.press(letter('O'));
    desk.press(Key::escape);
    EXPECT_FALSE(desk.app->open_card().is_open());
}

TEST(DeskMenu, EveryItemOfItCanBeTaken) {
    Desk desk;
    desk.press(Key::f10);
    ASSERT_TRUE(desk.app->menu_open());
    desk.press(Key::escape);
    EXPECT_FALSE(desk.app->menu_open());
    // By keys: the n-th item from the top; none of them may do harm.
    for (int item = 1; item < 45; ++item) {
        Desk fresh;
        fresh.press(Key::f10);
        for (int i = 0; i < item; ++i) fresh.press(Key::down);
        fresh.press(Key::enter);
        EXPECT_FALSE(fresh.app->menu_open());
        fresh.frame();
        if (item >= 3) item += 2;   // a few of them: each is a window of its own
    }
}

TEST(DeskMenu, TheButtonOpensItAndAClickElsewhereClosesIt) {
    Desk desk;
    const Rect button = HeaderBar::menu_button(desk.gui.look(), desk.gui.window());
    desk.move(button.center().x, button.center().y);
    desk.click();
    EXPECT_TRUE(desk.app->menu_open());
    desk.move(1200, 700);
    desk.click();
    EXPECT_FALSE(desk.app->menu_open());
}

TEST(DeskLessons, TheNextOneGoesOnAndThisOneIsDone) {
    Desk desk;
    desk.press(letter('N'));
    EXPECT_TRUE(desk.app->closing());
    EXPECT_EQ(desk.gone_on.program, "/programs/06_next");
    EXPECT_TRUE(desk.app->settings().lessons.at(samples::presentation().lesson).done);
}

TEST(DeskLessons, OneThatIsNotBuiltSaysHow) {
    Desk desk;
    desk.press(letter('H'));
    EXPECT_TRUE(desk.app->start_page_open());
    for (int i = 0; i < 9; ++i) desk.press(Key::down);
    desk.press(Key::enter);
    EXPECT_FALSE(desk.app->closing());
    EXPECT_NE(desk.app->notice().sentence.find("./lessons/run 07_unbuilt"), std::string::npos) << desk.app->notice().sentence;
    desk.press(Key::escape);
    desk.press(Key::escape);
    EXPECT_FALSE(desk.app->start_page_open());
}

TEST(DeskLessons, AVariantIsWalkedOnceItsLastStepWasSeen) {
    Desk desk;
    const std::string lesson = samples::presentation().lesson;
    EXPECT_TRUE(desk.app->settings().lessons.at(lesson).opened);
    EXPECT_TRUE(desk.app->settings().lessons.at(lesson).walked.empty());
    desk.press(Key::end);
    EXPECT_EQ(desk.app->settings().lessons.at(lesson).walked, std::set<std::string>{"warp_sum_xor"});
    EXPECT_FALSE(desk.app->settings().lessons.at(lesson).done);
    for (std::size_t i = 1; i < samples::presentation().variants.size(); ++i) {
        desk.press(Key::tab);
        desk.press(Key::end);
    }
    EXPECT_TRUE(desk.app->settings().lessons.at(lesson).done);
}

TEST(DeskLinks, LeadToAVariantAStepALaneAndAView) {
    lesson::Presentation shown = with_lessons();
    shown.text = "# A\n\nSee [down](variant:warp_sum_down,step:4,lane:7), [both](compare:warp_sum_xor+warp_sum_down), [the lens](view:rounding),\n"
                 "[on](lesson:06_next), [a page](https://example.org).\n";
    Desk desk(shown);
    ASSERT_EQ(desk.app->lesson_text().links().size(), 4u);
    const auto follow = [&](std::size_t link) {
        desk.app->apply({Intent::Kind::link, link});
        desk.settle();
    };
    follow(0);
    EXPECT_EQ(desk.app->variant(), "warp_sum_down");
    EXPECT_EQ(desk.app->playhead().step, 3u);
    EXPECT_EQ(desk.app->selection().lane(), 7);
    follow(1);
    EXPECT_TRUE(desk.app->comparing());
    follow(2);
    EXPECT_TRUE(desk.app->rounding_open());
    follow(0);
    EXPECT_FALSE(desk.app->comparing());
    follow(3);
    EXPECT_EQ(desk.gone_on.program, "/programs/06_next");
}

TEST(DeskPanels, KeysHideAndShowThem) {
    Desk desk;
    desk.press(letter('L'));
    EXPECT_FALSE(desk.app->panels().show_text);
    desk.press(letter('S'));
    EXPECT_FALSE(desk.app->panels().show_side);
    desk.press(letter('K'));
    EXPECT_FALSE(desk.app->panels().show_timeline);
    desk.press(letter('L'));
    desk.press(letter('S'));
    desk.press(letter('K'));
    EXPECT_EQ(desk.app->panels(), Panels{});
    desk.press(letter('F'));
    EXPECT_EQ(desk.app->panels(), Panels{});
    desk.press(Key::escape);
}

TEST(DeskPanels, AnEdgeIsDraggedAndADoubleClickPutsItBack) {
    Desk desk;
    const Rect body{0, HeaderBar().height(desk.gui.look(), with_lessons(), 1280), 1280, 800};
    const float edge = arrange(body, {}, {}, 1).text.x1;
    desk.drag(edge, 400, edge + 60);
    EXPECT_NEAR(desk.app->panels().text, edge + 60, 1.5f);
    desk.move(edge + 60, 400);
    desk.click();
    desk.click();
    EXPECT_EQ(desk.app->panels().text, 0);
}

TEST(DeskSettings, AreTakenUpAndGivenBack) {
    Settings settings;
    settings.dark = false;
    settings.motion = false;
    settings.speed = 2;
    settings.by_inputs = true;
    settings.larger = 1.5f;
    settings.panels.side = 333;
    settings.panels.show_timeline = false;
    Desk desk(with_lessons(), settings);
    EXPECT_EQ(desk.app->selection().display.colors, ColorBy::inputs);
    EXPECT_FLOAT_EQ(desk.app->larger(), 1.5f);
    EXPECT_TRUE(desk.app->settings().by_inputs);
    desk.press(letter('I'));
    desk.app->enlarge(1);
    EXPECT_FALSE(desk.app->theme().dark);
    EXPECT_FALSE(desk.app->playhead().motion);
    desk.press(letter('D'));
    desk.press(letter('+'));
    const Settings now = desk.app->settings();
    EXPECT_TRUE(now.dark);
    EXPECT_FLOAT_EQ(now.speed, 3);
    EXPECT_FLOAT_EQ(now.panels.side, 333);
    EXPECT_FALSE(now.panels.show_timeline);
    EXPECT_FALSE(now.by_inputs);
    EXPECT_FLOAT_EQ(now.larger, 1.75f);
    for (int i = 0; i < 20; ++i) desk.app->enlarge(-1);
    EXPECT_FLOAT_EQ(desk.app->larger(), 0.75f);
    for (int i = 0; i < 20; ++i) desk.app->enlarge(1);
    EXPECT_FLOAT_EQ(desk.app->larger(), 3);
    desk.app->enlarge(0);
    EXPECT_FLOAT_EQ(desk.app->larger(), 1);
}

TEST(DeskSettings, AThemeThatWasAskedForIsNotKept) {
    const auto shown = [](bool kept, bool asked) {
        Settings settings;
        settings.dark = kept;
        lesson::WindowRequest request;
        request.dark = asked;
        return std::make_unique<App>(with_lessons(), request, std::function<void()>{}, settings);
    };
    const auto light = shown(true, false);
    EXPECT_FALSE(light->theme().dark);
    EXPECT_TRUE(light->settings().dark);
    // D after it is a choice.
    const auto dark = shown(true, true);
    dark->apply({Intent::Kind::theme, 0});
    EXPECT_FALSE(dark->settings().dark);
}

TEST(DeskSettings, EveryKeyHoldsOnEveryPage) {
    for (const Key page : {letter('H'), letter('O'), Key::f10, letter('?'), letter('F')}) {
        for (const auto& [width, height] : {std::pair{1280.0f, 800.0f}, {500.0f, 300.0f}, {1.0f, 1.0f}}) {
            Desk desk(with_lessons(), {}, width, height);
            for (const Action& action : actions()) {
                desk.app->press(page);
                desk.frame();
                desk.app->press(action.key, action.shift);
                desk.frame();
            }
        }
    }
}

}  // namespace
}  // namespace lanewise::viz
