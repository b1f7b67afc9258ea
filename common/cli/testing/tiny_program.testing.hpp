// A lesson small enough to test a program with: one kernel that adds 32 values by xor, on machines that only pretend.
#pragma once

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/folder.testing.hpp"
#include "common/cli/program.hpp"
#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::cli::testing {

namespace files = std::filesystem;
using lanewise::testing::slurp;
using lanewise::testing::TemporaryFolder;

// Adds the first input up and leaves the trace of a xor tree over lanes 0 to 31; `wrong` is added to the result.
class PretendedMachine : public launch::Backend {
public:
    explicit PretendedMachine(trace::Source source, float wrong = 0) : source_(std::move(source)), wrong_(wrong) {}

    launch::Outcome run(const launch::Plan& plan, const launch::KernelSet&, const launch::Request& request) override {
        launch::Outcome outcome;
        float sum = wrong_;
        for (const auto& spec : plan.buffers) {
            outcome.buffers.emplace_back(spec.contents.begin(), spec.contents.end());
            outcome.buffers.back().resize(spec.bytes());
        }
        for (std::uint64_t i = 0; i < plan.buffers[0].count; ++i) {
            float value;
            std::memcpy(&value, plan.buffers[0].contents.data() + i * sizeof value, sizeof value);
            sum += value;
        }
        std::memcpy(outcome.buffers[1].data(), &sum, sizeof sum);
        if (request.record) outcome.trace = trace_of_tree(request);
        return outcome;
    }
    trace::Source describe() const override { return source_; }

private:
    trace::Trace trace_of_tree(const launch::Request& request) const {
        trace::testing::TraceBuilder made;
        made.trace.header.source = source_;
        if (source_.kind == trace::SourceKind::emulator) made.trace.header.source.order = request.order.name();
        made.trace.header.launches = {{"tiny_sum<32>", {1, 1, 1}, {32, 1, 1}, 0}};
        made.trace.header.blocks = {0};
        made.statement(2, trace::Effect::join, "value");
        made.statement(1, trace::Effect::replace, "value");
        const auto in = made.array("in", trace::Space::global, 32);
        auto warp = made.warp(0, 0);
        if (source_.kind == trace::SourceKind::emulator)  // a GPU does not record who reads which word
            warp.load(1, in, [](int lane) { return lane; }, [](int lane) { return static_cast<float>(lane); });
        else
            for (int lane = 0; lane < 32; ++lane) warp.values[lane] = static_cast<float>(lane);
        for (const int mask : {16, 8, 4, 2, 1}) warp.shuffle_sum(2, trace::Op::shfl_xor, mask);
        return made.trace;
    }

    trace::Source source_;
    float wrong_;
};

inline trace::Source pretended_gpu() { return {trace::SourceKind::gpu, "Pretended GPU", "13.0", "9.0", ""}; }
inline trace::Source pretended_emulator() { return {trace::SourceKind::emulator, "", "", "", ""}; }

// A clock that only pretends: 2 µs for a kernel, 3 for the library, 1 for a plain read or copy.
class PretendedMeter : public measure::Meter {
public:
    PretendedMeter(int& measured, std::uint64_t free) : measured_(measured), free_(free) {}

    timing::TimingTable machine() const override {
        timing::TimingTable table;
        table.gpu = "Pretended GPU";
        table.driver = "13.0";
        return table;
    }
    timing::GpuState state() const override { return {1980, 3201, 41, 0, ""}; }
    std::uint64_t free_bytes() const override { return free_; }
    timing::Timing measure(const launch::Plan&, const measure::MeasureOptions&) override { return row("", 2); }
    timing::Timing measure_baseline(const std::string& name, const launch::Plan&, std::uint64_t,
                                    const measure::MeasureOptions&) override {
        timing::Timing made = row(name, 3);
        made.baseline = true;
        return made;
    }
    timing::Timing measure_limit(const std::string& name, const launch::Plan&,
                                 const measure::MeasureOptions&) override {
        timing::Timing made = row(name, 1);
        made.baseline = made.limit = true;
        return made;
    }

private:
    timing::Timing row(const std::string& name, double us) {
        ++measured_;
        timing::Timing made;
        made.variant = name;
        made.bytes = 4000;
        timing::set_times(made, {us, us, us * 1.2});
        return made;
    }
    int& measured_;
    std::uint64_t free_;
};

inline void plan_tiny(launch::Plan& plan, const lesson::Inputs& inputs) {
    const auto values = inputs.values<float>();
    double sum = 0;
    for (const float value : values) sum += value;
    const auto in = plan.input("in", values);
    const auto out = plan.output<float>("out", 1);
    plan.launch("tiny_sum", std::to_string(inputs.block), {inputs.blocks()}, {inputs.block}, in, out,
                static_cast<int>(inputs.n));
    plan.expect(out, {sum}, 0.5, "for the test");
}

// The lesson 99_tiny in a folder of its own, with what each test asks of its machines.
struct TinyProgram {
    TemporaryFolder folder;
    bool has_gpu = false;
    float emulator_is_off_by = 0;
    int measured = 0;            // measurements so far
    std::uint64_t gpu_bytes = std::uint64_t{80} << 30;
    int gpu_questions = 0;       // how often the program asked whether there is a GPU
    Program program;

    TinyProgram()
        : program{{lesson::Lesson("99_tiny", folder.path() / "lessons" / "99_tiny"), {}, {}, {}, {}, {}, {}}} {
        folder.write("lessons/99_tiny/kernels.cuh",
                     "float value = in[threadIdx.x];\n  value += __shfl_xor_sync(0xffffffffu, value, mask);\n");
        folder.write("lessons/99_tiny/lesson.md", "# Tiny\n");
        program.lesson.title("Tiny");
        program.lesson.add({.name = "tiny_sum", .title = "tiny", .summary = "the sum of 32 values", .plan = plan_tiny});
        program.lesson.add({.name = "tiny_broken",
                            .summary = "not the sum",
                            .plan =
                                [](launch::Plan& plan, const lesson::Inputs& inputs) {
                                    plan_tiny(plan, inputs);
                                    plan.expectations[0].reference[0] += 1000;
                                },
                            .declared_wrong = "its reference is of another sum",
                            .tab = false});
        static const char address = 0;
        launch::BuiltFile built;
        for (const auto build : {launch::Build::emulated, launch::Build::emulated_traced, launch::Build::gpu_plain,
                                 launch::Build::gpu_traced}) {
            built.build = build;
            built.entries = {{"tiny_sum", "32", {}, {&address}}, {"tiny_sum", "64", {}, {&address}}};
            program.kernels.add(built);
        }
        program.make_emulator = [this] {
            return std::make_unique<PretendedMachine>(pretended_emulator(), emulator_is_off_by);
        };
        program.make_gpu = [] { return std::make_unique<PretendedMachine>(pretended_gpu()); };
        program.gpu_available = [this](std::string* why) {
            ++gpu_questions;
            if (why && !has_gpu) *why = "There is no GPU here; use --backend cpu.";
            return has_gpu;
        };
        program.make_meter = [this] { return std::make_unique<PretendedMeter>(measured, gpu_bytes); };
        program.today = [] { return std::string("2026-11-21"); };
    }

    struct Answer {
        int status = 0;
        std::string out;
        std::string err;
    };
    Answer operator()(const std::vector<std::string>& arguments) {
        std::ostringstream out, err;
        const int status = run_program(program, arguments, {out, err, false});
        return {status, out.str(), err.str()};
    }

    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
};

}  // namespace lanewise::cli::testing
