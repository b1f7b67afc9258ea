#include "common/scene/compare/side_by_side.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/run/run.hpp"
#include "common/scene/compare/comparison_sentence.hpp"
#include "common/scene/describe.hpp"
#include "common/scene/held.hpp"
#include "common/scene/outcome.hpp"
#include "common/scene/utilization.hpp"
#include "common/scene/warps.hpp"
#include "common/steps/align.hpp"
#include "common/timing/compare.hpp"
#include "common/timing/sizes.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::scene {
namespace {

using Counters = steps::Step::Counters;
using steps::Role;

const char* role_name(Role role) {
    switch (role) {
        case Role::load: return "load";
        case Role::round: return "round";
        case Role::store_words: return "exchange store";
        case Role::load_words: return "exchange load";
        case Role::shared_atomic: return "shared atomic";
        case Role::collective: return "collective";
        case Role::barrier: return "barrier";
        case Role::fence: return "fence";
        case Role::finish: return "finish";
    }
    return "";
}

bool any_round(const std::vector<ComparedRun>& sides) {
    return std::any_of(sides.begin(), sides.end(), [](const ComparedRun& side) {
        const auto& steps = side.run->steps.steps;
        return std::any_of(steps.begin(), steps.end(),
                           [](const steps::Step& step) { return steps::role_of(step) == Role::round; });
    });
}

struct Counted {
    const char* label;
    const char* meaning;
    std::uint32_t Counters::*value;
    bool of_memory = true;   // counted only where loads and stores were recorded
};
constexpr Counted kCounted[] = {
    {"shuffles", "rounds of shuffles and __reduce_*_sync so far", &Counters::shuffles, false},
    {"barriers", "block barriers so far", &Counters::block_barriers, false},
    {"syncwarps", "warp barriers so far", &Counters::warp_barriers, false},
    {"shared", "accesses to shared memory so far, counted by lanes", &Counters::shared_accesses},
    {"atomics", "atomics so far, counted by lanes", &Counters::atomics},
    {"wavefronts", "wavefronts of shared memory so far: one for a request without bank conflicts",
     &Counters::shared_wavefronts},
    {"global", "accesses to global memory so far, counted by lanes", &Counters::global_accesses},
    {"sectors", "32-byte sectors of global memory transferred so far", &Counters::global_sectors},
    {"requests", "loads and stores of global memory so far, counted by warps", &Counters::global_requests}};

const Counters& counters_at(const run::Run& run, std::size_t step, const WarpRef& warp) {
    static constexpr Counters kNothing{};
    if (step >= run.steps.size()) return kNothing;
    const auto& counters = run.steps.steps[step].counters;
    const std::size_t block = block_place(run.steps, warp);
    return block < counters.size() ? counters[block] : kNothing;
}

// Is it ever counted in a recorded block?
template <class T>
bool ever(const run::Run& run, T Counters::*value) {
    if (run.steps.size() == 0) return false;
    const auto& counters = run.steps.steps.back().counters;
    return std::any_of(counters.begin(), counters.end(), [&](const auto& each) { return each.*value > 0; });
}

// Lanes that hold something else than those of the other run's warp at its step.
std::uint32_t lanes_that_differ(const run::Run& a, const CompareScene::Side& here, const run::Run& b,
                                const CompareScene::Side& there) {
    const auto has = [](const run::Run& run, const WarpRef& ref) {
        const auto& warps = run.steps.warps;
        return std::find(warps.begin(), warps.end(), ref) != warps.end();
    };
    if (!here.own || !there.own || !has(a, here.warp) || !has(b, there.warp)) return 0;
    const steps::LaneValues& x = a.steps.lane_values(here.step, here.warp);
    const steps::LaneValues& y = b.steps.lane_values(there.step, there.warp);
    std::uint32_t lanes = 0;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        if (((x.known & y.known) >> lane & 1u) == 0) continue;
        // In other formats the same number may have other bits.
        const bool same = x.type == y.type
                              ? same_value(x.type, x.bits[lane], y.bits[lane])
                              : element_to_double(x.type, x.bits[lane]) == element_to_double(y.type, y.bits[lane]);
        const bool same_parts = held(a.steps, here.step, here.warp, static_cast<int>(lane)).more ==
                                held(b.steps, there.step, there.warp, static_cast<int>(lane)).more;
        if (!same || !same_parts) lanes |= std::uint32_t{1} << lane;
    }
    return lanes;
}

// Where a side is at a place, as text.
std::string standing(const run::Run& run, const SideBySide& steps, std::size_t place, const CompareScene::Side& side) {
    const steps::Steps& own = run.steps;
    if (side.own) {
        const steps::Step& step = own.steps[side.step];
        return steps::role_of(step) == Role::round ? fmt::format("{} · {}", steps.name(place), step.label) : step.label;
    }
    if (side.step == kNoStep) return "has not begun";
    if (side.step + 1 == own.size()) return "is done";
    return steps.missing(place);
}

