#include "common/cli/program.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/base/text.testing.hpp"
#include "common/cli/testing/tiny_program.testing.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::cli {
namespace {

using lanewise::testing::contains;
using testing::pretended_emulator;
using testing::PretendedMachine;
using testing::TinyProgram;

TEST(Program, AskingForTheCpuAsksForNoGpu) {
    TinyProgram tiny;
    tiny({"--backend", "cpu", "--text"});
    tiny({"--list"});
    tiny({"--help"});
    EXPECT_EQ(tiny.gpu_questions, 0);
    tiny({"--text"});
    EXPECT_EQ(tiny.gpu_questions, 1);
}

TEST(Program, AGpuThatIsNotThere) {
    TinyProgram tiny;
    for (const char* what : {"--text", "--check", "--time"}) {
        const auto answer = tiny({"--backend", "gpu", what});
        EXPECT_EQ(answer.status, kExitUsage) << what;
        EXPECT_TRUE(contains(answer.err, "--backend gpu: There is no GPU here")) << answer.err;
    }
}

TEST(Program, Check) {
    TinyProgram tiny;
    const auto right = tiny({"--check", "--backend", "cpu"});
    EXPECT_EQ(right.status, kExitOk) << right.out;
    EXPECT_TRUE(contains(right.out, "wrong, as declared"));
    EXPECT_TRUE(contains(right.out, "its reference is of another sum"));
    tiny.emulator_is_off_by = 1;
    const auto wrong = tiny({"--check", "--backend", "cpu"});
    EXPECT_EQ(wrong.status, kExitFailed);
    EXPECT_TRUE(contains(wrong.out, "OUTSIDE")) << wrong.out;
    EXPECT_TRUE(contains(wrong.out, "1 of 2 variants outside"));
}

// Computes what the pretended machine does, and says that it found a race on the way.
class FlaggingMachine : public PretendedMachine {
public:
    using PretendedMachine::PretendedMachine;
    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet& kernels,
                        const launch::Request& request) override {
        launch::Outcome outcome = PretendedMachine::run(plan, kernels, request);
        if (!request.checks) return outcome;
        outcome.verdict = trace::Verdict::wrong;
        trace::Finding& race = outcome.findings.emplace_back();
        race.kind = "race";
        race.kernel = "tiny_sum<32>";
        race.line = 2;
        race.sentence = "Two lanes race.";
        race.advice = "Let them wait.";
        return outcome;
    }
};

TEST(Program, CheckFailsOnWhatTheChecksFoundAndReportsIt) {
    TinyProgram tiny;
    tiny.program.make_emulator = [] { return std::make_unique<FlaggingMachine>(pretended_emulator()); };
    const auto wrong = tiny({"--backend", "cpu", "--report", tiny.path("found.sarif")});
    EXPECT_EQ(wrong.status, kExitFailed) << wrong.out;
    EXPECT_TRUE(contains(wrong.out, "finding: race")) << wrong.out;
    EXPECT_TRUE(contains(wrong.out, "Let them wait.")) << wrong.out;
    EXPECT_TRUE(contains(wrong.out, "checks: 2 wrong; 1 of them not on purpose")) << wrong.out;
    std::ifstream sarif(tiny.path("found.sarif"));
    const std::string report{std::istreambuf_iterator<char>(sarif), {}};
    EXPECT_TRUE(contains(report, "\"version\": \"2.1.0\"")) << report;
    EXPECT_TRUE(contains(report, "lessons/99_tiny/kernels.cuh")) << report;
    const auto declared = tiny({"--backend", "cpu", "--check", "--variant", "tiny_broken", "--report",
                                tiny.path("found.json")});
    EXPECT_EQ(declared.status, kExitOk) << declared.out;
    EXPECT_TRUE(std::filesystem::exists(tiny.path("found.json")));
    const auto misnamed = tiny({"--report", "found.txt"});
    EXPECT_EQ(misnamed.status, kExitUsage);
    EXPECT_TRUE(contains(misnamed.err, "FILE.json or FILE.sarif")) << misnamed.err;
}

