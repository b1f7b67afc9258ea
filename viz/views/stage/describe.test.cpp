#include "common/scene/describe.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "common/base/error.hpp"
#include "viz/model/run_view.hpp"
#include "viz/testing/sample_runs.hpp"

namespace lanewise::viz {
namespace {

// A description read back: warp -> lane -> line.
using LanesByWarp = std::map<std::string, std::map<int, std::string>>;

LanesByWarp read_back(const std::string& text) {
    LanesByWarp lanes;
    std::istringstream in(text);
    std::string line, warp;
    while (std::getline(in, line)) {
        if (line.starts_with("block ")) warp = line;
        if (line.starts_with("lane ")) lanes[warp][std::stoi(line.substr(5))] = line;
    }
    return lanes;
}

// "before 26 (0x41d00000)" -> 0x41d00000
std::string bits_of(const std::string& line, const std::string& text) {
    const std::size_t at = line.find("  " + text + " ");
    if (at == std::string::npos) return {};
    const std::size_t begin = line.find("(0x", at);
    const std::size_t next = line.find("  ", at + 2);
    if (begin == std::string::npos || begin > next) return {};
    return line.substr(begin + 3, line.find(')', begin) - begin - 3);
}

TEST(Describe, EqualsTheTraceAtEveryStep) {
    for (const auto& run : {samples::warp_xor(), samples::warp_down(), samples::two_level(), samples::shared_tree(),
                            samples::undefined_half()}) {
        const RunView run_view(run);
        std::size_t described_records = 0;
        for (std::size_t k = 0; k < run->steps.size(); ++k) {
            const std::string text = describe_step(*run_view.run, "kernels.cuh", k, -1, -1);
            EXPECT_NE(text.find("source line " + std::to_string(run->steps.steps[k].line) + " of kernels.cuh"),
                      std::string::npos);
            LanesByWarp lanes = read_back(text);
            EXPECT_EQ(lanes.size(), run->steps.steps[k].warps.size());
            for (const steps::WarpStep& part : run->steps.steps[k].warps) {
                const std::string name =
                    "block " + std::to_string(part.warp.block) + " · warp " + std::to_string(part.warp.warp);
                for (const std::size_t number : part.records) {
                    const trace::Record& record = run->trace.records[number];
                    ++described_records;
                    for (int lane = 0; lane < kWarpSize; ++lane) {
                        const auto l = static_cast<std::size_t>(lane);
                        const std::string& line = lanes[name][lane];
                        if (!((record.active >> lane) & 1u)) {
                            if (part.records.size() > 1) continue;
                            EXPECT_EQ(line, "lane " + std::to_string(lane) + "  idle");
                            continue;
                        }
                        if (trace::is_shuffle(record.op)) {
                            EXPECT_NE(line.find("source " + std::to_string(record.source[l]) + " "), std::string::npos)
                                << line;
                            EXPECT_EQ(bits_of(line, "before"), format_bits(record.type, record.before[l]));
                            EXPECT_EQ(bits_of(line, "after"), format_bits(record.type, record.after[l]));
                            const bool undefined = (record.undefined >> lane) & 1u;
                            EXPECT_EQ(line.find("received undefined") != std::string::npos, undefined);
                            if (undefined) continue;
                            EXPECT_EQ(bits_of(line, "received"), format_bits(record.type, record.received[l]));
                        } else if (trace::is_vote(record.op)) {
                            EXPECT_EQ(bits_of(line, "received"), format_bits(Element::u32, record.received[l]));
                        } else if (trace::is_access(record.op)) {
                            const std::string access = run->trace.arrays[record.array].name + "[" +
                                                       std::to_string(record.element_index[l]) + "] " +
                                                       (record.op == trace::Op::load ? "= " : "<- ") +
                                                       format_element(record.type, record.value[l][0]) + " (0x" +
                                                       format_bits(record.type, record.value[l][0]) + ")";
                            EXPECT_NE(line.find(access), std::string::npos) << line << " lacks " << access;
                        } else if (trace::is_atomic(record.op)) {
                            EXPECT_NE(line.find("] atomic_add " + format_element(record.type, record.value[l][0])),
                                      std::string::npos)
                                << line;
                        }
                    }
                }
            }
        }
        EXPECT_EQ(described_records, run->trace.records.size()) << run->trace.header.variant;
    }
}

TEST(Describe, SaysWhatEachWarpDoesAndOneLanesHistory) {
    const auto run = samples::shared_tree();
    const RunView run_view(run);
    bool waits = false;
    for (std::size_t k = 0; k < run->steps.size(); ++k) {
        const std::string text = describe_step(*run_view.run, "kernels.cuh", k, -1, -1, 5);
        std::size_t working = 0;
        for (const steps::WarpStep& part : run->steps.steps[k].warps) working += part.warp.block == 0 ? 1u : 0u;
        waits |= text.find("waits for the barrier of step") != std::string::npos;
        if (working == 8) {
            EXPECT_NE(text.find("block 0: warp 0 to 7, each "), std::string::npos) << text;
        }
        if (run->steps.steps[k].find(run->steps.warps.front())) {
            EXPECT_NE(text.find("life of lane 5\nstep 1  "), std::string::npos);
        }
    }
    EXPECT_TRUE(waits);
}

TEST(Describe, OneWarpCanBeChosen) {
    const RunView run_view(samples::two_level());
    const LanesByWarp lanes = read_back(describe_step(*run_view.run, "kernels.cuh", 1, 1, 3));
    ASSERT_EQ(lanes.size(), 1u);
    EXPECT_EQ(lanes.begin()->first, "block 1 · warp 3");
}

TEST(Describe, WhatIsNotThereIsASentence) {
    const RunView run_view(samples::warp_xor());
    EXPECT_THROW(describe_step(*run_view.run, "kernels.cuh", 99, -1, -1), Error);
    EXPECT_THROW(describe_step(*run_view.run, "kernels.cuh", 0, 7, -1), Error);
}

}  // namespace
}  // namespace lanewise::viz
