#include "common/run/run.hpp"
#include "viz/views/stage/scene.hpp"

#include <gtest/gtest.h>

#include "common/trace/trace_builder.testing.hpp"
#include "viz/testing/sample_runs.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {
namespace {

StageMetrics metrics_of(float width, float height, float scale = 1) {
    StageMetrics metrics;
    metrics.area = {10, 20, 10 + width, 20 + height};
    metrics.scale = scale;
    return metrics;
}

// Every point of a curve that the painter draws.
bool crosses(Point from, Point to, const Rect& box) {
    for (int i = 0; i <= 64; ++i) {
        if (box.contains(arc_point(from, to, static_cast<float>(i) / 64))) return true;
    }
    return false;
}

// The way of a line between a lane and a word.
bool crosses(const WordLine& line, const Rect& box) {
    if (!line.bends) return crosses(line.from, line.to, box);
    if (crosses(line.from, line.over, box) || crosses(line.under, line.to, box)) return true;
    for (int i = 0; i <= 64; ++i) {
        const float t = static_cast<float>(i) / 64;
        if (box.contains({line.over.x, line.over.y + (line.under.y - line.over.y) * t})) return true;
    }
    return false;
}

void expect_numbers_untouched(const Scene& scene, const std::string& where) {
    for (const Band& band : scene.bands) {
        for (const Row& row : scene.rows) {
            for (const LaneCell& cell : row.lanes) {
                for (const Arc& arc : band.arcs) EXPECT_FALSE(crosses(arc.from, arc.to, cell.text_box)) << where;
                for (const WordLine& line : band.lines) EXPECT_FALSE(crosses(line, cell.text_box)) << where;
            }
        }
        for (const Word& word : band.words) {
            for (const WordLine& line : band.lines) {
                EXPECT_FALSE(crosses(line, word.box)) << where << " " << word.array << "[" << word.index << "]";
                EXPECT_FALSE(crosses(line, word.tag_box)) << where;
            }
        }
    }
}

TEST(Scene, NoArcCrossesANumberAtAnyStepOfAnySample) {
    for (const auto& run : {samples::warp_xor(), samples::warp_down(), samples::two_level(), samples::shared_tree(),
                            samples::undefined_half()}) {
        for (std::size_t step = 0; step < run->steps.size(); ++step) {
            for (const WarpRef& warp : {run->steps.warps.front(), run->steps.warps.back()}) {
                const Scene scene = build_scene(run->steps, step, warp, metrics_of(960, 520));
                expect_numbers_untouched(scene, run->trace.header.variant + " step " + std::to_string(step));
            }
        }
    }
}

TEST(Scene, ArcsGoFromSourceToReader) {
    const auto run = samples::warp_xor();
    const Scene scene = build_scene(run->steps, 2, run->steps.warps.front(), metrics_of(960, 640));
    const auto present =
        std::find_if(scene.bands.begin(), scene.bands.end(), [](const Band& band) { return band.present; });
    ASSERT_NE(present, scene.bands.end());
    ASSERT_EQ(present->arcs.size(), 32u);
    for (const Arc& arc : present->arcs) {
        EXPECT_EQ(arc.source, arc.reader ^ 8);
        EXPECT_EQ(scene.lane_at(arc.from.x), arc.source);
        EXPECT_EQ(scene.lane_at(arc.to.x), arc.reader);
        EXPECT_LT(arc.from.y, arc.to.y);
    }
    EXPECT_EQ(scene.label, "xor 8");
    EXPECT_EQ(scene.line, 5);
}

TEST(Scene, RowsAreInOrderAndDoNotOverlap) {
    for (const auto& run : {samples::two_level(), samples::shared_tree()}) {
        for (std::size_t step = 0; step < run->steps.size(); ++step) {
            const Scene scene = build_scene(run->steps, step, run->steps.warps.front(), metrics_of(870, 430));
            ASSERT_EQ(scene.rows.size(), scene.bands.size() + 1);
            for (std::size_t i = 0; i < scene.bands.size(); ++i) {
                EXPECT_LE(scene.rows[i].y1, scene.bands[i].box.y0);
                EXPECT_LE(scene.bands[i].box.y1, scene.rows[i + 1].y0);
            }
        }
    }
}

TEST(Scene, ThePresentStepIsInSight) {
    const auto run = samples::shared_tree();
    for (std::size_t step = 0; step < run->steps.size(); ++step) {
        const StageMetrics metrics = metrics_of(870, 330);
        const Scene scene = build_scene(run->steps, step, run->steps.warps.front(), metrics);
        for (std::size_t i = 0; i < scene.bands.size(); ++i) {
            if (!scene.bands[i].present) continue;
            EXPECT_GE(scene.rows[i].y1 - scene.scroll, metrics.area.y0);
            EXPECT_LE(scene.rows[i + 1].y1 - scene.scroll, metrics.area.y1);
        }
    }
}

TEST(Scene, TheFutureShowsNoNumbers) {
    const auto run = samples::warp_xor();
    const Scene scene = build_scene(run->steps, 2, run->steps.warps.front(), metrics_of(960, 640));
    for (const Row& row : scene.rows) {
        for (const LaneCell& cell : row.lanes) {
            if (!row.reached) {
                EXPECT_TRUE(cell.text.empty());
            } else if (!row.thin) {
                EXPECT_FALSE(cell.text.empty());
            }
        }
    }
}

TEST(Scene, FiveDigitsFitAtEverySizeThatIsPromised) {
    // Cells as wide as the layout gives at 1280, 1600 and, at twice the scale, 3200 pixels.
    const auto run = samples::two_level();
    for (const auto& [width, scale] : {std::pair{970.0f, 1.0f}, {936.0f, 1.0f}, {1872.0f, 2.0f}}) {
        const Scene scene =
            build_scene(run->steps, run->steps.size() - 1, run->steps.warps.front(), metrics_of(width, 600, scale));
        EXPECT_EQ(scene.rows.back().lanes[0].text, "32640");
    }
}

TEST(Scene, SharedWordsStandUnderTheirBank) {
    const auto run = samples::shared_tree();
    for (std::size_t step = 0; step < run->steps.size(); ++step) {
        const Scene scene = build_scene(run->steps, step, run->steps.warps.front(), metrics_of(960, 640));
        for (const Band& band : scene.bands) {
            for (const Word& word : band.words) {
                if (word.array != "tree") continue;
                EXPECT_EQ(scene.lane_at(word.box.center().x), word.index % 32);
            }
        }
    }
}

// One warp, of which `active` lanes load `elements` floats each, from element stride * lane on.
std::shared_ptr<const run::Run> load_run(Space space, std::int64_t stride, int elements = 1,
                                         std::uint32_t active = ~0u) {
    trace::testing::TraceBuilder made;
    const auto in = made.array("in", space, 1u << 21);
    auto warp = made.warp(0, 0);
    warp.load(
        3, in, [&](int lane) { return stride * lane; }, [](int lane) { return static_cast<float>(lane); }, active);
    trace::Record& record = warp.last();
    record.elements = elements;
    for (std::size_t lane = 0; lane < 32; ++lane) {
        const auto word = [&](std::size_t k) { return to_bits(static_cast<float>(4 * lane + k)); };
        if (elements > 1) record.value[lane] = {word(0) | word(1) << 32, elements > 2 ? word(2) | word(3) << 32 : 0};
    }
    return samples::run_of(std::move(made.trace), "load");
}

const Band& present_band(const Scene& scene) {
    return *std::find_if(scene.bands.begin(), scene.bands.end(), [](const Band& band) { return band.present; });
}

TEST(Scene, GlobalWordsAreBracketedBySector) {
    const auto dense = load_run(Space::global, 1);
    const Scene scene = build_scene(dense->steps, 0, dense->steps.warps.front(), metrics_of(960, 640));
    const Band& band = present_band(scene);
    ASSERT_EQ(band.brackets.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(scene.lane_at(band.brackets[i].box.x0 + 1), static_cast<int>(i) * 8);
        EXPECT_EQ(scene.lane_at(band.brackets[i].box.x1 - 1), static_cast<int>(i) * 8 + 7);
    }
    EXPECT_EQ(band.brackets[3].label, "24");
    EXPECT_EQ(band.word_rows[0].caption, "global in[0…31]");
}

TEST(Scene, ACaptionEndsWithTheLanes) {
    const auto run = load_run(Space::global, 65536, 1, 1u << 31);
    const Scene scene = build_scene(run->steps, 0, run->steps.warps.front(), metrics_of(640, 640));
    const Band& band = present_band(scene);
    ASSERT_EQ(band.word_rows[0].caption, "global in[2031616]");
    EXPECT_LE(band.word_rows[0].caption_box.x1, scene.lanes_x1());
    EXPECT_GE(band.word_rows[0].caption_box.x0, scene.lanes_x0);
    for (const WordBracket& bracket : band.brackets)
        EXPECT_TRUE(bracket.label.empty() || !bracket.label_box.overlaps(band.word_rows[0].caption_box));
}

TEST(Scene, StridedWordsKeepTheirLanesAndShowTheirIndices) {
    for (const std::int64_t stride : {2, 64, 65536}) {
        const auto run = load_run(Space::global, stride);
        const Scene scene = build_scene(run->steps, 0, run->steps.warps.front(), metrics_of(960, 640));
        const Band& band = present_band(scene);
        ASSERT_EQ(band.words.size(), 32u);
        for (const Word& word : band.words) {
            EXPECT_EQ(word.index, stride * scene.lane_at(word.box.center().x));
            EXPECT_LE(word.box.x1, scene.lanes_x1());
        }
        EXPECT_EQ(band.brackets.size(), stride == 2 ? 8u : 32u);
        float end = 0;
        std::size_t labels = 0;
        for (const WordBracket& bracket : band.brackets) {
            if (bracket.label.empty()) continue;
            ++labels;
            EXPECT_GE(bracket.label_box.x0, end) << stride;
            end = bracket.label_box.x1;
            EXPECT_FALSE(bracket.label_box.overlaps(band.word_rows[0].caption_box)) << stride;
        }
        EXPECT_GE(labels, stride == 65536 ? 12u : stride == 64 ? 32u : 7u);
        expect_numbers_untouched(scene, "stride " + std::to_string(stride));
    }
}

TEST(Scene, AWideAccessShowsAllItsElements) {
    for (const int elements : {2, 4}) {
        const auto run = load_run(Space::global, elements, elements);
        const Scene scene = build_scene(run->steps, 0, run->steps.warps.front(), metrics_of(960, 640));
        const Band& band = present_band(scene);
        ASSERT_EQ(band.words.size(), 32u);
        ASSERT_EQ(band.words[5].texts.size(), static_cast<std::size_t>(elements));
        EXPECT_EQ(band.words[5].texts[1], "21");
        EXPECT_EQ(band.brackets.size(), static_cast<std::size_t>(4 * elements));   // sectors of eight floats
        EXPECT_EQ(band.word_rows[0].caption, "global in[0…" + std::to_string(32 * elements - 1) + "]");
    }
}

TEST(Scene, WordsOfOneBankWearItsNumber) {
    const auto free = load_run(Space::shared, 1);
    const Band none = present_band(build_scene(free->steps, 0, free->steps.warps.front(), metrics_of(960, 640)));
    for (const Word& word : none.words) EXPECT_TRUE(word.tag.empty());
    const auto run = load_run(Space::shared, 16);
    const Scene scene = build_scene(run->steps, 0, run->steps.warps.front(), metrics_of(960, 640));
    const Band& band = present_band(scene);
    for (const Word& word : band.words) EXPECT_EQ(word.tag, word.index / 16 % 2 == 0 ? "b0" : "b16");
    EXPECT_EQ(band.brackets.size(), 16u);   // rows of 32 banks
    EXPECT_EQ(band.word_rows[0].caption, "shared in[0…496]");
    expect_numbers_untouched(scene, "conflicts");
}

TEST(Scene, LanesPastTheEndOfABlockDoNotExist) {
    const auto made = samples::warp_xor();
    run::Run run = *made;
    run.trace.header.launches[0].block = {8, 1, 1};
    run.steps = steps::build_steps(run.trace);
    EXPECT_EQ(build_scene(run.steps, 1, run.steps.warps.front(), metrics_of(960, 640)).part.facts.size(), 8u);
}

TEST(Scene, AFewLanesHaveRoomForThemselves) {
    run::Run run = *samples::warp_xor();
    run.trace.header.launches[0].block = {8, 1, 1};
    run.steps = steps::build_steps(run.trace);
    const Scene scene = build_scene(run.steps, 1, run.steps.warps.front(), metrics_of(960, 640));
    EXPECT_EQ(scene.lanes, 8);
    EXPECT_GT(scene.cell, 50);
    EXPECT_EQ(scene.lane_at(scene.lanes_x1() + 1), -1);
}

TEST(Scene, AGpuTraceWithoutLoadsShowsWhatLanesOffered) {
    run::Run run = *samples::warp_xor();
    std::erase_if(run.trace.records, [](const trace::Record& record) { return record.op == trace::Op::load; });
    run.steps = steps::build_steps(run.trace);
    const Scene scene = build_scene(run.steps, 0, run.steps.warps.front(), metrics_of(960, 640));
    EXPECT_FALSE(scene.rows.front().thin);
    EXPECT_EQ(scene.rows.front().lanes[21].text, "21");
    EXPECT_EQ(scene.rows[1].lanes[5].text, "26");
}

TEST(Scene, WhatAKernelDidBetweenRecordsShowsInWhatLanesOffer) {
    // value *= 3 after the second round leaves no record; the third round shows it.
    run::Run run = *samples::warp_xor();
    for (std::size_t l = 0; l < 32; ++l) run.trace.records[3].before[l] = to_bits(1000.0f + static_cast<float>(l));
    run.steps = steps::build_steps(run.trace);
    const Scene scene = build_scene(run.steps, 3, run.steps.warps.front(), metrics_of(960, 640));
    EXPECT_EQ(scene.rows[3].lanes[7].text, "1007");
    const Scene earlier = build_scene(run.steps, 2, run.steps.warps.front(), metrics_of(960, 640));
    EXPECT_EQ(earlier.rows[3].lanes[5].text, "68");
}

TEST(Scene, AnEmptyRunHasAnEmptyScene) {
    trace::Trace trace;
    const steps::Steps steps = steps::build_steps(trace);
    const Scene scene = build_scene(steps, 0, {}, metrics_of(960, 640));
    EXPECT_TRUE(scene.bands.empty());
    EXPECT_TRUE(scene.part.facts.empty());
}

}  // namespace
}  // namespace lanewise::viz
