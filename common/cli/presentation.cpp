#include "common/cli/presentation.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "common/base/data_folder.hpp"
#include "common/base/error.hpp"
#include "common/cli/costs_command.hpp"
#include "common/cli/lesson_list.hpp"
#include "common/runner/recordings.hpp"
#include "common/runner/run_changes.hpp"
#include "common/timing/ladder.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::cli {

using run::LessonContents;
using run::NextProgram;
using run::Presentation;
using run::RunChanges;
using run::View;
using run::WindowRequest;
using runner::BackendChoice;

namespace {

// Measured where --costs asks for them, else as recorded; a file that cannot be read is reported and done without.
timing::CostTable costs_to_show(const Session& session) {
    if (session.options.costs) return costs_of(session.program, session.options, session.console);
    try {
        if (const auto path = find_costs(session.lesson); !path.empty()) return timing::load_costs(path);
    } catch (const Error& error) {
        session.console.err << error.what() << '\n';
    }
    return {};
}

// `next` with what was asked of this lesson and holds for any.
NextProgram with_own_flags(NextProgram next, const Options& options) {
    const std::pair<BackendChoice, const char*> names[] = {
        {BackendChoice::gpu, "gpu"}, {BackendChoice::cpu, "cpu"}, {BackendChoice::recorded, "recorded"}};
    for (const auto& [choice, name] : names)
        if (options.backend == choice) next.arguments.insert(next.arguments.end(), {"--backend", name});
    if (options.scale > 0) next.arguments.insert(next.arguments.end(), {"--scale", fmt::format("{}", options.scale)});
    if (options.dark) next.arguments.insert(next.arguments.end(), {"--theme", *options.dark ? "dark" : "light"});
    return next;
}

void present_variants(Presentation& p, const Session& session, const std::vector<std::string>& tabs) {
    for (const auto& name : tabs) {
        const lesson::Variant& v = session.lesson.find(name);
        p.variants.push_back(
            {v.name, v.title, v.summary, !v.declared_wrong.empty(), v.n, v.compared_with, v.permutation});
    }
    for (const auto& v : session.lesson.variants()) {
        p.all_variants.push_back(v.name);
        if (!v.declared_wrong.empty()) p.declared_wrong.push_back(v.name);
    }
}

// Times as recorded, each variant at its own size, by shapes and over sizes; and how to measure them anew.
void present_times(Presentation& p, Session& session, const std::vector<std::string>& tabs) {
    const timing::TimingTable recorded = session.recorded("timings.json");
    p.timings = runner::without_sizes(recorded);
    p.shapes = runner::only_sizes(recorded);
    // Shapes of rows are no sizes: as many values in longer rows are other work.
    const bool of_rows = std::any_of(p.shapes.rows.begin(), p.shapes.rows.end(),
                                     [](const timing::Timing& row) { return row.columns != 0; });
    if (!runner::find_recording(session.lesson, "sweep.json").empty()) p.sizes = session.recorded("sweep.json");
    else if (!of_rows) p.sizes = p.shapes;
    const BackendChoice backend = session.options.backend;
    if (backend == BackendChoice::automatic || backend == BackendChoice::gpu)
        p.services.measure = [&session, tabs] {
            if (session.runner.backend() != BackendChoice::gpu) return timing::TimingTable{};
            return session.timer.measure_quietly(session.that_run(tabs));
        };
    p.services.why_not_measured = [&session] { return session.runner.why_no_gpu(); };
    p.services.measure_sizes = [&session, tabs](const run::SweepWatch& watch) {
        return session.timer.measure_sizes(session.that_run(tabs), watch);
    };
}

void add_ladder(LessonContents& p, const timing::Ladder& ladder) {
    if (!ladder.rows.empty()) p.ladder_source = timing::ladder_source(ladder);
    for (run::LessonInfo& info : p.lessons)
        for (const timing::LadderRow& row : ladder.rows)
            if (row.lesson == info.name)
                info.ladder = timing::time_text(row.timing.median_us) +
                              (row.speedup ? fmt::format(" · {:.2f}×", *row.speedup) : "");
}

View view_of(const Options& options) {
    if (options.roofline) return View::roofline;
    if (options.timings) return View::timings;
    if (options.costs) return View::costs;
    if (options.table) return View::table;
    if (options.tree) return View::tree;
    if (options.boxes) return View::boxes;
    if (options.rounding) return View::rounding;
    return View::stage;
}

}  // namespace

