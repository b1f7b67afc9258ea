#include "viz/app/layout.hpp"

#include <gtest/gtest.h>

namespace lanewise::viz {
namespace {

constexpr Rect kSmall{0, 84, 1280, 800};

TEST(Layout, TextStageAndSourceStandBesideEachOther) {
    for (const float scale : {1.0f, 2.0f}) {
        const Rect body{0, 84 * scale, 1280 * scale, 800 * scale};
        const Places places = arrange(body, {}, {.timeline_height = 128 * scale}, scale);
        EXPECT_FALSE(places.text_in_side);
        EXPECT_GT(places.text.width(), 230 * scale);
        EXPECT_FLOAT_EQ(places.text.x1, places.stage.x0);
        EXPECT_FLOAT_EQ(places.stage.x1, places.side.x0);
        EXPECT_FLOAT_EQ(places.side.x1, body.x1);
        EXPECT_FLOAT_EQ(places.timeline.y0, places.stage.y1);
        EXPECT_FLOAT_EQ(places.timeline.width(), body.width());
        EXPECT_GT(places.stage.width(), 700 * scale);
    }
}

TEST(Layout, ANarrowWindowLetsTextAndSourceShareAPlace) {
    const Places places = arrange({0, 0, 1000, 700}, {}, {}, 1);
    EXPECT_TRUE(places.text_in_side);
    EXPECT_TRUE(places.text.empty());
    EXPECT_FALSE(places.side.empty());
    // Without the side, the text has its column even there.
    Panels panels;
    panels.show_side = false;
    const Places alone = arrange({0, 0, 1000, 700}, panels, {}, 1);
    EXPECT_FALSE(alone.text_in_side);
    EXPECT_FALSE(alone.text.empty());
}

TEST(Layout, HiddenPanelsLeaveTheirRoomToTheStage) {
    Panels panels;
    panels.show_text = panels.show_side = panels.show_timeline = false;
    const Places places = arrange(kSmall, panels, {}, 1);
    EXPECT_FLOAT_EQ(places.stage.width(), kSmall.width());
    EXPECT_FLOAT_EQ(places.stage.height(), kSmall.height());
}

TEST(Layout, TheStageKeepsItsRoomWhenPanelsWereDraggedWideInAnotherWindow) {
    Panels panels;
    panels.text = 900;
    panels.side = 900;
    const Places places = arrange(kSmall, panels, {}, 1);
    EXPECT_GE(places.stage.width(), 459);
    EXPECT_GE(places.text.width(), 189);
    EXPECT_GE(places.side.width(), 229);
}

TEST(Layout, DraggingStaysWithinWhatKeepsAllPanelsUsable) {
    const Places places = arrange(kSmall, {}, {}, 1);
    EXPECT_FLOAT_EQ(size_when_dragged(Edge::text, {300, 400}, kSmall, places, 1), 300);
    EXPECT_FLOAT_EQ(size_when_dragged(Edge::text, {-50, 400}, kSmall, places, 1), 190);
    EXPECT_FLOAT_EQ(size_when_dragged(Edge::text, {1279, 400}, kSmall, places, 1), 1280 - places.side.width() - 460);
    EXPECT_FLOAT_EQ(size_when_dragged(Edge::side, {1000, 400}, kSmall, places, 1), 280);
    EXPECT_FLOAT_EQ(size_when_dragged(Edge::timeline, {600, 799}, kSmall, places, 1), 84);
    // At scale 2 the same place of the pointer is half the size.
    EXPECT_FLOAT_EQ(
        size_when_dragged(Edge::side, {2000, 800}, {0, 168, 2560, 1600}, arrange({0, 168, 2560, 1600}, {}, {}, 2), 2),
        280);
}

TEST(Layout, WhatIsDraggedIsWhatIsPlaced) {
    Panels panels;
    for (const float x : {200.0f, 260.0f, 340.0f}) {
        const Places before = arrange(kSmall, panels, {}, 1);
        panels.of(Edge::text) = size_when_dragged(Edge::text, {x, 300}, kSmall, before, 1);
        EXPECT_FLOAT_EQ(arrange(kSmall, panels, {}, 1).text.x1, x);
    }
}

TEST(Layout, NoWindowIsTooSmall) {
    for (const float side : {0.0f, 1.0f, 37.0f, 300.0f}) {
        const Rect body{0, 0, side, side};
        const Places places = arrange(body, {}, {}, 1);
        for (const Rect& place : {places.text, places.stage, places.side, places.timeline}) {
            EXPECT_GE(place.width(), 0);
            EXPECT_LE(place.width(), side);
            EXPECT_LE(place.height(), side);
        }
        EXPECT_GE(source_height({}, side, 1), 0);
        EXPECT_LE(source_height({}, side, 1), std::max(side, 96.0f));
    }
}

}  // namespace
}  // namespace lanewise::viz
