#include "common/runner/timer.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/base/free_memory.hpp"
#include "common/measure/plans.hpp"
#include "common/runner/recordings.hpp"
#include "common/timing/compare.hpp"
#include "common/timing/ladder.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::runner {

using lesson::Inputs;
using lesson::Machine;
using lesson::Variant;
using run::SweepWatch;

namespace {

// So that the recorded spread is that from run to run.
constexpr int kRecordedTables = 3;

// What a curve is drawn from: from a launch alone to more than an L2 cache holds, half a minute or so for a few
// variants.
constexpr const char* kSweepSizes = "2^10:2^24:x4";
constexpr double kSweepSeconds = 0.25;   // of sampling

// Of each of many rows, in several tables or over sizes. They follow each other at once: the clocks stay up. They do
// not where values in tables of rows take seconds to make.
constexpr int kSamplesOfMany = 30;
constexpr double kWarmSecondsOfMany = 0.004, kWarmSecondsAfterAPause = 0.02;
constexpr int kPlacesOfMany = 3;

void set_for_many(measure::MeasureOptions& options) {
    options.samples = kSamplesOfMany;
    options.warm_seconds = kWarmSecondsOfMany;
    options.places = kPlacesOfMany;
}

std::vector<timing::Size> sweep_sizes() { return timing::parse_sizes(kSweepSizes, lesson::kMaxValues); }

bool is_of_sweep(std::uint64_t n) {
    const auto sizes = sweep_sizes();
    return std::any_of(sizes.begin(), sizes.end(), [&](const timing::Size& size) { return size.n == n; });
}

// The rows of these variants, their libraries and their limits, for all of `sizes`: a sum of S·K values is the same
// whatever S is.
std::vector<timing::Timing> rows_of_all(const std::vector<timing::Timing>& measured,
                                        const std::vector<timing::Size>& sizes,
                                        const std::vector<std::string>& variants) {
    const auto belongs = [&](const timing::Timing& row) {
        if (row.baseline) return !row.on_cpu && row.variant != timing::kEmptyKernel;
        return std::find(variants.begin(), variants.end(), row.variant) != variants.end();
    };
    std::vector<timing::Timing> rows;
    for (const timing::Size& size : sizes)
        for (const timing::Timing& row : measured)
            if (row.n == size.n && belongs(row)) rows.emplace_back(row).size = size.name;
    return rows;
}

// From this size on a plan is worth knowing the bytes of before it is made.
constexpr std::uint64_t kLargePlan = std::uint64_t{1} << 24;
// Two small sizes, from which the bytes of a large one follow: a plan's buffers grow in proportion to its values.
constexpr std::uint64_t kSmallPlan = std::uint64_t{1} << 16;

std::uint64_t bytes_at(const Variant& variant, Inputs inputs, std::uint64_t n, const launch::KernelSet& kernels) {
    inputs.n = n;
    std::uint64_t bytes = 0;
    for (const auto& buffer : lesson::make_plan(variant, inputs, kernels).buffers) bytes += buffer.bytes();
    return bytes;
}

std::uint64_t expected_bytes(const Variant& variant, const Inputs& inputs, const launch::KernelSet& kernels) {
    const double one = static_cast<double>(bytes_at(variant, inputs, kSmallPlan, kernels));
    const double two = static_cast<double>(bytes_at(variant, inputs, 2 * kSmallPlan, kernels));
    const double times = static_cast<double>(inputs.n) / static_cast<double>(kSmallPlan) - 1;
    return static_cast<std::uint64_t>(one + (two - one) * times);
}

bool is_named(const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

// Of a library that a lesson's program does not link.
bool is_recorded_baseline(const std::string& name) { return name.starts_with("torch"); }

}  // namespace

void Timer::add_recorded_baselines(timing::TimingTable& table) const {
    const auto path = find_recording(setup_.lesson, "torch.json");
    if (path.empty()) return;
    const auto torch = timing::load(path);
    if (torch.gpu != table.gpu || torch.l2 != table.l2) return;
    // A row of the lesson's own without a size may have the shape of one: of 4096×4096.
    const auto alike = [](const timing::Timing& own, const timing::Timing& other) {
        const bool same_shape = own.size == other.size ||
                                (own.columns != 0 && timing::shape_text(own.n, own.columns) == other.size);
        return own.n == other.n && own.element == other.element && same_shape;
    };
    std::vector<timing::Timing> added;
    for (const timing::Timing& row : torch.rows)
        for (const timing::Timing& own : table.rows) {
            const auto is_there = [&](const timing::Timing& other) {
                return other.variant == row.variant && other.element == own.element && other.n == own.n &&
                       other.size == own.size && other.columns == own.columns;
            };
            if (own.baseline || !alike(own, row) || std::any_of(added.begin(), added.end(), is_there)) continue;
            added.push_back(row);
            added.back().size = own.size;
            added.back().columns = own.columns;
        }
    if (added.empty()) return;
    for (timing::Timing& row : table.rows) {
        if (row.baseline) continue;
        const auto& variants = setup_.lesson.variants();
        const auto variant = std::find_if(variants.begin(), variants.end(),
                                          [&](const Variant& known) { return known.name == row.variant; });
        if (variant == variants.end() || !is_recorded_baseline(variant->baseline)) continue;
        for (const timing::Timing& other : added)
            if (other.variant == variant->baseline && other.n == row.n && other.size == row.size &&
                other.columns == row.columns && other.element == row.element)
                row.against = other.variant;
    }
    // Next to the lesson's own rows of their size.
    for (timing::Timing& row : added) {
        const auto last = std::find_if(table.rows.rbegin(), table.rows.rend(), [&](const timing::Timing& other) {
            return other.n == row.n && other.size == row.size;
        });
        table.rows.insert(last.base(), std::move(row));
    }
    table.notes.push_back(fmt::format("torch was recorded on {}: {}.", torch.date, torch.method));
}

Timer::Timer(LessonSetup& setup, const RunOptions& options, Runner& runner, TimerWatch watch)
    : setup_(setup), options_(options), runner_(runner), watch_(std::move(watch)) {}

Inputs Timer::inputs_at(const Variant& variant, const timing::Size* size, const Machine& machine) const {
    Variant at_size = variant;
    at_size.n = variant.timed_n;
    if (variant.timed_columns != 0) at_size.columns = variant.timed_columns;
    RunOptions options = options_;
    if (size) options.n = size->n;
    if (size && size->n > lesson::kMaxValues && !variant.large_n)
        throw Error(fmt::format("{} counts in 32 bits: it takes at most {} values, and is not measured on {}.",
                                variant.name, lesson::kMaxValues, size->n));
    Inputs inputs = choose_inputs(at_size, options);
    if (size && size->columns != 0) inputs.columns = size->columns;
    inputs.machine = machine;
    return inputs;
}

measure::Job Timer::job(const Variant& variant, const timing::Size* size, const Machine& machine) const {
    measure::Job job;
    job.variant = variant.name;
    if (!is_recorded_baseline(variant.baseline)) job.baseline = variant.baseline;
    job.size = size ? size->name : "";
    // A size that this variant cannot have is a row that is missing; any other input that it cannot is an error.
    job.n = size ? size->n : inputs_at(variant, nullptr, machine).n;
    if (variant.takes_rows()) {
        const auto usual = variant.timed_columns != 0 ? variant.timed_columns : variant.columns;
        job.columns = size && size->columns != 0 ? size->columns : options_.columns.value_or(usual);
    }
    const auto inputs = [this, &variant, machine, size = size ? std::optional(*size) : std::nullopt] {
        return inputs_at(variant, size ? &*size : nullptr, machine);
    };
    job.plan = [this, &variant, inputs] { return lesson::make_plan(variant, inputs(), setup_.kernels); };
    if (job.n >= kLargePlan)
        job.bytes = [this, &variant, inputs] { return expected_bytes(variant, inputs(), setup_.kernels); };
    return job;
}

std::vector<measure::Job> Timer::jobs(const std::vector<std::string>& names,
                                      const std::vector<timing::Size>& sizes) const {
    std::vector<measure::Job> jobs;
    const Machine machine = runner_.on_this_machine({}).machine;
    for (const auto& size : sizes)
        for (const auto& name : names) jobs.push_back(job(setup_.lesson.find(name), &size, machine));
    if (!sizes.empty()) return jobs;
    // Those of one size together, so that each baseline is measured once: in the order in which sizes come.
    std::vector<std::uint64_t> order;
    for (const auto& name : names) {
        jobs.push_back(job(setup_.lesson.find(name), nullptr, machine));
        if (std::find(order.begin(), order.end(), jobs.back().n) == order.end()) order.push_back(jobs.back().n);
    }
    const auto place = [&](const measure::Job& job) { return std::find(order.begin(), order.end(), job.n); };
    std::stable_sort(jobs.begin(), jobs.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return jobs;
}

timing::TimingTable Timer::run(const std::vector<measure::Job>& jobs, measure::SweepOptions options,
                               const std::string& what) const {
    const auto meter = setup_.make_meter();
    options.measure.l2 = options_.l2.value_or(measure::L2::warm);
    if (watch_.follow) options.progress = watch_.follow(what);
    auto table = measure::sweep(*meter, jobs, options);
    table.lesson = setup_.lesson.name();
    table.date = setup_.today();
    return table;
}

timing::TimingTable Timer::measure(const std::vector<std::string>& names) const {
    measure::SweepOptions options;
    options.serial = options_.sizes.empty();
    options.launch =
        !options_.sizes.empty() && options_.sizes.front().name.empty();  // a sweep, in which it can be seen
    const auto all = jobs(names, options_.sizes);
    if (watch_.watch_interrupts) options.cancelled = watch_.watch_interrupts();
    auto table = run(all, options, "");
    add_recorded_baselines(table);
    return table;
}

timing::TimingTable Timer::measure_quietly(const std::vector<std::string>& names) const {
    measure::SweepOptions options;
    options.serial = true;
    auto table = measure::sweep(*setup_.make_meter(), jobs(names, {}), options);
    table.lesson = setup_.lesson.name();
    table.date = setup_.today();
    add_recorded_baselines(table);
    return table;
}

measure::SweepOptions Timer::over_sizes() const {
    measure::SweepOptions options;
    if (!setup_.lesson.main().empty()) options.serial_at = timing::kLadderValues;
    options.measure.l2 = options_.l2.value_or(measure::L2::warm);
    options.measure.max_seconds = kSweepSeconds;
    set_for_many(options.measure);
    options.nearest_limit = true;
    options.launch = true;
    return options;
}

timing::TimingTable Timer::measure_sizes(const std::vector<std::string>& names, const SweepWatch& watch) const {
    auto options = over_sizes();
    options.progress = watch.progress;
    options.cancelled = watch.cancelled;
    auto table = measure::sweep(*setup_.make_meter(), jobs(names, sweep_sizes()), options);
    table.lesson = setup_.lesson.name();
    table.main = setup_.lesson.main();
    table.date = setup_.today();
    return table;
}

// The sizes of a sweep and of the table are measured together, those that both have once.
std::vector<measure::Job> Timer::jobs_over_sizes(const std::vector<std::string>& swept,
                                                 const std::vector<std::string>& compared) const {
    std::vector<timing::Size> sizes = sweep_sizes();
    if (!compared.empty())
        for (const timing::Size& size : timing::table_sizes())
            if (std::none_of(sizes.begin(), sizes.end(), [&](const timing::Size& known) { return known.n == size.n; }))
                sizes.push_back({size.n, "", 0});
    std::sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.n < b.n; });
    std::vector<measure::Job> all;
    for (const timing::Size& size : sizes)
        for (auto& job : jobs(is_of_sweep(size.n) ? swept : compared, {size})) all.push_back(std::move(job));
    return all;
}

