// What must hold of every lesson, whatever its kernels: add_lesson() puts this into each lesson's test.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "common/check/checker.hpp"
#include "common/gpu/gpu_backend.hpp"
#include "common/gpu/device.hpp"
#include "common/launch/arrival_order.hpp"
#include "common/lesson/lesson.testing.hpp"
#include "common/player/questions.hpp"
#include "common/player/text_links.hpp"
#include "common/cli/options.hpp"
#include "common/cli/program.hpp"
#include "common/runner/recordings.hpp"
#include "common/runner/run_changes.hpp"
#include "common/runner/runner.hpp"
#include "common/trace/diff.hpp"
#include "common/trace/io.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using lesson::testing::run;   // not the namespace

void expect_right(const lesson::Variant& variant, const lesson::Inputs& inputs, const std::string& order) {
    const auto plan = plan_of(variant.name, inputs);
    const auto outcome = run(plan, order);
    const std::string what =
        variant.name + " n " + std::to_string(inputs.n) + " block " + std::to_string(inputs.block) + " order " + order;
    for (const auto& finding : outcome.findings) ADD_FAILURE() << what << ": " << finding.sentence;
    expect_verified(plan, outcome, what);
}

bool is_emulated_in(const lesson::Variant& variant, const char* order) {
    return variant.block_order != lesson::BlockOrder::last_waits || order == std::string("ascending");
}

// As near to n as the variant takes.
std::uint64_t at_most(std::uint64_t n, const lesson::Variant& variant) {
    return variant.most_n > 0 ? std::min(n, variant.most_n) : n;
}

TEST(EveryVariant, IsRightForAnySizeAndOrder) {
    for (const auto& variant : the_lesson().variants()) {
        if (!variant.declared_wrong.empty() || !is_emulated(variant)) continue;
        for (const std::uint64_t n : {1u, 31u, 127u, 4096u, 100003u})
            for (const char* order : {"ascending", "descending", "7"}) {
                if (!is_emulated_in(variant, order) || n != at_most(n, variant)) continue;
                lesson::Inputs inputs = inputs_of(variant.name);
                inputs.n = n;
                inputs.kind = "random";
                inputs.seed = n;
                expect_right(variant, inputs, order);
            }
    }
}

// A timed replay zeroes no output but those that launches add to: whatever the others held before, the result is right.
TEST(EveryVariant, NeedsZeroesOnlyWhereItsPlanSaysThatItAdds) {
    for (const auto& variant : the_lesson().variants()) {
        if (!variant.declared_wrong.empty() || !is_emulated(variant)) continue;
        for (const std::uint64_t n : {1u, 4096u, 5001u}) {
            lesson::Inputs inputs = inputs_of(variant.name);
            inputs.n = at_most(n, variant);
            auto plan = plan_of(variant.name, inputs);
            for (auto& buffer : plan.buffers)
                if (buffer.role == launch::BufferRole::output && !buffer.added_to) buffer.role = launch::BufferRole::scratch;
            expect_verified(plan, run(plan), variant.name + " n " + std::to_string(n));
        }
    }
}

TEST(EveryVariant, IsRightInBlocksOfEverySizeThatItHas) {
    for (const auto& variant : the_lesson().variants()) {
        if (!variant.declared_wrong.empty() || !is_emulated(variant)) continue;
        for (std::uint32_t block = 1; block <= 1024; ++block) {
            if (!lesson::has_instance(variant, block, kernels())) continue;
            lesson::Inputs inputs = inputs_of(variant.name);
            inputs.block = block;
            inputs.n = 1;
            // Some plans have blocks of one size, whatever is asked for.
            if (block != variant.block && plan_of(variant.name, inputs).launches.front().block.count() != block) continue;
            inputs.n = at_most(5000, variant);
            inputs.kind = "random";
            expect_right(variant, inputs, "ascending");
        }
    }
}

