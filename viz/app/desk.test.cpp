// What lies around the lesson: menu, notices, the page of all lessons, panels, settings and links.
#include "common/run/front_end.hpp"
#include "viz/app/desk.testing.hpp"

namespace lanewise::viz {
namespace {

using testing::Desk;
using testing::with_lessons;

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

TEST(DeskLessons, EnterOpensWhatIsMarkedAndArrowsBeginThere) {
    Desk marked;
    marked.press(letter('H'));
    marked.press(Key::enter);   // the first that is not done
    EXPECT_EQ(marked.gone_on.program, "/programs/04_before");

    Settings settings;
    settings.lessons["04_before"].done = true;
    Desk own(with_lessons(), settings);
    own.press(letter('H'));
    own.press(Key::enter);
    EXPECT_FALSE(own.app->start_page_open());
    EXPECT_FALSE(own.app->closing());
    own.press(letter('H'));
    own.press(Key::down);
    own.press(Key::enter);
    EXPECT_EQ(own.gone_on.program, "/programs/06_next");
}

TEST(DeskLessons, OneThatIsNotBuiltSaysHow) {
    Desk desk;
    desk.press(letter('H'));
    EXPECT_TRUE(desk.app->start_page_open());
    for (int i = 0; i < 9; ++i) desk.press(Key::down);
    desk.press(Key::enter);
    EXPECT_FALSE(desk.app->closing());
    EXPECT_NE(desk.app->notice().sentence.find("./lessons/run 07_unbuilt"), std::string::npos)
        << desk.app->notice().sentence;
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
    run::Presentation shown = with_lessons();
    shown.text =
        "# A\n\nSee [down](variant:warp_sum_down,step:4,lane:7), [both](compare:warp_sum_xor+warp_sum_down), [the lens](view:rounding),\n"
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

TEST(DeskLinks, AreReachedFromWhatIsReadNow) {
    run::Presentation shown = with_lessons();
    shown.text = "# A\n\nSee [down](variant:warp_sum_down,step:4,lane:7).\n\n";
    for (int line = 0; line < 90; ++line) shown.text += "A paragraph that fills some of the page.\n\n";
    shown.text += "At the end [the lens](view:rounding).\n";
    Desk desk(shown);
    for (int page = 0; page < 12; ++page) desk.press(Key::page_down);
    desk.press(letter('J'));
    desk.press(Key::enter);
    EXPECT_TRUE(desk.app->rounding_open());
    EXPECT_EQ(desk.app->variant(), "warp_sum_xor");
}

TEST(DeskLinks, AreReachedByKeysAndBackReturns) {
    run::Presentation shown = with_lessons();
    shown.text = "# A\n\nSee [down](variant:warp_sum_down,step:4,lane:7) and [lanes](../GLOSSARY.md#lane).\n\n"
                 "```\n./lessons/run 05\n```\n";
    shown.glossary = "## lane\nA thread's place in its warp.\nSource: Guide\n";
    Desk desk(shown);
    desk.press(Key::right);
    desk.press(letter('J'));
    desk.press(Key::enter);
    EXPECT_EQ(desk.app->variant(), "warp_sum_down");
    EXPECT_EQ(desk.app->playhead().step, 3u);
    desk.press(Key::backspace);
    EXPECT_EQ(desk.app->variant(), "warp_sum_xor");
    EXPECT_EQ(desk.app->playhead().step, 1u);
    EXPECT_EQ(desk.app->selection().lane(), -1);
    // A term opens the glossary at its sentence.
    desk.press(letter('J'));
    desk.press(Key::enter);
    ASSERT_TRUE(desk.app->terms().open);
    ASSERT_EQ(desk.app->terms().first.size(), 1u);
    EXPECT_EQ(desk.app->terms().first[0]->name, "lane");
    desk.press(Key::escape);
    EXPECT_FALSE(desk.app->terms().open);
    // A command is copied.
    desk.press(letter('J'));
    desk.press(Key::enter);
    EXPECT_EQ(desk.app->notice().sentence, "Copied: ./lessons/run 05");
    // And Y explains the step's own terms.
    desk.press(letter('Y'));
    ASSERT_TRUE(desk.app->terms().open);
    EXPECT_EQ(desk.app->terms().first.at(0)->name, "lane");
    // Backspace leads back from it, and what shows something else closes it.
    desk.press(Key::backspace);
    EXPECT_FALSE(desk.app->terms().open);
    EXPECT_EQ(desk.app->notice().sentence, "Copied: ./lessons/run 05");   // and not that there is no way back
    desk.press(letter('Y'));
    desk.press(letter('H'));
    EXPECT_FALSE(desk.app->terms().open);
    EXPECT_TRUE(desk.app->start_page_open());
    desk.press(letter('H'));
    desk.press(letter('?'));
    ASSERT_TRUE(desk.app->keys_open());
    desk.press(letter('B'));
    EXPECT_FALSE(desk.app->keys_open());
    EXPECT_TRUE(desk.app->table_open());
}

TEST(DeskKeys, TheLastInputWinsBetweenPointerAndArrows) {
    Desk desk;
    desk.move(640, 300);
    const int hovered = desk.app->selection().lane();
    ASSERT_GE(hovered, 0);
    desk.press(Key::down);
    EXPECT_EQ(desk.app->selection().lane(), (hovered + 1) % 32);   // though the pointer rests on the other
    desk.press(Key::down);
    EXPECT_EQ(desk.app->selection().lane(), (hovered + 2) % 32);
    desk.move(641, 300);
    EXPECT_EQ(desk.app->selection().lane(), hovered);
}

TEST(DeskKeys, EveryButtonIsReachedByOne) {
    Desk desk;
    // The first one is the menu's; Escape closes the menu, then lets go of the button.
    desk.press(letter(';'));
    EXPECT_FALSE(desk.app->menu_open());
    desk.press(Key::enter);
    EXPECT_TRUE(desk.app->menu_open());
    desk.press(Key::escape);
    EXPECT_FALSE(desk.app->menu_open());
    // The second tab is the third button; once pressed it is the variant shown. And one back.
    desk.press(letter(';'));
    desk.press(letter(';'));
    desk.press(Key::enter);
    EXPECT_EQ(desk.app->variant(), "warp_sum_down");
    desk.press(letter(';'), true);
    desk.press(Key::enter);
    EXPECT_EQ(desk.app->variant(), "warp_sum_xor");
    desk.press(Key::escape);
    desk.press(Key::down);
    desk.press(Key::enter);   // of the lane again
    EXPECT_EQ(desk.app->variant(), "warp_sum_xor");
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

TEST(DeskPanels, PagesOfALongTextAreTurnedByKeysAndBringItToTheFront) {
    run::Presentation shown = with_lessons();
    shown.text = "# A\n";
    for (int i = 0; i < 60; ++i) shown.text += "\nA paragraph of the lesson, number " + std::to_string(i) + ".\n";
    Desk desk(shown);
    const auto read = [&] { return desk.app->lesson_text().scrolled; };
    desk.press(Key::page_down);
    const float page = read();
    EXPECT_GT(page, 300);
    EXPECT_LT(page, 800);   // what was last in sight is first now
    desk.press(Key::page_down);
    EXPECT_FLOAT_EQ(read(), 2 * page);
    desk.press(Key::page_up);
    EXPECT_FLOAT_EQ(read(), page);
    for (int i = 0; i < 20; ++i) desk.press(Key::page_down);
    EXPECT_LE(read(), desk.app->lesson_text().height);
    const float end = read();
    desk.press(Key::page_down);
    EXPECT_FLOAT_EQ(read(), end);
    for (int i = 0; i < 20; ++i) desk.press(Key::page_up);
    EXPECT_FLOAT_EQ(read(), 0);
    EXPECT_EQ(desk.app->playhead().step, 0u);
    // Hidden: the first press shows it.
    desk.press(letter('L'));
    desk.press(Key::page_down);
    EXPECT_TRUE(desk.app->panels().show_text);
    EXPECT_FLOAT_EQ(read(), 0);
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
        run::WindowRequest request;
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