Timer::Recording Timer::record(const std::vector<std::string>& names) const {
    const std::function<bool()> cancelled = watch_.watch_interrupts ? watch_.watch_interrupts() : nullptr;
    const auto complete = [&](const std::vector<measure::Job>& all, measure::SweepOptions options,
                              const std::string& what) {
        options.cancelled = cancelled;
        auto table = run(all, options, what);
        if (!table.partial.empty())
            throw Error(fmt::format("--record: the times are not complete, and none were written: {}.", table.partial),
                        kExitPartial);
        return table;
    };
    measure::SweepOptions at_own_sizes;
    at_own_sizes.serial = true;
    set_for_many(at_own_sizes.measure);
    std::vector<timing::TimingTable> tables;
    {
        const auto own = measure::keeping_plans(jobs(names, {}), free_memory().value_or(0) / 4);
        for (int i = 1; i <= kRecordedTables; ++i)
            tables.push_back(complete(own, at_own_sizes, fmt::format("times, table {} of {} ", i, kRecordedTables)));
    }
    Recording recording{timing::merge(tables), {}};
    std::vector<std::string> compared, swept;
    for (const auto& name : names) {
        if (!setup_.lesson.find(name).baseline.empty()) compared.push_back(name);
        if (!setup_.lesson.find(name).takes_rows()) swept.push_back(name);
    }
    auto& table = recording.times;
    const auto add_sizes = [&](const timing::TimingTable& sizes, std::vector<timing::Timing> rows, const char* shared) {
        std::move(rows.begin(), rows.end(), std::back_inserter(table.rows));
        for (const auto& note : sizes.notes)
            if (std::find(table.notes.begin(), table.notes.end(), note) == table.notes.end())
                table.notes.push_back(note);
        table.method += fmt::format(" (of the table of sizes one{})", shared);
        table.after = sizes.after;
    };
    if (!compared.empty() && setup_.lesson.find(compared.front()).takes_rows()) {
        measure::SweepOptions options;
        set_for_many(options.measure);
        options.measure.warm_seconds = kWarmSecondsAfterAPause;
        options.nearest_limit = true;
        const auto sizes = complete(jobs(compared, timing::row_sizes()), options, "sizes ");
        add_sizes(sizes, sizes.rows, "");
        compared.clear();
    }
    if (!swept.empty()) {
        const auto sizes = complete(jobs_over_sizes(swept, compared), over_sizes(), "sizes ");
        recording.sweep = sizes;
        std::erase_if(recording.sweep.rows, [](const timing::Timing& row) { return !is_of_sweep(row.n); });
        recording.sweep.main = setup_.lesson.main();
        if (!compared.empty())
            add_sizes(sizes, rows_of_all(sizes.rows, timing::table_sizes(), compared),
                      "; shapes of one product share a measurement");
    }
    return recording;
}

