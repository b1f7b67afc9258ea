#include "common/timing/timing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "common/base/error.hpp"
#include "common/base/folder_test.testing.hpp"
#include "common/gpu/device.hpp"
#include "common/measure/measure.hpp"
#include "common/measure/serial.hpp"

namespace lanewise::timing {

using measure::method_text;

namespace {

namespace fs = std::filesystem;

class TimingFiles : public lanewise::testing::FolderTest {
protected:
    std::string refusal(const std::string& text) {
        const fs::path path = folder_ / "mangled.json";
        std::ofstream(path, std::ios::binary) << text;
        try {
            load(path);
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("mangled.json"), std::string::npos) << error.what();
            return error.what();
        }
        return "";
    }
};

TimingTable table() {
    Timing row;
    row.variant = "warp_sum_xor";
    row.n = (std::uint64_t{1} << 53) + 2;
    row.block = 256;
    row.value = 496.1;
    row.error = 1e-7;
    row.median_us = 3.4;
    row.low_us = 0.1 + 0.2;
    row.high_us = 3.9;
    row.samples = 100;
    row.bytes = 4096;
    Timing wrong;
    wrong.variant = "CUB \"Sum\"";
    wrong.baseline = wrong.on_cpu = true;
    wrong.value = std::nan("");
    wrong.error = std::numeric_limits<double>::infinity();
    wrong.within_bound = false;
    return {"05_warp_shuffle", "NVIDIA H200", "13.0", "Some CPU", "2026-11-21", "warm", "graph", false, {row, wrong}};
}

TEST(Spread, IsMedianAndPercentiles) {
    const Spread one = spread_of({4});
    EXPECT_EQ(one.median, 4);
    EXPECT_EQ(one.low, 4);
    EXPECT_EQ(one.high, 4);
    EXPECT_EQ(spread_of({9, 1}).median, 5);
    std::vector<double> samples;
    for (int i = 100; i >= 0; --i) samples.push_back(i);
    const Spread many = spread_of(samples);
    EXPECT_DOUBLE_EQ(many.median, 50);
    EXPECT_DOUBLE_EQ(many.low, 5);
    EXPECT_DOUBLE_EQ(many.high, 95);
    EXPECT_EQ(many.min, 0);
    EXPECT_EQ(many.max, 100);
    EXPECT_EQ(many.outliers, 90);   // all but 45…55
    const Spread far = spread_of({10, 10, 10, 10, 40});
    EXPECT_EQ(far.outliers, 1);
    EXPECT_EQ(far.max, 40);         // kept
    EXPECT_THROW(spread_of({}), std::invalid_argument);
}

TEST_F(TimingFiles, ComeBackAsTheyWere) {
    const fs::path path = folder_ / "times.json";
    save(path, table());
    const TimingTable back = load(path);
    EXPECT_TRUE(back.recorded);
    EXPECT_EQ(back.lesson, "05_warp_shuffle");
    EXPECT_EQ(back.gpu, "NVIDIA H200");
    EXPECT_EQ(back.driver, "13.0");
    EXPECT_EQ(back.cpu, "Some CPU");
    EXPECT_EQ(back.date, "2026-11-21");
    EXPECT_EQ(back.l2, "warm");
    EXPECT_EQ(back.method, "graph");
    ASSERT_EQ(back.rows.size(), 2u);
    EXPECT_EQ(back.rows[0].variant, "warp_sum_xor");
    EXPECT_EQ(back.rows[0].n, (std::uint64_t{1} << 53) + 2);
    EXPECT_EQ(back.rows[0].block, 256u);
    EXPECT_EQ(back.rows[0].value, 496.1);
    EXPECT_EQ(back.rows[0].low_us, 0.1 + 0.2);
    EXPECT_EQ(back.rows[0].samples, 100);
    EXPECT_EQ(back.rows[0].bytes, 4096u);
    EXPECT_EQ(back.rows[1].variant, "CUB \"Sum\"");
    EXPECT_TRUE(back.rows[1].baseline);
    EXPECT_TRUE(back.rows[1].on_cpu);
    EXPECT_FALSE(back.rows[0].on_cpu);
    EXPECT_TRUE(std::isnan(back.rows[1].value));
    EXPECT_TRUE(std::isinf(back.rows[1].error));
    EXPECT_FALSE(back.rows[1].within_bound);
    // Nothing but the file itself was left in the folder.
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(TimingFiles, WhatOlderFilesLackIsEmpty) {
    // As version 1 was first written.
    const std::string old = R"({"format": "lanewise timings", "version": 1, "lesson": "l", "gpu": "g", "driver": "13.0",
        "date": "d", "l2": "warm", "method": "m", "rows": [{"variant": "v", "baseline": false, "n": 7, "block": 32, "value": 1.0,
        "error": 0.0, "within_bound": true, "median_us": 2.5, "low_us": 2.0, "high_us": 3.0, "samples": 9, "bytes": 28}]})";
    std::ofstream(folder_ / "old.json") << old;
    const TimingTable table = load(folder_ / "old.json");
    EXPECT_EQ(table.rows.at(0).median_us, 2.5);
    EXPECT_EQ(table.rows.at(0).size + table.rows.at(0).element + table.rows.at(0).against, "");
    EXPECT_EQ(table.rows.at(0).max_us, 0);
    EXPECT_FALSE(table.rows.at(0).limit);
    EXPECT_FALSE(table.before.has_value());
    EXPECT_TRUE(table.notes.empty() && table.partial.empty());
}

