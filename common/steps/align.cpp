#include "common/steps/align.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace lanewise::steps {
namespace {

// Beyond this many pairs of stages (4000 steps against 4000) the table is not worth its memory; beyond the second, a
// table is not made again to better what stands.
constexpr std::size_t kMaxTable = 16u << 20;
constexpr std::size_t kMaxRefined = 1u << 20;
constexpr int kMostRounds = 4;
// Numbers from here on are of rounds that match no other run's.
constexpr std::size_t kBesideNone = std::size_t{1} << 40;

// What of a step decides which step it matches, in numbers that compare quickly.
struct Mark {
    Role role = Role::load;
    StepKind kind = StepKind::load;
    std::size_t label = 0;
    std::size_t round = 0;   // of a round: which one of its run
};

// A step that may match one of two matched steps may match the other.
bool may_stand_together(const Mark& a, const Mark& b) {
    if (a.role != b.role) return false;
    if (a.role == Role::round) return a.round == b.round && a.round < kBesideNone;
    return a.role != Role::collective || a.kind == b.kind;
}

// What it is worth to match two steps; 0 where they may not be. Rounds outweigh all else: what
// stands between them follows. Of two ways with as many pairs the one with more of a kind is better, and where a run
// ends with several stores the one of the same name.
std::uint32_t worth(const Mark& a, const Mark& b) {
    if (!may_stand_together(a, b)) return 0;
    if (a.role == Role::round) return 20000;
    return 64 + (a.kind == b.kind ? 2 : 0) + (a.role == Role::finish && a.label == b.label ? 1 : 0);
}

using Marks = std::vector<Mark>;

class Marker {
public:
    Marks of(const Steps& steps) {
        Marks marks;
        std::map<WarpRef, std::size_t> rounds;   // that a warp has had
        std::size_t next = 0, beside_none = kBesideNone;
        for (const Step& step : steps.steps) {
            Mark& mark = marks.emplace_back(Mark{role_of(step), step.kind, number(step.label), 0});
            if (mark.role != Role::round) continue;
            // The round of the warp that has had most. Warps that come later to one that others have had are alone.
            std::size_t round = step.warps.empty() ? next : 0;
            for (const WarpStep& part : step.warps) round = std::max(round, rounds[part.warp]++);
            mark.round = round >= next ? round : beside_none++;
            next = std::max(next, round + 1);
        }
        return marks;
    }

private:
    std::size_t number(const std::string& text) { return numbers_.try_emplace(text, numbers_.size()).first->second; }

    std::unordered_map<std::string, std::size_t> numbers_;
};

// Places that stand already, and one run that is set beside them.
class Side {
public:
    Side(const std::vector<Marks>& runs, std::vector<AlignedPlace> places, std::size_t run)
        : places_(std::move(places)), run_(run), width_(runs.size()), new_(runs[run]) {
        for (const AlignedPlace& place : places_) {
            auto& marks = coverage_.emplace_back();
            for (std::size_t r = 0; r < place.size(); ++r)
                if (r != run && place[r] != kNoStep) marks.push_back(&runs[r][place[r]]);
        }
    }

    std::vector<AlignedPlace> set() && {
        if (cells() > kMaxTable) in_step();
        else by_table();
        return std::move(result_);
    }

    std::size_t cells() const { return (coverage_.size() + 1) * (new_.size() + 1); }

private:
    std::uint32_t worth_of(std::size_t place, std::size_t step) const {
        std::uint32_t sum = 0;
        for (const Mark* mark : coverage_[place]) sum += worth(*mark, new_[step]);
        return sum;
    }

    void both(std::size_t place, std::size_t step) {
        result_.push_back(places_[place]);
        result_.back()[run_] = step;
    }
    void alone(std::size_t step) {
        result_.emplace_back(width_, kNoStep);
        result_.back()[run_] = step;
    }

    // The most that the places from i and the steps from j on are worth, for all i and j.
    void by_table() {
        const std::size_t n = coverage_.size(), m = new_.size();
        std::vector<std::uint32_t> most(cells());
        const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return most[i * (m + 1) + j]; };
        for (std::size_t i = n; i-- > 0;) {
            for (std::size_t j = m; j-- > 0;) {
                at(i, j) = std::max(at(i + 1, j), at(i, j + 1));
                if (const std::uint32_t here = worth_of(i, j)) at(i, j) = std::max(at(i, j), here + at(i + 1, j + 1));
            }
        }
        std::size_t i = 0, j = 0;
        while (i < n || j < m) {
            const std::uint32_t here = i < n && j < m ? worth_of(i, j) : 0;
            if (here != 0 && at(i, j) == here + at(i + 1, j + 1)) both(i++, j++);
            else if (j == m || (i < n && at(i + 1, j) >= at(i, j + 1))) result_.push_back(places_[i++]);
            else alone(j++);
        }
    }

