#include "common/runner/runner.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/base/kernel_text.hpp"
#include "common/launch/arrival_order.hpp"
#include "common/runner/recordings.hpp"
#include "common/runner/results.hpp"
#include "common/trace/io.hpp"
#include "common/trace/emulated_accesses.hpp"

namespace lanewise::runner {

using lesson::BlockOrder;
using lesson::Inputs;
using lesson::make_plan;
using lesson::Variant;
using run::Result;
using run::Run;

namespace {

// A check of a run that took less is tried in the other order too, in seconds.
constexpr double kShortRun = 0.25;

// The blocks of the header that something was recorded of: what a file lists costs nothing.
std::vector<std::uint32_t> blocks_with_records(const trace::Trace& trace) {
    std::set<std::uint32_t> there;
    for (const trace::Record& record : trace.records) there.insert(record.block);
    std::vector<std::uint32_t> blocks = trace.header.blocks;
    std::erase_if(blocks, [&](std::uint32_t block) { return !there.contains(block); });
    return blocks;
}

}  // namespace

std::string Runner::origin_of(const trace::Source& source) {
    return source.kind == trace::SourceKind::gpu ? source.gpu + " · traced run" : "emulator · " + source.order;
}

void Runner::warn(Run& run, const std::string& sentence) {
    if (!run.notice.empty() && !sentence.empty()) run.notice += " ";
    run.notice += sentence;
}

Runner::Runner(LessonSetup& setup, const RunOptions& options) : setup_(setup), options_(&options) { read_sources(); }

void Runner::read_sources() {
    const auto text_of = [&](const std::string& file) {
        const std::filesystem::path path =
            setup_.kernel_folder.empty() ? setup_.lesson.kernel_path(file) : setup_.kernel_folder / file;
        return whole_kernel_text(path.string(), read_text(path));
    };
    sources_.clear();
    for (const auto& file : setup_.kernels.files()) sources_[file] = text_of(file);
    sources_.try_emplace(launch::kKernelFile, text_of(launch::kKernelFile));
}

void Runner::forget() {
    const std::lock_guard lock(mutex_);
    finished_.clear();
    read_sources();
}

std::string Runner::source(const std::string& file) const {
    const auto at = sources_.find(file);
    return at == sources_.end() ? std::string() : at->second;
}

Inputs Runner::on_this_machine(Inputs inputs) {
    const std::lock_guard lock(mutex_);
    if (backend() == BackendChoice::gpu && setup_.gpu_machine) inputs.machine = setup_.gpu_machine();
    return inputs;
}

std::string Runner::why_not(const Variant& variant, const Inputs& inputs) {
    return why_not(variant, make_plan(variant, inputs, setup_.kernels));
}

std::string Runner::why_not(const Variant& variant, const launch::Plan& plan) {
    const launch::Kernel* kernel = lesson::gpu_only_kernel(plan, setup_.kernels);
    if (backend() == BackendChoice::recorded) return {};
    if (backend() == BackendChoice::cpu)
        return kernel ? launch::why_not_emulated(*kernel) : lesson::why_not_in_order(variant, order());
    if (!kernel) return {};
    if (!kernel->gpu_plain) return launch::why_no_gpu_build(*kernel, setup_.kernels);
    return setup_.gpu_machine ? launch::why_not_on(*kernel, setup_.gpu_machine().architecture) : std::string();
}

BackendChoice Runner::backend() {
    const std::lock_guard lock(mutex_);
    if (!backend_) {
        backend_ = options_->backend;
        std::string why;
        if (options_->backend == BackendChoice::automatic &&
            options_->warp.value_or(trace::kWarpSize) != trace::kWarpSize)
            backend_ = BackendChoice::cpu;  // teaching warps exist nowhere else
        else if (options_->backend == BackendChoice::automatic)
            backend_ =
                setup_.kernels.has_gpu() && setup_.gpu_available(&why) ? BackendChoice::gpu : BackendChoice::cpu;
        else if (options_->backend == BackendChoice::gpu && !setup_.gpu_available(&why))
            throw Error(fmt::format("--backend gpu: {}", why));
    }
    return *backend_;
}

std::string Runner::why_no_gpu() {
    if (backend() == BackendChoice::gpu) return {};
    if (options_->backend == BackendChoice::cpu || options_->backend == BackendChoice::recorded)
        return "This was started without a GPU on purpose (--backend): leave that flag out to measure.";
    if (options_->warp.value_or(trace::kWarpSize) != trace::kWarpSize)
        return "Teaching warps are not measured: no GPU has them.";
    if (!setup_.kernels.has_gpu())
        return "This program was built without CUDA, and times are measured on a GPU only.";
    std::string why;
    setup_.gpu_available(&why);
    return why.empty() ? "There is no GPU to measure on." : why;
}

launch::Backend& Runner::emulator() {
    if (!emulator_) emulator_ = setup_.make_emulator();
    return *emulator_;
}

launch::Backend& Runner::gpu() {
    if (!gpu_) gpu_ = setup_.make_gpu();
    return *gpu_;
}

void Runner::cancel() {
    const std::lock_guard lock(stop_mutex_);
    stop_.request_stop();
}

std::stop_token Runner::new_run() {
    const std::lock_guard lock(stop_mutex_);
    stop_ = std::stop_source();
    return stop_.get_token();
}

std::string Runner::machine() {
    const std::lock_guard lock(mutex_);
    switch (backend()) {
        case BackendChoice::gpu: return gpu().describe().gpu;
        case BackendChoice::recorded: return "recordings";
        default: return "emulator · " + order().name();
    }
}

Inputs Runner::checked_inputs(const Variant& variant) {
    RunOptions options = *options_;
    if (lenient_) {
        if (!variant.offsets) options.offset.reset();
        if (options.block && !lesson::has_instance(variant, *options.block, setup_.kernels)) options.block.reset();
    }
    const Inputs inputs = choose_inputs(variant, options);
    // Asks for a GPU only where the answer matters.
    if (inputs.n > lesson::kMaxEmulatedValues && backend() == BackendChoice::cpu)
        throw Error(fmt::format("--n {} is more than the emulator runs; give at most {}, or use --backend gpu.",
                                inputs.n, lesson::kMaxEmulatedValues));
    if (inputs.warp != trace::kWarpSize) check_warp(variant, inputs.warp);
    return inputs;
}

void Runner::check_warp(const Variant& variant, std::uint32_t warp) const {
    const auto can = lesson::variants_in_warps_of(warp, setup_.lesson, setup_.kernels);
    if (std::find(can.begin(), can.end(), variant.name) != can.end()) return;
    throw Error(fmt::format("--warp {}: {} runs in warps of 32 lanes only; {}.", warp, variant.name,
                            can.empty() ? "so do all variants of this lesson: leave out --warp"
                                        : fmt::format("give --variant {}", fmt::join(can, " or --variant "))));
}

void Runner::check_request(const Variant& variant) {
    const std::lock_guard lock(mutex_);
    if (options_->backend == BackendChoice::gpu) backend();
    if (options_->backend == BackendChoice::recorded) run(variant.name);
    else make_plan(variant, checked_inputs(variant), setup_.kernels);
}

void Runner::describe_run(trace::Trace& trace, const Variant& variant, const Inputs& inputs,
                          const launch::Plan& plan) const {
    auto& header = trace.header;
    header.lesson = setup_.lesson.name();
    header.variant = variant.name;
    header.date = setup_.today();
    header.n = inputs.n;
    header.columns = inputs.columns;
    header.tolerance = variant.tolerance;
    header.block = inputs.block;
    header.seed = inputs.seed;
    header.offset = inputs.offset;
    header.input = variant.input_text.empty() ? inputs.kind : variant.input_text;
    header.controls = inputs.controls.values();
    if (inputs.file && inputs.n <= lesson::kMaxTypedValues)
        header.values.assign(inputs.file->begin(), inputs.file->begin() + static_cast<std::ptrdiff_t>(inputs.n));
    const std::string file = lesson::kernel_file_of(plan, setup_.kernels);
    trace::set_kernel_file(header, file, source(file));
}

trace::Trace Runner::record(launch::Backend& backend, const launch::Plan& plan,
                            const std::vector<std::uint32_t>& blocks, const launch::Order& order, bool checks,
                            std::vector<Result>* results) {
    launch::Request request;
    request.record = true;
    request.checks = checks;
    request.order = order;
    request.blocks = blocks;
    request.stop = stop_.get_token();
    auto outcome = backend.run(plan, setup_.kernels, request);
    if (!outcome.trace) throw Error("the run left no trace; build the lesson again.", kExitFailed);
    trace::Trace trace = std::move(*outcome.trace);
    trace.outputs = outputs_of(plan, outcome);
    // What a GPU computed is what the kernel as the learner reads it computed: a traced copy, in which lanes wait for
    // each other more often, may be right where the kernel is wrong.
    if (trace.header.source.kind == trace::SourceKind::gpu) {
        request.record = request.checks = false;
        outcome.buffers = backend.run(plan, setup_.kernels, request).buffers;
        trace.plain = outputs_of(plan, outcome);
    }
    if (results) *results = results_of(plan, outcome);
    return trace;
}

std::vector<trace::Rerun> Runner::rerun(launch::Backend& backend, const launch::Plan& plan, int times) {
    using Kind = launch::Order::Kind;
    std::vector<trace::Rerun> reruns;
    const bool on_gpu = backend.describe().kind == trace::SourceKind::gpu;
    const std::string first = order().name();
    std::vector<launch::Order> orders = {{Kind::ascending, 0, {}}, {Kind::descending, 0, {}}};
    for (std::uint64_t seed = 1; orders.size() < static_cast<std::size_t>(times) + 2; ++seed)
        orders.push_back({Kind::seeded, seed, {}});
    for (std::size_t i = 0; i < orders.size() && reruns.size() < static_cast<std::size_t>(times); ++i) {
        if (!on_gpu && orders[i].name() == first) continue;
        launch::Request request;
        request.order = orders[i];
        request.stop = stop_.get_token();
        const auto outcome = backend.run(plan, setup_.kernels, request);
        reruns.push_back({on_gpu ? fmt::format("launch {}", reruns.size() + 1) : orders[i].name(),
                          outputs_of(plan, outcome)});
    }
    return reruns;
}

std::shared_ptr<const Run> Runner::finish_run(Run recorded, const launch::Plan* plan, BlockOrder block_order) {
    // In its place for good before there are steps: they point into the trace.
    auto run = std::make_shared<Run>(std::move(recorded));
    trace::Trace& trace = run->trace;
    warn(*run, tracing_changed(trace));
    const bool emulated_too = plan && !lesson::gpu_only_kernel(*plan, setup_.kernels);
    if (trace.header.source.kind == trace::SourceKind::gpu && emulated_too && !trace.partial) {
        const launch::Order as_it_ran = block_order == BlockOrder::arrival ? launch::arrival_order(trace) : order();
        trace::Trace emulated = record(emulator(), *plan, blocks_with_records(trace), as_it_ran, false, nullptr);
        const auto here = emulated.header;
        emulated.header = trace.header;  // the same variant and input; what differs is where it ran
        emulated.header.source = here.source;
        emulated.header.launches = here.launches;
        emulated.header.statements = here.statements;
        const std::string why_not = trace::merge_emulated_accesses(trace, emulated);
        if (why_not.empty()) run->origin += " · memory accesses from the emulator";
        else warn(*run, "Memory accesses are not shown: " + why_not);
    }
    run->kernel_file = trace.header.kernel_file;
    run->source = source(run->kernel_file);
    for (const Variant& variant : setup_.lesson.variants()) {
        if (variant.name != trace.header.variant) continue;
        trace::show_as_floats(trace, variant.float_packs);
        if (variant.mistakes)
            for (trace::Finding& mistake : variant.mistakes(trace)) trace.findings.push_back(std::move(mistake));
    }
    run->steps = steps::build_steps(trace, run->source);
    return run;
}

std::shared_ptr<const FinishedRun> Runner::run_live(const Variant& variant, const Inputs& own) {
    const Inputs inputs = on_this_machine(own);
    const launch::Plan plan = make_plan(variant, inputs, setup_.kernels);
    auto finished = std::make_shared<FinishedRun>();
    launch::Backend& machine = backend() == BackendChoice::gpu ? gpu() : emulator();
    std::vector<std::uint32_t> blocks(variant.recorded_blocks);
    std::iota(blocks.begin(), blocks.end(), 0u);
    if (options_->focus_block && *options_->focus_block >= static_cast<int>(variant.recorded_blocks))
        blocks.push_back(static_cast<std::uint32_t>(*options_->focus_block));
    Run run;
    [[maybe_unused]] const std::stop_token stop = new_run();
    finished->raw = record(machine, plan, blocks, order(), backend() == BackendChoice::cpu, &run.results);
    // A run that came to no end of its own would not in another order.
    if (!finished->raw.partial) finished->raw.reruns = rerun(machine, plan, variant.reruns);
    warn(run, finished->raw.partial ? finished->raw.partial_reason : "");
    describe_run(finished->raw, variant, inputs, plan);
    run.trace = finished->raw;
    run.origin = origin_of(finished->raw.header.source);
    run.inputs = input_values(plan, inputs);
    finished->run = finish_run(std::move(run), &plan, variant.block_order);
    return finished;
}

std::shared_ptr<const FinishedRun> Runner::run(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (const auto at = finished_.find(changed_ + name); at != finished_.end()) return at->second;
    const Variant& variant = setup_.lesson.find(name);
    return run_on(name, variant, checked_inputs(variant));
}

std::shared_ptr<const FinishedRun> Runner::run_on(const std::string& name, const Variant& variant,
                                                  const Inputs& inputs) {
    const std::string key = changed_ + name;
    if (const auto at = finished_.find(key); at != finished_.end()) return at->second;
    const std::string why = why_not(variant, on_this_machine(inputs));
    if (!why.empty() && (options_->backend != BackendChoice::automatic || options_->order)) throw Error(why);
    const auto finished = backend() == BackendChoice::recorded || !why.empty() ? run_recorded(variant, why)
                                                                               : run_live(variant, inputs);
    // A run that was cancelled may be asked for again.
    if (stop_.stop_requested()) return finished;
    finished_[key] = finished;
    if (!changed_.empty()) keep_last(key);
    return finished;
}

Checked Runner::check(const Variant& variant) {
    const std::lock_guard lock(mutex_);
    if (backend() == BackendChoice::recorded) return {.results = run(variant.name)->results()};
    const Inputs inputs = on_this_machine(checked_inputs(variant));
    const launch::Plan plan = make_plan(variant, inputs, setup_.kernels);
    if (std::string why = why_not(variant, plan); !why.empty()) return {.not_run = std::move(why)};
    launch::Request request;
    request.order = order();
    request.stop = new_run();
    request.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    request.checks = backend() == BackendChoice::cpu;
    launch::Backend& machine = backend() == BackendChoice::gpu ? gpu() : emulator();
    const auto begin = std::chrono::steady_clock::now();
    auto outcome = machine.run(plan, setup_.kernels, request);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::vector<Result> results = results_of(plan, outcome);
    // What orders two accesses may hang on who comes first: who takes a lock, which block is the last.
    std::string other_order;
    if (setup_.tries_other_order && request.checks && !options_->order && outcome.verdict == trace::Verdict::clean &&
        took.count() < kShortRun) {
        request.order = {launch::Order::Kind::descending, 0, {}};
        auto other = machine.run(plan, setup_.kernels, request);
        if (other.verdict == trace::Verdict::wrong) {
            outcome = std::move(other);
            other_order = request.order.name();
        }
    }
    return {.results = std::move(results),
            .findings = std::move(outcome.findings),
            .verdict = outcome.verdict,
            .undecided = std::move(outcome.undecided),
            .kernel_file = lesson::kernel_file_of(plan, setup_.kernels),
            .order = std::move(other_order)};
}

}  // namespace lanewise::runner