void mark(CompareFigure& figure, std::size_t sides) {
    std::vector<double> known;
    for (std::size_t s = 0; s < sides; ++s)
        if (figure.known[s]) known.push_back(figure.values[s]);
    if (known.empty()) return;
    const auto [least, most] = std::minmax_element(known.begin(), known.end());
    figure.differs = *least < *most;
    if (!figure.differs) return;
    // What most of them share stands out no more.
    const double low = *least, high = *most;
    const auto few = [&](double value) {
        return 2 * static_cast<std::size_t>(std::count(known.begin(), known.end(), value)) <= known.size();
    };
    for (std::size_t s = 0; s < sides; ++s) {
        if (!figure.known[s]) continue;
        if (figure.values[s] == high && few(high)) figure.marks[s] = CompareFigure::Mark::most;
        if (figure.values[s] == low && few(low)) figure.marks[s] = CompareFigure::Mark::least;
    }
}

std::vector<CompareFigure> figures_of(const std::vector<ComparedRun>& sides, const CompareScene& scene) {
    std::vector<CompareFigure> figures;
    const auto counters = [&](std::size_t s) -> const Counters& {
        return counters_at(*sides[s].run, scene.sides[s].step, scene.sides[s].warp);
    };
    std::vector<bool> knows_memory;
    for (const ComparedRun& side : sides) knows_memory.push_back(trace::records_accesses(side.run->trace));
    const auto add = [&](const char* label, const char* meaning, const auto& value, const auto& text,
                         bool of_memory = false) {
        CompareFigure figure;
        figure.label = label;
        figure.meaning = meaning;
        for (std::size_t s = 0; s < sides.size(); ++s) {
            figure.known[s] = !of_memory || knows_memory[s];
            figure.values[s] = figure.known[s] ? value(s) : 0.0;
            figure.shown[s] = figure.known[s] ? text(figure.values[s]) : "–";
        }
        mark(figure, sides.size());
        figures.push_back(std::move(figure));
    };
    const auto whole = [](double value) { return fmt::format("{:.0f}", value); };
    add(
        "active", "active lanes at this step",
        [&](std::size_t s) { return scene.sides[s].own ? counters(s).active_lanes : 0.0; }, whole);
    const bool any_adds = std::any_of(sides.begin(), sides.end(),
                                      [&](const ComparedRun& side) { return ever(*side.run, &Counters::add_slots); });
    if (any_adds)
        add(
            "utilization", "of the lanes in add steps, up to here",
            [&](std::size_t s) { return counters(s).utilization(); }, scene::percent);
    const auto rounds = [&](std::size_t s) {
        const CompareScene::Side& side = scene.sides[s];
        return static_cast<double>(rounds_so_far(*sides[s].run, side.step == kNoStep ? 0 : side.step + 1, side.warp));
    };
    if (any_round(sides)) add("rounds", "reduction rounds so far, by shuffles or in memory", rounds, whole);
    for (const Counted& counted : kCounted) {
        const bool any = std::any_of(sides.begin(), sides.end(),
                                     [&](const ComparedRun& side) { return ever(*side.run, counted.value); });
        if (any)
            add(
                counted.label, counted.meaning,
                [&](std::size_t s) { return static_cast<double>(counters(s).*counted.value); }, whole,
                counted.of_memory);
    }
    return figures;
}

void compare_times(const std::vector<ComparedRun>& sides, const timing::TimingTable& times, CompareScene& scene) {
    std::vector<std::string> names;
    for (const ComparedRun& side : sides) names.push_back(side.name);
    const std::vector<const timing::Timing*> comparable = timing::comparable_times(times, names);
    for (std::size_t s = 0; s < sides.size(); ++s)
        scene.sides[s].time.timing = comparable.empty() ? timing::timing_of(times, names[s]) : comparable[s];
    for (CompareScene::Side& side : scene.sides) {
        if (!side.time.timing) continue;
        const timing::Timing& own = *side.time.timing;
        side.time.among_fastest = true;
        std::size_t faster_than = 0, others = 0;
        double fastest = own.median_us;
        for (const CompareScene::Side& other : scene.sides) {
            if (&other == &side || !other.time.timing || other.time.timing->n != own.n ||
                other.time.timing->columns != own.columns)
                continue;
            ++others;
            const int order = timing::compare_times(own, *other.time.timing);
            side.time.among_fastest &= order <= 0;
            faster_than += order < 0;
            fastest = std::min(fastest, other.time.timing->median_us);
        }
        side.time.comparable = others > 0;
        side.time.times_fastest = fastest > 0 ? own.median_us / fastest : 1;
        side.time.fastest = others > 0 && faster_than == others;
    }
}

