#include "common/scene/compare/comparison_sentence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/run/run.hpp"
#include "common/scene/outcome.hpp"
#include "common/timing/compare.hpp"
#include "common/timing/sizes.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::scene {
namespace {

using Counters = steps::Step::Counters;
using Names = std::vector<std::string>;

// Between the counts of three or four; no line is broken there.
constexpr const char* kSlash = "\u00a0/\u00a0";

// Times that lie no further apart are alike enough to be described by the limit that both have.
constexpr double kAlike = 0.1;

std::uint64_t volume(const std::array<std::uint32_t, 3>& extent) {
    return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

// What the recorded blocks of a run did in all.
struct Work {
    std::vector<Counters> blocks;
    std::vector<std::uint32_t> rounds;   // reduction rounds of each
    std::uint64_t grid = 0;              // blocks that ran, of all launches
    bool knows_memory = false;           // loads and stores were recorded
    bool one_address = false;            // all atomics change one word of global memory
};

bool alike(const Counters& a, const Counters& b) {
    const auto key = [](const Counters& c) {
        return std::tuple(c.block_barriers, c.warp_barriers, c.atomics, c.global_sectors, c.global_requests,
                          c.shared_wavefronts, c.shared_requests);
    };
    return key(a) == key(b);
}

Work work_of(const run::Run& run) {
    Work work;
    const steps::Steps& steps = run.steps;
    if (steps.size() > 0) work.blocks = steps.steps.back().counters;
    for (const WarpRef& block : steps.blocks) work.rounds.push_back(rounds_so_far(run, steps.size(), block));
    for (const trace::Launch& launch : run.trace.header.launches) work.grid += volume(launch.grid);
    work.knows_memory = trace::records_accesses(run.trace);
    std::set<std::pair<std::uint32_t, std::int64_t>> words;
    bool in_shared = false;
    for (const trace::Record& record : run.trace.records) {
        if (!trace::is_atomic(record.op) || record.array >= run.trace.arrays.size()) continue;
        in_shared |= run.trace.arrays[record.array].space == Space::shared;
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane)
            if (record.active >> lane & 1u) words.emplace(record.array, record.element_index[lane]);
    }
    work.one_address = words.size() == 1 && !in_shared;
    return work;
}

struct Count {
    const char* one;
    const char* many;
    bool is_memory;   // of loads, stores and atomics: a GPU's trace alone may not have all of them
    bool adds_up;   // over blocks; else the blocks do it side by side
    double (*of)(const Work&, std::size_t block);
};
constexpr std::size_t kShuffleRounds = 3, kAtomics = 4;   // places among them
constexpr Count kCounts[] = {
    {"round", "rounds", true, false, [](const Work& w, std::size_t b) { return double(w.rounds[b]); }},
    {"barrier", "barriers", false, false,
     [](const Work& w, std::size_t b) { return double(w.blocks[b].block_barriers); }},
    {"syncwarp", "syncwarps", false, false,
     [](const Work& w, std::size_t b) { return double(w.blocks[b].warp_barriers); }},
    {"shuffle round", "shuffle rounds", false, false,
     [](const Work& w, std::size_t b) { return double(w.blocks[b].shuffles); }},
    {"atomic", "atomics", true, true, [](const Work& w, std::size_t b) { return double(w.blocks[b].atomics); }},
    {"sector", "sectors", true, true, [](const Work& w, std::size_t b) { return double(w.blocks[b].global_sectors); }},
    {"global request", "global requests", true, true,
     [](const Work& w, std::size_t b) { return double(w.blocks[b].global_requests); }},
    {"wavefront", "wavefronts", true, true,
     [](const Work& w, std::size_t b) { return double(w.blocks[b].shared_wavefronts); }},
    {"shared request", "shared requests", true, true,
     [](const Work& w, std::size_t b) { return double(w.blocks[b].shared_requests); }}};

// Of which blocks counts are shown, so that both sides' are of the same values.
enum class Scope { a_block, recorded_blocks, whole_run, scaled };

Scope scope_of(const std::vector<Work>& works) {
    const Work& first = works.front();
    const bool same_grid = std::all_of(works.begin(), works.end(), [&](const Work& work) {
        return work.grid == first.grid && work.blocks.size() == first.blocks.size();
    });
    const bool whole = std::all_of(works.begin(), works.end(),
                                   [](const Work& work) { return work.blocks.size() == work.grid; });
    const bool each_alike = std::all_of(works.begin(), works.end(), [](const Work& work) {
        return std::all_of(work.blocks.begin(), work.blocks.end(),
                           [&](const Counters& block) { return alike(block, work.blocks.front()); });
    });
    if (same_grid && each_alike) return Scope::a_block;
    if (whole) return Scope::whole_run;
    return same_grid ? Scope::recorded_blocks : Scope::scaled;
}

double value_of(const Count& count, const Work& work, Scope scope) {
    double all = 0, most = 0;
    for (std::size_t b = 0; b < work.blocks.size(); ++b) {
        all += count.of(work, b);
        most = std::max(most, count.of(work, b));
    }
    if (!count.adds_up) return most;
    if (scope == Scope::a_block) return work.blocks.empty() ? 0 : count.of(work, 0);
    if (scope == Scope::scaled && !work.blocks.empty())
        return all * static_cast<double>(work.grid) / static_cast<double>(work.blocks.size());
    return all;
}

std::string whole_number(double value) { return fmt::format("{:.0f}", value); }

std::string with_name(double value, const Count& count) {
    return whole_number(value) + " " + (std::round(value) == 1 ? count.one : count.many);
}

std::string scope_text(Scope scope, const Work& first) {
    switch (scope) {
        case Scope::a_block: return " in a block";
        case Scope::recorded_blocks: return fmt::format(" in the {} recorded blocks", first.blocks.size());
        case Scope::whole_run: return " in the whole run";
        case Scope::scaled: return " in the whole run, if all blocks do as the recorded ones";
    }
    return {};
}

// How far apart: what differs by most comes first.
double ratio_of(const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return *least == 0 ? HUGE_VAL : *most / *least;
}

std::string name_of(const ComparedRun& side) { return side.title.empty() ? side.name : side.title; }

void add_counts(const std::vector<ComparedRun>& sides, const std::vector<Work>& works, ComparisonSentence& sentence) {
    const Scope scope = scope_of(works);
    const bool memory =
        std::all_of(works.begin(), works.end(), [](const Work& work) { return work.knows_memory; });
    struct Differing {
        std::string text;
        double ratio;
        bool adds_up;
    };
    std::vector<Differing> differing;
    Names equal;
    for (const Count& count : kCounts) {
        if (count.is_memory && !memory) continue;
        if (memory && &count == &kCounts[kShuffleRounds]) continue;   // they are among the rounds
        std::vector<double> values;
        for (const Work& work : works) values.push_back(value_of(count, work, scope));
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        if (*most == 0) continue;
        if (*least == *most) {
            equal.push_back(with_name(values[0], count));
            continue;
        }
        // Of two the second is compared with the first; of more they are in the order of the sides.
        std::string text;
        if (values.size() == 2) {
            text = with_name(values[1], count) + " against " + whole_number(values[0]);
        } else {
            Names all;
            for (const double value : values) all.push_back(whole_number(value));
            text = fmt::format("{} {}", count.many, fmt::join(all, kSlash));
        }
        differing.push_back({std::move(text), ratio_of(values), count.adds_up});
    }
    std::stable_sort(differing.begin(), differing.end(),
                     [](const Differing& a, const Differing& b) { return a.ratio > b.ratio; });
    // What blocks do side by side is a block's, whatever the others are of.
    Names texts, of_a_block;
    for (const Differing& each : differing)
        (each.adds_up || scope == Scope::a_block ? texts : of_a_block).push_back(each.text);
    if (!texts.empty()) sentence.differ = fmt::format("{}{}", fmt::join(texts, ", "), scope_text(scope, works[0]));
    if (!of_a_block.empty())
        sentence.differ += fmt::format("{}{} in a block", texts.empty() ? "" : "; ", fmt::join(of_a_block, ", "));
    sentence.equal = fmt::format("{}", fmt::join(equal, ", "));
    if (memory) return;
    Names unknown;
    for (std::size_t s = 0; s < sides.size(); ++s)
        if (!works[s].knows_memory) unknown.push_back(name_of(sides[s]));
    sentence.equal += std::string(sentence.equal.empty() ? "nothing that was counted" : "") +
                      fmt::format(". Loads, stores and atomics were not recorded of {}", fmt::join(unknown, ", "));
}

std::string how_it_came_out(const ComparedRun& side) {
    if (!came_out_right(*side.run))
        return fmt::format("{} comes out wrong ({})", name_of(side), result_text(*side.run));
    return fmt::format("A mistake was found in {}, though its result is right", name_of(side));
}

std::string times_faster(double ratio) { return fmt::format("{:.{}f}×", ratio, ratio < 10 ? 2 : 0); }

// Do all make as many atomics on one address, and take about as long?
bool have_one_limit(const std::vector<Work>& works, const std::vector<const timing::Timing*>& times) {
    std::vector<double> atomics;
    double least = HUGE_VAL, most = 0;
    for (std::size_t s = 0; s < works.size(); ++s) {
        atomics.push_back(works[s].one_address && works[s].knows_memory
                              ? value_of(kCounts[kAtomics], works[s], Scope::scaled) : 0);
        least = std::min(least, times[s]->median_us);
        most = std::max(most, times[s]->median_us);
    }
    return atomics[0] > 0 &&
           std::count(atomics.begin(), atomics.end(), atomics[0]) == static_cast<long>(atomics.size()) &&
           most <= least * (1 + kAlike);
}

std::string limit_text(const std::vector<ComparedRun>& sides, const std::vector<const timing::Timing*>& times,
                       const std::vector<Work>& works) {
    Names names, figures;
    bool any_order = false;
    double least = HUGE_VAL, most = 0;
    for (std::size_t s = 0; s < sides.size(); ++s) {
        names.push_back(name_of(sides[s]));
        figures.push_back(timing::time_text(times[s]->median_us));
        for (const timing::Timing* other : times) any_order |= timing::compare_times(*times[s], *other) != 0;
        least = std::min(least, times[s]->median_us);
        most = std::max(most, times[s]->median_us);
    }
    const double atomics = value_of(kCounts[kAtomics], works[0], Scope::scaled);
    const std::string each =
        scope_of(works) == Scope::a_block
            ? fmt::format("{} a block", whole_number(value_of(kCounts[kAtomics], works[0], Scope::a_block)))
            : fmt::format("{} each here", whole_number(atomics));
    const std::string apart = any_order ? fmt::format("only {} % apart in time", std::lround(100 * (most / least - 1)))
                                        : std::string("no difference in time");
    // Of more than two the ends say it.
    const bool two = sides.size() == 2;
    const std::string who = two ? fmt::format("{}", fmt::join(names, " and ")) : fmt::format("All {}", sides.size());
    const std::string took = two ? fmt::format("{}", fmt::join(figures, " and "))
                                 : timing::time_text(least) + " to " + timing::time_text(most);
    return fmt::format("{} have one limit, as many atomics on one address ({}): {} ({}, {})", who, each, apart,
                       took, timing::values_text(*times[0]));
}

// The times of two: the second against the first.
std::string text_of_two(const std::vector<ComparedRun>& sides, const timing::Timing& a, const timing::Timing& b,
                        ComparisonSentence& sentence) {
    const std::string first = name_of(sides[0]), second = name_of(sides[1]);
    const int order = timing::compare_times(b, a);
    const double ratio = std::max(a.median_us, b.median_us) / std::min(a.median_us, b.median_us);
    const std::string values = fmt::format("({} against {}, {})", timing::time_text(b.median_us),
                                           timing::time_text(a.median_us), timing::values_text(a));
    if (order == 0) return fmt::format("No difference in time between {} and {} {}", second, first, values);
    sentence.is_ratio = true;
    return fmt::format("{} is {} {} than {} {}", second, times_faster(ratio), order > 0 ? "slower" : "faster", first,
                       values);
}

// The times of more: the fastest, those that are no slower, and how much slower the others are.
std::string text_of_all(const std::vector<ComparedRun>& sides, const std::vector<const timing::Timing*>& times) {
    std::vector<std::size_t> order(sides.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return times[x]->median_us < times[y]->median_us; });
    const timing::Timing& best = *times[order.front()];
    Names fastest, slower;
    for (const std::size_t s : order) {
        if (timing::compare_times(*times[s], best) == 0)
            fastest.push_back(fmt::format("{} ({})", name_of(sides[s]), timing::time_text(times[s]->median_us)));
        else
            slower.push_back(
                fmt::format("{} {}", name_of(sides[s]), times_faster(times[s]->median_us / best.median_us)));
    }
    if (slower.empty())
        return fmt::format("No difference in time between {} at {}", fmt::join(fastest, ", "),
                           timing::values_text(best));
    return fmt::format("Fastest at {}: {}{}; slower: {}", timing::values_text(best), fmt::join(fastest, ", "),
                       fastest.size() > 1 ? ", no difference between them" : "", fmt::join(slower, ", "));
}

