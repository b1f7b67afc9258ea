#include "common/measure/sweep.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/timing/compare.hpp"
#include "common/measure/plans.hpp"
#include "common/measure/serial.hpp"

namespace lanewise::measure {

using timing::Timing;
using timing::TimingTable;

namespace {

// Ends a sweep that was asked to end; never leaves this file.
struct Cancelled {};

std::string bytes_text(std::uint64_t bytes) {
    const double mib = static_cast<double>(bytes) / (1u << 20);
    return mib < 1024 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.1f} GiB", mib / 1024);
}

class Sweep {
public:
    Sweep(Meter& meter, const SweepOptions& options, const std::vector<Job>& jobs)
        : meter_(meter), options_(options), plans_(jobs, plans_made_ahead()), all_(jobs.size()) {
        table_ = meter.machine();
        table_.l2 = l2_name(options.measure.l2);
        table_.method = method_text(options.measure);
        table_.before = meter.state();
    }

    // The next of the jobs.
    void measure(const Job& job) {
        if (job.size != size_ || job.n != n_) end_size();
        size_ = job.size;
        n_ = job.n;
        announce(job, job.variant);
        or_noted([&] { measure_variant(job); });
        ++done_;
    }

    TimingTable finish(std::string partial) {
        end_size();
        table_.partial = std::move(partial);
        table_.after = meter_.state();
        return std::move(table_);
    }

    bool empty() const { return table_.rows.empty() && variants_.empty(); }
    const std::vector<std::string>& notes() const { return table_.notes; }

private:
    void announce(const Job& job, const std::string& what) {
        if (options_.cancelled && options_.cancelled()) throw Cancelled();
        if (options_.progress)
            options_.progress(done_, all_,
                              fmt::format("{} · {}", job.size.empty() ? fmt::format("{}", job.n) : job.size, what));
    }

    // Runs `work`; what cannot be is noted once, as a sentence.
    template <class Work>
    void or_noted(const Work& work) {
        try {
            work();
        } catch (const Error& error) {
            if (error.exit_status() != kExitUsage) throw;
            note(error.what());
        } catch (const std::bad_alloc&) {
            note(fmt::format("n = {}: this machine has not enough memory for the values; not measured.", n_));
        }
    }

    void note(const std::string& sentence) {
        if (std::find(table_.notes.begin(), table_.notes.end(), sentence) == table_.notes.end())
            table_.notes.push_back(sentence);
    }

    void check_room(const Job& job, std::uint64_t needed) {
        const std::uint64_t free = meter_.free_bytes();
        if (needed > free)
            throw Error(fmt::format("{} at n = {} needs {} of the GPU's memory, and {} are free: not measured.",
                                    job.variant, job.n, bytes_text(needed), bytes_text(free)));
    }

    void measure_variant(const Job& job) {
        if (job.bytes) check_room(job, job.bytes());
        const launch::Plan plan = plans_.take(done_);
        std::uint64_t needed = 0;
        for (const launch::BufferSpec& buffer : plan.buffers) needed += buffer.bytes();
        check_room(job, needed);
        Timing row = meter_.measure(plan, options_.measure);
        row.variant = job.variant;
        row.block = first_block(plan);
        place(row, job, plan);
        // A library's one total is no measure of what gives many sums.
        variants_.push_back({std::move(row), gives_many(plan) ? "" : job.baseline});
        measure_beside(job, plan);
    }

    // The baselines of all variants of this size and type of input.
    void measure_beside(const Job& job, const launch::Plan& plan) {
        const std::string element = input_element(plan);
        if (!job.baseline.empty() && done_beside_.insert({job.baseline, element}).second) {
            announce(job, job.baseline);
            or_noted([&] {
                Timing row = meter_.measure_baseline(job.baseline, plan, job.n, options_.measure);
                place(row, job, plan);
                named_.push_back({job.baseline, element, row.variant});
                libraries_.push_back(std::move(row));
            });
            if ((options_.serial || options_.serial_at == job.n) && job.baseline.ends_with("Sum"))
                or_noted([&] { measure_serial(job, plan); });
        }
        if (options_.launch && !std::exchange(launch_done_, true)) {
            announce(job, timing::kEmptyKernel);
            or_noted([&] {
                Timing row = meter_.measure_limit(timing::kEmptyKernel, plan, options_.measure);
                row.n = job.n;
                limits_.push_back({std::move(row), 0});
            });
        }
        for (const char* limit : {timing::kPlainRead, timing::kPlainCopy}) {
            const std::uint64_t bytes = input_bytes(plan);
            if (options_.nearest_limit && limit != nearest_limit(bytes_of(plan), bytes)) continue;
            if (element.empty() || !done_beside_.insert({limit, element}).second) continue;
            // Bytes are bytes: f16 and bf16 share a measurement.
            const auto same = std::find_if(limits_.begin(), limits_.end(), [&](const Limit& known) {
                return known.row.variant == limit && known.bytes == bytes;
            });
            if (same != limits_.end()) {
                Timing row = same->row;
                place(row, job, plan);
                limits_.push_back({std::move(row), bytes});
                continue;
            }
            announce(job, limit);
            or_noted([&] {
                Timing row = meter_.measure_limit(limit, plan, options_.measure);
                place(row, job, plan);
                limits_.push_back({std::move(row), bytes});
            });
        }
    }

