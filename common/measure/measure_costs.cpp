// Runs the cost kernels, checks what they computed, and makes figures of their clocks.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "common/base/error.hpp"
#include "common/gpu/buffer.hpp"
#include "common/gpu/device.hpp"
#include "common/gpu/cuda_error.hpp"
#include "common/gpu/event.hpp"
#include "common/measure/cost_kernels.hpp"
#include "common/measure/meter.hpp"
#include "common/timing/costs.hpp"
#include "common/timing/gpu_state.hpp"
#include "common/measure/sampler.hpp"

namespace lanewise::measure {

using timing::Cost;
using timing::CostInfo;
using timing::CostTable;

namespace {

constexpr unsigned kLine = 128;            // bytes of a cache line, and from node to node
constexpr unsigned kWideThreads = 1024;    // in a block of the throughput kernels, one for each SM
constexpr unsigned kWarmMicroseconds = 100'000;
constexpr std::size_t kL1Bytes = 16u << 10;   // fits in the smallest L1 there is, beside shared memory

// How one operation of the catalog is run, where that is not as for the others.
struct Setup {
    unsigned threads = 32;       // of the latency kernel
    unsigned word_step = 0;
    CostRounds rounds = {};
    unsigned brief = 8, full = 40;   // rounds of the throughput kernel
    int launches = 5;            // pairs of them
    enum class Memory : std::uint8_t { none, l1, l2, far } memory = Memory::none;
    bool gpu_wide = false;       // Cost::gpu_ns is asked
};

Setup setup_of(std::string_view id) {
    using Memory = Setup::Memory;
    Setup setup;
    if (id == "syncthreads_4") setup.threads = 128;
    if (id == "syncthreads_8") setup.threads = 256;
    if (id == "syncthreads_32") setup.threads = 1024;
    if (id.ends_with("_own")) setup.word_step = 1;
    if (id.starts_with("atomic_")) {
        setup.gpu_wide = true;
        setup.brief = 1;
        setup.full = 4;
        setup.launches = 3;
    }
    if (id == "shared_atomic_f32_one") {   // retries: slow
        setup.brief = 1;
        setup.full = 3;
        setup.launches = 3;
    }
    if (id.ends_with("threadfence")) {
        setup.brief = 2;
        setup.full = 8;
    }
    if (id == "load_l1") {
        setup.memory = Memory::l1;
        setup.rounds.warm = 4;   // more than once through all nodes
    }
    if (id == "load_l2") setup.memory = Memory::l2;
    if (id == "load_memory") {
        setup.memory = Memory::far;
        setup.rounds = {1, 1, 4, 40};
        setup.brief = 2;
        setup.full = 8;
    }
    return setup;
}

timing::CostFigure figure_of(std::vector<double> samples) {
    const int count = static_cast<int>(samples.size());
    const timing::Spread spread = timing::spread_of(std::move(samples));
    return {spread.median, spread.low, spread.high, count};
}

class Bench {
public:
    Bench() : device_(gpu::device()), blocks_(static_cast<unsigned>(device_.multiprocessors)) {
        threads_ = blocks_ * kWideThreads;
        results_ = gpu::Buffer(threads_ * sizeof(unsigned));
        times_ = gpu::Buffer(std::max<std::size_t>(threads_ / 32 * 2, 1024) * sizeof(std::int64_t));
        words_ = gpu::Buffer(std::size_t{kMostChains} * threads_ * sizeof(unsigned));
        CUDA_CHECK(spin(kWarmMicroseconds));
        CUDA_CHECK(cudaDeviceSynchronize());
    }

    Cost measure(const CostInfo& info, const CostKernels& kernels) {
        Cost row{info.id, info.group, info.name, info.quoted};
        row.lacking = why_lacking(info, kernels.latency);
        if (!row.lacking.empty()) return row;
        Setup setup = setup_of(info.id);
        CostInput input;
        input.words = words_.as<unsigned>();
        input.word_step = setup.word_step;
        place_memory(setup, kernels.latency, input);
        measure_latency(info, kernels.latency, setup, input, row);
        if (kernels.throughput.address) measure_throughput(info, kernels.throughput, setup, input, row);
        return row;
    }

