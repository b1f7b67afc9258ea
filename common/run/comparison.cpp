#include "common/run/comparison.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/base/suggest.hpp"
#include "common/steps/memory.hpp"
#include "common/timing/compare.hpp"
#include "common/timing/sizes.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::run {

using timing::time_text;

namespace {

using timing::time_text;

// Times that lie no further apart are called alike: about the spread from run to run of short kernels.
constexpr double kAlike = 0.1;

void add_time(ComparedVariant& row, const timing::TimingTable& times) {
    const timing::Timing* time = timing::timing_of(times, row.variant);
    if (!time || !time->within_bound) return;
    row.median_us = time->median_us;
    row.gb_per_s = time->gb_per_s();
    row.timed_n = time->n;
    row.timed_columns = time->columns;
}

std::uint64_t volume(const std::array<std::uint32_t, 3>& extent) {
    return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

std::uint64_t lanes_in(const trace::Record& record) { return static_cast<std::uint64_t>(std::popcount(record.active)); }

// What the recorded blocks of a launch did.
struct Utilization {
    std::set<std::uint32_t> blocks;
    std::uint64_t loads = 0, atomics = 0;
};

void add_work(ComparedVariant& row, const trace::Trace& trace) {
    std::map<std::uint32_t, Utilization> launches;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>> addresses;   // that atomics change
    bool has_loads = false;
    for (const trace::Record& record : trace.records) {
        Utilization& work = launches[record.launch];
        work.blocks.insert(record.block);
        const bool global =
            record.array < trace.arrays.size() && trace.arrays[record.array].space == trace::Space::global;
        if (trace::is_access(record.op)) has_loads = true;
        if (record.op == trace::Op::load && global) work.loads += lanes_in(record);
        if (!trace::is_atomic(record.op)) continue;
        work.atomics += lanes_in(record);
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane)
            if (record.active >> lane & 1)
                addresses.emplace(record.array, global ? 0 : record.block + 1, record.element_index[lane]);
    }
    double loads = 0, threads = 0, atomics = 0;
    for (const auto& [number, work] : launches) {
        if (number >= trace.header.launches.size() || work.blocks.empty()) return;
        const trace::Launch& launch = trace.header.launches[number];
        const auto recorded = static_cast<double>(work.blocks.size());
        loads += static_cast<double>(work.loads);
        threads += recorded * static_cast<double>(volume(launch.block));
        atomics += static_cast<double>(work.atomics) / recorded * static_cast<double>(volume(launch.grid));
    }
    if (has_loads && threads > 0) row.loads = loads / threads;
    if (!launches.empty()) row.atomics = atomics;
    row.one_address = addresses.size() == 1;
}

// The figure in a column; none for text and what is not known.
std::optional<double> figure(const ComparedVariant& row, Column column) {
    const bool ran = row.why_not.empty();
    const auto result = [&](double value) { return row.has_result ? std::optional(value) : std::nullopt; };
    switch (column) {
        case Column::variant: return std::nullopt;
        case Column::n: return ran ? std::optional(static_cast<double>(row.n)) : std::nullopt;
        case Column::value: return result(row.value);
        case Column::error: return result(row.error);
        case Column::bound: return result(row.bound);
        case Column::time: return row.median_us;
        case Column::gbs: return row.gb_per_s;
        case Column::threads:
            return ran && row.threads > 0 ? std::optional(static_cast<double>(row.threads)) : std::nullopt;
        case Column::loads: return row.loads;
        case Column::atomics: return row.atomics;
    }
    return std::nullopt;
}

struct Named {
    const char* name;
    const char* heading;
};
constexpr Named kColumns[kColumnCount] = {{"variant", "variant"}, {"n", "n"}, {"value", "value"}, {"error", "error"},
                                          {"bound", "bound"}, {"time", "time"}, {"gbs", "GB/s"}, {"threads", "threads"},
                                          {"loads", "loads/thread"}, {"atomics", "atomics"}};

bool alike(double a, double b) { return std::max(a, b) <= std::min(a, b) * (1 + kAlike); }

// "a half", "a quarter", "0.3"
std::string share_text(double part) {
    for (const auto& [value, name] :
         {std::pair{0.5, "half"}, {0.25, "a quarter"}, {0.125, "an eighth"}, {0.0625, "a sixteenth"}})
        if (std::fabs(part - value) < value * 0.02) return std::string(name) + " of";
    return fmt::format("{:.2g} times", part);
}

// Are their times of as many values, in rows of one length?
bool timed_alike(const ComparedVariant& a, const ComparedVariant& b) {
    return a.timed_n == b.timed_n && a.timed_columns == b.timed_columns;
}

// Fewer threads, wider loads, as many atomics on one address: no faster.
void explain_atomics(const Comparison& comparison, std::vector<std::string>& sentences) {
    for (const ComparedVariant& wide : comparison.rows) {
        const ComparedVariant* narrow = nullptr;
        for (const ComparedVariant& other : comparison.rows) {
            const bool same_work = other.n == wide.n && timed_alike(other, wide) && other.atomics &&
                                   wide.atomics && *other.atomics == *wide.atomics && *wide.atomics > 1 &&
                                   other.one_address && wide.one_address;
            if (!same_work || !other.median_us || !wide.median_us || wide.threads == 0 ||
                wide.threads * 2 > other.threads)
                continue;
            if (alike(*other.median_us, *wide.median_us) && (!narrow || other.threads < narrow->threads))
                narrow = &other;
        }
        if (!narrow) continue;
        std::string sentence = fmt::format(
            "{} has {} the threads of {}, and is {}: {} and {}. Both make as many atomics on one address ({:.0f} for "
            "{} values).",
            wide.variant, share_text(static_cast<double>(wide.threads) / static_cast<double>(narrow->threads)),
            narrow->variant, *wide.median_us < *narrow->median_us ? "hardly faster" : "no faster",
            time_text(*wide.median_us), time_text(*narrow->median_us), *wide.atomics, wide.n);
        // What fewer of them bring.
        const ComparedVariant* fewer = nullptr;
        for (const ComparedVariant& other : comparison.rows)
            if (other.n == wide.n && timed_alike(other, wide) && other.atomics && other.median_us &&
                *other.atomics * 2 <= *wide.atomics && *other.median_us * (1 + kAlike) < *wide.median_us &&
                (!fewer || *other.median_us < *fewer->median_us))
                fewer = &other;
        if (fewer)
            sentence += fmt::format(" {} makes {:.0f}, and takes {}.", fewer->variant, *fewer->atomics,
                                    time_text(*fewer->median_us));
        sentences.push_back(std::move(sentence));
    }
}

// As fast, and much closer: most often a wider accumulator.
void explain_accuracy(const Comparison& comparison, std::vector<std::string>& sentences) {
    struct Pair {
        const ComparedVariant *close, *far;
        double ratio;
    };
    std::vector<Pair> pairs;
    for (const ComparedVariant& far : comparison.rows) {
        const ComparedVariant* best = nullptr;
        for (const ComparedVariant& close : comparison.rows) {
            const bool same_work = close.n == far.n && timed_alike(close, far) && close.input == far.input &&
                                   close.loads && far.loads && *close.loads == *far.loads &&
                                   close.atomics == far.atomics && close.reference == far.reference;
            if (!same_work || !close.median_us || !far.median_us || !close.has_result || !far.has_result || !close.ok ||
                far.declared_wrong)
                continue;
            if (*close.median_us > *far.median_us * (1 + kAlike) || !(close.error * 10 <= far.error) || far.error == 0)
                continue;
            if (!best || close.error < best->error) best = &close;
        }
        if (best) pairs.push_back({best, &far, best->error > 0 ? far.error / best->error : HUGE_VAL});
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.ratio > b.ratio; });
    constexpr std::size_t kMost = 3;
    for (std::size_t i = 0; i < std::min(pairs.size(), kMost); ++i) {
        const auto& [close, far, ratio] = pairs[i];
        const std::string times = std::isinf(ratio) ? "is exact here" : fmt::format("is {:.0f} times closer", ratio);
        sentences.push_back(fmt::format(
            "{} reads the same {} values as {}, takes {} against {}, and {} (error {:.2g} against {:.2g}): as fast "
            "here, and closer.",
            close->variant, close->input, far->variant, time_text(*close->median_us), time_text(*far->median_us),
            times, close->error, far->error));
    }
}

