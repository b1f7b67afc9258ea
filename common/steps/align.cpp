#include <algorithm>
#include <unordered_map>

#include "common/steps/steps.hpp"

namespace lanewise::steps {
namespace {

// Beyond this many pairs of stages (4000 steps against 4000) the table is not worth its memory.
constexpr std::size_t kMaxTable = 16u << 20;

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// What of a step decides whom it stands beside, in numbers that compare quickly.
struct Place {
    std::size_t stage = 0, label = 0;
    StepKind kind = StepKind::load;
    std::optional<std::int64_t> distance;
    bool is_round = false, is_exchange = false;
};

bool is_barrier(StepKind kind) { return kind == StepKind::warp_barrier || kind == StepKind::block_barrier; }

// What it is worth to let two steps stand beside each other; 0 where they may not. Rounds outweigh all else: what stands
// between them follows.
std::uint32_t worth(const Place& a, const Place& b) {
    if (a.stage != b.stage) return 0;
    const bool alike = a.kind == b.kind || (is_barrier(a.kind) && is_barrier(b.kind));
    if (a.is_exchange && !alike) return 0;
    std::uint32_t sum = a.is_round ? 1000 : 16;
    if (a.distance && a.distance == b.distance) sum += 4;
    if (a.kind == b.kind) sum += 2;
    if (a.label == b.label) sum += 1;
    return sum;
}

class Places {
public:
    std::vector<Place> of(const Steps& steps) {
        std::vector<Place> places;
        for (const Step& step : steps.steps)
            places.push_back({number(step.stage), number(step.label), step.kind, step.distance,
                              step.stage.ends_with("rounds"), step.stage == "exchange"});
        return places;
    }

private:
    std::size_t number(const std::string& text) { return numbers_.try_emplace(text, numbers_.size()).first->second; }

    std::unordered_map<std::string, std::size_t> numbers_;
};

// The best pairs of two ranges: the most that the steps from i and from j on are worth, for all i and j.
class Table {
public:
    Table(const std::vector<Place>& a, const std::vector<Place>& b)
        : a_(a), b_(b), worths_((a.size() + 1) * (b.size() + 1)) {
        for (std::size_t i = a.size(); i-- > 0;) {
            for (std::size_t j = b.size(); j-- > 0;) {
                at(i, j) = std::max(at(i + 1, j), at(i, j + 1));
                if (const std::uint32_t both = worth(a[i], b[j])) at(i, j) = std::max(at(i, j), both + at(i + 1, j + 1));
            }
        }
    }

    Pairs pairs() {
        Pairs result;
        std::size_t i = 0, j = 0;
        while (i < a_.size() || j < b_.size()) {
            const std::uint32_t both = i < a_.size() && j < b_.size() ? worth(a_[i], b_[j]) : 0;
            if (both != 0 && at(i, j) == both + at(i + 1, j + 1)) result.emplace_back(i++, j++);
            else if (j == b_.size() || (i < a_.size() && at(i + 1, j) >= at(i, j + 1))) result.emplace_back(i++, kNoStep);
            else result.emplace_back(kNoStep, j++);
        }
        return result;
    }

private:
    std::uint32_t& at(std::size_t i, std::size_t j) { return worths_[i * (b_.size() + 1) + j]; }

    const std::vector<Place>& a_;
    const std::vector<Place>& b_;
    std::vector<std::uint32_t> worths_;
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
    if ((a.size() + 1) * (b.size() + 1) > kMaxTable) return in_step(a, b);
    Places places;
    const std::vector<Place> first = places.of(a), second = places.of(b);
    return Table(first, second).pairs();
}

}  // namespace lanewise::steps
