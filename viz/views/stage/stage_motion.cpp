#include "viz/views/stage/stage_motion.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lanewise::viz {

void StageMotion::ease(Scene& scene, const std::shared_ptr<const run::Run>& run, float progress) {
    const bool same = run == run_ && scene.warp == warp_ && std::abs(scene.cell - cell_) < 0.01f;
    if (!same) {
        from_.clear();
        back_ = false;
    } else if (scene.step != step_) {
        from_ = drawn_;
        back_ = scene.step < step_;
    }
    run_ = run;
    warp_ = scene.warp;
    cell_ = scene.cell;
    step_ = scene.step;

    if (!from_.empty() && progress < 1) {
        std::vector<std::pair<float, float>> places;
        float moved = 0;   // how far the row before is from its place: one that was not there comes with it
        for (const Row& row : scene.rows) {
            const auto from =
                std::find_if(from_.begin(), from_.end(), [&](const Place& place) { return place.step == row.step; });
            if (from == from_.end()) {
                places.emplace_back(row.y0 + moved, row.y1 + moved);
                continue;
            }
            places.emplace_back(std::lerp(from->y0, row.y0, progress), std::lerp(from->y1, row.y1, progress));
            moved = places.back().second - row.y1;
        }
        scene.place_rows(places);
    }
    drawn_.clear();
    for (const Row& row : scene.rows) drawn_.push_back({row.step, row.y0, row.y1});
}

}  // namespace lanewise::viz
