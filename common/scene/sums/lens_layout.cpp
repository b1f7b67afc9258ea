// The rounding lens as a layout: the additions above one sum, a lane's own additions as one box.
#include <algorithm>
#include <cmath>

#include "common/rounding/rounding.hpp"
#include "common/scene/sums/sum_layout.hpp"

namespace lanewise::scene {
namespace {

using rounding::RoundingLens;

constexpr std::size_t kLeastRun = 4;   // additions one after the other that are drawn as one
constexpr float kRunShare = 3;

bool is_leaf(const Sum& sum) {
    return sum.kind == Sum::Kind::input || sum.own == Sum::kNone || sum.other == Sum::kNone;
}

// Additions of one lane after which something small came to the sum: from `last` back along what the lane held.
std::vector<std::int32_t> run_to(const RoundingLens& lens, std::int32_t last) {
    std::vector<std::int32_t> run;
    for (std::int32_t at = last; at != Sum::kNone; at = lens.sum(at).own) {
        const Sum& sum = lens.sum(at);
        if (is_leaf(sum) || sum.kind != Sum::Kind::add || !(sum.warp == lens.sum(last).warp) ||
            sum.lane != lens.sum(last).lane)
            break;
        // In a tree what comes to a sum is as deep as it is. A run begins with two inputs.
        const std::uint32_t own = lens.sum(sum.own).additions, other = lens.sum(sum.other).additions;
        if (other > 0 && other >= own) break;
        run.push_back(at);
    }
    std::reverse(run.begin(), run.end());
    return run.size() >= kLeastRun ? run : std::vector<std::int32_t>();
}

struct LensBuilder {
    const RoundingLens& lens;
    int most_levels;
    SumLayout layout;

    void measure_run(SumBox& box) const {
        box.stop = box.run.size();
        for (std::size_t i = 0; i < box.run.size(); ++i) {
            const Sum& sum = lens.sum(box.run[i]);
            if (sum.stopped && box.stop == box.run.size()) box.stop = i;
            for (const double value : {sum.exact_value, element_to_double(sum.type, sum.bits)}) {
                if (!std::isfinite(value)) continue;
                box.low = std::min(box.low, value);
                box.high = std::max(box.high, value);
            }
        }
    }

    int add(std::int32_t sum, int parent, int level, float first) {
        const int place = static_cast<int>(layout.boxes.size());
        const Sum& added = lens.sum(sum);
        SumBox box;
        box.sum = sum;
        box.parent = parent;
        box.own = parent >= 0 && lens.sum(layout.boxes[static_cast<std::size_t>(parent)].sum).own == sum;
        box.level = level;
        box.first = first;
        box.adder = added.warp.warp;
        box.run = run_to(lens, sum);
        measure_run(box);
        box.share = box.run.empty() ? 1.0f : kRunShare;
        box.join = !box.run.empty()                  ? SumJoin::in_turn
                   : is_leaf(added)                  ? SumJoin::input
                   : added.kind == Sum::Kind::reduce ? SumJoin::at_once
                                                     : SumJoin::pair;
        box.parts = !box.run.empty() ? box.run.size() + 1 : is_leaf(added) ? 0 : 2;
        box.more = box.join != SumJoin::input && box.run.empty() && level + 1 >= most_levels;
        const bool ends_here = box.more || box.join == SumJoin::input || !box.run.empty();
        layout.boxes.push_back(std::move(box));
        if (static_cast<int>(layout.levels.size()) <= level) layout.levels.resize(static_cast<std::size_t>(level) + 1);
        if (ends_here) return place;
        float share = 0;
        for (const std::int32_t part : {added.own, added.other}) {
            const int child = add(part, place, level + 1, first + share);
            share += layout.boxes[static_cast<std::size_t>(child)].share;
        }
        layout.boxes[static_cast<std::size_t>(place)].share = share;
        return place;
    }
};

}  // namespace

SumLayout lens_layout(const Sums& sums, std::int32_t root, int most_levels) {
    if (root == Sum::kNone) return {};
    const RoundingLens& lens = sums.lens();
    LensBuilder builder{lens, most_levels, {}};
    builder.add(root, -1, 0, 0);
    SumLayout layout = std::move(builder.layout);
    layout.columns = layout.boxes.front().share;
    layout.worst = lens.sum(root).worst;
    if (layout.worst == Sum::kNone) return layout;
    // Drawn itself, or in a run, or above a box that more led to.
    for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
        const SumBox& box = layout.boxes[i];
        const bool ends_here = box.more || !box.run.empty();
        if (box.sum == layout.worst || (ends_here && lens.sum(box.sum).worst == layout.worst))
            layout.worst_box = static_cast<int>(i);
    }
    return layout;
}

}  // namespace lanewise::scene
