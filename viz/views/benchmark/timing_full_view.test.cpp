#include "viz/views/benchmark/timing_full_view.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "common/timing/compare.hpp"
#include "viz/testing/headless.testing.hpp"
#include "viz/views/benchmark/plot.hpp"

namespace lanewise::viz {
namespace {

using testing::Headless;
using timing::Timing;
using timing::TimingTable;

Timing row_of(const std::string& name, std::uint64_t n, double us, const std::string& size = "",
              const std::string& element = "f32") {
    Timing row;
    row.variant = name;
    row.element = element;
    row.size = size;
    row.n = n;
    row.bytes = 4 * n;
    row.median_us = us;
    row.low_us = us * 0.9;
    row.high_us = us * 1.1;
    row.samples = 100;
    return row;
}

TimingTable swept() {
    TimingTable table;
    table.gpu = "NVIDIA H200";
    table.date = "2026-11-21";
    table.recorded = true;
    table.l2 = "warm";
    for (const std::uint64_t n : {1u << 20, 1u << 10, 1u << 15}) {   // not in order
        table.rows.push_back(row_of("slow", n, 2 + static_cast<double>(n) / 1e4));
        table.rows.push_back(row_of("fast", n, 2 + static_cast<double>(n) / 1e5));
        table.rows.back().against = "CUB DeviceReduce::Sum";
        table.rows.push_back(row_of("CUB DeviceReduce::Sum", n, 3 + static_cast<double>(n) / 1e5));
        table.rows.back().baseline = true;
        table.rows.push_back(row_of(timing::kPlainRead, n, 1.5 + static_cast<double>(n) / 2e5));
        table.rows.back().baseline = table.rows.back().limit = true;
    }
    Timing wrong = row_of("broken", 1 << 20, 0);
    wrong.within_bound = false;
    table.rows.push_back(wrong);
    return table;
}

struct Shown {
    Headless gui{1280, 800};
    TimingFullView view;
    TimingTable table = swept();
    MeasureState state;
    bool roofline = false;
    Intent intent;

