#include "common/measure/plans_ahead.hpp"

#include <algorithm>
#include <thread>

namespace lanewise::measure {
namespace {

// Values in all plans made ahead. A larger plan is made when its turn comes.
constexpr std::uint64_t kMostValues = std::uint64_t{1} << 26;

}  // namespace

std::size_t plans_made_ahead() { return std::min(std::thread::hardware_concurrency() / 4, 4u); }

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
        if (values > kMostValues) break;
        if (!made_.contains(next)) made_[next] = std::async(std::launch::async, jobs_[next].plan);
    }
    return own.valid() ? own.get() : jobs_[at].plan();
}

void PlansAhead::wait() {
    for (const auto& [at, plan] : made_) plan.wait();
}

}  // namespace lanewise::measure
