#include "viz/views/benchmark/costs_view.hpp"

#include <gtest/gtest.h>

#include "common/timing/costs.testing.hpp"
#include "viz/testing/headless.testing.hpp"

namespace lanewise::viz {
namespace {

using testing::Headless;

CostScene scene_of(const timing::CostTable& table, float width = 1236, float height = 620, float scale = 1) {
    return cost_scene(table, {22, 100, 22 + width, 100 + height}, scale);
}

const CostRow& row_of(const CostScene& scene, const std::string& id) {
    for (const CostRow& row : scene.rows)
        if (row.cost->id == id) return row;
    throw std::runtime_error("no row " + id);
}

TEST(CostScene, ALongerWaitIsALongerBar) {
    timing::CostTable table = timing::testing::made_up_costs();
    table.rows[0].latency = {24, 23, 25, 100};
    table.rows[0].throughput = {1, 1, 1, 100};
    table.rows[1].latency = {240, 230, 250, 100};
    const CostScene scene = scene_of(table);
    const CostRow &shuffle = scene.rows[0], &slow = scene.rows[1];
    // Ten times is as far on the axis anywhere.
    EXPECT_NEAR(slow.wait.box.x1 - shuffle.wait.box.x1, scene.wait_axis.at(100) - scene.wait_axis.at(10), 0.01f);
    EXPECT_LT(shuffle.wait.low, shuffle.wait.box.x1);
    EXPECT_GT(shuffle.wait.high, shuffle.wait.box.x1);
    EXPECT_EQ(shuffle.wait.figure, "24");
    // The quoted cycle is where an SM starts one, and not where the bar ends.
    EXPECT_FLOAT_EQ(shuffle.quoted, shuffle.start);
    EXPECT_LT(shuffle.quoted, shuffle.wait.box.x1 - 50);
    EXPECT_LT(row_of(scene, "ballot").quoted, 0);
}

TEST(CostScene, RowsFollowEachOtherUnderTheirGroups) {
    const timing::CostTable table = timing::testing::made_up_costs();
    const CostScene scene = scene_of(table);
    ASSERT_EQ(scene.rows.size(), table.rows.size());
    float y = 0;
    for (const CostRow& row : scene.rows) {
        EXPECT_GE(row.box.y0, y);
        EXPECT_GE(row.box.height(), 13) << "lines of text touch";
        y = row.box.y1;
        EXPECT_LE(row.wait.box.x1, scene.waits.x1);
        EXPECT_LE(row.rate.box.x1, scene.rates.x1);
        EXPECT_TRUE(row.rate.box.empty() || row.rate.box.x0 >= scene.waits.x1);
    }
    EXPECT_TRUE(row_of(scene, "atomic_void_own").sent);
    EXPECT_FALSE(row_of(scene, "atomic_own").sent);
    EXPECT_LE(scene.bottom, 100 + 740) << "a screen of 1080 lines holds all rows";
    EXPECT_EQ(scene.groups.size(), 6u);
    EXPECT_TRUE(row_of(scene, "syncthreads_8").rate.box.empty());
    EXPECT_EQ(row_of(scene, "atomic_own").gpu, "1.8 ns");
    EXPECT_FALSE(row_of(scene, "reduce_add").lacking.empty());
    EXPECT_TRUE(row_of(scene, "reduce_add").wait.box.empty());
    // A low window keeps them legible, and scrolls.
    EXPECT_GT(scene_of(table, 900, 200).bottom, 100 + 400);
}

TEST(CostScene, NothingAndNonsenseAreDrawnToo) {
    EXPECT_TRUE(scene_of({}).rows.empty());
    timing::CostTable table = timing::testing::made_up_costs();
    for (timing::Cost& row : table.rows) {
        row.latency = {};
        row.throughput = {};
        row.quoted = 0;
    }
    const CostScene scene = scene_of(table, 100, 50);
    EXPECT_EQ(scene.rows.size(), table.rows.size());
    EXPECT_TRUE(scene.rows[0].wait.box.empty());
}

TEST(CostScene, ACardExplainsARow) {
    timing::CostTable table = timing::testing::made_up_costs();
    table.rows[0].latency = {23.9, 23.8, 24, 100};
    table.rows[0].throughput = {1, 1, 1, 100};
    std::string all;
    const auto lines = cost_lines(table.rows[0]);
    EXPECT_EQ(lines.front(), "__shfl_xor_sync");
    for (const std::string& line : lines) {
        EXPECT_LE(line.size(), 80u);
        all += line + " ";
    }
    EXPECT_NE(all.find("one shuffle a cycle; latency: 23.9 cycles"), std::string::npos) << all;
    EXPECT_NE(all.find("Commonly quoted: 1 cycle"), std::string::npos) << all;
}

TEST(CostsView, WhatIsPointedAtIsFound) {
    Headless gui(1280, 800);
    CostsView view;
    const timing::CostTable table = timing::testing::made_up_costs();
    const auto frame = [&](const timing::CostTable& shown) {
        return gui.in_pane([&](const Pane& pane) { view.draw(pane, shown); }, Pane::Scroll::vertical);
    };
    frame(table);
    const int quiet = frame(table);
    EXPECT_EQ(view.hovered(), -1);
    gui.mouse = view.scene().rows[3].name.center();
    frame(table);
    EXPECT_GT(frame(table), quiet);   // a card is there
    EXPECT_EQ(view.hovered(), 3);
    const int none = frame({});
    EXPECT_GT(none, 0);               // a sentence
    EXPECT_LT(none, quiet);
    EXPECT_EQ(view.hovered(), -1);
}

}  // namespace
}  // namespace lanewise::viz