    // Of all chains so far.
    double sm_mhz() const { return nanoseconds_ > 0 ? cycles_ / nanoseconds_ * 1e3 : 0; }
    const gpu::Device& device() const { return device_; }

private:
    static constexpr unsigned kMostChains = 4;

    std::string why_lacking(const CostInfo& info, const CostKernel& kernel) const {
        const std::uint32_t here = gpu::architecture();
        if (here < info.architecture)
            return fmt::format("{} needs sm_{} or later, and this GPU is sm_{}.", info.name, info.architecture, here);
        cudaFuncAttributes attributes{};
        CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel.address));
        if (attributes.ptxVersion >= static_cast<int>(info.architecture)) return {};
        return fmt::format("{} needs sm_{} or later, and this program was compiled for sm_{}: configure with "
                           "-DLANEWISE_CUDA_ARCH={}.", info.name, info.architecture, attributes.ptxVersion, here);
    }

    // What loads go through: nodes in random order for the latency, lines in order for the throughput.
    void place_memory(Setup& setup, const CostKernel& latency, CostInput& input) {
        using Memory = Setup::Memory;
        if (setup.memory == Memory::none) return;
        const std::size_t l2 = std::max<std::size_t>(device_.l2_bytes, 1u << 20);
        const std::size_t bytes = setup.memory == Memory::l1   ? kL1Bytes
                                  : setup.memory == Memory::l2 ? std::min<std::size_t>(std::bit_floor(l2 / 4), 8u << 20)
                                                               : std::bit_ceil(4 * l2);
        const auto lines = static_cast<unsigned>(bytes / kLine);
        nodes_ = {};   // first, so that both never exist at once
        stream_ = {};
        nodes_ = gpu::Buffer(bytes);
        stream_ = gpu::Buffer(bytes);
        order_.resize(lines);
        std::iota(order_.begin(), order_.end(), 0u);
        std::shuffle(order_.begin(), order_.end(), std::mt19937_64(1));
        gpu::Buffer order(lines * sizeof(unsigned));
        order.upload(std::as_bytes(std::span(order_)));
        CUDA_CHECK(link_cost_nodes(nodes_.as<unsigned char>(), kLine, order.as<unsigned>(), lines));
        CUDA_CHECK(fill_cost_stream(stream_.as<unsigned>(), lines * (kLine / sizeof(unsigned))));
        CUDA_CHECK(cudaDeviceSynchronize());
        input.nodes = nodes_.as<unsigned char>();
        input.node_stride = kLine;
        input.first_node = order_.front();
        input.stream = stream_.as<unsigned>();
        input.stream_lines = lines;
        if (setup.memory == Memory::l2) setup.rounds.warm = lines / latency.unroll + 1;
    }

    void measure_latency(const CostInfo& info, const CostKernel& kernel, const Setup& setup, CostInput input,
                         Cost& row) {
        CostRounds rounds = setup.rounds;
        auto* times = times_.as<std::int64_t>();
        auto* results = results_.as<unsigned>();
        void* arguments[] = {&input, &rounds, &times, &results};
        begin(setup);
        launch(info, kernel, 1, setup.threads, arguments);
        check(info, kernel, input, rounds.all(), 1, setup.threads);
        const std::vector<std::int64_t> read = read_times(2 * std::size_t{rounds.samples} + 4);
        std::vector<double> samples;
        const double steps = static_cast<double>(rounds.full - rounds.brief) * kernel.unroll;
        for (std::size_t s = 0; s < rounds.samples; ++s)
            samples.push_back(static_cast<double>(read[2 * s + 1] - read[2 * s]) / steps);
        row.latency = figure_of(std::move(samples));
        const std::int64_t* const ends = read.data() + 2 * std::size_t{rounds.samples};
        cycles_ += static_cast<double>(ends[2] - ends[0]);
        nanoseconds_ += static_cast<double>(ends[3] - ends[1]);
    }