Presentation presentation_of(Session& session) {
    const lesson::Lesson& lesson = session.lesson;
    Presentation p;
    p.lesson = lesson.name();
    p.title = lesson.title();
    p.text = lesson.text();
    if (const auto number = lesson.name().find('_');
        number == 2 && session.program.can_edit && !session.program.live.run)
        p.text += fmt::format(
            "\n\n## Your own version\n\nChange these kernels in any editor; the window shows each save, with all "
            "checks on, and Shift S the version before beside it.\n\n```sh\n./lessons/run edit {}\n```\n",
            lesson.name().substr(0, number));
    p.glossary = lesson.glossary();
    const auto files = session.program.kernels.files();
    p.kernel_file = files.empty() ? launch::kKernelFile : files.front();
    p.source = session.runner.source(p.kernel_file);
    const auto tabs = session.tabs();
    present_variants(p, session, tabs);
    present_times(p, session, tabs);
    p.costs = costs_to_show(session);
    p.services.run = [&session](const std::string& name) { return session.run(name); };
    p.services.run_beside = [&session](const std::string& name, const std::vector<std::string>& beside) {
        return session.run_beside(name, beside);
    };
    if (!session.opened) {
        p.fields = runner::fields_of(lesson, session.program.kernels);
        p.services.run_changed = [&session](const std::string& name, const std::vector<std::string>& beside,
                                            const RunChanges& changes) {
            return session.runner.run_changed(name, beside, changes)->run;
        };
    }
    if (session.program.live.run) {
        const auto live = [&session](const std::function<std::shared_ptr<const run::Run>()>& run) {
            return session.program.live.run([&session] { session.runner.forget(); }, run);
        };
        p.services.run = [live, run = p.services.run](const std::string& name) {
            return live([&] { return run(name); });
        };
        p.services.run_beside = [live, run = p.services.run_beside](const std::string& name,
                                                                    const std::vector<std::string>& beside) {
            return live([&] { return run(name, beside); });
        };
        p.services.run_changed = [live, run = p.services.run_changed](const std::string& name,
                                                                      const std::vector<std::string>& beside,
                                                                      const RunChanges& changes) {
            return live([&] { return run(name, beside, changes); });
        };
        p.services.edited = session.program.live.state;
        p.services.wake_on_edit = session.program.live.wake;
    }
    p.services.cancel = [&session] { session.runner.cancel(); };
    p.services.open = [&session](const std::string& path) { return session.runner.load(path)->run; };
    p.lessons = find_lessons(lesson.folder().parent_path(), folder_of_this_program());
    p.services.add_ladder = [&session](LessonContents& contents) {
        try {
            add_ladder(contents, timing::load_ladder(session.lesson.recordings()));
        } catch (const Error& error) {
            session.console.err << error.what() << '\n';
        }
    };
    if (session.program.start)
        p.services.continue_with = [&session](const NextProgram& next) {
            session.next = with_own_flags(next, session.options);
        };
    return p;
}

WindowRequest window_request(const Options& options, const std::string& variant) {
    WindowRequest r;
    r.variant = variant;
    r.compare = options.compare;
    r.has_step = options.step.has_value();
    r.step = options.step ? *options.step - 1 : 0;
    r.has_size = options.has_size;
    r.start_page = options.start;
    r.opened = options.open;
    r.width = options.width;
    r.height = options.height;
    r.dark = options.dark;
    r.scale = options.scale;
    r.block = options.focus_block.value_or(-1);
    r.warp = options.focus_warp.value_or(-1);
    r.lane = options.lane.value_or(-1);
    r.view = view_of(options);
    r.sort = options.sort;
    r.predict = options.predict;
    return r;
}

}  // namespace lanewise::cli
