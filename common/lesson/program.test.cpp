#include "common/lesson/program.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/base/error.hpp"
#include "common/lesson/runner.hpp"
#include "common/lesson/testing.hpp"
#include "common/timing/sweep.hpp"
#include "common/trace/io.hpp"

namespace lanewise::lesson {
namespace {

using testing::TinyProgram;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// What a window was asked for. With `display` false it is a machine without one.
struct Seen {
    bool display = true;
    int windows = 0;
    Presentation presentation;
    WindowRequest request;
    std::shared_ptr<const Run> run;
    GoOn next;                      // what the learner chooses before the window closes
    std::string file;               // what the learner opens
    std::string refused;            // the lesson of a trace that was of another one
    std::function<void(const Presentation&)> ask;   // while the session lasts
};

class PretendedWindow : public Frontend {
public:
    explicit PretendedWindow(Seen& seen) : seen_(seen) {}
    void window(const Presentation& presentation, const WindowRequest& request) override {
        if (!seen_.display) throw NoDisplay("There is no display.");
        ++seen_.windows;
        look(presentation, request);
        try {
            if (!seen_.file.empty()) seen_.run = presentation.open(seen_.file);
        } catch (const ForeignTrace& foreign) {
            seen_.refused = foreign.lesson();
        }
        if (presentation.go_on && !seen_.next.program.empty()) presentation.go_on(seen_.next);
    }
    void screenshot(const Presentation& presentation, const WindowRequest& request, const std::string&) override {
        look(presentation, request);
    }
    void svg(const Presentation& presentation, const WindowRequest& request, const std::string&) override {
        look(presentation, request);
    }
    std::string describe(const Presentation& presentation, const WindowRequest& request) override {
        look(presentation, request);
        return "described";
    }

private:
    void look(const Presentation& presentation, const WindowRequest& request) {
        seen_.presentation = presentation;
        seen_.presentation.run = {};  // belongs to a session that ends
        seen_.request = request;
        if (seen_.ask) seen_.ask(presentation);
        seen_.run = presentation.run(request.variant);
    }
    Seen& seen_;
};

struct WithWindow : TinyProgram {
    Seen seen;
    WithWindow() {
        program.make_frontend = [this] { return std::make_unique<PretendedWindow>(seen); };
    }
};

TEST(Program, AnotherLessonGoesOnOnceTheWindowIsClosed) {
    WithWindow tiny;
    tiny.seen.next = {"/lessons/06_next", {"--start"}};
    tiny({});
    EXPECT_FALSE(tiny.seen.presentation.go_on);   // nothing can start it
    GoOn started;
    tiny.program.start = [&](const GoOn& next) { started = next; };
    tiny({"--backend", "cpu"});
    EXPECT_EQ(started.program, "/lessons/06_next");
    EXPECT_EQ(started.arguments, (std::vector<std::string>{"--start", "--backend", "cpu"}));
    tiny.program.start = [](const GoOn& next) { throw Error(next.program + " could not be started: gone."); };
    const auto answer = tiny({});
    EXPECT_EQ(answer.status, kExitUsage);
    EXPECT_TRUE(contains(answer.err, "could not be started")) << answer.err;
}

TEST(Program, WithoutFlagsAWindowOpens) {
    WithWindow tiny;
    const auto answer = tiny({});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_EQ(tiny.seen.windows, 1);
    EXPECT_EQ(tiny.seen.request.variant, "tiny_sum");
    EXPECT_FALSE(tiny.seen.request.has_step);
    EXPECT_EQ(tiny.seen.presentation.title, "Tiny");
    EXPECT_EQ(tiny.seen.presentation.text, "# Tiny\n");
    EXPECT_EQ(tiny.seen.presentation.variants.size(), 1u);   // the broken one is no tab
    EXPECT_EQ(tiny.seen.presentation.all_variants.size(), 2u);
    EXPECT_EQ(tiny.seen.run->origin, "emulator · ascending");
    EXPECT_EQ(tiny.seen.run->steps.size(), 6u);
}

TEST(Program, TheTimesOpenInTheWindow) {
    WithWindow tiny;
    EXPECT_EQ(tiny({"--timings"}).status, kExitOk);
    EXPECT_EQ(tiny.seen.request.view, View::timings);
    EXPECT_EQ(tiny({"--roofline", "--screenshot", "x.png"}).status, kExitOk);
    EXPECT_EQ(tiny.seen.request.view, View::roofline);
}

TEST(Program, AWindowMeasuresOverSizesUntilItIsEnded) {
    WithWindow tiny;
    tiny.has_gpu = true;
    std::vector<std::string> told;
    timing::TimingTable table;
    tiny.seen.ask = [&](const Presentation& shown) {
        EXPECT_EQ(shown.why_not_measured(), "");
        table = shown.measure_sizes({[&](std::size_t done, std::size_t all, const std::string& what) {
                                         EXPECT_LT(done, all);
                                         told.push_back(what);
                                     },
                                     [&] { return told.size() >= 8; }});
    };
    EXPECT_EQ(tiny({}).status, kExitOk);
    EXPECT_EQ(told.at(0), "1024 · tiny_sum");
    std::set<std::uint64_t> sizes;
    for (const timing::Timing& row : table.rows) sizes.insert(row.n);
    EXPECT_TRUE(sizes.contains(1024) && sizes.contains(4096));
    EXPECT_FALSE(sizes.contains(1u << 24));   // it was ended before
    EXPECT_EQ(table.partial, timing::kCancelled);
    EXPECT_EQ(table.lesson, "99_tiny");
    EXPECT_FALSE(table.date.empty());

    tiny.has_gpu = false;
    tiny.seen.ask = [&](const Presentation& shown) { EXPECT_NE(shown.why_not_measured(), ""); };
    EXPECT_EQ(tiny({}).status, kExitOk);
    tiny.seen.ask = [&](const Presentation& shown) { EXPECT_NE(shown.why_not_measured().find("--backend"), std::string::npos); };
    EXPECT_EQ(tiny({"--backend", "cpu"}).status, kExitOk);
}

// A lesson with a variant that only GPUs of sm_90 run, compiled for none.
struct WithGpuOnly : WithWindow {
    WithGpuOnly() {
        folder.write("lessons/99_tiny/kernels_sm90.cuh", "// line 1 of another file\nvalue += there;\n");
        launch::BuiltFile declared;
        declared.entries = {{"tiny_cluster", "32", {}, {}}};
        declared.file = "kernels_sm90.cuh";
        declared.architecture = 90;
        program.kernels.declare(declared);
        program.lesson.add({.name = "tiny_cluster", .summary = "for GPUs only", .plan = [](launch::Plan& plan, const Inputs& inputs) {
                                testing::plan_tiny(plan, inputs);
                                plan.launches[0].kernel = "tiny_cluster";
                            }});
    }

