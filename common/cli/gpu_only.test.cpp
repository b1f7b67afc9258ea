#include "common/cli/program.hpp"

#include <gtest/gtest.h>

#include "common/base/text.testing.hpp"
#include "common/runner/recordings.hpp"
#include "common/cli/testing/window.testing.hpp"
#include "common/trace/io.hpp"

namespace lanewise::cli {
namespace {

using lanewise::testing::contains;
using testing::WithWindow;

// A lesson with a variant that only GPUs of sm_90 run, compiled for none.
struct WithGpuOnly : WithWindow {
    WithGpuOnly() {
        folder.write("lessons/99_tiny/kernels_sm90.cuh", "// line 1 of another file\nvalue += there;\n");
        launch::BuiltFile declared;
        declared.entries = {{"tiny_cluster", "32", {}, {}}};
        declared.file = "kernels_sm90.cuh";
        declared.architecture = 90;
        program.kernels.declare(declared);
        program.lesson.add({.name = "tiny_cluster",
                            .summary = "for GPUs only",
                            .plan = [](launch::Plan& plan, const lesson::Inputs& inputs) {
                                testing::plan_tiny(plan, inputs);
                                plan.launches[0].kernel = "tiny_cluster";
                            }});
    }

    void record() {
        launch::Request request;
        request.record = true;
        trace::Trace trace =
            *testing::PretendedMachine(testing::pretended_gpu()).run(plan(), program.kernels, request).trace;
        trace.header.lesson = "99_tiny";
        trace.header.variant = "tiny_cluster";
        trace.header.n = trace.header.block = 32;
        trace.header.input = "ramp";
        trace.header.date = "2026-11-20";
        trace.header.kernel_file = "kernels_sm90.cuh";
        trace.header.kernel_hash = trace::fnv1a_hex(runner::read_kernel_text(program.lesson.kernel_path("kernels_sm90.cuh")));
        const auto folder_of = program.lesson.recordings() / "h200" / "99_tiny";
        std::filesystem::create_directories(folder_of);
        trace::save(folder_of / "tiny_cluster.ndjson", trace);
    }

    launch::Plan plan() const {
        return lesson::make_plan(program.lesson.find("tiny_cluster"),
                                 lesson::Lesson::default_inputs(program.lesson.find("tiny_cluster")), program.kernels);
    }
};

TEST(GpuOnly, IsShownFromItsRecordingByItself) {
    WithGpuOnly tiny;
    tiny.record();
    const auto answer = tiny({"--text", "--variant", "tiny_cluster"});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_TRUE(contains(answer.out, "recorded on Pretended GPU")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "Shown as recorded. The kernels of kernels_sm90.cuh need a GPU of sm_90"))
        << answer.out;
    EXPECT_TRUE(contains(answer.out, "value += there;")) << answer.out;   // the file that ran
    EXPECT_EQ(tiny({"--variant", "tiny_cluster"}).status, kExitOk);
    EXPECT_EQ(tiny.seen.run->kernel_file, "kernels_sm90.cuh");
    EXPECT_TRUE(tiny.seen.run->note.starts_with("Shown as recorded. "));   // nothing to be warned of
    EXPECT_EQ(tiny.seen.run->notice, "");
    EXPECT_TRUE(contains(tiny.seen.run->source, "line 1 of another file"));
    EXPECT_EQ(tiny({"--text", "--variant", "tiny_cluster", "--backend", "recorded"}).status, kExitOk);
}

TEST(GpuOnly, SaysWhereToLookWhenAskedToRun) {
    WithGpuOnly tiny;
    tiny.record();
    for (const char* backend : {"cpu", "gpu"}) {
        tiny.has_gpu = std::string(backend) == "gpu";
        const auto answer = tiny({"--text", "--variant", "tiny_cluster", "--backend", backend});
        EXPECT_EQ(answer.status, kExitUsage) << backend;
        EXPECT_TRUE(contains(answer.err, "--backend recorded")) << answer.err;
    }
    tiny.has_gpu = false;
    std::filesystem::remove_all(tiny.program.lesson.recordings());
    const auto none = tiny({"--text", "--variant", "tiny_cluster"});
    EXPECT_EQ(none.status, kExitUsage);
    EXPECT_TRUE(contains(none.err, "There is no recording of tiny_cluster")) << none.err;
}

TEST(GpuOnly, ChecksSayWhatDidNotRun) {
    WithGpuOnly tiny;
    const auto answer = tiny({"--check"});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_TRUE(contains(answer.out, "not run")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "need a GPU of sm_90")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "2 of 3 variants")) << answer.out;
    EXPECT_EQ(tiny({"--check", "--variant", "tiny_cluster"}).status, kExitUsage);
}

}  // namespace
}  // namespace lanewise::cli