// Several ways to load, one rate: memory is the limit.
void explain_memory(const Comparison& comparison, std::vector<std::string>& sentences) {
    double best = 0;
    std::uint64_t largest = 0;
    for (const ComparedVariant& row : comparison.rows) largest = std::max(largest, row.timed_n);
    for (const ComparedVariant& row : comparison.rows)
        if (row.timed_n == largest) best = std::max(best, row.gb_per_s.value_or(0));
    std::vector<const ComparedVariant*> rows;
    for (const ComparedVariant& row : comparison.rows)
        if (row.timed_n == largest && row.gb_per_s && row.loads && *row.loads > 0 && alike(*row.gb_per_s, best) &&
            (rows.empty() || timed_alike(row, *rows.front())))
            rows.push_back(&row);
    if (rows.size() < 2) return;
    const auto [least, most] =
        std::minmax_element(rows.begin(), rows.end(), [](auto* a, auto* b) { return *a->loads < *b->loads; });
    if (*(*most)->loads < 1.9 * *(*least)->loads) return;
    sentences.push_back(fmt::format(
        "{} reads {:.0f} GB/s with {:.3g} loads a thread, {} {:.0f} with {:.3g}: wider loads bring no more once "
        "memory gives all it can.",
        (*most)->variant, *(*most)->gb_per_s, *(*most)->loads, (*least)->variant, *(*least)->gb_per_s,
        *(*least)->loads));
}

}  // namespace