TEST(Program, ABlockWithoutAnInstance) {
    TinyProgram tiny;
    for (const char* what : {"--text", "--check", "--save-trace=x"}) {
        const auto answer = tiny({what, "--block", "96"});
        EXPECT_EQ(answer.status, kExitUsage);
        EXPECT_TRUE(contains(answer.err, "--block 96")) << answer.err;
        EXPECT_TRUE(contains(answer.err, "32, 64")) << answer.err;
    }
}

TEST(Program, TeachingWarpsChooseTheirInstanceOnTheEmulator) {
    TinyProgram tiny;
    tiny.has_gpu = true;
    static const char address = 0;
    launch::BuiltFile built{launch::Build::emulated,
                            {{"small_sum", "32", {}, {&address}}, {"small_sum", "8", {}, {&address}, 8}},
                            {},
                            {},
                            {}};
    tiny.program.kernels.add(built);
    std::vector<std::string> launched;
    tiny.program.lesson.add({.name = "small_sum",
                             .summary = "in warps of any size",
                             .plan = [&](launch::Plan& plan, const lesson::Inputs& inputs) {
                                 testing::plan_tiny(plan, inputs);
                                 plan.launches[0].kernel = "small_sum";
                                 plan.launches[0].arguments = std::to_string(inputs.warp);
                                 launched.push_back(plan.launches[0].arguments);
                             }});
    EXPECT_EQ(tiny({"--check", "--variant", "small_sum", "--warp", "8"}).status, kExitOk);
    EXPECT_EQ(launched.back(), "8");
    EXPECT_EQ(tiny.gpu_questions, 0);
    tiny({"--check", "--variant", "small_sum", "--warp", "32"});
    EXPECT_EQ(launched.back(), "32");
    const auto none = tiny({"--check", "--variant", "small_sum", "--warp", "16"});
    EXPECT_EQ(none.status, kExitUsage);
    const auto other = tiny({"--check", "--variant", "tiny_sum", "--warp", "8"});
    EXPECT_EQ(other.status, kExitUsage);
    EXPECT_NE(other.err.find("--warp 8: tiny_sum runs in warps of 32 lanes only; give --variant small_sum"),
              std::string::npos)
        << other.err;
}

TEST(Program, MoreThanTheEmulatorRuns) {
    TinyProgram tiny;
    const auto answer = tiny({"--backend", "cpu", "--check", "--n", "67108865"});
    EXPECT_EQ(answer.status, kExitUsage);
    EXPECT_TRUE(contains(answer.err, "67108865") && contains(answer.err, "67108864")) << answer.err;
}

TEST(Program, TimesComeFromAGpuOrARecording) {
    TinyProgram tiny;
    EXPECT_EQ(tiny({"--time"}).status, kExitUsage);
    timing::TimingTable table;
    table.lesson = "99_tiny";
    table.gpu = "Old GPU";
    table.date = "2026-01-02";
    timing::Timing row;
    row.variant = "tiny_sum";
    row.n = 1024;
    row.block = 32;
    row.median_us = 3.5;
    row.samples = 10;
    table.rows = {row};
    std::filesystem::create_directories(tiny.folder.path() / "assets/recorded/old/99_tiny");
    timing::save(tiny.folder.path() / "assets/recorded/old/99_tiny/timings.json", table);
    const auto recorded = tiny({"--time"});
    EXPECT_EQ(recorded.status, kExitOk) << recorded.err;
    EXPECT_TRUE(contains(recorded.out, "Recorded on Old GPU · 2026-01-02") && contains(recorded.out, "3.50"))
        << recorded.out;
    EXPECT_EQ(tiny({"--time", "--n", "5"}).status, kExitUsage);

    tiny.has_gpu = true;
    const auto measured = tiny({"--time", "--variant", "tiny_sum"});
    EXPECT_EQ(measured.status, kExitOk) << measured.err;
    EXPECT_FALSE(contains(measured.out, "Recorded"));
    EXPECT_TRUE(contains(measured.out, "1048576") && contains(measured.out, "2.00")) << measured.out;
}

}  // namespace
}  // namespace lanewise::cli