// "0-15, 20"
std::string lanes_text(std::uint32_t lanes) {
    std::string text;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if ((lanes >> lane & 1u) == 0) continue;
        int last = lane;
        while (last + 1 < kWarpSize && (lanes >> (last + 1) & 1u)) ++last;
        text += (text.empty() ? "" : ", ") + (last == lane ? std::to_string(lane) : fmt::format("{}-{}", lane, last));
        lane = last;
    }
    return text;
}

}  // namespace

void SideBySide::align(const std::vector<const run::Run*>& sides) {
    std::vector<const steps::Steps*> runs;
    for (const run::Run* side : sides) runs.push_back(&side->steps);
    places_.clear();
    names_.clear();
    if (runs.size() != 1) places_ = steps::align_all(runs);
    for (std::size_t k = 0; runs.size() == 1 && k < runs.front()->size(); ++k) places_.push_back({k});
    std::map<Role, std::size_t> so_far;
    for (const std::vector<std::size_t>& place : places_) {
        std::size_t side = 0;
        while (place[side] == kNoStep) ++side;
        const Role role = steps::role_of(runs[side]->steps[place[side]]);
        names_.push_back(role == Role::finish ? "finish" : fmt::format("{} {}", role_name(role), ++so_far[role]));
    }
}

std::string SideBySide::missing(std::size_t place) const {
    const std::string& name = names_[place];
    if (name == "finish") return "nothing to store here";
    return fmt::format("no {} here", name.substr(0, name.rfind(' ')));
}

std::size_t SideBySide::step_of(std::size_t side, std::size_t place) const {
    for (std::size_t i = std::min(place + 1, places_.size()); i-- > 0;)
        if (places_[i][side] != kNoStep) return places_[i][side];
    return kNoStep;
}

bool SideBySide::has_own_step(std::size_t side, std::size_t place) const {
    return place < places_.size() && places_[place][side] != kNoStep;
}

std::size_t SideBySide::place_of(std::size_t side, std::size_t step) const {
    for (std::size_t i = 0; i < places_.size(); ++i)
        if (places_[i][side] == step) return i;
    return 0;
}

std::size_t SideBySide::place_of_next_stage(const std::vector<const run::Run*>& sides, std::size_t place,
                                            int direction) const {
    if (places_.empty()) return 0;
    const auto stage = [&](std::size_t at) -> const std::string& {
        std::size_t side = 0;
        while (places_[at][side] == kNoStep) ++side;
        return sides[side]->steps.steps[places_[at][side]].stage;
    };
    const std::size_t last = places_.size() - 1;
    std::size_t at = std::min(place, last);
    const std::string from = stage(at);
    while ((direction < 0 ? at > 0 : at < last) && stage(at) == from) direction < 0 ? --at : ++at;
    return at;
}

std::uint32_t rounds_so_far(const run::Run& run, std::size_t count, const WarpRef& block) {
    std::uint32_t rounds = 0;
    for (std::size_t k = 0; k < std::min(count, run.steps.size()); ++k) {
        const steps::Step& step = run.steps.steps[k];
        if (steps::role_of(step) != Role::round) continue;
        rounds += std::any_of(step.warps.begin(), step.warps.end(), [&](const steps::WarpStep& part) {
            return part.warp.launch == block.launch && part.warp.block == block.block;
        });
    }
    return rounds;
}

std::size_t matching_step(const steps::Steps& last, std::size_t step, const steps::Steps& now) {
    std::size_t found = step;
    for (const auto& [before, after] : steps::align(last, now)) {
        if (after != kNoStep) found = after;
        if (before == step) break;
    }
    return found;
}

WarpRef matching_warp(const steps::Steps& steps, const WarpRef& warp) {
    const auto at = std::find(steps.warps.begin(), steps.warps.end(), warp);
    if (at != steps.warps.end()) return *at;
    return steps.warps.empty() ? warp : steps.warps.front();
}

bool is_wrong(const run::Run& run) { return !came_out_right(run) || !run.trace.findings.empty(); }

CompareScene build_compare_scene(const std::vector<ComparedRun>& sides, const SideBySide& steps,
                                 const timing::TimingTable& times, std::size_t place, const WarpRef& warp) {
    CompareScene scene;
    scene.place = place;
    scene.count = steps.size();
    scene.sides.resize(sides.size());
    for (std::size_t s = 0; s < sides.size(); ++s) {
        CompareScene::Side& side = scene.sides[s];
        side.step = steps.step_of(s, place);
        side.own = steps.has_own_step(s, place);
        side.warp = matching_warp(sides[s].run->steps, warp);
        side.stands = standing(*sides[s].run, steps, place, side);
    }
    const auto right =
        std::find_if(sides.begin(), sides.end(), [](const ComparedRun& side) { return !is_wrong(*side.run); });
    scene.reference = right == sides.end() ? 0 : static_cast<std::size_t>(right - sides.begin());
    for (std::size_t s = 0; s < sides.size(); ++s) {
        if (s == scene.reference) continue;
        scene.sides[s].differing = lanes_that_differ(*sides[s].run, scene.sides[s], *sides[scene.reference].run,
                                                     scene.sides[scene.reference]);
    }
    scene.figures = figures_of(sides, scene);
    compare_times(sides, times, scene);
    for (std::size_t s = 0; s < sides.size(); ++s) scene.sides[s].time.wrong = is_wrong(*sides[s].run);
    return scene;
}

