#include "common/measure/plans_ahead.hpp"

#include <algorithm>
#include <thread>

namespace lanewise::measure {
namespace {

// Values in all plans made ahead, and bytes of each. A larger plan is made when its turn comes, if there is room for it.
constexpr std::uint64_t kMostValues = std::uint64_t{1} << 27;
constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30;

}  // namespace

std::size_t plans_made_ahead() {
    const unsigned threads = std::thread::hardware_concurrency();
    return threads < 4 ? 0 : std::min(threads * 3 / 4, 12u);
}

PlansAhead::PlansAhead(const std::vector<Job>& jobs, std::size_t most) : jobs_(jobs), most_(most) {}

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
        if (values > kMostValues || (jobs_[next].bytes && jobs_[next].bytes() > kMostBytes)) break;
        if (!made_.contains(next)) made_[next] = std::async(std::launch::async, jobs_[next].plan);
    }
    return own.valid() ? own.get() : jobs_[at].plan();
}

void PlansAhead::wait() {
    for (const auto& [at, plan] : made_) plan.wait();
}

}  // namespace lanewise::measure
