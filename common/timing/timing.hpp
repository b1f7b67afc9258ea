// Timings as plain data: what was measured, on what, how often; read and written as JSON so that a recording serves
// a machine without a GPU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lanewise::timing {

// Plain kernels of one variant (or a library baseline) at one size.
struct Timing {
    std::string variant;       // or "CUB DeviceReduce::Sum"
    bool baseline = false;
    bool on_cpu = false;       // measured on TimingTable::cpu, not on the GPU
    std::uint64_t n = 0;
    std::uint32_t block = 0;
    double value = 0;          // what it computed (the first checked output), and how far off
    double error = 0;
    bool within_bound = true;
    double median_us = 0;      // of one run of the variant's launches, zeroing included
    double low_us = 0;         // 5th and 95th percentile
    double high_us = 0;
    int samples = 0;
    std::uint64_t bytes = 0;   // the plan's bytes_moved
    double gb_per_s() const { return median_us > 0 ? static_cast<double>(bytes) / median_us * 1e-3 : 0; }
};

// One measuring session on one GPU.
struct TimingTable {
    std::string lesson;
    std::string gpu;           // "NVIDIA H200"
    std::string driver;
    std::string cpu;           // what the rows with on_cpu ran on; empty where there are none
    std::string date;
    std::string l2;            // "warm" or "flushed"
    std::string method;        // "graph of 20 launches, 100 samples"
    bool recorded = false;     // read from a file rather than just measured
    std::vector<Timing> rows;
};

// Median, percentiles: of a copy of `samples`, in the same unit. Throws std::invalid_argument when empty.
struct Spread {
    double median = 0, low = 0, high = 0;
};
Spread spread_of(std::vector<double> samples);

// One table of several measured one after the other, each on fresh buffers: the median of the medians, the lowest low and
// the highest high, so that the spread holds from run to run and not only within one. Throws std::invalid_argument when
// empty or when the tables differ in their rows.
TimingTable merge(const std::vector<TimingTable>& tables);

void save(const std::filesystem::path& path, const TimingTable& table);
// Throws Error naming the file and what is wrong with it.
TimingTable load(const std::filesystem::path& path);

}  // namespace lanewise::timing