TEST_F(TimingFiles, KeepTheSizeTheStateAndWhatIsMissing) {
    TimingTable full = table();
    full.rows[0].element = "bf16";
    full.rows[0].size = "1024×2048";
    full.rows[0].against = "CUB";
    full.rows[0].min_us = 1;
    full.rows[0].max_us = 77;
    full.rows[0].outliers = 3;
    full.rows[1].limit = true;
    full.partial = "interrupted";
    full.notes = {"too large"};
    full.before = GpuState{1980, 3201, 41, 2, ""};
    full.after = GpuState{-1, -1, -1, -1, "no library"};
    save(folder_ / "full.json", full);
    const TimingTable back = load(folder_ / "full.json");
    EXPECT_EQ(back.rows[0].element, "bf16");
    EXPECT_EQ(back.rows[0].size, "1024×2048");
    EXPECT_EQ(back.rows[0].against, "CUB");
    EXPECT_EQ(back.rows[0].min_us, 1);
    EXPECT_EQ(back.rows[0].max_us, 77);
    EXPECT_EQ(back.rows[0].outliers, 3);
    EXPECT_TRUE(back.rows[1].limit);
    EXPECT_EQ(back.partial, "interrupted");
    EXPECT_EQ(back.notes, full.notes);
    EXPECT_EQ(back.before->other_processes, 2);
    EXPECT_FALSE(back.after->known());
    EXPECT_EQ(back.after->why_not, "no library");
}

TEST_F(TimingFiles, CsvHasALineForEachRow) {
    TimingTable t = table();
    t.rows[0].against = "CUB \"Sum\"";
    t.rows[0].element = t.rows[1].element = "f32";
    t.rows[1].n = t.rows[0].n;
    t.rows[1].median_us = 6.8;
    save_csv(folder_ / "t.csv", t);
    std::istringstream lines(lanewise::testing::slurp(folder_ / "t.csv"));
    std::string heading, first, second, none;
    std::getline(lines, heading);
    std::getline(lines, first);
    std::getline(lines, second);
    EXPECT_FALSE(std::getline(lines, none));
    EXPECT_TRUE(heading.starts_with("lesson,gpu,driver,date,l2,variant,")) << heading;
    EXPECT_TRUE(
        first.starts_with("05_warp_shuffle,NVIDIA H200,13.0,2026-11-21,warm,warp_sum_xor,f32,,9007199254740994,0,256,"))
        << first;
    EXPECT_TRUE(first.ends_with(",,\"CUB \"\"Sum\"\"\",2,0")) << first;   // no plain read; twice as fast; not partial
    EXPECT_EQ(std::count(first.begin(), first.end(), ','), std::count(heading.begin(), heading.end(), ','));
    EXPECT_NE(second.find(",\"CUB \"\"Sum\"\"\",f32,"), std::string::npos) << second;
}

TEST_F(TimingFiles, MangledOnesAreRefusedBySentence) {
    save(folder_ / "times.json", table());
    const std::string good = lanewise::testing::slurp(folder_ / "times.json");
    for (std::size_t cut = 0; cut < good.size() - 2; cut += 37) EXPECT_NE(refusal(good.substr(0, cut)), "") << cut;
    for (const char* text : {"", "[]", "3", "null", "{}", "\xff\xfe", "{\"format\": 7}", "{\"format\": \"other\"}"})
        EXPECT_NE(refusal(text), "") << text;
    std::string newer = good;
    newer.replace(newer.find("\"version\": 1"), 12, "\"version\": 9");
    EXPECT_NE(refusal(newer).find("9"), std::string::npos);
    std::string wrong_type = good;
    wrong_type.replace(wrong_type.find("\"block\": 256"), 12, "\"block\": \"x\"");
    EXPECT_NE(refusal(wrong_type), "");
}

