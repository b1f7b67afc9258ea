#include "viz/views/compare/table_view.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "viz/testing/headless.testing.hpp"
#include "viz/testing/screens.testing.hpp"

namespace lanewise::viz {
namespace {

using run::Column;
using testing::Headless;

run::Comparison three() {
    run::Comparison all;
    all.times_from = "NVIDIA H200 · recorded 2026-11-21";
    for (const auto& [name, error, us] :
         {std::tuple{"b_slow", 0.5, 9.0}, {"a_fast", 2.0, 1.0}, {"c_untimed", 0.0, 0.0}}) {
        run::ComparedVariant row;
        row.variant = name;
        row.n = 100;
        row.threads = 64;
        row.has_result = true;
        row.error = error;
        if (us > 0) row.median_us = us;
        all.rows.push_back(row);
    }
    return all;
}

struct Shown {
    Headless gui{1280, 600};
    TableView table;
    Intent intent;

    void frame() {
        gui.in_pane(
            [&](const Pane& pane) {
                if (const Intent asked = table.draw(pane, three(), "a_fast")) intent = asked;
            },
            Pane::Scroll::vertical);
    }
    void click(Point at) {
        gui.mouse = at;
        for (const bool down : {false, true, false}) {
            gui.down = down;
            frame();
        }
        frame();
    }
};

// A kernel that is wrong on purpose is marked though it came out right here; its NaN has no sign.
TEST(TableView, WhatIsWrongOnPurposeIsMarkedThoughItsResultIsRight) {
    run::Comparison all = three();
    all.rows[0].declared_wrong = true;
    all.rows[1].value = std::copysign(std::nan(""), -1.0);
    Headless gui(1280, 600);
    testing::TextCanvas canvas;
    gui.canvas = &canvas;
    TableView table;
    gui.in_pane([&](const Pane& pane) { table.draw(pane, all, "a_fast"); }, Pane::Scroll::vertical);
    const auto shows = [&](const std::string& text) {
        return std::any_of(canvas.labels.begin(), canvas.labels.end(),
                           [&](const auto& label) { return label.text == text; });
    };
    EXPECT_TRUE(shows("wrong on purpose") || shows("wrong"));
    EXPECT_TRUE(shows("nan"));
    EXPECT_FALSE(shows("-nan"));
}

TEST(TableView, AHeadingSortsByItsColumnThenTheOtherWayThenNotAtAll) {
    using Order = std::vector<std::string>;
    Shown shown;
    shown.frame();
    EXPECT_EQ(shown.table.order(), (Order{"b_slow", "a_fast", "c_untimed"}));
    shown.click(shown.table.heading(Column::time).center());
    EXPECT_EQ(shown.table.order(), (Order{"a_fast", "b_slow", "c_untimed"}));
    shown.click(shown.table.heading(Column::time).center());
    EXPECT_EQ(shown.table.order(), (Order{"b_slow", "a_fast", "c_untimed"}));   // what is not known stays last
    shown.click(shown.table.heading(Column::error).center());
    EXPECT_EQ(shown.table.order(), (Order{"c_untimed", "b_slow", "a_fast"}));
    shown.click(shown.table.heading(Column::error).center());
    shown.click(shown.table.heading(Column::error).center());
    EXPECT_EQ(shown.table.order(), (Order{"b_slow", "a_fast", "c_untimed"}));
}

TEST(TableView, AClickOnARowAsksForItsVariant) {
    Shown shown;
    shown.frame();
    shown.click(shown.table.heading(Column::variant).center());   // by name: a_fast first
    const Rect head = shown.table.heading(Column::variant);
    shown.click({head.center().x, head.y1 + 12});
    EXPECT_EQ(shown.intent.kind, Intent::Kind::variant);
    EXPECT_EQ(shown.intent.value, 1u);   // its place in the lesson's order
}

TEST(TableView, ColumnsFitTheWindow) {
    Shown shown;
    shown.frame();
    EXPECT_LE(shown.table.heading(Column::atomics).x1, 1280);
    for (int c = 1; c < run::kColumnCount; ++c)
        EXPECT_FALSE(
            shown.table.heading(static_cast<Column>(c)).overlaps(shown.table.heading(static_cast<Column>(c - 1))));
}

}  // namespace
}  // namespace lanewise::viz