    // Long runs: role by role in step, as far as they go together. Neither goes past a round that the other has, too.
    void in_step() {
        const std::size_t n = coverage_.size(), m = new_.size();
        const auto mark = [&](std::size_t i) -> const Mark& { return *coverage_[i].front(); };
        const auto goes_on = [](const Mark& a, const Mark& b) { return a.role == b.role; };
        std::size_t rounds_there = 0, rounds_here = 0;
        const auto count = [](std::size_t& rounds, const Mark& each) {
            if (each.role == Role::round && each.round < kBesideNone) rounds = std::max(rounds, each.round + 1);
        };
        for (std::size_t i = 0; i < n; ++i) count(rounds_there, mark(i));
        for (const Mark& each : new_) count(rounds_here, each);
        std::size_t i = 0, j = 0;
        while (i < n || j < m) {
            if (i == n) alone(j++);
            else if (j == m) result_.push_back(places_[i++]);
            else if (may_stand_together(mark(i), new_[j])) both(i++, j++);
            else if (mark(i).role == Role::round && mark(i).round < rounds_here) alone(j++);
            else if (new_[j].role == Role::round && new_[j].round < rounds_there) result_.push_back(places_[i++]);
            else if (i > 0 && goes_on(mark(i), mark(i - 1))) result_.push_back(places_[i++]);
            else if (j > 0 && goes_on(new_[j], new_[j - 1])) alone(j++);
            else result_.push_back(places_[i++]);
        }
    }

    std::vector<AlignedPlace> places_, result_;
    std::vector<std::vector<const Mark*>> coverage_;
    std::size_t run_, width_;
    const Marks& new_;
};

std::uint64_t worth_of(const std::vector<Marks>& runs, const std::vector<AlignedPlace>& places) {
    std::uint64_t sum = 0;
    for (const AlignedPlace& place : places)
        for (std::size_t a = 0; a < place.size(); ++a)
            for (std::size_t b = a + 1; b < place.size(); ++b)
                if (place[a] != kNoStep && place[b] != kNoStep) sum += worth(runs[a][place[a]], runs[b][place[b]]);
    return sum;
}

// Takes one run out and sets it anew beside the others; true where that is worth more.
bool better(const std::vector<Marks>& runs, std::vector<AlignedPlace>& places, std::size_t run) {
    std::vector<AlignedPlace> others = places;
    for (AlignedPlace& place : others) place[run] = kNoStep;
    std::erase_if(others, [](const AlignedPlace& place) {
        return std::all_of(place.begin(), place.end(), [](std::size_t step) { return step == kNoStep; });
    });
    if (others.empty()) return false;
    Side side(runs, std::move(others), run);
    if (side.cells() > kMaxRefined) return false;
    std::vector<AlignedPlace> anew = std::move(side).set();
    if (worth_of(runs, anew) <= worth_of(runs, places)) return false;
    places = std::move(anew);
    return true;
}

bool any_joins(const Step& step) {
    return std::any_of(step.warps.begin(), step.warps.end(), [](const WarpStep& warp) {
        return std::any_of(warp.lanes.begin(), warp.lanes.end(), [](const LaneView& lane) {
            return lane.active && lane.effect == trace::Effect::join;
        });
    });
}

// Does the text say of every lane that it takes the other's value in place of its own?
bool only_replaces(const Step& step) {
    return std::all_of(step.warps.begin(), step.warps.end(), [](const WarpStep& warp) {
        return std::all_of(warp.lanes.begin(), warp.lanes.end(), [](const LaneView& lane) {
            return !lane.active || lane.effect == trace::Effect::replace;
        });
    });
}

}  // namespace

Role role_of(const Step& step) {
    switch (step.kind) {
        case StepKind::block_barrier:
        case StepKind::warp_barrier: return Role::barrier;
        case StepKind::fence: return Role::fence;
        case StepKind::reduce: return Role::round;
        case StepKind::shuffle: return any_joins(step) || !only_replaces(step) ? Role::round : Role::collective;
        case StepKind::vote:
        case StepKind::active_mask: return Role::collective;
        case StepKind::atomic: return step.stage == "finish" ? Role::finish : Role::shared_atomic;
        case StepKind::load:
        case StepKind::store: break;
    }
    if (step.stage == "load") return Role::load;
    // `total += partials[i]` reads what others left; `value += tree[t + 16]` is a round.
    if (step.stage.ends_with("rounds"))
        return step.kind == StepKind::load && !step.distance ? Role::load_words : Role::round;
    if (step.stage == "finish") return Role::finish;
    return step.kind == StepKind::load ? Role::load_words : Role::store_words;
}

std::vector<AlignedPlace> align_all(const std::vector<const Steps*>& runs) {
    Marker marker;
    std::vector<Marks> marks;
    for (const Steps* steps : runs) marks.push_back(marker.of(*steps));
    std::vector<AlignedPlace> places;
    for (std::size_t run = 0; run < runs.size(); ++run) places = Side(marks, std::move(places), run).set();
    // Two that were set beside each other are at their best.
    for (int round = 0; runs.size() > 2 && round < kMostRounds; ++round) {
        bool any = false;
        for (std::size_t run = 0; run < runs.size(); ++run) any |= better(marks, places, run);
        if (!any) break;
    }
    return places;
}

std::vector<std::pair<std::size_t, std::size_t>> align(const Steps& a, const Steps& b) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (const AlignedPlace& place : align_all({&a, &b})) pairs.emplace_back(place[0], place[1]);
    return pairs;
}

}  // namespace lanewise::steps
