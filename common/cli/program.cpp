#include "common/cli/program.hpp"

#include <algorithm>
#include <ctime>
#include <iostream>
#include <new>
#include <ostream>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/check/report.hpp"
#include "common/cli/costs_command.hpp"
#include "common/cli/drawing.hpp"
#include "common/cli/predict_command.hpp"
#include "common/cli/session.hpp"
#include "common/runner/run_changes.hpp"
#include "common/steps/call_graph.hpp"
#include "common/terminal/stepper.hpp"
#include "common/terminal/terminal.hpp"
#include "common/trace/diff.hpp"
#include "common/trace/io.hpp"
#include "common/timing/ladder.hpp"

namespace lanewise::cli {

using print::CheckedVariant;
using print::TextView;
using runner::BackendChoice;

namespace {

int say_partial(const Session& s, const trace::Trace& t) {
    s.console.err << t.partial_reason << '\n';
    return kExitPartial;
}

int diff(const Session& s) {
    const trace::Trace a = trace::load(s.options.diff[0]), b = trace::load(s.options.diff[1]);
    const auto difference = trace::diff(a, b);
    s.console.out << difference.sentence << '\n';
    for (const auto* t : {&a, &b})
        if (t->partial) return say_partial(s, *t);
    return difference.equal ? kExitOk : kExitFailed;
}

int open(Session& s) {
    s.opened = s.runner.open(s.options.open);
    return s.opened->raw.partial ? say_partial(s, s.opened->raw) : kExitOk;
}

// What a run leaves in a file.
trace::Trace kept_of(const runner::FinishedRun& finished) {
    trace::Trace kept = finished.raw;
    steps::keep_reached_statements(kept, finished.run->source);
    return kept;
}

void save_trace(Session& s) {
    const std::string name = s.looked_at().front(), &path = s.options.save_trace;
    const trace::Trace raw = kept_of(*s.runner.run(name));
    trace::save(path, raw);
    s.console.out << fmt::format("saved {} ({} records) to {}\n", name, raw.records.size(), path);
}

// What a machine without a GPU will show: the GPU's traces of all variants, and their times.
void record(Session& s) {
    const std::string& target = s.options.record;
    std::string why;
    if (!s.program.kernels.has_gpu() || !s.program.gpu_available(&why) || s.runner.backend() != BackendChoice::gpu)
        throw Error(fmt::format("--record {}: recordings are made on a GPU. {}", target, why));
    const auto folder = std::filesystem::path(target) / s.lesson.name();
    std::error_code not_made;
    std::filesystem::create_directories(folder, not_made);
    if (not_made)
        throw Error(fmt::format("--record {}: {} cannot be made: {}; choose another folder.", target, folder.string(),
                                not_made.message()));
    std::vector<std::string> names;
    for (const auto& name : s.that_run(s.measured())) {
        try {
            trace::save(folder / (name + ".ndjson"), kept_of(*s.runner.run(name)));
            names.push_back(name);
        } catch (const Error& error) {
            // What is wrong on purpose may wait for ever on a GPU.
            if (s.lesson.find(name).declared_wrong.empty()) throw;
            s.console.err << fmt::format("{} is left out: {}\n", name, error.what());
        }
    }
    const auto recording = s.timer.record(names);
    timing::save(folder / "timings.json", recording.times);
    if (!recording.sweep.rows.empty()) timing::save(folder / "sweep.json", recording.sweep);
    s.console.out << fmt::format("recorded {} variants and their times to {}\n", names.size(), folder.string());
}

std::size_t columns_of(const std::ostream& out) {
    return &out == &std::cout ? terminal::columns_of_stdout(print::kColumns) : print::kColumns;
}

// Variants next to each other; --step is a place where their steps are aligned.
void compared_text(Session& s) {
    const auto& names = s.options.compare;
    s.check_drawn(names.front());
    std::vector<print::ComparedText> sides;
    for (const auto& name : names) sides.push_back({s.lesson.find(name).title, s.runner.run_beside(name, names)});
    TextView view;
    view.focus = s.focused(*sides.front().finished->run);
    if (s.options.step) view.step = *s.options.step - 1;
    view.lane = s.options.lane;
    view.paint = s.paint;
    view.columns = columns_of(s.console.out);
    print::print_compared_text(s.console.out, s.lesson, sides, runner::without_sizes(s.recorded("timings.json")), view);
}

void text(Session& s) {
    if (!s.options.compare.empty() && !s.options.rounding && !s.options.tree && !s.options.boxes)
        return compared_text(s);
    bool first = true;
    for (const auto& name : s.looked_at()) {
        s.check_place(name);
        const auto finished = s.runner.run(name);
        const run::Run& run = *finished->run;
        TextView view;
        view.focus = s.focused(run);
        if (s.options.step) view.step = *s.options.step - 1;
        view.lane = s.options.lane;
        view.permutation = s.options.permutation || s.lesson.find(name).permutation;
        view.paint = s.paint;
        view.columns = columns_of(s.console.out);
        if (!first) s.console.out << '\n';
        first = false;
        if (s.options.rounding) print::print_rounding(s.console.out, s.lesson, run, s.paint);
        else if (s.options.boxes) print::print_boxes(s.console.out, s.lesson, run, view);
        else if (s.options.tree) print::print_tree(s.console.out, s.lesson, run, view);
        else print::print_text(s.console.out, s.lesson, *finished, view);
    }
}

// The same steps, one at a time, in the terminal.
void interactive(Session& s) {
    const Options& o = s.options;
    const auto names = s.opened ? s.looked_at() : s.chosen(false);
    if (o.step || o.focus_warp) s.check_place(names.front());
    terminal::Request request;
    request.lesson_title = s.lesson.title();
    for (const auto& name : names)
        request.variants.push_back({name, s.lesson.find(name).title, s.lesson.find(name).permutation});
    request.run = [&s](const std::string& name) { return s.run(name); };
    if (!s.opened) {
        request.fields = [all = runner::fields_of(s.lesson, s.program.kernels)](const std::string& name) {
            return all.at(name);
        };
        request.run_changed = [&s](const std::string& name, const run::RunChanges& changes) {
            return s.runner.run_changed(name, {}, changes)->run;
        };
    }
    if (o.step) request.step = *o.step - 1;
    request.block = o.focus_block.value_or(-1);
    request.warp = o.focus_warp.value_or(-1);
    request.lane = o.lane.value_or(-1);
    request.color = o.color == ColorChoice::always ? 1 : o.color == ColorChoice::never ? -1 : 0;
    terminal::step_through(request);
}

// Paths are given from the project's root, which is where lessons/ is.
check::Report report_of(const Program& program, const std::vector<CheckedVariant>& rows) {
    const lesson::Lesson& lesson = program.lesson;
    check::Report report{lesson.name(), program_version(), {}};
    for (const auto& row : rows) {
        if (!row.checked.not_run.empty()) continue;
        const std::string& file = row.checked.kernel_file;
        report.runs.push_back({row.variant, program.reported_path ? program.reported_path(file)
                                                                  : fmt::format("lessons/{}/{}", lesson.name(), file),
                               row.declared_wrong, row.checked.verdict, row.checked.undecided, row.checked.findings,
                               program.included});
    }
    return report;
}

int check(Session& s) {
    std::vector<CheckedVariant> rows;
    for (const auto& name : s.measured()) {
        const lesson::Variant& variant = s.lesson.find(name);
        runner::Checked checked = s.runner.check(variant);
        if (!checked.not_run.empty() && !s.options.variants.empty()) throw Error(checked.not_run);
        const bool is_recorded = s.options.backend == BackendChoice::recorded;
        if (is_recorded && checked.results.empty() && !s.options.variants.empty())
            throw Error(fmt::format("--backend recorded: the recording of {} holds no results to check; use --backend "
                                    "gpu or cpu.",
                                    name));
        rows.push_back({name, runner::choose_inputs(variant, s.options).n, variant.declared_wrong, std::move(checked)});
    }
    const int failed = s.program.print_checks ? s.program.print_checks(s.console.out, rows, s.paint)
                                              : print::print_check(s.console.out, s.runner.machine(), rows, s.paint);
    if (!s.options.report.empty()) check::save_report(s.options.report, report_of(s.program, rows));
    return failed > 0 ? kExitFailed : kExitOk;
}

// To the terminal, and to --csv and --json.
int show_times(const Session& s, const timing::TimingTable& table) {
    const Options& o = s.options;
    if (o.csv == "-") s.console.out << timing::to_csv(table);
    else if (o.json == "-") s.console.out << timing::to_json(table);
    else print::print_time(s.console.out, table, s.paint, o.samples);
    if (!o.csv.empty() && o.csv != "-") timing::save_csv(o.csv, table);
    if (!o.json.empty() && o.json != "-") timing::save(o.json, table);
    if (table.partial.empty() || table.recorded) return kExitOk;
    s.console.err << fmt::format("The measurement is partial ({}): {} rows were kept.\n", table.partial,
                                 table.rows.size());
    return kExitPartial;
}

int time(Session& s) {
    std::string why;
    const bool measure = s.options.backend == BackendChoice::gpu ||
                         (s.options.backend == BackendChoice::automatic && s.program.kernels.has_gpu() &&
                          s.program.gpu_available(&why));
    if (!measure) return show_times(s, s.timer.recorded());
    s.runner.backend();  // the sentence of --backend gpu where there is none
    return show_times(s, s.timer.measure(s.that_run(s.measured())));
}

void table(Session& s) {
    const auto names = s.measured();
    // Measured where there is a GPU, else as recorded; no rows where neither is there.
    const timing::TimingTable times = s.runner.backend() == BackendChoice::gpu
                                          ? s.timer.measure_quietly(names)
                                          : runner::without_sizes(s.recorded("timings.json"));
    run::Comparison comparison{{}, timing::times_from(times)};
    for (const auto& name : names) {
        try {
            comparison.rows.push_back(run::compared(*s.run(name), times));
        } catch (const Error& error) {
            if (!s.options.variants.empty()) throw;
            comparison.rows.push_back(run::compared(name, error.what(), times));
        }
        comparison.rows.back().declared_wrong = !s.lesson.find(name).declared_wrong.empty();
    }
    if (!s.options.sort.empty()) run::sort(comparison, run::parse_sorting(s.options.sort));
    print::print_comparison(s.console.out, s.runner.machine(), comparison, s.paint);
}

void window(Session& s) {
    try {
        open_window(s);
    } catch (const NoDisplay& none) {
        s.console.err << none.what() << " Here are the steps as text.\n";
        text(s);
    }
}

// Everything that was asked for, in this order; returns the exit status.
int answer(Session& s) {
    const Options& o = s.options;
    int status = kExitOk;
    const auto join = [&](int part) { status = std::max(status, part); };
    if (o.list) print::print_list(s.console.out, s.lesson, s.paint);
    if (!o.diff.empty()) join(diff(s));
    if (!o.open.empty()) join(open(s));
    if (!o.save_trace.empty()) save_trace(s);
    if (!o.record.empty() && !o.costs) record(s);
    if (!o.exported.empty()) export_run(s);
    if (o.interactive) interactive(s);
    else if (o.text) text(s);
    if (!o.predict.empty() && o.screenshot.empty()) predict(s);
    if (o.check) join(check(s));
    if (o.table && o.screenshot.empty()) table(s);
    if (o.time) join(time(s));
    if (o.ladder) print::print_ladder(s.console.out, timing::load_ladder(s.lesson.recordings()), s.paint);
    if (o.costs && o.screenshot.empty() && o.exported.empty())
        show_costs(costs_of(s.program, o, s.console), o, s.console, s.paint);
    if (o.describe || !o.screenshot.empty()) draw_picture(s);
    if (o.wants_window()) window(s);
    return status;
}

}  // namespace

int run_program(Program& program, const std::vector<std::string>& arguments, Console console) {
    try {
        auto options = parse_options(arguments, program.lesson, console.out);
        if (!options) return kExitOk;
        int status = kExitOk;
        run::NextProgram next;
        {
            Session session(program, std::move(*options), console);
            status = answer(session);
            next = session.next;
        }
        console.out.flush();
        if (!console.out) throw Error("Not all of the answer could be written; is the disk full?");
        if (!next.program.empty()) program.start(next);
        return status;
    } catch (const Error& error) {
        console.out.flush();
        console.err << error.what() << '\n';
        return error.exit_status();
    } catch (const std::bad_alloc&) {
        console.err << "There is not enough memory for this run; give a smaller --n.\n";
        return kExitUsage;
    } catch (const std::exception& error) {
        console.err << fmt::format("Something failed that Lanewise did not expect: {}\n", error.what());
        return kExitFailed;
    }
}

std::string date_of_today() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    return fmt::format("{:04}-{:02}-{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday);
}

}  // namespace lanewise::cli