std::string time_text(const CompareTime& time, bool ranked) {
    if (!time.timing)
        return time.wrong ? "no time: a variant that came out wrong is not timed"
                          : "no time of this variant was measured";
    std::string text = fmt::format("{} for {}", timing::time_text(time.timing->median_us),
                                   timing::values_text(*time.timing));
    if (!ranked) return text;
    if (time.fastest) text += ", the fastest";
    else if (time.comparable && time.among_fastest) text += ", no difference from the fastest";
    else if (time.comparable) text += fmt::format(", {:.3g}× the fastest", time.times_fastest);
    return text;
}

std::string describe_comparison(const std::vector<ComparedRun>& sides, const std::string& kernel_file,
                                const timing::TimingTable& times, std::size_t place, int block, int warp) {
    std::vector<const run::Run*> runs;
    for (const ComparedRun& side : sides) runs.push_back(side.run);
    SideBySide steps;
    steps.align(runs);
    if (place >= steps.size())
        throw Error(
            fmt::format("There is no place {}: side by side these runs have {} places.", place + 1, steps.size()));
    const auto& warps = runs.front()->steps.warps;
    WarpRef chosen = warps.empty() ? WarpRef{} : warps.front();
    for (const WarpRef& each : warps) {
        if ((block >= 0 && each.block != static_cast<std::uint32_t>(block)) ||
            (warp >= 0 && each.warp != static_cast<std::uint32_t>(warp)))
            continue;
        chosen = each;
        break;
    }
    if (block < 0 && warp < 0) chosen = working_warp(runs, steps, place, chosen);
    const CompareScene scene = build_compare_scene(sides, steps, times, place, chosen);
    std::string out = fmt::format("place {} of {}: {}\n", place + 1, steps.size(), steps.name(place));
    const ComparisonSentence sentence = comparison_sentence(sides, times);
    out += sentence.input + "\n" + sentence.text() + "\n";
    for (std::size_t s = 0; s < sides.size(); ++s) {
        const CompareScene::Side& side = scene.sides[s];
        out += fmt::format("{}  ", sides[s].name);
        if (side.step == kNoStep) out += "has not begun\n";
        else if (!side.own) out += fmt::format("{}, after its step {}\n", side.stands, side.step + 1);
        else out += fmt::format("step {}: {}\n", side.step + 1, runs[s]->steps.steps[side.step].label);
    }
    for (const CompareFigure& figure : scene.figures) {
        out += "counted  " + figure.label;
        for (std::size_t s = 0; s < sides.size(); ++s) {
            const char* marked = figure.marks[s] == CompareFigure::Mark::most    ? " (most)"
                                 : figure.marks[s] == CompareFigure::Mark::least ? " (least)"
                                                                                 : "";
            out += "  " + figure.shown[s] + marked;
        }
        out += "\n";
    }
    for (std::size_t s = 0; s < sides.size(); ++s)
        out += "time  " + sides[s].name + "  " + time_text(scene.sides[s].time, !sentence.one_limit) + "\n";
    for (std::size_t s = 0; s < sides.size(); ++s) {
        if (scene.sides[s].differing)
            out += fmt::format("differs  {}  lanes {} differ from {}\n", sides[s].name,
                               lanes_text(scene.sides[s].differing), sides[scene.reference].name);
    }
    for (std::size_t s = 0; s < sides.size(); ++s) {
        if (!scene.sides[s].own) continue;
        const auto& own = runs[s]->steps.warps;
        const bool recorded = std::any_of(own.begin(), own.end(), [&](const WarpRef& ref) {
            return (block < 0 || ref.block == static_cast<std::uint32_t>(block)) &&
                   (warp < 0 || ref.warp == static_cast<std::uint32_t>(warp));
        });
        const run::Run& run = *runs[s];
        out += "\n" + describe_step(run, run.kernel_file.empty() ? kernel_file : run.kernel_file,
                                    scene.sides[s].step, recorded ? block : static_cast<int>(scene.sides[s].warp.block),
                                    recorded ? warp : static_cast<int>(scene.sides[s].warp.warp));
    }
    return out;
}

}  // namespace lanewise::scene