    void measure_throughput(const CostInfo& info, const CostKernel& kernel, const Setup& setup, CostInput input,
                            Cost& row) {
        std::vector<double> rates, each;
        const double warps = kWideThreads / 32;
        const double steps = static_cast<double>(kernel.chains) * kernel.unroll * (setup.full - setup.brief);
        const double lanes = kernel.one_lane ? 1 : 32;
        for (int i = 0; i < setup.launches; ++i) {
            const Spans brief = run_wide(info, kernel, setup, input, setup.brief);
            const Spans full = run_wide(info, kernel, setup, input, setup.full);
            for (unsigned block = 0; block < blocks_; ++block)
                rates.push_back(warps * steps / (full.cycles[block] - brief.cycles[block]));
            each.push_back(1e3 * (full.microseconds - brief.microseconds) / (warps * steps * lanes * blocks_));
        }
        row.throughput = figure_of(std::move(rates));
        if (setup.gpu_wide) row.gpu_ns = timing::spread_of(std::move(each)).median;
    }

    // One launch of all SMs: the cycles from the first warp's start to the last one's end, for each block.
    struct Spans {
        std::vector<double> cycles;
        double microseconds = 0;
    };
    Spans run_wide(const CostInfo& info, const CostKernel& kernel, const Setup& setup, CostInput input,
                   unsigned rounds) {
        auto* times = times_.as<std::int64_t>();
        auto* results = results_.as<unsigned>();
        void* arguments[] = {&input, &rounds, &times, &results};
        begin(setup);
        Spans spans;
        spans.microseconds = launch(info, kernel, blocks_, kWideThreads, arguments);
        check(info, kernel, input, 1 + rounds, blocks_, kWideThreads);
        const std::vector<std::int64_t> read = read_times(2 * std::size_t{threads_} / 32);
        const std::size_t in_block = 2 * kWideThreads / 32;
        for (std::size_t first = 0; first < read.size(); first += in_block) {
            std::int64_t start = read[first], end = read[first + 1];
            for (std::size_t w = first; w < first + in_block; w += 2) {
                start = std::min(start, read[w]);
                end = std::max(end, read[w + 1]);
            }
            spans.cycles.push_back(static_cast<double>(end - start));
        }
        return spans;
    }

    void begin(const Setup& setup) {
        results_.fill(0);
        words_.fill(0);
        if (setup.memory == Setup::Memory::far) {
            // Twice the L2 is written: nothing of what is read stays there.
            if (flush_.bytes() < 2 * device_.l2_bytes) flush_ = gpu::Buffer(2 * device_.l2_bytes);
            flush_.fill(1);
        }
        CUDA_CHECK(cudaDeviceSynchronize());
    }

    // Returns the microseconds between two events around it.
    double launch(const CostInfo& info, const CostKernel& kernel, unsigned blocks, unsigned threads, void** arguments) {
        gpu::Event start, stop;
        start.record(stream_of_work_);
        CUDA_CHECK(cudaLaunchKernel(kernel.address, dim3(blocks), dim3(threads), arguments, kCostSharedBytes,
                                    stream_of_work_.get()));
        stop.record(stream_of_work_);
        const cudaError_t status = cudaStreamSynchronize(stream_of_work_.get());
        if (status != cudaSuccess)
            throw Error(
                fmt::format("The chain of {} failed while it was measured: {}.", info.id, gpu::cuda_message(status)),
                kExitFailed);
        return stop.microseconds_since(start);
    }

    std::vector<std::int64_t> read_times(std::size_t count) const {
        std::vector<std::int64_t> read(count);
        times_.download(0, std::as_writable_bytes(std::span(read)));
        return read;
    }