// Why times are not compared: each was taken on other values.
std::string timed_apart(const std::vector<ComparedRun>& sides, const timing::TimingTable& table) {
    Names shapes;
    for (const ComparedRun& side : sides) {
        const timing::Timing& time = *timing::timing_of(table, side.name);
        shapes.push_back(fmt::format("{} on {}", name_of(side), timing::values_text(time)));
    }
    return fmt::format("Their times are not compared: {}", fmt::join(shapes, ", "));
}

std::string times_text(const std::vector<ComparedRun>& sides, const timing::TimingTable& table,
                       const std::vector<Work>& works, ComparisonSentence& sentence) {
    Names wrong;
    for (const ComparedRun& side : sides)
        if (is_wrong(*side.run)) wrong.push_back(how_it_came_out(side));
    if (!wrong.empty()) return fmt::format("{}; no times are compared", fmt::join(wrong, "; "));
    const auto has_time = [&](const ComparedRun& side) { return timing::timing_of(table, side.name) != nullptr; };
    if (std::none_of(sides.begin(), sides.end(), has_time)) return "None of them has a time to compare";
    Names names;
    for (const ComparedRun& side : sides) {
        if (!has_time(side)) return fmt::format("{} has no time to compare", name_of(side));
        names.push_back(side.name);
    }
    const std::vector<const timing::Timing*> times = timing::comparable_times(table, names);
    if (times.empty()) return timed_apart(sides, table);
    sentence.one_limit = have_one_limit(works, times);
    if (sentence.one_limit) return limit_text(sides, times, works);
    return sides.size() == 2 ? text_of_two(sides, *times[0], *times[1], sentence) : text_of_all(sides, times);
}