    int frame() {
        return gui.in_pane(
            [&](const Pane& pane) {
                if (const Intent asked = view.draw(pane, table, {}, "fast", state, roofline)) intent = asked;
            },
            Pane::Scroll::vertical);
    }
    void point_at(Point at) {
        gui.mouse = at;
        frame();
        frame();
    }
    void click(Point at) {
        gui.mouse = at;
        for (const bool down : {false, true, false}) {
            gui.down = down;
            frame();
        }
    }
    const Spot& spot(const std::string& name, std::uint64_t n) const {
        for (const Spot& each : view.chart().spots)
            if (each.row->variant == name && each.row->n == n) return each;
        throw std::runtime_error("no spot of " + name);
    }
};

TEST(TimingFullView, PointsAreAtTheirSizeAndTimeAndShowTheirFigure) {
    Shown shown;
    shown.frame();
    EXPECT_EQ(shown.view.chart().spots.size(), 12u);   // what is wrong has no time
    EXPECT_LT(shown.spot("slow", 1 << 10).at.x, shown.spot("slow", 1 << 15).at.x);
    EXPECT_LT(shown.spot("slow", 1 << 20).at.y, shown.spot("fast", 1 << 20).at.y);   // slower is higher
    // Equal factors are equal distances: both axes are logarithmic.
    EXPECT_NEAR(shown.spot("slow", 1 << 15).at.x - shown.spot("slow", 1 << 10).at.x,
                shown.spot("slow", 1 << 20).at.x - shown.spot("slow", 1 << 15).at.x, 0.01);
    shown.point_at(shown.spot("slow", 1 << 15).at);
    EXPECT_EQ(shown.view.chart().hovered, "slow");
    const auto lines = figure_lines(shown.table, *shown.spot("fast", 1 << 15).row);
    const auto holds = [&](const std::string& text) {
        return std::find(lines.begin(), lines.end(), text) != lines.end();
    };
    EXPECT_TRUE(holds("fast") && holds("2^15 values of f32"));
    EXPECT_TRUE(holds("median 2.33 µs"));
    EXPECT_TRUE(holds("5 % to 95 %: 2.09 µs to 2.56 µs"));
    EXPECT_TRUE(holds("of 100 samples"));
    EXPECT_TRUE(holds("56.3 GB/s"));
    EXPECT_TRUE(holds("1.43 × as fast as CUB DeviceReduce::Sum"));
    EXPECT_TRUE(holds("71 % of a plain read's rate"));
    shown.point_at({300, 10});
    EXPECT_EQ(shown.view.chart().hovered, "");
}

TEST(TimingFullView, LabelsStandApartAndCanBePointedAtAndPinned) {
    Shown shown;
    shown.frame();
    const auto labels = shown.view.chart().labels;
    ASSERT_EQ(labels.size(), 4u);
    for (std::size_t i = 0; i < labels.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            EXPECT_FALSE(labels[i].second.inset(0, 0.5f).overlaps(labels[k].second.inset(0, 0.5f))) << labels[i].first;
    shown.point_at(labels[0].second.center());
    EXPECT_EQ(shown.view.chart().hovered, labels[0].first);
    shown.click(labels[0].second.center());
    EXPECT_EQ(shown.view.pinned, labels[0].first);
    shown.click(labels[0].second.center());
    EXPECT_EQ(shown.view.pinned, "");
}

TEST(TimingFullView, TabsChangeWhatIsDrawn) {
    Shown shown;
    shown.frame();
    const float before = shown.spot("fast", 1 << 20).at.y;
    shown.click(shown.view.tab("GB/s").center());
    EXPECT_EQ(shown.view.show, TimingFullView::Show::rate);
    EXPECT_LT(shown.spot("fast", 1 << 20).at.y, shown.spot("slow", 1 << 20).at.y);   // faster is higher
    EXPECT_NE(shown.spot("fast", 1 << 20).at.y, before);
    shown.click(shown.view.tab("Roofline").center());
    EXPECT_EQ(shown.intent.kind, Intent::Kind::roofline);
    shown.roofline = true;
    shown.click(shown.view.tab("Time").center());
    EXPECT_EQ(shown.intent.kind, Intent::Kind::timings);
    EXPECT_EQ(shown.view.show, TimingFullView::Show::time);
}

TEST(TimingFullView, NoFigureIsAboveTheRoofThatWasMeasured) {
    Shown shown;
    shown.roofline = true;
    shown.frame();
    for (const std::uint64_t n : {1u << 10, 1u << 15, 1u << 20})
        for (const char* name : {"slow", "fast", "CUB DeviceReduce::Sum"})
            EXPECT_GT(shown.spot(name, n).at.y, shown.spot(timing::kPlainRead, n).at.y);
    std::erase_if(shown.table.rows, [](const Timing& row) { return row.limit; });
    EXPECT_NE(timing_notes(shown.table, series_of(shown.table, "f32"), true).front().find("limit was not measured"),
              std::string::npos);
    shown.frame();
    EXPECT_EQ(shown.view.chart().spots.size(), 9u);
    // A launch alone is a limit of its own where it was measured.
    Timing launch = row_of("empty kernel", 1, 1.2, "", "");
    launch.baseline = launch.limit = true;
    launch.bytes = 0;
    shown.table.rows.push_back(launch);
    EXPECT_NE(series_of(shown.table, "f32").launch, nullptr);
    EXPECT_EQ(series_of(shown.table, "f32").find("empty kernel"), nullptr);
    EXPECT_GT(shown.frame(), 0);
}

TEST(TimingFullView, OneSizeIsBarsAndSaysSo) {
    Shown shown;
    std::erase_if(shown.table.rows, [](const Timing& row) { return row.n != 1u << 20; });
    Timing cpu = row_of("serial sum, one CPU core", 1 << 20, 900);
    cpu.baseline = cpu.on_cpu = true;
    shown.table.rows.push_back(cpu);
    shown.frame();
    ASSERT_EQ(shown.view.chart().labels.size(), 5u);
    EXPECT_EQ(shown.view.chart().labels.front().first, timing::kPlainRead);   // fastest first
    EXPECT_EQ(shown.view.chart().labels.back().first, cpu.variant);
    const float zero = shown.spot("fast", 1 << 20).at.x - shown.spot(timing::kPlainRead, 1 << 20).at.x;
    EXPECT_GT(zero, 0);
    EXPECT_NE(
        timing_notes(shown.table, series_of(shown.table, "f32"), false).front().find("one size only, 2^20 values"),
        std::string::npos);
    shown.point_at(shown.view.chart().labels[1].second.center());
    EXPECT_EQ(shown.view.chart().hovered, shown.view.chart().labels[1].first);
}

// More variants than have room: their rows continue below, and the pane scrolls.
TEST(TimingFullView, ManyBarsStandApart) {
    Shown shown;
    shown.table.rows.clear();
    for (int i = 0; i < 40; ++i)
        shown.table.rows.push_back(row_of("variant_" + std::to_string(i), 1 << 20, 10 + i));
    const int height = shown.frame();
    const auto& labels = shown.view.chart().labels;
    ASSERT_EQ(labels.size(), 40u);
    for (std::size_t i = 1; i < labels.size(); ++i)
        EXPECT_GE(labels[i].second.y0, labels[i - 1].second.y0 + 20) << labels[i].first;
    EXPECT_GT(labels.back().second.y1, 800);
    EXPECT_GT(height, 0);
}

TEST(TimingFullView, TheTableOfShapesStandsByRowsAndColumns) {
    TimingTable table;
    double us = 1;
    for (const char* name : {"own", "CUB DeviceReduce::Sum"})
        for (const auto& [size, n] :
             {std::pair{"2048×1024", 1u << 21}, {"1024×1024", 1u << 20}, {"1024×2048", 1u << 21}}) {
            table.rows.push_back(row_of(name, n, us += 1, size));
            table.rows.back().baseline = table.rows.back().variant != "own";
        }
    table.rows.push_back(row_of("own", 1 << 20, 50));
    const Shapes shapes = shapes_of(table, "f32");
    ASSERT_EQ(shapes.grids.size(), 2u);
    EXPECT_EQ(shapes.rows, (std::vector<std::uint64_t>{1024, 2048}));
    EXPECT_EQ(shapes.columns, (std::vector<std::uint64_t>{1024, 2048}));
    EXPECT_EQ(shapes.grids[0].name, "CUB DeviceReduce::Sum");   // what the others are compared with comes first
    const auto& own = shapes.grids[1].cells;
    ASSERT_EQ(own.size(), 4u);
    EXPECT_EQ(own[0]->median_us, 3);
    EXPECT_EQ(own[1]->median_us, 4);
    EXPECT_EQ(own[2]->median_us, 2);
    EXPECT_EQ(own[3], nullptr);
    EXPECT_TRUE(shapes_of(table, "f16").empty());
    EXPECT_EQ(series_of(table, "f32").find("own")->points.front()->median_us,
              50);  // its own size, not the shape of as many
    Shown shown;
    shown.table = table;
    shown.view.show = TimingFullView::Show::shapes;
    shown.frame();
    EXPECT_EQ(shown.view.chart().spots.size(), 6u);
}

// Of rows, as many values in longer rows are other work: shapes come first, and no curve joins them.
TEST(TimingFullView, RowsAreShownByTheirShape) {
    Shown shown;
    shown.table.rows.clear();
    for (const char* element : {"f32", "f16", "bf16"})
        for (const auto& [size, columns] : {std::pair{"1024×1024", 1024u}, {"256×4096", 4096u}}) {
            shown.table.rows.push_back(row_of("own", 1 << 20, 7, size, element));
            shown.table.rows.back().columns = columns;
        }
    EXPECT_TRUE(shapes_of(shown.table, "f32").of_rows);
    shown.state.known = true;
    shown.state.why_not = "No GPU was found, and this sentence is long enough to want the room of every button.";
    for (const float width : {1280.0f, 760.0f, 560.0f}) {
        Headless narrow(static_cast<int>(width), 800);
        TimingFullView view;
        const auto frame = [&] {
            narrow.in_pane([&](const Pane& pane) { view.draw(pane, shown.table, {}, "own", shown.state, false); },
                           Pane::Scroll::vertical);
        };
        frame();
        EXPECT_EQ(view.chart().spots.size(), 2u);
        // Every type can be chosen, and nothing lies under the button.
        for (const char* name : {"rows × columns", "f32", "f16", "bf16"}) {
            const Rect tab = view.tab(name);
            EXPECT_GT(tab.width(), 0) << name << " at " << width;
            const bool beside = tab.y0 < view.measure_button().y1 && view.measure_button().y0 < tab.y1;
            EXPECT_TRUE(!beside || tab.x1 < view.measure_button().x0) << name << " at " << width;
        }
    }
}

TEST(TimingFullView, TypesOfInputAreApart) {
    Shown shown;
    shown.table.rows.push_back(row_of("halves", 1 << 20, 9, "", "f16"));
    shown.frame();
    EXPECT_EQ(shown.view.element, "f32");   // that of the variant which is shown
    shown.click(shown.view.tab("f16").center());
    shown.frame();
    ASSERT_EQ(shown.view.chart().labels.size(), 1u);
    EXPECT_EQ(shown.view.chart().labels[0].first, "halves");
}

TEST(TimingFullView, MeasuringIsAskedForOnlyWhereItCanBe) {
    Shown shown;
    shown.state.known = true;
    shown.state.why_not = "No GPU was found.";
    shown.frame();
    shown.click(shown.view.measure_button().center());
    EXPECT_FALSE(shown.intent);
    shown.state.possible = true;
    shown.click(shown.view.measure_button().center());
    EXPECT_EQ(shown.intent.kind, Intent::Kind::measure);
    EXPECT_EQ(shown.intent.value, 1u);
    shown.state.running = true;
    shown.state.all = 9;
    shown.state.done = 3;
    shown.state.seconds = 3;
    shown.frame();
    shown.click(shown.view.measure_button().center());
    EXPECT_EQ(shown.intent.value, 0u);   // ends it
}

// Whole sentences: both, the first, or none where there is no room.
TEST(TimingFullView, WhyNothingIsMeasuredIsNotCut) {
    Shown shown;
    shown.state.known = true;
    const std::string first = "No GPU was found on this machine.";
    shown.state.why_not = first + " What to do about that is said in a sentence which needs much more room than there is.";
    const auto reason_at = [&](int width) {
        Headless narrow(width, 800);
        TimingFullView view;
        narrow.in_pane([&](const Pane& pane) { view.draw(pane, shown.table, {}, "own", shown.state, false); },
                       Pane::Scroll::vertical);
        return view.reason();
    };
    EXPECT_EQ(reason_at(3000), shown.state.why_not);
    EXPECT_EQ(reason_at(900), first);
    EXPECT_EQ(reason_at(480), "");
    shown.state.possible = true;
    EXPECT_EQ(reason_at(3000), "");
}

TEST(TimingFullView, WithoutTimesThereIsASentence) {
    Shown shown;
    shown.table = {};
    EXPECT_GT(shown.frame(), 0);
    EXPECT_TRUE(shown.view.chart().spots.empty());
    EXPECT_NE(shown.view.measure_button().width(), 0);
}

TEST(Plot, AxesAreLogarithmicAndHoldTheirValues) {
    const LogAxis axis = axis_of({3, 300, 0, -1}, 100, 500);
    EXPECT_GT(axis.at(3), 100);
    EXPECT_LT(axis.at(300), 500);
    EXPECT_NEAR(axis.at(30), (axis.at(3) + axis.at(300)) / 2, 1e-3);
    EXPECT_NEAR(axis.value_at(axis.at(42)), 42, 1e-3);
    const LogAxis one = axis_of({8}, 0, 100);   // a single value still has a range
    EXPECT_GE(one.high / one.low, 4);
    for (const Tick& tick : decimal_ticks(axis, 30, time_tick))
        EXPECT_TRUE(tick.value >= axis.low && tick.value <= axis.high);
}

TEST(Plot, NumbersOfTicksStandApart) {
    const LogAxis axis{1000, 1e9, 0, 300};
    std::vector<float> at;
    for (const Tick& tick : binary_ticks(axis, 50, values_tick))
        if (!tick.label.empty()) at.push_back(axis.at(tick.value));
    ASSERT_GE(at.size(), 3u);
    for (std::size_t i = 1; i < at.size(); ++i) EXPECT_GE(at[i] - at[i - 1], 50);
    EXPECT_EQ(bytes_tick(1 << 20), "1 MiB");
    EXPECT_EQ(bytes_tick(1536), "1.5 KiB");
    EXPECT_EQ(time_tick(2000), "2 ms");
    EXPECT_EQ(rate_tick(5000), "5 TB/s");
}

TEST(Plot, LabelsAreMovedNoFurtherThanTheyMust) {
    EXPECT_EQ(spread_labels({10, 50, 90}, 20, 0, 100), (std::vector<float>{10, 50, 90}));
    const auto touching = spread_labels({50, 50, 50}, 20, 0, 100);
    EXPECT_EQ(touching, (std::vector<float>{30, 50, 70}));
    EXPECT_EQ(spread_labels({95, 5}, 20, 0, 90), (std::vector<float>{90, 5}));   // the order of those given
    const auto many = spread_labels({1, 2, 3, 4, 5, 6}, 20, 0, 50);   // no room for all: closer, and within
    for (std::size_t i = 1; i < many.size(); ++i) EXPECT_NEAR(many[i] - many[i - 1], 10, 1e-3);
    EXPECT_GE(many.front(), 0);
    EXPECT_LE(many.back(), 50 + 1e-3f);
    EXPECT_TRUE(spread_labels({}, 20, 0, 50).empty());
}

TEST(Plot, ALineIsClippedToItsBox) {
    Point a{-10, 5}, b{30, 5};
    ASSERT_TRUE(clip_line({0, 0, 10, 10}, a, b));
    EXPECT_EQ(a.x, 0);
    EXPECT_EQ(b.x, 10);
    Point c{-10, 20}, d{30, 20};
    EXPECT_FALSE(clip_line({0, 0, 10, 10}, c, d));
}

TEST(Plot, CategoriesDifferFromEachOtherAndTheGround) {
    for (const Theme* theme : {&dark_theme(), &light_theme()})
        for (std::size_t i = 0; i < 24; ++i) {
            const Category one = category(*theme, i);
            EXPECT_GE(contrast(one.color, theme->panel), 2.0) << i;
            for (std::size_t k = 0; k < i; ++k)
                EXPECT_FALSE(one.color == category(*theme, k).color && one.mark == category(*theme, k).mark);
        }
}

}  // namespace
}  // namespace lanewise::viz
