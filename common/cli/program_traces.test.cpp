#include "common/cli/program.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/base/kernel_text.hpp"
#include "common/base/text.testing.hpp"
#include "common/runner/recordings.hpp"
#include "common/cli/testing/tiny_program.testing.hpp"
#include "common/trace/io.hpp"

namespace lanewise::cli {
namespace {

using lanewise::testing::contains;
using testing::TinyProgram;

// A kernel that is wrong, and right when it is traced: lanes that wait for each other hide what is missing.
class RightWhenTraced : public testing::PretendedMachine {
public:
    using testing::PretendedMachine::PretendedMachine;
    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet& kernels,
                        const launch::Request& request) override {
        return testing::PretendedMachine(testing::pretended_gpu(), request.record ? 0.0f : 100.0f)
            .run(plan, kernels, request);
    }
};

TEST(Program, AResultIsThePlainKernelsThoughTheStepsAreTraced) {
    TinyProgram tiny;
    tiny.has_gpu = true;
    tiny.program.make_gpu = [] { return std::make_unique<RightWhenTraced>(testing::pretended_gpu()); };
    const std::string path = tiny.path("hidden.ndjson");
    const auto live = tiny({"--text", "--variant", "tiny_sum", "--save-trace", path});
    EXPECT_TRUE(contains(live.out, "out = 596") && contains(live.out, "OUTSIDE its bound")) << live.out;
    EXPECT_TRUE(contains(live.out, "Traced, this kernel gave out = 496; plain, it gave 596")) << live.out;
    const auto saved = trace::load(path);
    EXPECT_EQ(from_bits<float>(saved.outputs.at(0).values.at(0)), 496);
    EXPECT_EQ(from_bits<float>(saved.plain.at(0).values.at(0)), 596);
    const auto opened = tiny({"--text", "--open", path});
    EXPECT_TRUE(contains(opened.out, "OUTSIDE its bound") && contains(opened.out, "plain, it gave 596")) << opened.out;

    tiny.program.make_gpu = [] { return std::make_unique<testing::PretendedMachine>(testing::pretended_gpu()); };
    EXPECT_FALSE(contains(tiny({"--text", "--variant", "tiny_sum"}).out, "Traced, this kernel"));
}

TEST(Program, AGpuRunShowsTheEmulatorsAccessesAndSavesItsOwn) {
    TinyProgram tiny;
    tiny.has_gpu = true;
    const auto answer = tiny({"--text", "--save-trace", tiny.path("t.ndjson")});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_TRUE(contains(answer.out, "Pretended GPU · traced run · memory accesses from the emulator")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "load in"));
    const auto saved = trace::load(tiny.path("t.ndjson"));
    EXPECT_EQ(saved.header.source.gpu, "Pretended GPU");
    EXPECT_EQ(saved.header.lesson, "99_tiny");
    EXPECT_EQ(saved.header.variant, "tiny_sum");
    EXPECT_EQ(saved.header.n, 32u);
    EXPECT_EQ(saved.header.date, "2026-11-21");
    const std::string text = runner::read_kernel_text(tiny.program.lesson.kernel_path());
    EXPECT_EQ(saved.header.kernel_hash, trace::fnv1a_hex(text));
    EXPECT_EQ(saved.header.code_hash, trace::fnv1a_hex(code_of(text)));
    EXPECT_EQ(saved.records.size(), 5u);
    ASSERT_EQ(saved.outputs.size(), 1u);
    EXPECT_EQ(saved.outputs[0].values, std::vector<std::uint64_t>{to_bits(496.0f)});
}

// Lines of a trace are those of the code that ran; a comment may change without moving them.
TEST(Program, SaysThatTheKernelFileHasChangedWhereItsCodeHas) {
    TinyProgram tiny;
    const std::string path = tiny.path("t.ndjson"), kernels = "lessons/99_tiny/kernels.cuh";
    const std::string text = runner::read_text(tiny.program.lesson.kernel_path());
    EXPECT_EQ(tiny({"--text", "--save-trace", path}).status, kExitOk);
    const auto warns = [&](const std::string& now) {
        tiny.folder.write(kernels, now);
        return contains(tiny({"--text", "--open", path}).out, "kernels.cuh has changed since this trace was taken");
    };
    EXPECT_FALSE(warns(text));
    EXPECT_FALSE(warns(text.substr(0, text.find('\n')) + "  // adds" + text.substr(text.find('\n'))));
    EXPECT_TRUE(warns("\n" + text));
    EXPECT_TRUE(warns(text + "int more;\n"));
}

TEST(Program, RecordsEveryVariantOnAGpuAndOnlyThere) {
    TinyProgram tiny;
    const auto refused = tiny({"--record", tiny.path("recorded")});
    EXPECT_EQ(refused.status, kExitUsage);
    EXPECT_TRUE(contains(refused.err, "recordings are made on a GPU")) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(tiny.path("recorded")));
    tiny.has_gpu = true;
    const auto answer = tiny({"--record", tiny.path("recorded")});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    const auto folder = std::filesystem::path(tiny.path("recorded")) / "99_tiny";
    for (const auto& variant : tiny.program.lesson.variants())
        EXPECT_EQ(trace::load(folder / (variant.name + ".ndjson")).header.source.gpu, "Pretended GPU");
    EXPECT_FALSE(timing::load(folder / "timings.json").rows.empty());
}