// A wrong kernel is there to be seen: in some order its result is off or the emulator says what is wrong. It may never
// hang.
TEST(EveryVariant, ThatIsDeclaredWrongShowsIt) {
    for (const auto& variant : the_lesson().variants()) {
        if (variant.declared_wrong.empty()) continue;
        bool shown = false;
        for (const char* order : {"ascending", "descending", "1", "2", "3"}) {
            const auto plan = plan_of(variant.name, inputs_of(variant.name));
            const auto outcome = run(plan, order);
            shown = shown || !outcome.findings.empty();
            for (const auto& verdict : launch::verify(plan, outcome)) shown = shown || !verdict.ok;
        }
        EXPECT_TRUE(shown) << variant.name << " is declared wrong, but nothing shows it";
    }
}

// Every check on: what is not declared wrong is clean, in whichever order lanes and blocks run.
TEST(EveryVariant, IsFlaggedOnlyWhereItIsDeclaredWrong) {
    const auto machine = check::make_emulator();
    for (const auto& variant : the_lesson().variants()) {
        if (!is_emulated(variant)) continue;
        for (const char* order : {"ascending", "descending", "7"}) {
            if (!is_emulated_in(variant, order)) continue;
            launch::Request request;
            request.order = launch::Order::parse(order);
            request.checks = true;
            const auto outcome = machine->run(plan_of(variant.name, inputs_of(variant.name)), kernels(), request);
            EXPECT_NE(outcome.verdict, trace::Verdict::not_checked) << variant.name;
            if (!variant.declared_wrong.empty()) continue;
            EXPECT_EQ(trace::verdict_name(outcome.verdict), std::string("clean for this run"))
                << variant.name << " " << order << ": " << outcome.undecided;
            for (const auto& finding : outcome.findings)
                EXPECT_EQ(finding.severity, trace::Severity::note)
                    << variant.name << " " << order << ": " << finding.sentence;
        }
    }
}

TEST(EveryVariant, LeavesTheSameTraceInEveryOrder) {
    for (const auto& variant : the_lesson().variants()) {
        // Where another block finishes, it leaves another trace.
        if (!variant.declared_wrong.empty() || variant.block_order != lesson::BlockOrder::free || !is_emulated(variant))
            continue;
        const auto plan = plan_of(variant.name, inputs_of(variant.name));
        const auto ascending = *run(plan, "ascending", true).trace;
        for (const char* order : {"descending", "7"}) {
            const auto other = *run(plan, order, true).trace;
            const auto difference = trace::diff(ascending, other);
            EXPECT_TRUE(difference.equal) << variant.name << " " << order << ": " << difference.sentence;
        }
    }
}

// The order in which the emulator is to run the blocks to do what a GPU did.
launch::Order order_of(const lesson::Variant& variant, const trace::Trace& recorded) {
    return variant.block_order == lesson::BlockOrder::arrival ? launch::arrival_order(recorded) : launch::Order{};
}

// A kernel for GPUs only is refused by a sentence that says where to look.
TEST(EveryVariant, IsEmulatedOrSaysWhyNot) {
    for (const auto& variant : the_lesson().variants()) {
        if (is_emulated(variant)) continue;
        try {
            run(plan_of(variant.name, inputs_of(variant.name)));
            ADD_FAILURE() << variant.name << " ran on the emulator";
        } catch (const std::exception& error) {
            EXPECT_NE(std::string(error.what()).find("--backend recorded"), std::string::npos) << error.what();
        }
    }
}