ComparedVariant compared(const Run& run, const timing::TimingTable& times) {
    const trace::Trace& trace = run.trace;
    ComparedVariant row;
    row.variant = trace.header.variant;
    row.n = trace.header.n;
    for (const trace::Launch& launch : trace.header.launches) row.threads += volume(launch.grid) * volume(launch.block);
    if (const auto input = steps::input_array_of(trace)) row.input = element_name(trace.arrays[*input].element);
    if (!run.results.empty()) {
        const Result& result = run.results.front();
        row.has_result = true;
        row.value = result.value;
        row.reference = result.reference;
        row.error = result.error;
        row.bound = result.bound;
        row.ok = std::all_of(run.results.begin(), run.results.end(), [](const Result& each) { return each.ok; });
    }
    add_work(row, trace);
    add_time(row, times);
    return row;
}

ComparedVariant compared(const std::string& variant, const std::string& why_not, const timing::TimingTable& times) {
    ComparedVariant row;
    row.variant = variant;
    row.why_not = why_not;
    add_time(row, times);
    return row;
}

std::string column_name(Column column) { return kColumns[static_cast<std::size_t>(column)].name; }
std::string column_heading(Column column) { return kColumns[static_cast<std::size_t>(column)].heading; }

std::string cell_text(const ComparedVariant& row, Column column) {
    if (column == Column::variant) return row.variant;
    const auto value = figure(row, column);
    if (!value) return "-";
    const double shown = *value;
    if (std::isnan(shown)) return "nan";   // its sign means nothing
    const bool whole = shown == std::floor(shown) && std::fabs(shown) < 1e15;
    switch (column) {
        case Column::error:
        case Column::bound: return shown == 0 ? "0" : fmt::format("{:.2e}", shown);
        case Column::time:
            // Not on the values of this row's run: the time says on how many.
            return time_text(shown) +
                   (row.timed_n != row.n && row.n > 0 ? " at " + timing::shape_text(row.timed_n, row.timed_columns) : "");
        case Column::gbs: return fmt::format("{:.1f}", shown);
        case Column::value: return whole ? fmt::format("{:.0f}", shown) : fmt::format("{:.8g}", shown);
        default: return whole ? fmt::format("{:.0f}", shown) : fmt::format("{:.3g}", shown);
    }
}

Sorting parse_sorting(const std::string& text) {
    std::string name = text;
    Sorting sorting;
    if (const std::size_t colon = text.find(':'); colon != std::string::npos) {
        const std::string direction = text.substr(colon + 1);
        name = text.substr(0, colon);
        if (direction != "down" && direction != "up")
            throw Error(
                fmt::format("--sort {}: {} is no direction; give {}:up or {}:down.", text, direction, name, name));
        sorting.down = direction == "down";
    }
    std::vector<std::string> names;
    for (int c = 0; c < kColumnCount; ++c) {
        if (name == kColumns[c].name) {
            sorting.column = static_cast<Column>(c);
            return sorting;
        }
        names.emplace_back(kColumns[c].name);
    }
    const std::string near = nearest(name, names);
    throw Error(fmt::format("--sort {} is not one of {}{}", text, fmt::join(names, ", "),
                            near.empty() ? "." : fmt::format("; did you mean '{}'?", near)));
}

void sort(Comparison& comparison, const Sorting& sorting) {
    std::stable_sort(comparison.rows.begin(), comparison.rows.end(),
                     [&](const ComparedVariant& a, const ComparedVariant& b) {
                         if (sorting.column == Column::variant)
                             return sorting.down ? b.variant < a.variant : a.variant < b.variant;
                         const auto left = figure(a, sorting.column), right = figure(b, sorting.column);
                         const bool known_left = left && !std::isnan(*left), known_right = right && !std::isnan(*right);
                         if (!known_left || !known_right) return known_left && !known_right;
                         return sorting.down ? *right < *left : *left < *right;
                     });
}

std::vector<std::string> explain(const Comparison& comparison) {
    std::vector<std::string> sentences;
    explain_atomics(comparison, sentences);
    explain_accuracy(comparison, sentences);
    explain_memory(comparison, sentences);
    return sentences;
}

std::uint64_t shared_n(const Comparison& comparison, std::uint64_t ComparedVariant::*n) {
    std::set<std::uint64_t> all;
    for (const ComparedVariant& row : comparison.rows)
        if (row.*n != 0) all.insert(row.*n);
    return all.size() == 1 ? *all.begin() : 0;
}

std::string times_text(const Comparison& comparison) {
    if (comparison.times_from.empty()) return "none were measured or recorded";
    const std::uint64_t timed = shared_n(comparison, &ComparedVariant::timed_n);
    std::set<std::uint64_t> columns;
    for (const ComparedVariant& row : comparison.rows)
        if (row.timed_n != 0) columns.insert(row.timed_columns);
    if (timed == 0) return comparison.times_from + " · each at its own size";
    return fmt::format("{} · {} values{}", comparison.times_from,
                       timing::shape_text(timed, columns.size() == 1 ? *columns.begin() : 0),
                       columns.size() == 1 ? "" : ", in rows of different lengths");
}

}  // namespace lanewise::run