timing::TimingTable Timer::recorded() const {
    // Sizes without names are a sweep's, of which there may be a file of its own.
    const bool sweep = !options_.sizes.empty() && options_.sizes.front().name.empty();
    auto path = sweep ? find_recording(setup_.lesson, "sweep.json") : std::filesystem::path();
    if (path.empty()) path = find_recording(setup_.lesson, "timings.json");
    if (path.empty())
        throw Error(
            fmt::format("--time: there is no GPU to measure on and no recorded table under {}; run it on a machine "
                        "with a GPU.",
                        setup_.lesson.recordings().string()));
    auto table = timing::load(path);
    if (options_.l2 && table.l2 != measure::l2_name(*options_.l2))
        throw Error(fmt::format(
            "--l2 {}: what was recorded on {} was measured with L2 {}; leave out --l2, or measure on a GPU.",
            measure::l2_name(*options_.l2), table.gpu, table.l2));
    const auto is_size = [&](const timing::Timing& row) {
        if (options_.sizes.empty()) return row.size.empty();
        return std::any_of(options_.sizes.begin(), options_.sizes.end(),
                           [&](const timing::Size& size) { return size.n == row.n && size.name == row.size; });
    };
    const auto has_shape = [&](const timing::Timing& row) {
        return (!options_.columns || row.columns == *options_.columns) &&
               (!options_.rows || (row.columns > 0 && row.n / row.columns == *options_.rows));
    };
    const auto unwanted = [&](const timing::Timing& row) {
        return !is_size(row) || (!row.baseline && !has_shape(row)) || (options_.n && row.n != *options_.n) ||
               (options_.block && !row.baseline && row.block != *options_.block) ||
               (!row.baseline && !is_named(options_.variants, row.variant));
    };
    std::erase_if(table.rows, unwanted);
    if (std::all_of(table.rows.begin(), table.rows.end(), [](const auto& row) { return row.baseline; })) {
        std::vector<std::string> flags;
        if (!options_.sizes_text.empty()) flags.push_back("--sizes " + options_.sizes_text);
        const auto add = [&](const char* flag, const auto& number) {
            if (number) flags.push_back(fmt::format("{} {}", flag, *number));
        };
        add("--n", options_.n);
        add("--rows", options_.rows);
        add("--columns", options_.columns);
        add("--block", options_.block);
        throw Error(fmt::format("--time: nothing was recorded{}{}; leave out --sizes, --n, --rows, --columns and --block "
                                "to see what was.",
                                flags.empty() ? "" : " with ", fmt::join(flags, " ")));
    }
    add_recorded_baselines(table);
    return table;
}

timing::TimingTable only_sizes(timing::TimingTable table) {
    std::erase_if(table.rows, [](const timing::Timing& row) { return row.size.empty(); });
    return table;
}

timing::TimingTable without_sizes(timing::TimingTable table) {
    std::erase_if(table.rows, [](const timing::Timing& row) { return !row.size.empty(); });
    return table;
}

}  // namespace lanewise::runner
