// What each warp of a block is doing at a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

struct WarpState {
    enum class Doing : std::uint8_t {
        works,    // takes part in the step
        waits,    // at a barrier: now, or because the next thing it does is to pass one while others of its block work
        idle,     // takes part again later
        ended,    // does nothing any more
    };
    Doing doing = Doing::idle;
    int lanes = 0;                          // active, or at the barrier in this step
    std::size_t next = kNoStep;      // where it takes part again, if not in this step
};

WarpState state_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp);
// "works: 16 lanes", "waits at the barrier", "idle until step 9", "has ended".
std::string state_text(const WarpState& state);

}  // namespace lanewise::scene