// What a GPU did is the truth; the emulator is held to it wherever the tests run.
TEST(EveryVariant, DoesOnTheEmulatorWhatItDidOnTheGpu) {
    bool any = false;
    for (const auto& variant : the_lesson().variants())
        any = any || !runner::find_recording(the_lesson(), variant.name + ".ndjson").empty();
    if (!any) GTEST_SKIP() << "nothing has been recorded on a GPU yet under " << the_lesson().recordings();
    for (const auto& variant : the_lesson().variants()) {
        if (!variant.declared_wrong.empty()) continue;
        const auto path = runner::find_recording(the_lesson(), variant.name + ".ndjson");
        // Another type of what has a tab may be left out, so that a lesson's recordings stay small.
        if (path.empty() && !variant.tab) continue;
        ASSERT_FALSE(path.empty()) << variant.name << " has no recording; take it with --record on a GPU";
        const auto recorded = trace::load(path);
        EXPECT_FALSE(recorded.partial) << recorded.partial_reason;
        EXPECT_EQ(recorded.header.source.kind, trace::SourceKind::gpu) << path;
        const lesson::Inputs inputs = inputs_of(variant.name);
        const auto plan = plan_of(variant.name, inputs);
        EXPECT_EQ(recorded.header.kernel_file, lesson::kernel_file_of(plan, kernels())) << variant.name;
        if (!is_emulated(variant)) {
            EXPECT_TRUE(trace::is_code_of(
                recorded.header, runner::read_kernel_text(the_lesson().kernel_path(recorded.header.kernel_file))))
                << variant.name << " was recorded of other code";
            continue;
        }
        auto emulated = *run(plan, order_of(variant, recorded), true, recorded.header.blocks).trace;
        // Of the header, what is compared is what this run was asked for.
        emulated.header.lesson = the_lesson().name();
        emulated.header.variant = variant.name;
        emulated.header.n = inputs.n;
        emulated.header.block = inputs.block;
        emulated.header.seed = inputs.seed;
        emulated.header.input = inputs.kind;
        emulated.header.columns = inputs.columns;
        emulated.header.controls = inputs.controls.values();
        trace::set_kernel_file(emulated.header, launch::kKernelFile,
                               runner::read_kernel_text(the_lesson().kernel_path()));
        const auto difference = trace::diff(recorded, emulated);
        EXPECT_TRUE(difference.equal) << variant.name << ": " << difference.sentence;
        EXPECT_GT(difference.records_compared, 0u) << variant.name;
    }
}

// A link of the text that leads nowhere would be found by a learner first.
TEST(EveryLink, OfTheTextLeadsSomewhere) {
    runner::LessonSetup setup{generated::make_lesson(), generated::kernels(), check::make_emulator, {},
                              [](std::string*) { return false; }, {}, cli::date_of_today};
    const runner::RunOptions options;
    runner::Runner runner(setup, options);
    const auto fields = runner::fields_of(setup.lesson, setup.kernels);
    // The glossary's headings, as links write them.
    std::set<std::string> terms;
    std::istringstream glossary(runner::read_text(the_lesson().folder().parent_path() / "GLOSSARY.md"));
    for (std::string line; std::getline(glossary, line);) {
        if (!line.starts_with("## ")) continue;
        std::string term = line.substr(3);
        for (char& c : term) c = c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        terms.insert(term);
    }
    for (const std::string& target : player::links_of_text(runner::read_text(the_lesson().text_path()))) {
        if (target.starts_with("https://")) continue;
        player::Link link;
        ASSERT_NO_THROW(link = player::parse_link(target)) << target;
        std::vector<std::string> named = link.compare;
        if (!link.variant.empty()) named.push_back(link.variant);
        for (const std::string& name : named) EXPECT_NO_THROW(the_lesson().find(name)) << target;
        if (!link.term.empty()) {
            EXPECT_TRUE(terms.contains(link.term)) << target << " is no heading of lessons/GLOSSARY.md";
        }
        if (!link.lesson.empty()) {
            EXPECT_TRUE(std::filesystem::exists(the_lesson().folder().parent_path() / link.lesson / "lesson.md"))
                << target;
        }
        std::shared_ptr<const runner::FinishedRun> changed;
        if (!link.changes.empty()) {
            ASSERT_FALSE(link.variant.empty()) << target << " changes a run, but not of which variant";
            EXPECT_EQ(run::changes_for(link.changes, fields.at(link.variant)), link.changes) << target;
            ASSERT_NO_THROW(changed = runner.run_changed(link.variant, {}, link.changes)) << target;
        }
        if (!link.step) continue;
        // A step is one of a variant's: which, is said.
        ASSERT_FALSE(named.empty()) << target << " names a step, but not of which variant";
        if (!changed) changed = runner.run(named.front());
        EXPECT_LT(*link.step, changed->run->steps.size()) << target;
        if (!link.ask || link.ask == player::QuestionKind::faster || link.ask == player::QuestionKind::latency)
            continue;   // of times and costs: predictions.py
        EXPECT_NO_THROW(player::question_of_text(changed->run->steps, {target, link}, {})) << target;
    }
}

