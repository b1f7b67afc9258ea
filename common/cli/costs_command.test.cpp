#include "common/cli/costs_command.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/base/text.testing.hpp"
#include "common/cli/testing/tiny_program.testing.hpp"
#include "common/timing/costs.testing.hpp"

namespace lanewise::cli {
namespace {

using lanewise::testing::contains;
using testing::TinyProgram;

// Costs of a pretended GPU.
struct WithCosts : TinyProgram {
    int measurements = 0;
    WithCosts() {
        program.measure_costs = [this](const timing::CostProgress& progress) {
            if (progress) progress(0, 2, "__shfl_xor_sync");
            ++measurements;
            auto table = timing::testing::made_up_costs();
            table.date = "";
            return table;
        };
    }
};

TEST(Costs, WithoutAGpuAndARecordingASentenceSaysSo) {
    WithCosts tiny;
    const auto answer = tiny({"--costs"});
    EXPECT_EQ(answer.status, kExitUsage);
    EXPECT_TRUE(contains(answer.err, "no GPU to measure on") && contains(answer.err, "recorded")) << answer.err;
    EXPECT_EQ(answer.out, "");
    EXPECT_TRUE(contains(tiny({"--costs", "--backend", "gpu"}).err, "There is no GPU here"));
    EXPECT_TRUE(contains(tiny({"--costs", "--record", tiny.path("new")}).err, "made on a GPU"));
    EXPECT_EQ(tiny.measurements, 0);
}

TEST(Costs, AreMeasuredWhereThereIsAGpu) {
    WithCosts tiny;
    tiny.has_gpu = true;
    const auto answer = tiny({"--costs"});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_EQ(tiny.measurements, 1);
    EXPECT_TRUE(contains(answer.out, "Made-up GPU · compute capability 7.5")) << answer.out;
    EXPECT_FALSE(contains(answer.out, "Recorded on"));
    for (const timing::CostInfo& info : timing::cost_catalog())
        EXPECT_TRUE(contains(answer.out, info.name)) << info.name;
    EXPECT_TRUE(contains(answer.out, "__reduce_add_sync needs sm_80 or later"));
    EXPECT_FALSE(contains(answer.out, "nan") || contains(answer.out, "inf"));
}

TEST(Costs, TravelAsARecording) {
    WithCosts tiny;
    tiny.has_gpu = true;
    const auto made = tiny({"--costs", "--record", tiny.path("assets/recorded/made_up")});
    EXPECT_EQ(made.status, kExitOk) << made.err;
    EXPECT_TRUE(contains(made.out, "assets/recorded/made_up/costs.json")) << made.out;
    EXPECT_FALSE(std::filesystem::exists(tiny.path("assets/recorded/made_up/99_tiny")));   // no traces with it
    tiny.has_gpu = false;
    const auto shown = tiny({"--costs"});
    EXPECT_EQ(shown.status, kExitOk) << shown.err;
    EXPECT_TRUE(contains(shown.out, "Recorded on Made-up GPU · 2026-11-21")) << shown.out;
    tiny.has_gpu = true;
    EXPECT_TRUE(contains(tiny({"--costs", "--backend", "recorded"}).out, "Recorded on"));
    EXPECT_EQ(tiny.measurements, 1);
}

TEST(Costs, GoToFiles) {
    WithCosts tiny;
    tiny.has_gpu = true;
    EXPECT_EQ(tiny({"--costs", "--json", tiny.path("c.json"), "--csv", "-"}).out.substr(0, 4), "gpu,");
    EXPECT_EQ(timing::load_costs(tiny.path("c.json")).date, "2026-11-21");
    EXPECT_EQ(tiny({"--costs", "--json", "-"}).out.front(), '{');
    EXPECT_TRUE(contains(tiny({"--json", tiny.path("c.json")}).err, "--time or --costs"));
    EXPECT_TRUE(contains(tiny({"--costs", "--l2", "warm"}).err, "add --time"));
    EXPECT_TRUE(contains(tiny({"--costs", "--time"}).err, "two tables"));
    EXPECT_TRUE(contains(tiny({"--costs", "--table"}).err, "leave out --table"));
    EXPECT_EQ(tiny({"--costs", "--csv", "/no/such/folder/c.csv"}).status, kExitUsage);
}

TEST(Costs, ABrokenRecordingIsNamed) {
    WithCosts tiny;
    tiny.folder.write("assets/recorded/made_up/costs.json", "{\"format\": \"lanewise costs\"}");
    const auto answer = tiny({"--costs"});
    EXPECT_EQ(answer.status, kExitUsage);
    EXPECT_TRUE(contains(answer.err, "made_up/costs.json")) << answer.err;
}

}  // namespace
}  // namespace lanewise::cli
