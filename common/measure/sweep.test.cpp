#include "common/measure/sweep.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>

#include "common/base/error.hpp"
#include "common/base/text.testing.hpp"
#include "common/measure/plans.hpp"
#include "common/timing/compare.hpp"
#include "common/timing/gpu_state.hpp"
#include "common/timing/sizes.hpp"

namespace lanewise::measure {

using timing::GpuState;
using timing::parse_sizes;
using timing::Size;
using timing::state_text;
using timing::Timing;
using timing::TimingTable;

namespace {

std::string refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

using lanewise::testing::contains;

// Takes a microsecond for a thousand bytes; the library takes half as long again, a read half as long.
class PretendedMeter : public Meter {
public:
    std::uint64_t free = std::uint64_t{1} << 40;
    int fail_at = -1;          // the measurement of a kernel that ends with the GPU
    std::vector<std::string> measured;

    TimingTable machine() const override {
        TimingTable table;
        table.gpu = "Pretended GPU";
        return table;
    }
    GpuState state() const override { return {1980, 2619, 40 + static_cast<int>(measured.size()), 0, ""}; }
    std::uint64_t free_bytes() const override { return free; }
    Timing measure(const launch::Plan& plan, const MeasureOptions&) override {
        if (static_cast<int>(measured.size()) == fail_at) throw Error("The GPU fell off the bus.", kExitFailed);
        return row("", plan, 1);
    }
    Timing measure_baseline(const std::string& name, const launch::Plan& plan, std::uint64_t,
                            const MeasureOptions&) override {
        if (name == "none") throw Error("There is no baseline 'none'.");
        Timing timing = row(name, plan, 1.5);
        timing.baseline = true;
        return timing;
    }
    Timing measure_limit(const std::string& name, const launch::Plan& plan, const MeasureOptions&) override {
        Timing timing = row(name, plan, 0.5);
        timing.baseline = timing.limit = true;
        return timing;
    }

private:
    Timing row(const std::string& name, const launch::Plan& plan, double factor) {
        measured.push_back(name);
        Timing timing;
        timing.variant = name;
        timing.bytes = bytes_of(plan);
        timing::set_times(timing, {factor * static_cast<double>(timing.bytes) / 1000});
        return timing;
    }
};

Job job(const std::string& variant, std::uint64_t n, const std::string& size = "", Element element = Element::f32,
        const std::string& baseline = "CUB DeviceReduce::Sum") {
    return {variant, baseline, size, n, 0, [=] {
                launch::Plan plan;
                plan.input_as("in", element, std::vector<double>(n, 0.5));
                plan.launch(variant, "", {1}, {256});
                return plan;
            }};
}

std::vector<std::string> names(const TimingTable& table) {
    std::vector<std::string> result;
    for (const Timing& row : table.rows) result.push_back(row.variant);
    return result;
}

// Each type of input has its rows of the limits; types of one width share the measurement.
TEST(Sweep, LimitsAreMeasuredOnceForAsManyBytes) {
    PretendedMeter meter;
    const auto table = sweep(meter,
                             {job("a", 1000, "", Element::f16), job("b", 1000, "", Element::bf16),
                              job("c", 1000, "", Element::f32), job("d", 2000, "", Element::f16)},
                             {});
    const auto count = [](const auto& all, const std::string& name) {
        return std::count_if(all.begin(), all.end(), [&](const auto& each) {
            if constexpr (std::is_same_v<std::decay_t<decltype(each)>, Timing>) return each.variant == name;
            else return each == name;
        });
    };
    EXPECT_EQ(count(table.rows, "plain read"), 4);
    EXPECT_EQ(count(meter.measured, "plain read"), 3);
    EXPECT_EQ(count(meter.measured, "plain copy"), 3);
    std::string elements;
    for (const Timing& row : table.rows)
        if (row.variant == "plain copy")
            elements += row.element + " " + std::to_string(row.n) + " " + std::to_string(row.bytes) + ", ";
    EXPECT_EQ(elements, "f16 1000 2000, bf16 1000 2000, f32 1000 4000, f16 2000 4000, ");
}

// Each plan is its own job's, whatever was made ahead; one that cannot be made says so in its turn.
// A sum reads its input, a norm writes as much as it reads.
TEST(Sweep, WhereAskedOnlyTheNearestLimitIsMeasured) {
    const auto limits_of = [](const std::vector<Job>& jobs) {
        PretendedMeter meter;
        SweepOptions options;
        options.nearest_limit = true;
        std::vector<std::string> limits;
        for (const Timing& row : sweep(meter, jobs, options).rows)
            if (row.limit) limits.push_back(row.variant);
        return limits;
    };
    const Job sum = job("sum", 1000, "", Element::f32, "");
    Job norm = job("norm", 1000, "", Element::f32, "");
    norm.plan = [] {
        launch::Plan plan;
        plan.input_as("in", Element::f32, std::vector<double>(1000, 0.5));
        plan.output_as("out", Element::f32, 1000);
        plan.launch("norm", "", {1}, {256});
        return plan;
    };
    EXPECT_EQ(limits_of({sum}), std::vector<std::string>{"plain read"});
    EXPECT_EQ(limits_of({norm}), std::vector<std::string>{"plain copy"});
    EXPECT_EQ(limits_of({sum, norm}), (std::vector<std::string>{"plain read", "plain copy"}));
}

TEST(PlansAhead, AreTakenInTheirTurn) {
    std::vector<Job> jobs;
    for (std::uint64_t n = 1; n <= 20; ++n) jobs.push_back(job("a", n));
    jobs[7].plan = []() -> launch::Plan { throw Error("no such instance"); };
    jobs[12].n = std::uint64_t{1} << 40;   // too large to be made ahead, and those after it with it
    for (const std::size_t most : {0u, 1u, 4u, 64u}) {
        PlansAhead plans(jobs, most);
        for (std::size_t at = 0; at < jobs.size(); ++at) {
            if (at == 3) continue;   // its row was skipped
            if (at == 7) {
                EXPECT_EQ(refusal([&] { plans.take(at); }), "no such instance");
                continue;
            }
            EXPECT_EQ(plans.take(at).buffers.front().count, at + 1) << most;
            if (at == 5) plans.wait();
        }
    }
}

// None is made while the one that measures works on the first, where none may be.
TEST(PlansAhead, AreNoMoreThanAsked) {
    for (const std::size_t most : {0u, 2u}) {
        std::atomic<int> made = 0;
        std::vector<Job> jobs(10, job("a", 5));
        for (Job& each : jobs)
            each.plan = [&made] {
                ++made;
                return launch::Plan{};
            };
        PlansAhead plans(jobs, most);
        plans.take(0);
        plans.wait();
        EXPECT_EQ(made, 1 + static_cast<int>(most));
    }
}

// Measured twice, a plan is made once as long as there is room for it.
TEST(PlansAhead, AreKeptWhereThereIsRoom) {
    std::atomic<int> made = 0;
    std::vector<Job> jobs(3, job("a", 5));
    for (Job& each : jobs)
        each.plan = [&made] {
            launch::Plan plan;
            plan.input("in", std::vector<float>(100, static_cast<float>(++made)));   // 400 bytes
            return plan;
        };
    const auto first_value = [](const Job& job) {
        float value = 0;
        std::memcpy(&value, job.plan().buffers.front().contents.data(), sizeof value);
        return value;
    };
    const auto kept = keeping_plans(jobs, 800);
    EXPECT_EQ(first_value(kept[0]), 1);
    EXPECT_EQ(first_value(kept[2]), 2);
    EXPECT_EQ(first_value(kept[1]), 3);   // no room any more
    EXPECT_EQ(first_value(kept[0]), 1);
    EXPECT_EQ(first_value(kept[2]), 2);
    EXPECT_EQ(first_value(kept[1]), 4);
    EXPECT_EQ(made, 4);
}

TEST(Sweep, ALaunchAloneIsMeasuredOnceWhereItIsAskedFor) {
    PretendedMeter meter;
    SweepOptions options;
    options.launch = true;
    const auto table = sweep(meter, {job("a", 1000), job("a", 2000)}, options);
    EXPECT_EQ(std::count(meter.measured.begin(), meter.measured.end(), timing::kEmptyKernel), 1);
    const auto row = std::find_if(table.rows.begin(), table.rows.end(),
                                  [](const Timing& each) { return each.variant == timing::kEmptyKernel; });
    ASSERT_NE(row, table.rows.end());
    EXPECT_TRUE(row->limit);
    EXPECT_EQ(row->n, 1000u);
    PretendedMeter without;
    sweep(without, {job("a", 1000)}, {});
    EXPECT_EQ(std::count(without.measured.begin(), without.measured.end(), timing::kEmptyKernel), 0);
}

TEST(Sizes, TheTableHasNineShapes) {
    const auto sizes = parse_sizes("table", 100);
    ASSERT_EQ(sizes.size(), 9u);
    EXPECT_EQ(sizes[0], (Size{1u << 20, "1024×1024"}));
    EXPECT_EQ(sizes[1], (Size{1u << 21, "1024×2048"}));
    EXPECT_EQ(sizes[3], (Size{1u << 21, "2048×1024"}));
    EXPECT_EQ(sizes[8], (Size{1u << 24, "4096×4096"}));
}

TEST(Sizes, RangesRunFromLowToHigh) {
    const auto numbers = [](const std::string& text) {
        std::vector<std::uint64_t> result;
        for (const Size& size : parse_sizes(text, std::uint64_t{1} << 36)) {
            result.push_back(size.n);
            EXPECT_EQ(size.name, "");
        }
        return result;
    };
    EXPECT_EQ(numbers("1024:8192"), (std::vector<std::uint64_t>{1024, 2048, 4096, 8192}));
    EXPECT_EQ(numbers("1000:5000"), (std::vector<std::uint64_t>{1000, 2000, 4000}));
    EXPECT_EQ(numbers("2^30:2^36:x8"), (std::vector<std::uint64_t>{1ull << 30, 1ull << 33, 1ull << 36}));
    EXPECT_EQ(numbers("100:250:x1.5"), (std::vector<std::uint64_t>{100, 150, 225}));
    EXPECT_EQ(numbers("1:3:x1.01"), (std::vector<std::uint64_t>{1, 2, 3}));  // each once
    EXPECT_EQ(numbers("1:9:+-1"), (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 7, 8, 9}));  // 9 ends it
    EXPECT_EQ(numbers("1024:2048:+-1"), (std::vector<std::uint64_t>{1023, 1024, 1025, 2047, 2048}));
    EXPECT_EQ(numbers("7:7"), (std::vector<std::uint64_t>{7}));
    EXPECT_EQ(timing::size_text(1 << 20), "2^20");
    EXPECT_EQ(timing::size_text(1000), "1000");
    EXPECT_EQ(timing::size_text(64), "64");
}

TEST(Sizes, BadOnesAreSentences) {
    for (const char* text : {"",          "tables",  "5",       ":",        "1:",        ":9",       "a:b", "1:2:3",
                             "1:2:x",     "1:2:x1",  "1:2:x-2", "1:2:xnan", "1:2:x2000", "0:8",      "9:8", "1:2^37",
                             "2^64:2^65", "1e3:1e6", "-1:4",    " 1:2",     "1:2 ",      "1:2:x2:x2", "1:2:+-2",
                             "1:2:+-"}) {
        const std::string why = refusal([&] { parse_sizes(text, std::uint64_t{1} << 36); });
        EXPECT_TRUE(contains(why, std::string("--sizes ") + text) && contains(why, "LOW:HIGH")) << text << ": " << why;
    }
    EXPECT_TRUE(contains(refusal([] { parse_sizes("1:2^36:x1.01", std::uint64_t{1} << 36); }), "more than 512 sizes"));
}

TEST(Sweep, EachSizeHasItsBaselinesOnce) {
    PretendedMeter meter;
    const auto table = sweep(meter, {job("a", 1000, "A"), job("b", 1000, "A"), job("h", 1000, "A", Element::f16),
                                     job("a", 1000, "B"), job("b", 1000, "B", Element::f32, "")}, {});
    EXPECT_EQ(names(table), (std::vector<std::string>{"a", "b", "h", "CUB DeviceReduce::Sum", "CUB DeviceReduce::Sum",
                                                      "plain read", "plain copy", "plain read", "plain copy",  //
                                                      "a", "b", "CUB DeviceReduce::Sum", "plain read", "plain copy"}));
    EXPECT_EQ(table.rows[2].element, "f16");
    EXPECT_EQ(table.rows[2].block, 256u);
    EXPECT_EQ(table.rows[4].element, "f16");
    EXPECT_EQ(table.rows[5].size, "A");
    EXPECT_EQ(table.rows[0].against, "CUB DeviceReduce::Sum");
    EXPECT_EQ(table.rows[10].against, "");
    EXPECT_DOUBLE_EQ(timing::times_as_fast(table, table.rows[0]).value(), 1.5);
    EXPECT_DOUBLE_EQ(timing::percent_of_limit(table, table.rows[0]).value(), 50);
    EXPECT_FALSE(timing::times_as_fast(table, table.rows[10]));
    EXPECT_FALSE(timing::times_as_fast(table, table.rows[3]));
    EXPECT_FALSE(timing::percent_of_limit(table, table.rows[5]));   // a limit has none
    EXPECT_EQ(table.partial, "");
    EXPECT_EQ(table.before->temperature_c, 40);
    EXPECT_EQ(table.after->temperature_c, 54);
}

TEST(Sweep, ManySumsAreNotComparedWithOneTotal) {
    PretendedMeter meter;
    measure::Job many = job("many", 1000, "A");
    many.plan = [plan = many.plan] {
        launch::Plan result = plan();
        result.expect(result.output<float>("sums", 2), {0, 0}, 0, "exact");
        return result;
    };
    const auto table = sweep(meter, {many, job("one", 1000, "A")}, {});
    EXPECT_EQ(table.rows[0].against, "");
    EXPECT_EQ(table.rows[1].against, "CUB DeviceReduce::Sum");
}

TEST(Sweep, WhatDoesNotFitIsSkippedAndTheRestMeasured) {
    PretendedMeter meter;
    meter.free = 10'000;
    Job large = job("large", 5000);
    bool made = false;
    large.bytes = [] { return std::uint64_t{3} << 30; };
    large.plan = [&]() -> launch::Plan {
        made = true;
        return {};
    };
    const auto table = sweep(meter, {job("a", 100), large, job("grows", 3000), job("a", 200)}, {});
    EXPECT_FALSE(made);
    ASSERT_EQ(table.notes.size(), 2u);
    EXPECT_EQ(table.notes[0],
              "large at n = 5000 needs 3.0 GiB of the GPU's memory, and 0.0 MiB are free: not measured.");
    EXPECT_TRUE(contains(table.notes[1], "grows at n = 3000"));
    EXPECT_EQ(table.rows.size(), 8u);
    EXPECT_EQ(table.partial, "");
    // Where nothing is left, the sentence is the answer.
    EXPECT_TRUE(contains(refusal([&] { sweep(meter, {large}, {}); }), "large at n = 5000"));
}

TEST(Sweep, WhatAVariantCannotIsNotedOnce) {
    PretendedMeter meter;
    Job newer = job("newer", 100);
    newer.plan = []() -> launch::Plan { throw Error("newer needs sm_90."); };
    Job again = newer;
    again.n = 200;
    Job greedy = job("greedy", 300);
    greedy.plan = []() -> launch::Plan { throw std::bad_alloc(); };
    const auto table =
        sweep(meter, {newer, job("a", 100), again, job("a", 200, "", Element::f32, "none"), greedy}, {});
    EXPECT_EQ(table.notes,
              (std::vector<std::string>{"newer needs sm_90.", "There is no baseline 'none'.",
                                        "n = 300: this machine has not enough memory for the values; not measured."}));
    EXPECT_EQ(names(table), (std::vector<std::string>{"a", "CUB DeviceReduce::Sum", "plain read", "plain copy", "a",
                                                      "plain read", "plain copy"}));
}

TEST(Sweep, CancelledInTheMiddleKeepsWhatWasMeasured) {
    PretendedMeter meter;
    SweepOptions options;
    options.cancelled = [&] { return meter.measured.size() >= 5; };
    std::vector<std::string> seen;
    options.progress = [&](std::size_t done, std::size_t all, const std::string& what) {
        seen.push_back(std::to_string(done) + "/" + std::to_string(all) + " " + what);
    };
    const auto table = sweep(meter, {job("a", 10), job("a", 20), job("a", 30)}, options);
    EXPECT_EQ(table.partial, "interrupted");
    EXPECT_EQ(names(table), (std::vector<std::string>{"a", "CUB DeviceReduce::Sum", "plain read", "plain copy", "a"}));
    EXPECT_TRUE(table.after.has_value());
    EXPECT_EQ(seen, (std::vector<std::string>{"0/3 10 · a", "0/3 10 · CUB DeviceReduce::Sum", "0/3 10 · plain read",
                                              "0/3 10 · plain copy", "1/3 20 · a"}));
    options.cancelled = [] { return true; };
    EXPECT_TRUE(contains(refusal([&] { sweep(meter, {job("a", 10)}, options); }), "Interrupted before anything"));
}

TEST(Sweep, AGpuThatFailsEndsItAndTheRowsStay) {
    PretendedMeter meter;
    meter.fail_at = 4;
    const auto table = sweep(meter, {job("a", 10), job("a", 20), job("a", 30)}, {});
    EXPECT_EQ(table.partial, "The GPU fell off the bus.");
    EXPECT_EQ(table.rows.size(), 4u);
    meter.measured.clear();
    meter.fail_at = 0;
    EXPECT_EQ(refusal([&] { sweep(meter, {job("a", 10)}, {}); }), "The GPU fell off the bus.");
}

TEST(Sweep, TheSerialSumStandsBesideSumsOfFloats) {
    PretendedMeter meter;
    SweepOptions options;
    options.serial = true;
    const auto table = sweep(meter, {job("a", 1000), job("h", 1000, "", Element::bf16)}, options);
    int serial = 0;
    for (const Timing& row : table.rows) serial += row.on_cpu;
    EXPECT_EQ(serial, 1);
    EXPECT_NE(table.cpu, "");
}

TEST(Summaries, AreGeometricMeansOverSizes) {
    TimingTable table;
    const auto add = [&](const std::string& variant, const std::string& size, double us, bool baseline = false) {
        Timing row;
        row.variant = variant;
        row.size = size;
        row.n = 100;
        row.element = "f32";
        row.baseline = baseline;
        row.against = baseline ? "" : "lib";
        row.median_us = row.low_us = row.high_us = us;
        table.rows.push_back(row);
    };
    add("a", "A", 2);
    add("b", "A", 1);
    add("lib", "A", 4, true);
    add("a", "B", 2);
    add("b", "B", 8);
    add("lib", "B", 4, true);
    const auto each = timing::summaries(table);
    ASSERT_EQ(each.size(), 2u);
    EXPECT_EQ(each[0].variant, "a");
    EXPECT_DOUBLE_EQ(each[0].mean, 2);
    EXPECT_DOUBLE_EQ(each[1].mean, std::sqrt(4 * 0.5));
    EXPECT_DOUBLE_EQ(each[1].worst, 0.5);
    const auto best = timing::summaries_of_best(table);
    ASSERT_EQ(best.size(), 1u);
    EXPECT_DOUBLE_EQ(best[0].mean, std::sqrt(4 * 2.0));
    EXPECT_DOUBLE_EQ(best[0].worst, 2);
    EXPECT_EQ(best[0].rows, 2);
    EXPECT_EQ(timing::unsteady_rows(table), 0);
    table.rows[0].high_us = 2.3;
    EXPECT_EQ(timing::unsteady_rows(table), 1);
}

TEST(GpuState, WithoutTheLibraryItSaysSo) {
    const timing::GpuWatch watch("0000:00:00.0");  // no GPU is there, on any machine
    const GpuState state = watch.read();
    EXPECT_FALSE(state.known());
    EXPECT_NE(state.why_not, "");
    EXPECT_TRUE(contains(state_text(state), "unknown: libnvidia-ml.so.1"));
    EXPECT_EQ(state_text({1980, 3201, 41, 0, ""}), "SM 1980 MHz, memory 3201 MHz, 41 °C, no other process");
    EXPECT_EQ(state_text({1980, -1, -1, 2, ""}), "SM 1980 MHz, 2 other processes");
    EXPECT_EQ(state_text({1980, -1, -1, -1, ""}), "SM 1980 MHz, other processes unknown");
}

}  // namespace
}  // namespace lanewise::measure
