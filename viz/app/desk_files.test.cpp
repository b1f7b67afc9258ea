// Files: traces that are opened, and what the menu saves.
#include "common/base/error.hpp"
#include "common/run/front_end.hpp"
#include "viz/app/desk.testing.hpp"

namespace lanewise::viz {
namespace {

namespace fs = std::filesystem;
using testing::Desk;
using testing::DeskFiles;
using testing::StartedIn;
using testing::with_lessons;

TEST_F(DeskFiles, ATraceBecomesATab) {
    run::Presentation shown = with_lessons();
    shown.services.open = [](const std::string&) { return samples::two_level(); };
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

// Names of files with letters that ImGui has no room for are distinguished, and open.
TEST_F(DeskFiles, EmojiInANameAreWrittenAsNumbersAndTheFileOpens) {
    fs::create_directories(folder_ / "🚀");
    std::ofstream(folder_ / "🚀" / "🎉 xor.ndjson") << "x";
    std::string opened;
    run::Presentation shown = with_lessons();
    shown.services.open = [&](const std::string& path) {
        opened = path;
        return samples::two_level();
    };
    Desk desk(shown);
    EXPECT_EQ(with_far_letters_as_numbers("a 波 🎉.ndjson"), sizeof(ImWchar) > 2 ? "a 波 🎉.ndjson" : "a 波 U+1F389.ndjson");
    EXPECT_EQ(text_width(desk.gui.look(), Face::body, "🎉"),
              text_width(desk.gui.look(), Face::body, with_far_letters_as_numbers("🎉")));
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
            if (static_cast<std::size_t>(i) < choices.size() && choices[static_cast<std::size_t>(i)].name == name)
                break;
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

// The menu's exports. Where they lie is said, and nothing that was there is overwritten.
TEST_F(DeskFiles, WhatIsShownIsSavedNextToItAndThePathIsShown) {
    const StartedIn here(folder_);
    run::Presentation shown = with_lessons();
    shown.timings.rows.push_back({});
    Desk desk(shown);
    desk.press(Key::right);
    const auto save = [&](player::ExportKind what) {
        desk.app->apply({Intent::Kind::export_run, static_cast<std::size_t>(what)});
        desk.settle();
    };
    const auto text = [&](const std::string& name) { return lanewise::testing::slurp(folder_ / name); };
    const std::string own = shown.lesson + "-warp_sum_xor";
    save(player::ExportKind::picture);
    EXPECT_EQ(desk.app->notice().sentence, "The picture is in " + at(own + "-step-2.svg") + ".");
    EXPECT_NE(text(own + "-step-2.svg").find("</svg>"), std::string::npos);
    save(player::ExportKind::picture);
    EXPECT_EQ(desk.app->notice().sentence, "The picture is in " + at(own + "-step-2-2.svg") + ".");
    EXPECT_EQ(text(own + "-step-2-2.svg"), text(own + "-step-2.svg"));
    desk.app->apply(desk.app->notice().accepted);
    EXPECT_EQ(desk.app->notice().sentence, "Copied: " + at(own + "-step-2-2.svg"));
    save(player::ExportKind::page);
    EXPECT_NE(text(own + ".html").find("</html>"), std::string::npos);
    save(player::ExportKind::values);
    EXPECT_NE(text(own + ".csv").find("received"), std::string::npos);
    save(player::ExportKind::times);
    EXPECT_EQ(text(shown.lesson + "-times.csv").rfind("lesson,", 0), 0u);
    // Two beside each other are one page, and one picture.
    desk.press(letter('C'));
    save(player::ExportKind::page);
    EXPECT_NE(desk.app->notice().sentence.find(own + "-"), std::string::npos) << desk.app->notice().sentence;
    // The window continues as it was.
    const std::size_t step = desk.app->playhead().step;
    desk.press(Key::right);
    EXPECT_EQ(desk.app->playhead().step, step + 1);
}

TEST_F(DeskFiles, WhatCannotBeSavedIsASentence) {
    const StartedIn here(folder_);
    run::Presentation shown = with_lessons();
    shown.timings.rows.clear();
    shown.sizes.rows.clear();
    Desk desk(shown);
    desk.app->apply({Intent::Kind::export_run, static_cast<std::size_t>(player::ExportKind::times)});
    EXPECT_NE(desk.app->notice().sentence.find("no times to save"), std::string::npos);
    // The folder is gone while the window is open.
    fs::create_directories(folder_ / "gone");
    fs::current_path(folder_ / "gone");
    fs::remove(folder_ / "gone");
    const char* home = std::getenv("HOME");
    const std::string kept = home ? home : "";
    setenv("HOME", "/nowhere/at/all", 1);
    desk.app->apply({Intent::Kind::export_run, static_cast<std::size_t>(player::ExportKind::values)});
    desk.settle();
    EXPECT_NE(desk.app->notice().sentence.find("cannot be written"), std::string::npos) << desk.app->notice().sentence;
    EXPECT_TRUE(desk.app->notice().offer.empty());
    if (home) setenv("HOME", kept.c_str(), 1);
}

TEST_F(DeskFiles, WhatIsNoTraceIsASentenceAndTheWindowGoesOn) {
    run::Presentation shown = with_lessons();
    shown.services.open = [](const std::string& path) -> std::shared_ptr<const run::Run> {
        throw Error(path + " is no trace.");
    };
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
    run::Presentation shown = with_lessons();
    shown.services.open = [](const std::string&) -> std::shared_ptr<const run::Run> {
        throw run::ForeignTrace("It is of another lesson.", "06_next");
    };
    Desk desk(shown);
    open(desk, at("a.ndjson"));
    EXPECT_EQ(desk.app->notice().offer, "Open it in Next");
    desk.app->apply(desk.app->notice().accepted);
    EXPECT_TRUE(desk.app->closing());
    EXPECT_EQ(desk.gone_on.program, "/programs/06_next");
    EXPECT_EQ(desk.gone_on.arguments, (std::vector<std::string>{"--open", at("a.ndjson")}));
}

TEST_F(DeskFiles, TypingAFileNameDoesNothingElse) {
    run::Presentation shown = with_lessons();
    int read = 0;
    shown.services.open = [&](const std::string&) { ++read; return samples::warp_xor(); };
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

TEST_F(DeskFiles, EveryItemOfTheMenuCanBeTaken) {
    const StartedIn here(folder_);
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

}  // namespace
}  // namespace lanewise::viz