// The elements of the first output: sums that a run leaves.
std::uint64_t outputs_of(const run::Run& run) {
    return run.trace.outputs.empty() ? 0 : run.trace.outputs.front().count;
}

// "3×760", rows by columns; "2280" where they are no rows.
std::string shape_of(const trace::Header& header) {
    return header.columns > 0 ? timing::shape_text(header.n, header.columns) : fmt::format("{}", header.n);
}

void add_input(const std::vector<ComparedRun>& sides, ComparisonSentence& sentence) {
    const auto input = [](const ComparedRun& side) {
        const trace::Header& header = side.run->trace.header;
        return std::tuple(header.n, header.columns, header.input, header.seed, header.offset);
    };
    const trace::Header& first = sides.front().run->trace.header;
    sentence.same_input = std::all_of(sides.begin(), sides.end(),
                                      [&](const ComparedRun& side) { return input(side) == input(sides.front()); });
    if (!sentence.same_input) {
        Names each;
        for (const ComparedRun& side : sides)
            each.push_back(fmt::format("{} on {} ({})", name_of(side), shape_of(side.run->trace.header),
                                       side.run->trace.header.input));
        sentence.input = fmt::format("Not on the same input: {}.", fmt::join(each, ", "));
        if (std::any_of(sides.begin(), sides.end(),
                        [&](const ComparedRun& side) { return side.run->trace.header.columns != first.columns; }))
            sentence.input += " Give them the same rows and columns.";
        for (const ComparedRun& side : sides)
            if (!side.run->note.empty()) sentence.input += fmt::format(" {}: {}", name_of(side), side.run->note);
        return;
    }
    sentence.input = fmt::format("{} ran on the same {} values ({}).", sides.size() == 2 ? "Both" : "All", shape_of(first),
                                 first.input.empty() ? "input not named" : first.input);
    // A warp form leaves a sum for each of its slices.
    const bool same_outputs = std::all_of(sides.begin(), sides.end(), [&](const ComparedRun& side) {
        return outputs_of(*side.run) == outputs_of(*sides.front().run);
    });
    if (same_outputs) return;
    Names each;
    for (const ComparedRun& side : sides) {
        const std::uint64_t count = outputs_of(*side.run);
        each.push_back(fmt::format("{} leaves {} {}", name_of(side), count, count == 1 ? "result" : "partial results"));
    }
    sentence.input += fmt::format(" Not the same work: {}.", fmt::join(each, ", "));
}

}  // namespace

std::string ComparisonSentence::headline() const {
    if (times.empty()) return {};
    if (differ.empty()) return times + ". No count differs.";
    return times + (is_ratio ? ": " : ". Counts that differ, " + order + ": ") + differ + ".";
}

std::string ComparisonSentence::text() const {
    const std::string head = headline();
    return equal.empty() || head.empty() ? head : head + " Equal: " + equal + ".";
}

ComparisonSentence comparison_sentence(const std::vector<ComparedRun>& sides, const timing::TimingTable& times) {
    ComparisonSentence sentence;
    if (sides.size() < 2) return sentence;
    std::vector<Work> works;
    for (const ComparedRun& side : sides) works.push_back(work_of(*side.run));
    sentence.order =
        sides.size() == 2 ? name_of(sides[1]) + " against " + name_of(sides[0]) : "in the order of the sides";
    sentence.times = times_text(sides, times, works, sentence);
    add_counts(sides, works, sentence);
    add_input(sides, sentence);
    return sentence;
}

}  // namespace lanewise::scene
