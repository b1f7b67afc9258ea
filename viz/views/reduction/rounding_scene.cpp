#include "viz/views/reduction/rounding_scene.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viz/model/run_view.hpp"

namespace lanewise::viz {
namespace {

using steps::RoundingLens;
using steps::Sum;

constexpr std::size_t kLeastRun = 4;   // additions one after the other that are drawn as one

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

// A box with its width in shares.
struct Builder {
    const RoundingLens& lens;
    int most_levels;
    SumScene scene;
    std::vector<float> shares;
    std::vector<std::vector<int>> children;

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

    int add(std::int32_t sum, int parent, int depth) {
        const int place = static_cast<int>(scene.boxes.size());
        SumBox box;
        box.sum = sum;
        box.parent = parent;
        box.depth = depth;
        box.run = run_to(lens, sum);
        measure_run(box);
        scene.boxes.push_back(box);
        shares.push_back(box.run.empty() ? 1.0f : 3.0f);
        children.emplace_back();
        scene.levels = std::max(scene.levels, depth + 1);
        const Sum& told = lens.sum(sum);
        if (is_leaf(told) || !box.run.empty()) return place;
        if (depth + 1 >= most_levels) {
            scene.boxes[static_cast<std::size_t>(place)].more = true;
            return place;
        }
        float share = 0;
        for (const std::int32_t part : {told.own, told.other}) {
            const int child = add(part, place, depth + 1);
            children[static_cast<std::size_t>(place)].push_back(child);
            share += shares[static_cast<std::size_t>(child)];
        }
        shares[static_cast<std::size_t>(place)] = share;
        return place;
    }

    void place(int box, float x0, float x1, const Rect& where, float gap) {
        const float pitch = where.height() / static_cast<float>(scene.levels);
        SumBox& own = scene.boxes[static_cast<std::size_t>(box)];
        const float y1 = where.y1 - pitch * static_cast<float>(own.depth);
        // A sum of few is no wider than its figures need.
        const float room = x1 - x0, most = own.run.empty() ? gap * 16 : own.parent < 0 ? room : gap * 40;
        const float inset = std::max(std::min(gap * 0.25f, room * 0.08f), (room - most) / 2);
        const float tall = pitch - gap * 1.9f, spare = own.run.empty() ? std::max(0.0f, tall - gap * 8) : 0;
        own.box = {x0 + inset, y1 - tall + spare / 2, x1 - inset, y1 - spare / 2};
        const auto& parts = children[static_cast<std::size_t>(box)];
        float x = x0;
        for (const int part : parts) {
            const float width = room * shares[static_cast<std::size_t>(part)] / shares[static_cast<std::size_t>(box)];
            place(part, x, x + width, where, gap);
            x += width;
        }
    }
};

}  // namespace

int SumScene::box_at(Point p) const {
    for (std::size_t i = 0; i < boxes.size(); ++i)
        if (boxes[i].box.contains(p)) return static_cast<int>(i);
    return -1;
}

SumScene build_sum_scene(const RoundingLens& lens, std::int32_t root, const Rect& where, float gap, int most_levels) {
    if (root == Sum::kNone) return {};
    Builder builder{lens, most_levels, {}, {}, {}};
    builder.add(root, -1, 0);
    builder.place(0, where.x0, where.x1, where, gap);
    SumScene scene = std::move(builder.scene);

    scene.worst = lens.sum(root).worst;
    if (scene.worst == Sum::kNone) return scene;
    // Drawn itself, or in a run, or above a box that more led to.
    for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
        const SumBox& box = scene.boxes[i];
        const bool ends_here = box.more || !box.run.empty();
        if (box.sum == scene.worst || (ends_here && lens.sum(box.sum).worst == scene.worst))
            scene.worst_box = static_cast<int>(i);
    }
    return scene;
}

std::int32_t sum_to_show(const steps::Steps& steps, const RoundingLens& lens, std::size_t step,
                         const steps::WarpRef& warp, int lane) {
    const auto at = std::find(steps.warps.begin(), steps.warps.end(), warp);
    if (at == steps.warps.end()) return Sum::kNone;
    const auto place = static_cast<std::size_t>(at - steps.warps.begin());
    if (lane >= 0) return lens.last(step, place, lane);
    std::int32_t worst = Sum::kNone;
    for (auto each = lens.places.rbegin(); each != lens.places.rend() && worst == Sum::kNone; ++each) {
        if (each->step > step || each->warp != place) continue;
        for (const std::int32_t sum : each->lanes) {
            if (sum == Sum::kNone) continue;
            const auto bad = [&](std::int32_t s) {
                return lens.sum(s).overflowed ? HUGE_VAL : std::fabs(lens.sum(s).ulps);
            };
            if (worst == Sum::kNone || bad(sum) > bad(worst)) worst = sum;
        }
    }
    return worst;
}

Precision precision_of(const Sum& sum) {
    if (sum.overflowed || std::isnan(sum.ulps)) return Precision::lost;
    const double ulps = std::fabs(sum.ulps);
    if (ulps == 0) return Precision::exact;
    return ulps <= 0.5  ? Precision::nearest
           : ulps <= 4  ? Precision::few
           : ulps <= 64 ? Precision::many
                        : Precision::lost;
}

const char* precision_name(Precision precision) {
    switch (precision) {
        case Precision::exact: return "exact";
        case Precision::nearest: return "to ½ ulp";
        case Precision::few: return "to 4 ulp";
        case Precision::many: return "to 64 ulp";
        case Precision::lost: return "further off";
    }
    return "";
}

std::string describe_rounding(const steps::Steps& steps, const RoundingLens& lens, std::size_t step, int block,
                              int warp) {
    if (!lens.why_not.empty()) return "rounding  " + lens.why_not + "\n";
    constexpr int kDigits = 60;
    std::string out;
    for (const RoundingLens::Place& place : lens.places) {
        if (place.step != step) continue;
        const steps::WarpRef& ref = steps.warps[place.warp];
        if ((block >= 0 && ref.block != static_cast<std::uint32_t>(block)) ||
            (warp >= 0 && ref.warp != static_cast<std::uint32_t>(warp)))
            continue;
        out += "\nrounding  " + warp_name(steps, ref) + "\n";
        for (std::size_t lane = 0; lane < place.lanes.size(); ++lane) {
            if (place.lanes[lane] == Sum::kNone) continue;
            const Sum& sum = lens.sum(place.lanes[lane]);
            out += fmt::format("lane {}  exact {}  rounded {} (0x{})  error {:.3g} = {} ulp of {}", lane,
                               lens.exact[static_cast<std::size_t>(place.lanes[lane])].decimal(kDigits),
                               steps::full_value(sum.type, sum.bits), format_bits(sum.type, sum.bits), sum.error,
                               steps::format_ulps(sum), element_name(sum.type));
            if (sum.narrow) out += "  then widened";
            if (sum.stopped) out += "  stopped growing";
            if (!sum.recorded) out += "  not recorded";
            out += "\n";
        }
    }
    return out.empty() ? "rounding  nothing is added at this step, as far as the records tell\n" : out;
}

}  // namespace lanewise::viz
