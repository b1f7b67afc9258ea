#include <algorithm>

#include "common/steps/steps.hpp"

namespace lanewise::steps {
namespace {

// Beyond this many pairs of stages (4000 steps against 4000) the table is not worth its memory.
constexpr std::size_t kMaxTable = 16u << 20;

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// The longest common subsequence of the stages between two ranges.
class Table {
public:
    Table(const Steps& a, const Steps& b) : a_(a), b_(b), lengths_((a.size() + 1) * (b.size() + 1)) {
        for (std::size_t i = a.size(); i-- > 0;)
            for (std::size_t j = b.size(); j-- > 0;)
                at(i, j) = same(i, j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }

    Pairs pairs() {
        Pairs result;
        std::size_t i = 0, j = 0;
        while (i < a_.size() || j < b_.size()) {
            if (i < a_.size() && j < b_.size() && same(i, j)) result.emplace_back(i++, j++);
            else if (j == b_.size() || (i < a_.size() && at(i + 1, j) >= at(i, j + 1))) result.emplace_back(i++, kNoStep);
            else result.emplace_back(kNoStep, j++);
        }
        return result;
    }

private:
    std::uint32_t& at(std::size_t i, std::size_t j) { return lengths_[i * (b_.size() + 1) + j]; }
    bool same(std::size_t i, std::size_t j) const { return a_.steps[i].stage == b_.steps[j].stage; }

    const Steps& a_;
    const Steps& b_;
    std::vector<std::uint32_t> lengths_;
};

// Long runs: stage by stage in step, as far as they go together.
Pairs in_step(const Steps& a, const Steps& b) {
    Pairs result;
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (i == a.size()) result.emplace_back(kNoStep, j++);
        else if (j == b.size()) result.emplace_back(i++, kNoStep);
        else if (a.steps[i].stage == b.steps[j].stage) result.emplace_back(i++, j++);
        else if (i > 0 && a.steps[i].stage == a.steps[i - 1].stage) result.emplace_back(i++, kNoStep);
        else if (j > 0 && b.steps[j].stage == b.steps[j - 1].stage) result.emplace_back(kNoStep, j++);
        else result.emplace_back(i++, kNoStep);
    }
    return result;
}

}  // namespace

Pairs align(const Steps& a, const Steps& b) {
    return (a.size() + 1) * (b.size() + 1) > kMaxTable ? in_step(a, b) : Table(a, b).pairs();
}

}  // namespace lanewise::steps
