// Timings as plain data: what was measured, on what, how often; read and written as JSON so that a recording serves
// a machine without a GPU, and written as CSV for other programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::timing {

// Plain kernels of one variant (or a library baseline) at one size.
struct Timing {
    std::string variant;       // or "CUB DeviceReduce::Sum"
    std::string element = {};  // of the input: "f32", "f16", …; empty where there is no floating input
    std::string size = {};     // "1024×2048": a row of the S×K table; empty elsewhere
    std::string against = {};  // the baseline's row that this one is compared with, by its `variant`; empty: none
    bool baseline = false;
    bool limit = false;        // a baseline that computes nothing: a plain read or a plain copy of the same bytes
    bool on_cpu = false;       // measured on TimingTable::cpu, not on the GPU
    std::uint64_t n = 0;
    std::uint64_t columns = 0;     // values a row, of a lesson on rows; 0: the values are no rows, or an older file
    std::uint32_t block = 0;       // threads of a block of the variant's first launch
    double value = 0;          // what it computed (the first checked output), and how far off
    double error = 0;
    bool within_bound = true;
    double median_us = 0;  // of one run of the variant's launches, and of zeroing what they add to; where the data fit
                           // in L2, the mean of the medians at several buffer addresses
    double low_us = 0;         // 5th and 95th percentile
    double high_us = 0;
    double min_us = 0;         // of all samples: none is left out of any figure. 0 in older files
    double max_us = 0;
    int samples = 0;
    int outliers = 0;          // samples further than kOutlier from the median
    std::uint64_t bytes = 0;   // the plan's bytes_moved
    double gb_per_s() const { return median_us > 0 ? static_cast<double>(bytes) / median_us * 1e-3 : 0; }
};

// Was it timed? Not where its result was wrong: the row then shows the check alone.
inline bool is_timed(const Timing& row) { return row.median_us > 0; }

// A sample this far from the median, as a part of it, is called an outlier.
inline constexpr double kOutlier = 0.1;

// A GPU's state at one moment, as the driver reports it; what it does not report is -1.
struct GpuState {
    int sm_mhz = -1;
    int memory_mhz = -1;
    int temperature_c = -1;
    int other_processes = -1;  // compute processes besides this one
    std::string why_not;       // why nothing is known, as a sentence; empty where something is
    bool known() const { return sm_mhz >= 0 || memory_mhz >= 0 || temperature_c >= 0; }
};

// One measuring session on one GPU.
struct TimingTable {
    std::string lesson;
    std::string gpu;           // "NVIDIA H200"
    std::string driver;
    std::string cpu;           // what the rows with on_cpu ran on; empty where there are none
    std::string date;
    std::string l2;            // "warm" or "flushed"
    std::string method;        // "CUDA graph of runs, …; device events; up to 100 samples; …"
    bool recorded = false;     // read from a file rather than just measured
    std::vector<Timing> rows;
    std::string partial = {};              // why rows are missing at the end; empty where none are
    std::vector<std::string> notes = {};   // sentences: what was not measured, and why
    std::optional<GpuState> before = {};   // the first row, and after the last
    std::optional<GpuState> after = {};
    std::string main = {};     // the lesson's main variant, for the ladder; empty: it has none there
};

// Median and percentiles, the ends, and how many are further than kOutlier from the median: of a copy of `samples`, in
// the same unit. Throws std::invalid_argument when empty.
struct Spread {
    double median = 0, low = 0, high = 0, min = 0, max = 0;
    int outliers = 0;
};
Spread spread_of(std::vector<double> samples);

// Writes the spread of `samples` and their number into the row.
void set_times(Timing& row, std::vector<double> samples);

// One table of several measured one after the other, each on fresh buffers: the median of the medians, the lowest low
// and the highest high, so that the spread holds from run to run and not only within one. Throws std::invalid_argument
// when empty or when the tables differ in their rows.
TimingTable merge(const std::vector<TimingTable>& tables);

// The file's text: JSON that load() reads back; CSV with a heading, a line for each row, the machine in each.
std::string to_json(const TimingTable& table);
std::string to_csv(const TimingTable& table);

void save(const std::filesystem::path& path, const TimingTable& table);
void save_csv(const std::filesystem::path& path, const TimingTable& table);
// Throws Error naming the file and what is wrong with it.
TimingTable load(const std::filesystem::path& path);

}  // namespace lanewise::timing