TEST(Program, Traces) {
    TinyProgram tiny;
    const auto a = tiny.path("a.ndjson"), b = tiny.path("b.ndjson");
    EXPECT_EQ(tiny({"--save-trace", a, "--backend", "cpu"}).status, kExitOk);
    EXPECT_EQ(tiny({"--save-trace", b, "--backend", "cpu", "--order", "descending"}).status, kExitOk);
    EXPECT_EQ(tiny({"--diff", a, b}).status, kExitOk);
    const auto shown = tiny({"--open", a, "--text"});
    EXPECT_EQ(shown.status, kExitOk) << shown.err;
    EXPECT_TRUE(contains(shown.out, "file a.ndjson · emulator · ascending"));
    EXPECT_TRUE(contains(shown.out, "reference 496")) << shown.out;

    EXPECT_EQ(tiny({"--save-trace", b, "--backend", "cpu", "--n", "31"}).status, kExitOk);
    const auto different = tiny({"--diff", a, b});
    EXPECT_EQ(different.status, kExitFailed);
    EXPECT_TRUE(contains(different.out, "31")) << different.out;
}

TEST(Program, ATruncatedTraceShowsItsPrefix) {
    TinyProgram tiny;
    const auto path = tiny.path("a.ndjson");
    tiny({"--save-trace", path, "--backend", "cpu"});
    const std::string whole = testing::slurp(path);
    tiny.folder.write("a.ndjson", whole.substr(0, whole.size() * 2 / 3));
    const auto answer = tiny({"--open", path, "--text"});
    EXPECT_EQ(answer.status, kExitPartial);
    EXPECT_TRUE(contains(answer.err, "a.ndjson")) << answer.err;
    EXPECT_TRUE(contains(answer.out, "xor 16")) << answer.out;
}

TEST(Program, TracesThatCannotBeShown) {
    TinyProgram tiny;
    const auto path = tiny.path("a.ndjson");
    tiny({"--save-trace", path, "--backend", "cpu"});
    const std::string whole = testing::slurp(path);
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = whole;
        text.replace(text.find(from), from.size(), to);
        return tiny.folder.write("changed.ndjson", text).string();
    };
    const auto expect = [&](const std::string& file, const std::string& part) {
        const auto answer = tiny({"--open", file, "--text"});
        EXPECT_EQ(answer.status, kExitUsage);
        EXPECT_EQ(answer.out, "");
        EXPECT_TRUE(contains(answer.err, part)) << answer.err;
    };
    expect(with("99_tiny", "98_else"), "98_else");
    expect(with("\"major\":1", "\"major\":2"), "2.5");
    expect(with("tiny_sum", "tiny_gone"), "tiny_gone");
    expect(with("tiny_sum", "tiny_gone"), "changed.ndjson is a trace of a variant that is not there");
    expect(with("99_tiny", "x; rm y"), "no lesson can be named so");
    const std::string spaced = tiny.path("a 'b'.ndjson");
    testing::files::copy_file(with("99_tiny", "98_else"), spaced);
    expect(spaced, "./lessons/run 98_else --open '" + tiny.path("a '\\''b'\\''.ndjson") + "'");
    expect("/no/such/trace", "/no/such/trace");
    expect(tiny.folder.write("text", "hello\n").string(), "not a trace");
}

TEST(Program, AnUnwritablePathLeavesNothing) {
    TinyProgram tiny;
    const auto answer = tiny({"--save-trace", "/no/such/folder/t.ndjson", "--backend", "cpu"});
    EXPECT_EQ(answer.status, kExitUsage);
    EXPECT_TRUE(contains(answer.err, "/no/such/folder/t.ndjson"));
    EXPECT_FALSE(std::filesystem::exists("/no/such"));
}

TEST(Program, Recordings) {
    TinyProgram tiny;
    const auto none = tiny({"--backend", "recorded", "--text"});
    EXPECT_EQ(none.status, kExitUsage);
    EXPECT_TRUE(contains(none.err, "no recording of tiny_sum")) << none.err;

    tiny.has_gpu = true;
    std::filesystem::create_directories(tiny.folder.path() / "assets/recorded/pretended/99_tiny");
    tiny({"--save-trace", tiny.path("assets/recorded/pretended/99_tiny/tiny_sum.ndjson"), "--backend", "gpu"});
    const auto shown = tiny({"--backend", "recorded", "--text"});
    EXPECT_EQ(shown.status, kExitOk) << shown.err;
    EXPECT_TRUE(contains(shown.out, "recorded on Pretended GPU · 2026-11-21")) << shown.out;
    EXPECT_TRUE(contains(shown.out, "load in"));
    const auto other = tiny({"--backend", "recorded", "--text", "--n", "64"});
    EXPECT_EQ(other.status, kExitUsage);
    EXPECT_TRUE(contains(other.err, "--n 64") && contains(other.err, "n = 32")) << other.err;
}

}  // namespace
}  // namespace lanewise::cli
