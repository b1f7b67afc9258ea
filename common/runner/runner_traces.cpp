// Runs from the recordings and from trace files.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/runner/recordings.hpp"
#include "common/runner/results.hpp"
#include "common/runner/runner.hpp"
#include "common/trace/io.hpp"

namespace lanewise::runner {

using lesson::Variant;
using run::Result;
using run::Run;

namespace {

bool is_plain(unsigned char c) { return std::isalnum(c) || c == '_'; }

bool is_lesson_name(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), is_plain);
}

// As a shell takes it for one argument.
std::string shell_quoted(const std::string& text) {
    const auto bare = [](unsigned char c) { return is_plain(c) || c >= 0x80 || std::strchr("./-+,:@%", c); };
    if (!text.empty() && std::all_of(text.begin(), text.end(), bare)) return text;
    std::string token = "'";
    for (const char c : text) token += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return token + "'";
}

// A file says how large its run was: beyond this its trace is shown, but no results are worked out and nothing is
// emulated. Both take some 100 bytes a value.
constexpr std::uint64_t kMaxOpenedValues = std::uint64_t{1} << 22;

}  // namespace

std::optional<launch::Plan> Runner::plan_of(const trace::Header& header) const {
    const bool known = lesson::is_generated_input(header.input) || header.values.size() == header.n;
    if (!known || header.n == 0 || header.n > kMaxOpenedValues || header.block == 0)
        return std::nullopt;
    lesson::Inputs inputs;
    inputs.n = header.n;
    inputs.columns = header.columns;
    inputs.block = header.block;
    inputs.warp = header.warp_size;
    inputs.offset = header.offset;
    inputs.seed = header.seed;
    inputs.kind = header.input;
    if (!header.values.empty()) inputs.file = std::make_shared<const std::vector<double>>(header.values);
    try {
        const Variant& variant = setup_.lesson.find(header.variant);
        inputs.controls = recorded_controls(setup_.lesson, variant, header);
        return lesson::make_plan(variant, inputs, setup_.kernels);
    } catch (const Error&) {
        return std::nullopt;  // a trace of a variant or an instance that is gone can still be looked at
    }
}

std::vector<Result> Runner::results_of_trace(const trace::Trace& trace) const {
    return results_of_outputs(trace.header, trace.plain.empty() ? trace.outputs : trace.plain);
}

std::string Runner::tracing_changed(const trace::Trace& trace) const {
    if (trace.plain.empty()) return {};
    const auto traced = results_of_outputs(trace.header, trace.outputs),
               plain = results_of_outputs(trace.header, trace.plain);
    for (std::size_t i = 0; i < std::min(traced.size(), plain.size()); ++i)
        if (traced[i].ok != plain[i].ok)
            return fmt::format(
                "Traced, this kernel gave {0} = {1:.9g}; plain, it gave {2:.9g}: tracing makes lanes wait for "
                "each other, and what it does depends on who waits. The steps are those of the traced run.",
                plain[i].output, traced[i].value, plain[i].value);
    return {};
}

std::vector<Result> Runner::results_of_outputs(const trace::Header& header,
                                               const std::vector<trace::Output>& outputs) const {
    const auto plan = plan_of(header);
    return plan ? results_of(*plan, outputs) : std::vector<Result>{};
}

std::string Runner::stale(const trace::Header& header) const {
    if (header.kernel_hash.empty() || trace::is_code_of(header, source(header.kernel_file))) return {};
    return fmt::format("{} has changed since this trace was taken: lines may not match.", header.kernel_file);
}

std::shared_ptr<const FinishedRun> Runner::run_recorded(const Variant& variant, const std::string& why) {
    const auto path = find_recording(setup_.lesson, variant.name + ".ndjson");
    if (path.empty() && !why.empty())
        throw Error(fmt::format("{} There is no recording of {} under {} yet.", why, variant.name,
                                setup_.lesson.recordings().string()));
    if (path.empty())
        throw Error(fmt::format("--backend recorded: there is no recording of {} under {}; use --backend cpu.",
                                variant.name, setup_.lesson.recordings().string()));
    auto finished = std::make_shared<FinishedRun>();
    finished->raw = trace::load(path);
    const auto& header = finished->raw.header;
    check_recorded(*options_, header, variant.name);
    const auto plan = plan_of(header);
    const std::string& gpu_name = header.source.gpu;
    Run run;
    run.trace = finished->raw;
    run.results = results_of_trace(finished->raw);
    run.origin = fmt::format("recorded on {} · {}", gpu_name.empty() ? "the emulator" : gpu_name, header.date);
    if (!why.empty()) run.note = "Shown as recorded. " + why;
    warn(run, stale(header));
    finished->run = finish_run(std::move(run), plan ? &*plan : nullptr, variant.block_order);
    return finished;
}

std::shared_ptr<const FinishedRun> Runner::open(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto finished = load(path);
    finished_[finished->raw.header.variant] = finished;
    return finished;
}

const Variant& Runner::variant_of(const std::string& name, const std::string& path) const {
    try {
        return setup_.lesson.find(name);
    } catch (const Error& error) {
        throw Error(fmt::format("{} is a trace of a variant that is not there: {}", path, error.what()));
    }
}

std::shared_ptr<const FinishedRun> Runner::load(const std::string& path) {
    const std::lock_guard lock(mutex_);
    auto finished = std::make_shared<FinishedRun>();
    finished->raw = trace::load(path);
    const auto& header = finished->raw.header;
    if (header.lesson != setup_.lesson.name()) {
        // Whatever a file says goes into no command that people copy.
        if (!is_lesson_name(header.lesson))
            throw Error(fmt::format("{} says that it is a trace of lesson '{}', and no lesson can be named so; record "
                                    "one with --save-trace.", path, header.lesson));
        throw run::ForeignTrace(
            fmt::format("{0} is a trace of lesson {1}, not of {2}; open it with ./lessons/run {1} --open "
                        "{3}",
                        path, header.lesson, setup_.lesson.name(), shell_quoted(path)),
            header.lesson);
    }
    const Variant& variant = variant_of(header.variant, path);
    const auto plan = plan_of(header);
    Run run;
    run.trace = finished->raw;
    run.results = results_of_trace(finished->raw);
    run.origin = fmt::format("file {} · {}", std::filesystem::path(path).filename().string(), origin_of(header.source));
    if (finished->raw.partial) warn(run, "partial: " + finished->raw.partial_reason);
    warn(run, stale(header));
    finished->run = finish_run(std::move(run), plan ? &*plan : nullptr, variant.block_order);
    return finished;
}

}  // namespace lanewise::runner
