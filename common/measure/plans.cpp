#include "common/measure/plans.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "common/base/free_memory.hpp"

namespace lanewise::measure {
namespace {

// Bytes of each plan made ahead. A larger plan is made when its turn comes, if there is room for it.
constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30;

// Values in all plans made ahead: more where an eighth of the free memory has room for them. While a plan is made, a
// value takes up to 32 bytes.
std::uint64_t most_values_ahead() {
    return std::clamp(free_memory().value_or(0) / (8 * 32), std::uint64_t{1} << 27, std::uint64_t{1} << 29);
}

std::uint64_t bytes_held(const launch::Plan& plan) {
    std::uint64_t bytes = 0;
    for (const launch::BufferSpec& buffer : plan.buffers) bytes += buffer.contents.size();
    for (const launch::Expectation& expected : plan.expectations)
        bytes += (expected.reference.size() + expected.bounds.size()) * sizeof(double);
    return bytes;
}

// The plans that are kept of some jobs.
class Kept {
public:
    Kept(std::size_t jobs, std::uint64_t most_bytes) : plans_(jobs), left_(most_bytes) {}

    launch::Plan plan(std::size_t at, const std::function<launch::Plan()>& make) {
        if (const auto known = find(at)) return *known;
        launch::Plan made = make();
        const std::uint64_t bytes = bytes_held(made);
        const std::lock_guard lock(mutex_);
        if (!plans_[at] && bytes <= left_) {
            plans_[at] = std::make_shared<const launch::Plan>(made);
            left_ -= bytes;
        }
        return made;
    }

private:
    std::shared_ptr<const launch::Plan> find(std::size_t at) {
        const std::lock_guard lock(mutex_);
        return plans_[at];
    }

    std::mutex mutex_;
    std::vector<std::shared_ptr<const launch::Plan>> plans_;   // by job
    std::uint64_t left_;
};

}  // namespace

std::vector<Job> keeping_plans(std::vector<Job> jobs, std::uint64_t most_bytes) {
    const auto kept = std::make_shared<Kept>(jobs.size(), most_bytes);
    for (std::size_t at = 0; at < jobs.size(); ++at)
        jobs[at].plan = [kept, at, make = std::move(jobs[at].plan)] { return kept->plan(at, make); };
    return jobs;
}

std::size_t plans_made_ahead() {
    const unsigned threads = std::thread::hardware_concurrency();
    return threads < 4 ? 0 : std::min(threads * 3 / 4, 12u);
}

PlansAhead::PlansAhead(const std::vector<Job>& jobs, std::size_t most)
    : jobs_(jobs), most_(most), most_values_(most_values_ahead()) {}

launch::Plan PlansAhead::take(std::size_t at) {
    made_.erase(made_.begin(), made_.lower_bound(at));
    std::future<launch::Plan> own;
    if (const auto found = made_.find(at); found != made_.end()) {
        own = std::move(found->second);
        made_.erase(found);
    }
    std::uint64_t values = 0;
    for (std::size_t next = at + 1; next < jobs_.size() && next <= at + most_; ++next) {
        values += jobs_[next].n;
        if (values > most_values_ || (jobs_[next].bytes && jobs_[next].bytes() > kMostBytes)) break;
        if (!made_.contains(next)) made_[next] = std::async(std::launch::async, jobs_[next].plan);
    }
    return own.valid() ? own.get() : jobs_[at].plan();
}

void PlansAhead::wait() {
    for (const auto& [at, plan] : made_) plan.wait();
}

}  // namespace lanewise::measure