TEST_F(TimingFiles, MissingOrUnwritablePathsAreNamed) {
    EXPECT_THROW(load(folder_ / "none.json"), Error);
    EXPECT_THROW(load(folder_), Error);
    const fs::path nowhere = folder_ / "no such folder" / "times.json";
    try {
        save(nowhere, table());
        FAIL() << "it was written";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("no such folder"), std::string::npos) << error.what();
    }
    // A folder is where the file should be: nothing is left beside it.
    fs::create_directories(folder_ / "taken" / "inside");
    EXPECT_THROW(save(folder_ / "taken", table()), Error);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST(Measure, WithoutAGpuSaysWhy) {
    std::string why;
    if (gpu::available(&why)) GTEST_SKIP() << "There is a GPU here.";
    try {
        measure::measure(launch::Plan{}, launch::KernelSet{});
        FAIL() << "it measured";
    } catch (const Error& error) {
        EXPECT_EQ(error.what(), why);
    }
}

TEST(Measure, CountsTheBytesOfInputsAndOutputs) {
    launch::Plan plan;
    plan.input<float>("in", {1, 2, 3});
    plan.output<double>("out", 2);
    plan.scratch<float>("scratch", 1000);
    EXPECT_EQ(measure::bytes_of(plan), 28u);
    plan.bytes_moved = 5;
    EXPECT_EQ(measure::bytes_of(plan), 5u);
}

TEST(Measure, TheSerialSumIsABaselineOnTheCpu) {
    launch::Plan plan;
    std::vector<float> values(5000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1f * static_cast<float>(i % 7) - 0.2f;
    plan.input("in", values);
    const Timing row = measure::measure_serial_sum(plan, {.samples = 9, .max_seconds = 1});
    double sum = 0;
    for (const float value : values) sum += value;
    EXPECT_NEAR(row.value, sum, 1e-2);
    EXPECT_NE(row.value, sum);  // a float's sum, not a double's
    EXPECT_TRUE(row.baseline && row.on_cpu && row.within_bound);
    EXPECT_EQ(row.samples, 9);
    EXPECT_GT(row.median_us, 0);
    EXPECT_EQ(row.bytes, 20000u);
    EXPECT_THROW(measure::measure_serial_sum(launch::Plan()), Error);
}

TEST(Measure, MethodNamesWhatWasDone) {
    measure::MeasureOptions options;
    options.most_replays = 70;
    options.places = 3;
    EXPECT_NE(method_text(options).find("graph of 5 to 70 runs, until it lasts 600 us"), std::string::npos);
    EXPECT_NE(method_text(options).find("mean of the medians at 3 buffer addresses"), std::string::npos);
    options.l2 = measure::L2::flushed;
    EXPECT_NE(method_text(options).find("twice the L2 written before each run"), std::string::npos);
    EXPECT_EQ(method_text(options).find("graph"), std::string::npos);
}

TEST(Merge, TheSpreadHoldsFromRunToRun) {
    TimingTable one;
    one.method = "m";
    one.rows = {{.variant = "a", .n = 8, .median_us = 10.0, .low_us = 9.9, .high_us = 10.1, .samples = 100}};
    TimingTable two = one, three = one;
    two.rows[0].median_us = 11, two.rows[0].low_us = 10.8, two.rows[0].high_us = 11.3;
    three.rows[0].median_us = 10.2, three.rows[0].low_us = 9.5, three.rows[0].high_us = 10.4;
    const TimingTable merged = merge({one, two, three});
    EXPECT_EQ(merged.rows[0].median_us, 10.2);
    EXPECT_EQ(merged.rows[0].low_us, 9.5);
    EXPECT_EQ(merged.rows[0].high_us, 11.3);
    EXPECT_EQ(merged.rows[0].samples, 300);
    EXPECT_EQ(merged.method, "m; 3 such tables: lowest, median and highest");
    EXPECT_THROW(merge({}), std::invalid_argument);
    two.rows[0].n = 9;
    EXPECT_THROW(merge({one, two}), std::invalid_argument);
}

}  // namespace
}  // namespace lanewise::timing
