#include "common/cli/session.hpp"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/cli/progress.hpp"
#include "common/runner/recordings.hpp"
#include "common/steps/align.hpp"

namespace lanewise::cli {

using runner::TimerWatch;

namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// A measurement has a progress line on a terminal, and ends at an interrupt.
TimerWatch watch_of(const Program& program, const Console& console) {
    const auto follow = [&console](const std::string& what) -> TimerWatch::Progress {
        return [line = std::make_shared<ProgressLine>(console), what](std::size_t done, std::size_t all,
                                                                      const std::string& name) {
            line->show(what, done, all, name);
        };
    };
    return {follow, program.watch_interrupts};
}

}  // namespace

Session::Session(Program& asked, Options what, Console answers)
    : program(asked), lesson(asked.lesson), options(std::move(what)), console(answers),
      paint(options.color == ColorChoice::always || (options.color == ColorChoice::automatic && answers.color)),
      runner(asked, options), timer(asked, options, runner, watch_of(asked, console)) {}

std::vector<std::string> Session::chosen(bool all_otherwise) const {
    if (!options.variants.empty()) return options.variants;
    if (!options.compare.empty()) return options.compare;
    std::vector<std::string> names;
    for (const auto& v : lesson.variants())
        if (all_otherwise || v.tab) names.push_back(v.name);
    if (names.empty()) throw Error(fmt::format("{} has no variants yet; add one in lesson.cpp.", lesson.name()));
    return names;
}

std::vector<std::string> Session::tabs() const {
    if (opened) return looked_at();
    if (!options.variants.empty() || options.compare.empty()) return chosen(false);
    std::vector<std::string> names;
    for (const auto& v : lesson.variants())
        if (v.tab || is_among(options.compare, v.name)) names.push_back(v.name);
    return names;
}

std::vector<std::string> Session::looked_at() const {
    if (opened) return {opened->run->trace.header.variant};
    auto names = chosen(false);
    if (options.variants.empty() && options.compare.empty()) names.resize(1);
    return names;
}

std::vector<std::string> Session::measured() const {
    const auto all = chosen(true);
    if (!options.block || !options.variants.empty() || !options.compare.empty()) return all;
    auto names = all;
    std::erase_if(names, [&](const std::string& name) {
        return !lesson::has_instance(lesson.find(name), *options.block, program.kernels);
    });
    return names.empty() ? all : names;  // of none, the first says which instances there are
}

std::vector<std::string> Session::that_run(std::vector<std::string> names) {
    if (runner.backend() != runner::BackendChoice::gpu) return names;
    std::vector<std::string> reasons;
    std::erase_if(names, [&](const std::string& name) {
        const lesson::Variant& variant = lesson.find(name);
        const std::string why =
            runner.why_not(variant, runner.on_this_machine(lesson::Lesson::default_inputs(variant)));
        if (!why.empty() && !is_among(reasons, why)) {
            console.err << why << '\n';
            reasons.push_back(why);
        }
        return !why.empty();
    });
    return names;
}

std::optional<steps::WarpRef> Session::focused(const run::Run& run) const {
    if (!options.focus_warp) return std::nullopt;
    for (const auto& warp : run.steps.warps)
        if (warp.block == static_cast<std::uint32_t>(*options.focus_block) &&
            warp.warp == static_cast<std::uint32_t>(*options.focus_warp))
            return warp;
    return std::nullopt;
}

void Session::check_place(const std::string& variant) {
    const auto shown = run(variant);
    const steps::Steps& steps = shown->steps;
    if (options.step && steps.size() == 0)
        throw Error(fmt::format("--step {}: {} has no step; leave out --step.", *options.step, variant));
    if (options.step && *options.step > steps.size())
        throw Error(fmt::format("--step {}: {} has {} steps; give 1 to {}.", *options.step, variant, steps.size(),
                                steps.size()));
    if (options.focus_warp && !focused(*shown)) {
        const steps::WarpRef last = steps.warps.empty() ? steps::WarpRef{} : steps.warps.back();
        throw Error(fmt::format("--focus {}:{}: {} recorded no such warp; its last is {}:{}.", *options.focus_block,
                                *options.focus_warp, variant, last.block, last.warp));
    }
}

void Session::check_drawn(const std::string& variant) {
    if (options.compare.empty() || !options.step) return check_place(variant);
    std::vector<const steps::Steps*> runs;
    for (const auto& name : options.compare) runs.push_back(&run_beside(name, options.compare)->steps);
    const std::size_t places = steps::align_all(runs).size();
    if (*options.step > places)
        throw Error(fmt::format("--step {}: side by side {} have {} places; give 1 to {}.", *options.step,
                                fmt::join(options.compare, " and "), places, places));
    if (options.focus_warp && !focused(*run(variant))) check_place(variant);
}

timing::TimingTable Session::recorded(const std::string& file) const {
    timing::TimingTable table;
    try {
        if (const auto path = runner::find_recording(lesson, file); !path.empty()) table = timing::load(path);
        if (!table.rows.empty()) timer.add_recorded_baselines(table);   // without them where they cannot be read
    } catch (const Error& error) {
        console.err << error.what() << '\n';
    }
    return table;
}

}  // namespace lanewise::cli
