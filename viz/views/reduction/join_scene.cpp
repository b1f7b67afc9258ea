#include "viz/views/reduction/join_scene.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

namespace lanewise::viz {
namespace {

std::vector<JoinScene::Held> held_by(const scene::Chain& chain) {
    std::vector<JoinScene::Held> all;
    const bool ordered = chain.unknown.empty();
    for (std::size_t i = 0; i < chain.joins.size(); ++i) {
        const scene::Join& join = chain.joins[i];
        if (!ordered) {
            all.push_back({false, join.found, i, false, {}});
            continue;
        }
        if (i > 0 && !join.follows) all.push_back({.gap = true});
        if (!join.follows) all.push_back({false, join.found, kNoStep, false, {}});
        all.push_back({false, join.left, i, false, {}});
    }
    if (chain.has_end && chain.end_follows && !all.empty()) {
        all.back().end = true;
    } else if (chain.has_end) {
        all.push_back({.gap = true});
        all.push_back({false, chain.end, kNoStep, true, {}});
    }
    return all;
}

// How far a row of `total` is moved so that `focus` is in sight.
float shift_for(float total, float room, float focus) {
    return total <= room ? 0 : std::clamp(focus - room / 2, 0.0f, total - room);
}

}  // namespace

JoinScene build_join_scene(const scene::Chain& chain, const Rect& room, float scale, std::size_t focus) {
    JoinScene scene;
    std::vector<std::size_t> order(chain.joins.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t i) {
            const scene::Join& join = chain.joins[i];
            return std::tuple(join.warp.block, join.warp.warp, join.record, join.lane);
        };
        return key(a) < key(b);
    });
    const auto count = static_cast<float>(order.size());
    const bool by_lane = chain.unit == scene::Chain::Unit::lane;
    const float cell = std::clamp(room.width() / std::max(count, 1.0f), (by_lane ? 92 : 72) * scale, 112 * scale);
    const auto focused = std::find(order.begin(), order.end(), focus);
    const auto place = static_cast<float>(focused == order.end() ? 0 : focused - order.begin());
    const float shift = shift_for(cell * count, room.width(), cell * (place + 0.5f));
    for (std::size_t g = 0; g < order.size(); ++g) {
        const float x = room.x0 + cell * static_cast<float>(g) - shift;
        scene.givers.push_back({order[g], {x + 2 * scale, room.y0, x + cell - 2 * scale, room.y0 + 34 * scale}});
    }

    scene.held = held_by(chain);
    const auto gaps = static_cast<float>(
        std::count_if(scene.held.begin(), scene.held.end(), [](const auto& each) { return each.gap; }));
    const float gap_width = 58 * scale;
    // Where not all fit, a value stands about as far along as who left it.
    const bool crowded = cell * count > room.width();
    const float boxes = std::max(static_cast<float>(scene.held.size()) - gaps, 1.0f);
    const float box_width =
        crowded ? cell : std::clamp((room.width() - gaps * gap_width) / boxes, 58 * scale, 112 * scale);
    float total = 0, middle = 0;
    for (JoinScene::Held& each : scene.held) {
        const float width = each.gap ? gap_width : box_width;
        each.box = {total + 2 * scale, room.y0 + 76 * scale, total + width - 2 * scale, room.y0 + 100 * scale};
        if (each.join == focus) middle = total + width / 2;
        total += width;
    }
    const float held_shift = shift_for(total, room.width(), middle);
    std::vector<const JoinScene::Held*> left_by(chain.joins.size(), nullptr);
    for (JoinScene::Held& each : scene.held) {
        each.box = each.box.moved(room.x0 - held_shift, 0);
        if (each.join != kNoStep) left_by[each.join] = &each;
    }

    const auto in_sight = [&](const Rect& box) { return box.center().x >= room.x0 && box.center().x <= room.x1; };
    for (const JoinScene::Giver& giver : scene.givers) {
        const JoinScene::Held* left = left_by[giver.join];
        if (!left) continue;
        if (!in_sight(giver.box) || !in_sight(left->box)) {
            ++scene.hidden;
            continue;
        }
        scene.lines.push_back({giver.join,
                               {giver.box.center().x, giver.box.y1 + 2 * scale},
                               {left->box.center().x, left->box.y0 - 3 * scale}});
    }
    return scene;
}

std::string hidden_lines(const JoinScene& scene) {
    if (scene.hidden == 0) return {};
    return fmt::format("{} of {} lines lead{} out of sight and {} not drawn", scene.hidden,
                       scene.hidden + scene.lines.size(), scene.hidden == 1 ? "s" : "",
                       scene.hidden == 1 ? "is" : "are");
}

}  // namespace lanewise::viz