    void check(const CostInfo& info, const CostKernel& kernel, const CostInput& input, unsigned rounds, unsigned blocks,
               unsigned threads) const {
        if (kernel.check == CostCheck::nothing) return;
        std::vector<unsigned> got(std::size_t{blocks} * threads);
        results_.download(0, std::as_writable_bytes(std::span(got)));
        const auto fail = [&](const std::string& what) {
            throw Error(
                fmt::format("The chain of {} did not compute what it must ({}): a figure of it would mean nothing, and "
                            "none is given.",
                            info.id, what),
                kExitFailed);
        };
        if (kernel.check == CostCheck::adds || kernel.check == CostCheck::adds_f32) {
            std::vector<unsigned> words(std::size_t{kMostChains} * threads_);
            words_.download(0, std::as_writable_bytes(std::span(words)));
            if (kernel.check == CostCheck::adds_f32)
                for (unsigned& word : words) word = static_cast<unsigned>(static_cast<int>(std::bit_cast<float>(word)));
            const unsigned added = std::accumulate(got.begin(), got.end(), 0u);
            const unsigned held = std::accumulate(words.begin(), words.end(), 0u);
            if (added != held) fail(fmt::format("the threads added {}, and the words hold {}", added, held));
            return;
        }
        CostPlace place{0, 0, 0, blocks, threads};
        for (place.block = 0; place.block < blocks; ++place.block)
            for (place.thread = 0; place.thread < threads; ++place.thread) {
                if (kernel.one_lane && place.lane() != 0) continue;
                unsigned wanted = 0;
                if (kernel.check == CostCheck::node)
                    wanted = order_[std::uint64_t{rounds} * kernel.unroll % order_.size()];
                else
                    for (place.chain = 0; place.chain < kernel.chains; ++place.chain)
                        wanted += kernel.expected(input, place, rounds);
                const unsigned result = got[std::size_t{place.block} * threads + place.thread];
                if (result != wanted)
                    fail(fmt::format("thread {} of block {} came to {}, not {}", place.thread, place.block, result,
                                     wanted));
            }
    }

    gpu::Device device_;
    unsigned blocks_, threads_ = 0;   // of the throughput kernels, on the whole GPU
    gpu::Buffer results_, times_, words_, nodes_, stream_, flush_;
    gpu::Stream stream_of_work_;
    std::vector<unsigned> order_;
    double cycles_ = 0, nanoseconds_ = 0;
};

}  // namespace

CostTable measure_costs(const timing::CostProgress& progress) {
    require_gpu();
    CostTable table;
    const timing::GpuWatch watch(pci_address());
    Bench bench;
    table.gpu = bench.device().name;
    table.compute_capability = bench.device().compute_capability;
    table.driver = bench.device().driver;
    table.multiprocessors = bench.device().multiprocessors;
    table.method =
        "latency: one warp, chains of two lengths, their difference in cycles of clock64; throughput: 32 warps on "
        "each SM with four independent chains each (loads: none waits for another), two lengths as well; "
        "median, 5th and 95th percentile; ns from the SM's cycles over the GPU's global timer in the same kernels";
    table.before = watch.read();
    const auto catalog = timing::cost_catalog();
    for (std::size_t i = 0; i < catalog.size(); ++i) {
        if (progress) progress(i, catalog.size(), catalog[i].name);
        const auto kernels = cost_kernels();
        const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const CostKernels& each) {
            return std::string_view(each.id) == catalog[i].id;
        });
        if (found == kernels.end())
            throw Error(fmt::format("There is no kernel for the cost '{}'.", catalog[i].id), kExitFailed);
        table.rows.push_back(bench.measure(catalog[i], *found));
    }
    table.after = watch.read();
    table.sm_mhz = bench.sm_mhz();
    for (Cost& row : table.rows)
        if (row.latency && table.sm_mhz > 0) row.latency_ns = row.latency.median * 1e3 / table.sm_mhz;
    return table;
}

}  // namespace lanewise::measure
