#include "viz/views/selection.hpp"

#include <algorithm>

namespace lanewise::viz {
namespace {
constexpr float kSecondsPerStep = 0.9f;
constexpr float kEntrance = 0.22f;
}  // namespace

void Playhead::go_to(std::size_t to) {
    const std::size_t target = count == 0 ? 0 : std::min(to, count - 1);
    if (target != step) since_step = 0;
    step = target;
}

void Playhead::toggle_play() {
    // At the end, play means: from the start.
    if (!playing && count > 0 && step + 1 >= count) first();
    playing = !playing && count > 1;
}

void Playhead::advance(float seconds) {
    since_step += seconds;
    if (!playing || since_step < kSecondsPerStep / speed) return;
    if (step + 1 >= count) playing = false;
    else forward();
}

float Playhead::entrance() const {
    const float t = std::clamp(since_step / kEntrance, 0.0f, 1.0f);
    return 1 - (1 - t) * (1 - t) * (1 - t);
}

}  // namespace lanewise::viz