    void record() {
        launch::Request request;
        request.record = true;
        trace::Trace trace = *testing::PretendedMachine(testing::pretended_gpu()).run(plan(), program.kernels, request).trace;
        trace.header.lesson = "99_tiny";
        trace.header.variant = "tiny_cluster";
        trace.header.n = trace.header.block = 32;
        trace.header.input = "ramp";
        trace.header.date = "2026-11-20";
        trace.header.kernel_file = "kernels_sm90.cuh";
        trace.header.kernel_hash = hash_of_file(program.lesson.kernel_path("kernels_sm90.cuh"));
        const auto folder_of = program.lesson.recordings() / "h200" / "99_tiny";
        std::filesystem::create_directories(folder_of);
        trace::save(folder_of / "tiny_cluster.ndjson", trace);
    }

    launch::Plan plan() const {
        return make_plan(program.lesson.find("tiny_cluster"), Lesson::default_inputs(program.lesson.find("tiny_cluster")), program.kernels);
    }
};

TEST(GpuOnly, IsShownFromItsRecordingByItself) {
    WithGpuOnly tiny;
    tiny.record();
    const auto answer = tiny({"--text", "--variant", "tiny_cluster"});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_TRUE(contains(answer.out, "recorded on Pretended GPU")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "Shown as recorded. The kernels of kernels_sm90.cuh need a GPU of sm_90")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "value += there;")) << answer.out;   // the file that ran
    EXPECT_EQ(tiny({"--variant", "tiny_cluster"}).status, kExitOk);
    EXPECT_EQ(tiny.seen.run->kernel_file, "kernels_sm90.cuh");
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

// A kernel that is wrong, and right when it is traced: lanes that wait for each other hide what is missing.
class RightWhenTraced : public testing::PretendedMachine {
public:
    using testing::PretendedMachine::PretendedMachine;
    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet& kernels, const launch::Request& request) override {
        return testing::PretendedMachine(testing::pretended_gpu(), request.record ? 0.0f : 100.0f).run(plan, kernels, request);
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

TEST(Program, TheRoundingLensIsATableInATerminalAndAViewInAWindow) {
    WithWindow tiny;
    const auto text = tiny({"--text", "--rounding", "--variant", "tiny_sum"});
    EXPECT_EQ(text.status, kExitOk) << text.err;
    EXPECT_TRUE(contains(text.out, "tiny_sum · rounding")) << text.out;
    EXPECT_TRUE(contains(text.out, "worst sum")) << text.out;
    EXPECT_TRUE(contains(text.out, "every sum is exact")) << text.out;
    EXPECT_FALSE(contains(text.out, "step 1 of")) << text.out;
    EXPECT_EQ(tiny({"--rounding"}).status, kExitOk);
    EXPECT_EQ(tiny.seen.request.view, View::rounding);
}

TEST(Program, TheTableSetsAllVariantsBesideEachOther) {
    WithWindow tiny;
    const auto answer = tiny({"--table", "--sort", "error:down"});
    EXPECT_EQ(answer.status, kExitOk) << answer.err;
    EXPECT_EQ(tiny.seen.windows, 0);
    for (const auto& variant : tiny.program.lesson.variants()) EXPECT_TRUE(contains(answer.out, "\n" + variant.name + " ")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "loads/thread")) << answer.out;
    EXPECT_TRUE(contains(answer.out, "wrong, as declared")) << answer.out;
    EXPECT_EQ(tiny({"--table", "--sort", "time", "--screenshot", "x.png"}).status, kExitOk);
    EXPECT_EQ(tiny.seen.request.view, View::table);
    EXPECT_EQ(tiny.seen.request.sort, "time");
    EXPECT_TRUE(contains(tiny({"--sort", "time"}).err, "add --table"));
    EXPECT_TRUE(contains(tiny({"--table", "--sort", "tme"}).err, "did you mean 'time'?"));
}

TEST(Program, WithoutADisplayTheStepsAreText) {
    WithWindow tiny;
    tiny.seen.display = false;
    const auto answer = tiny({});
    EXPECT_EQ(answer.status, kExitOk);
    EXPECT_TRUE(contains(answer.err, "There is no display.")) << answer.err;
    EXPECT_TRUE(contains(answer.out, "xor 16")) << answer.out;
}

TEST(Program, BuiltWithoutAWindow) {
    TinyProgram tiny;
    const auto answer = tiny({});
    EXPECT_EQ(answer.status, kExitOk);
    EXPECT_TRUE(contains(answer.err, "without a window"));
    EXPECT_TRUE(contains(answer.out, "496"));
    const auto picture = tiny({"--screenshot", "x.png"});
    EXPECT_EQ(picture.status, kExitUsage);
    EXPECT_TRUE(contains(picture.err, "LANEWISE_WINDOW")) << picture.err;
}

TEST(Program, StepsCountFromOne) {
    WithWindow tiny;
    EXPECT_EQ(tiny({"--describe", "--step", "6", "--lane", "3"}).out, "described\n");
    EXPECT_EQ(tiny.seen.request.step, 5u);
    EXPECT_TRUE(tiny.seen.request.has_step);
    EXPECT_EQ(tiny.seen.request.lane, 3);
    for (const auto& arguments : std::vector<std::vector<std::string>>{{"--describe", "--step", "7"},
                                                                       {"--screenshot", "a.png", "--step", "7"},
                                                                       {"--text", "--step", "7"},
                                                                       {"--step", "7"}}) {
        const auto past = tiny(arguments);
        EXPECT_EQ(past.status, kExitUsage);
        EXPECT_TRUE(contains(past.err, "--step 7: tiny_sum has 6 steps; give 1 to 6.")) << past.err;
    }
}

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
    EXPECT_EQ(saved.header.kernel_hash, hash_of_file(tiny.program.lesson.kernel_path()));
    EXPECT_EQ(saved.records.size(), 5u);
    ASSERT_EQ(saved.outputs.size(), 1u);
    EXPECT_EQ(saved.outputs[0].values, std::vector<std::uint64_t>{to_bits(496.0f)});
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
                            {{"small_sum", "32", {}, {&address}}, {"small_sum", "8", {}, {&address}, 8}}, {}, {}, nullptr};
    tiny.program.kernels.add(built);
    std::vector<std::string> launched;
    tiny.program.lesson.add({.name = "small_sum", .summary = "in warps of any size", .plan = [&](launch::Plan& plan, const Inputs& inputs) {
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
    EXPECT_NE(other.err.find("--warp 8: tiny_sum runs in warps of 32 lanes only; give --variant small_sum"), std::string::npos)
        << other.err;
}

TEST(Program, MoreThanTheEmulatorRuns) {
    TinyProgram tiny;
    const auto answer = tiny({"--backend", "cpu", "--check", "--n", "67108865"});
    EXPECT_EQ(answer.status, kExitUsage);
    EXPECT_TRUE(contains(answer.err, "67108865") && contains(answer.err, "67108864")) << answer.err;
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
    expect(with("\"major\":1", "\"major\":2"), "2.1");
    expect(with("tiny_sum", "tiny_gone"), "tiny_gone");
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
    EXPECT_TRUE(contains(recorded.out, "Recorded on Old GPU · 2026-01-02") && contains(recorded.out, "3.50")) << recorded.out;
    EXPECT_EQ(tiny({"--time", "--n", "5"}).status, kExitUsage);

    tiny.has_gpu = true;
    const auto measured = tiny({"--time", "--variant", "tiny_sum"});
    EXPECT_EQ(measured.status, kExitOk) << measured.err;
    EXPECT_FALSE(contains(measured.out, "Recorded"));
    EXPECT_TRUE(contains(measured.out, "1048576") && contains(measured.out, "2.00")) << measured.out;
}

}  // namespace
}  // namespace lanewise::lesson
