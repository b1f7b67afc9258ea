// Links between step, line and word; a lane's life; bits.
#include "viz/model/highlight.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <sstream>

#include "common/base/element.hpp"
#include "viz/model/bits_paint.hpp"
#include "common/scene/lane_history.hpp"
#include "viz/testing/sample_runs.hpp"

namespace lanewise::viz {
namespace {

TEST(Links, EveryAccessOfEveryRecordIsAUseOfItsWord) {
    for (const auto& run : {samples::two_level(), samples::shared_tree()}) {
        const steps::Steps& steps = run->steps;
        for (std::size_t k = 0; k < steps.size(); ++k) {
            for (const steps::WarpStep& part : steps.steps[k].warps) {
                for (const std::size_t number : part.records) {
                    const trace::Record& record = run->trace.records[number];
                    if (!trace::is_access(record.op) && !trace::is_atomic(record.op)) continue;
                    for (const int lane : {0, 5, 31}) {
                        if (!((record.active >> lane) & 1u)) continue;
                        const auto uses = uses_of(
                            steps, {record.array, record.element_index[static_cast<std::size_t>(lane)]}, part.warp);
                        const auto at = std::find_if(uses.begin(), uses.end(), [&](const WordUse& use) {
                            return use.step == k && use.warp == part.warp;
                        });
                        ASSERT_NE(at, uses.end());
                        EXPECT_TRUE((at->lanes >> lane) & 1u);
                        EXPECT_TRUE(record.op == trace::Op::load ? at->reads : at->writes);
                    }
                }
            }
        }
    }
}

TEST(Links, AnotherBlocksSharedMemoryIsAnotherWord) {
    const auto run = samples::two_level();
    const auto& arrays = run->trace.arrays;
    for (std::uint32_t array = 0; array < arrays.size(); ++array) {
        if (arrays[array].space != Space::shared) continue;
        for (const WarpRef& block : run->steps.blocks) {
            const auto uses = uses_of(run->steps, {array, 0}, block);
            EXPECT_FALSE(uses.empty());
            for (const WordUse& use : uses) EXPECT_EQ(use.warp.block, block.block);
            EXPECT_NE(use_text(uses, uses.front().step)
                          .find("written in step " + std::to_string(uses.front().step + 1) + " by warp 0 lane 0"),
                      std::string::npos);
        }
    }
}

TEST(Links, AStepLightsItsLineAndALineItsSteps) {
    const RunView run_view(samples::warp_xor());
    const steps::Steps& steps = run_view.steps();
    Selection selection;
    selection.warp = steps.warps.front();
    Lights lights;
    selection.now.step = 2;
    lights.look(run_view, selection);
    for (std::size_t k = 0; k < steps.size(); ++k) EXPECT_EQ(lights.step(k), k == 2);
    EXPECT_EQ(lit_lines(run_view, selection), std::vector<int>{steps.steps[2].line});
    selection.now = {};
    selection.now.line = steps.steps[2].line;
    lights.look(run_view, selection);
    for (std::size_t k = 0; k < steps.size(); ++k)
        EXPECT_EQ(lights.step(k), steps.steps[k].line == steps.steps[2].line);
    selection.now = {};
    lights.look(run_view, selection);
    EXPECT_FALSE(lights.any());
    for (std::size_t k = 0; k < steps.size(); ++k) EXPECT_FALSE(lights.step(k));
}

TEST(LaneHistory, EqualsTheTrace) {
    for (const auto& run :
         {samples::warp_xor(), samples::two_level(), samples::shared_tree(), samples::undefined_half()}) {
        const steps::Steps& steps = run->steps;
        for (const int lane : {0, 5, 31}) {
            const WarpRef warp = steps.warps.back();
            const auto life = history_of(steps, warp, lane);
            std::size_t next = 0;
            for (std::size_t k = 0; k < steps.size(); ++k) {
                const steps::WarpStep* part = steps.steps[k].find(warp);
                bool active = false;
                for (std::size_t i = 0; part && i < part->records.size(); ++i)
                    active |= (run->trace.records[part->records[i]].active >> lane) & 1u;
                const bool listed = next < life.size() && life[next].step == k;
                if (active) {
                    EXPECT_TRUE(listed) << k;
                }
                if (!listed) continue;
                const HistoryStep& each = life[next++];
                const steps::LaneValues& held = steps.lane_values(k, warp);
                EXPECT_EQ(each.line, steps.steps[k].line);
                EXPECT_EQ(each.known, ((held.known >> lane) & 1u) != 0);
                if (each.known) {
                    EXPECT_EQ(each.bits, held.bits[static_cast<std::size_t>(lane)]);
                }
                if (steps.steps[k].kind != StepKind::shuffle || !active) continue;
                const trace::Record& record = run->trace.records[part->records.front()];
                const int source = record.source[static_cast<std::size_t>(lane)];
                EXPECT_EQ(each.way, source == lane ? "← itself" : "← lane " + std::to_string(source));
                EXPECT_EQ(each.bits, record.after[static_cast<std::size_t>(lane)]);
            }
            EXPECT_EQ(next, life.size());
            std::istringstream lines(describe_history(life));
            std::string line;
            for (std::size_t i = 0; std::getline(lines, line); ++i) {
                EXPECT_TRUE(line.starts_with("step " + std::to_string(life[i].step + 1) + "  ")) << line;
                if (life[i].known && !life[i].undefined) {
                    EXPECT_NE(line.find("(0x" + format_bits(life[i].type, life[i].bits) + ")"), std::string::npos)
                        << line;
                }
            }
        }
    }
    EXPECT_TRUE(history_of(samples::warp_xor()->steps, samples::warp_xor()->steps.warps.front(), -1).empty());
}

TEST(Bits, FieldsMakeTheNumber) {
    EXPECT_EQ(bits_text(Element::f32, to_bits(68.0f)), "+ 1.0625 × 2^6  (exponent 133 − 127)");
    EXPECT_EQ(bits_text(Element::f32, to_bits(-0.5f)), "− 1 × 2^-1  (exponent 126 − 127)");
    EXPECT_EQ(bits_text(Element::f32, 1), "+ 1.1920929e-07 × 2^-126, without the leading 1");
    EXPECT_EQ(bits_text(Element::f32, 0x80000000u), "− 0");
    EXPECT_EQ(bits_text(Element::f32, 0x7f800000u), "+ infinity: the exponent is all ones");
    EXPECT_NE(bits_text(Element::f32, 0x7fc00000u).find("not a number"), std::string::npos);
    EXPECT_EQ(bits_text(Element::f16, element_from_double(Element::f16, 1536)), "+ 1.5 × 2^10  (exponent 25 − 15)");
    EXPECT_EQ(bits_text(Element::i32, 0xfffffffdu), "two's complement: 2^32 − 3");
    EXPECT_EQ(bits_text(Element::u32, 7), "");
}

}  // namespace
}  // namespace lanewise::viz