    // A copy moves twice the bytes of the inputs.
    static std::string_view nearest_limit(std::uint64_t moved, std::uint64_t inputs) {
        const bool copy = moved > 0 && inputs > 0 && timing::is_nearer(moved, 2 * inputs, inputs);
        return copy ? timing::kPlainCopy : timing::kPlainRead;
    }

    void measure_serial(const Job& job, const launch::Plan& plan) {
        if (!has_floats(plan)) return;
        announce(job, kSerialSum);
        plans_.wait();
        Timing row = measure_serial_sum(plan, options_.measure);
        place(row, job, plan);
        libraries_.push_back(std::move(row));
        table_.cpu = cpu_name();
    }

    static std::uint64_t input_bytes(const launch::Plan& plan) {
        std::uint64_t bytes = 0;
        for (const launch::BufferSpec& buffer : plan.buffers)
            if (buffer.role == launch::BufferRole::input) bytes += buffer.bytes();
        return bytes;
    }

    static bool gives_many(const launch::Plan& plan) {
        return !plan.expectations.empty() && plan.buffers[plan.expectations.front().buffer].count > 1;
    }

    static std::uint32_t first_block(const launch::Plan& plan) {
        return plan.launches.empty() ? 0 : plan.launches.front().block.count();
    }

    static void place(Timing& row, const Job& job, const launch::Plan& plan) {
        row.n = job.n;
        row.size = job.size;
        row.columns = job.columns;
        row.element = input_element(plan);
    }

    // The rows of one size in their order: variants, what the library does, the limits.
    void end_size() {
        for (auto& [row, baseline] : variants_) {
            for (const Named& named : named_)
                if (named.baseline == baseline && named.element == row.element) row.against = named.row;
            table_.rows.push_back(std::move(row));
        }
        std::move(libraries_.begin(), libraries_.end(), std::back_inserter(table_.rows));
        for (Limit& limit : limits_) table_.rows.push_back(std::move(limit.row));
        libraries_.clear();
        limits_.clear();
        variants_.clear();
        named_.clear();
        done_beside_.clear();
    }

    struct Named {
        std::string baseline, element, row;
    };
    struct VariantRow {
        Timing row;
        std::string baseline;
    };
    struct Limit {
        Timing row;
        std::uint64_t bytes;   // of the inputs
    };

    Meter& meter_;
    const SweepOptions& options_;
    PlansAhead plans_;
    TimingTable table_;
    std::size_t done_ = 0, all_ = 0;
    bool launch_done_ = false;
    // Of the size at hand.
    std::string size_;
    std::uint64_t n_ = 0;
    std::vector<VariantRow> variants_;
    std::vector<Timing> libraries_;
    std::vector<Limit> limits_;
    std::vector<Named> named_;
    std::set<std::pair<std::string, std::string>> done_beside_;   // a baseline and the type of its input
};

}  // namespace

TimingTable sweep(Meter& meter, const std::vector<Job>& jobs, const SweepOptions& options) {
    Sweep sweep(meter, options, jobs);
    std::string partial;
    try {
        for (const Job& job : jobs) sweep.measure(job);
    } catch (const Cancelled&) {
        if (sweep.empty()) throw Error("Interrupted before anything was measured.", kExitFailed);
        partial = kCancelled;
    } catch (const Error& error) {
        if (sweep.empty()) throw;
        partial = error.what();
    }
    if (sweep.empty() && !sweep.notes().empty()) throw Error(sweep.notes().front());
    return sweep.finish(partial);
}

}  // namespace lanewise::measure