// Its predictions are questions that the window asks.
TEST(EveryLink, TheTextAsks) {
    EXPECT_FALSE(player::questions_of_text(runner::read_text(the_lesson().text_path())).empty());
}

TEST(EveryVariant, LeavesTheEmulatorsTracesOnAGpu) {
    std::string why;
    if (!gpu::available(&why)) GTEST_SKIP() << why;
    for (const auto& variant : the_lesson().variants()) {
        if (!variant.declared_wrong.empty() || !is_emulated(variant)) continue;
        const auto plan = plan_of(variant.name, inputs_of(variant.name));
        std::vector<std::uint32_t> blocks(variant.recorded_blocks);
        std::iota(blocks.begin(), blocks.end(), 0u);
        auto on_gpu = run(*gpu::make_gpu_backend(), plan, {}, true, blocks);
        on_gpu.trace->header.tolerance = variant.tolerance;
        const auto emulated = run(plan, order_of(variant, *on_gpu.trace), true, blocks);
        const auto difference = trace::diff(*on_gpu.trace, *emulated.trace);
        EXPECT_TRUE(difference.equal) << variant.name << ": " << difference.sentence;
    }
}

// For check_lessons.py: what each variant's program and its plan are, as text and files of bytes in this folder.
TEST(EveryVariant, WritesItsPlanWhereThatIsAskedFor) {
    const char* folder = std::getenv("LANEWISE_PLANS");
    if (!folder) GTEST_SKIP() << "LANEWISE_PLANS names no folder";
    for (const auto& variant : the_lesson().variants()) {
        if (!is_emulated(variant)) continue;
        const auto plan = plan_of(variant.name, inputs_of(variant.name));
        const std::string path = std::string(folder) + "/" + variant.name;
        std::ofstream text(path + ".plan");
        for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
            const auto& buffer = plan.buffers[i];
            text << "buffer\t" << buffer.name << '\t' << static_cast<int>(buffer.role) << '\t' << buffer.bytes() << '\n';
            std::ofstream bytes(path + "." + std::to_string(i) + ".bin", std::ios::binary);
            bytes.write(reinterpret_cast<const char*>(buffer.contents.data()),
                        static_cast<std::streamsize>(buffer.contents.size()));
        }
        for (const auto& launch : plan.launches) {
            text << "launch\t" << launch.kernel << '\t' << launch.arguments << '\t' << launch.grid.x << '\t' << launch.grid.y
                 << '\t' << launch.grid.z << '\t' << launch.block.x << '\t' << launch.block.y << '\t' << launch.block.z
                 << '\t' << launch.block.dynamic_shared_bytes << '\n';
            for (const auto& argument : launch.values) {
                if (argument.is_buffer) {
                    text << "memory\t" << argument.buffer << '\t' << argument.offset_bytes << '\n';
                    continue;
                }
                text << "value\t";
                for (std::uint32_t k = 0; k < argument.size; ++k)
                    text << "0123456789abcdef"[static_cast<unsigned>(argument.value[k]) >> 4]
                         << "0123456789abcdef"[static_cast<unsigned>(argument.value[k]) & 15u];
                text << '\n';
            }
        }
        ASSERT_TRUE(text.good()) << path;
    }
}

}  // namespace
