#include <map>
#include <string>

#include "common/lesson/lesson.testing.hpp"
#include "common/lesson/provenance.testing.hpp"
#include "common/steps/memory_cost.hpp"
#include "common/steps/steps.hpp"
#include "lessons/16_add_rms_norm/case.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;

trace::Trace traced(const std::string& variant) {
    return *run(plan_of(variant, inputs_of(variant)), "ascending", true).trace;
}

// Bytes that lanes read and wrote in global memory, by array, from the records of all blocks.
struct Traffic {
    std::map<std::string, std::uint64_t> read, written;
    std::uint64_t all() const {
        std::uint64_t bytes = 0;
        for (const auto* side : {&read, &written})
            for (const auto& [name, count] : *side)
                if (name != "weight") bytes += count;
        return bytes;
    }
};

Traffic traffic_of(const std::string& variant) {
    const trace::Trace trace = traced(variant);
    Traffic traffic;
    for (const auto& record : trace.records) {
        if (record.op != trace::Op::load && record.op != trace::Op::store) continue;
        const auto& array = trace.arrays[record.array];
        if (array.name != "a" && array.name != "b" && array.name != "y" && array.name != "residual_out" &&
            array.name != "weight")
            continue;
        const auto lanes = static_cast<std::uint64_t>(std::popcount(record.active));
        const auto bytes = lanes * static_cast<std::uint64_t>(record.elements * element_size(array.element));
        (record.op == trace::Op::load ? traffic.read : traffic.written)[array.name] += bytes;
    }
    return traffic;
}

// Two rows of 256 floats: 2048 bytes a tensor.
constexpr std::uint64_t kTensor = 2048;

TEST(AddRmsNorm, RightKernelsCountNoInputTwice) { expect_no_input_counted_twice("fused_read_again"); }

TEST(AddRmsNorm, BytesOfEachForm) {
    const Traffic two = traffic_of("add_then_norm"), fused = traffic_of("fused_read_again"),
                  registers = traffic_of("fused_in_registers");
    EXPECT_EQ(two.read.at("a"), kTensor);
    EXPECT_EQ(two.read.at("residual_out"), 2 * kTensor);
    EXPECT_EQ(two.all(), 6 * kTensor);
    EXPECT_EQ(fused.read.at("residual_out"), kTensor);
    EXPECT_EQ(fused.all(), 5 * kTensor);
    EXPECT_FALSE(registers.read.contains("residual_out"));
    EXPECT_EQ(registers.all(), 4 * kTensor);
    EXPECT_EQ(traffic_of("fused_by_warp").all(), 4 * kTensor);
    EXPECT_EQ(traffic_of("fused_by_element").all(), 4 * kTensor);  // once, though value by value
    EXPECT_EQ(traffic_of("fused_f16").all(), 4 * kTensor / 2);
    for (const char* variant : {"fused_in_registers", "fused_by_warp"}) {
        const Traffic traffic = traffic_of(variant);
        EXPECT_EQ(traffic.written.at("y"), kTensor) << variant;
        EXPECT_EQ(traffic.written.at("residual_out"), kTensor) << variant;
    }
}

TEST(AddRmsNorm, InPlaceReadsAndWritesTheSame) {
    const Traffic traffic = traffic_of("fused_in_place");
    EXPECT_EQ(traffic.read.at("a"), kTensor);
    EXPECT_EQ(traffic.written.at("a"), kTensor);
    EXPECT_EQ(traffic.written.at("b"), kTensor);
    const auto plan = plan_of("fused_in_registers", inputs_of("fused_in_registers"));
    const auto in_place = plan_of("fused_in_place", inputs_of("fused_in_place"));
    const auto outcome = run(plan), other = run(in_place);
    EXPECT_EQ(buffer(plan, outcome, "y"), buffer(in_place, other, "a"));
    EXPECT_EQ(buffer(plan, outcome, "residual_out"), buffer(in_place, other, "b"));
}

TEST(AddRmsNorm, OneBarrierOrNone) {
    const auto barriers = [](const std::string& variant) {
        return steps::build_steps(traced(variant)).steps.back().counters.at(0).block_barriers;
    };
    EXPECT_EQ(barriers("fused_in_registers"), 1u);
    EXPECT_EQ(barriers("fused_by_warp"), 0u);
}

// Every row length of the operator's odd routes, on the very code that it runs.
TEST(AddRmsNorm, AnyRowLength) {
    for (std::uint64_t n = 1; n <= 1100; n += n < 40 ? 1 : 29)
        for (const char* variant :
             {"fused_in_registers", "fused_by_warp", "fused_by_element", "fused_f16", "fused_in_place"}) {
            lesson::Inputs inputs = inputs_of(variant);
            inputs.n = n;
            inputs.seed = n;
            const auto plan = plan_of(variant, inputs);
            expect_verified(plan, run(plan), variant + std::string(" of ") + std::to_string(n));
        }
}

// One NaN makes its row NaN and leaves the next alone.
TEST(AddRmsNorm, NotANumberStaysInItsRow) {
    auto plan = plan_of("fused_in_registers", inputs_of("fused_in_registers"));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(plan.buffers[0].contents.data() + 7 * sizeof nan, &nan, sizeof nan);
    const auto y = buffer(plan, run(plan), "y");
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i < 256) << i;
}

}  // namespace
