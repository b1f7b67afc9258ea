// Where the learner is among the steps of a run: the same for the window and for the terminal.
#pragma once

#include <cstddef>

#include "common/base/warp.hpp"

namespace lanewise::steps {
struct Steps;
}

namespace lanewise::player {

// Where the learner is among `count` steps.
struct Playhead {
    std::size_t step = 0;
    std::size_t count = 0;
    bool playing = false;
    float speed = 1;          // 1: a step in 0.9 seconds
    float since_step = 1e9f;  // seconds since the step was entered; motion eases from it
    bool motion = true;       // false: a step is there at once

    void go_to(std::size_t to);
    void forward() { go_to(step + 1); }
    void back() { go_to(step > 0 ? step - 1 : 0); }
    void first() { go_to(0); }
    void last() { go_to(count); }
    void toggle_play();
    void faster();            // up to 8
    void slower();            // down to 0.2
    // Lets time pass; at the end of the steps playing stops.
    void advance(float seconds);
    // Until the next step while playing, in seconds.
    float until_step() const;
    // 0…1 over the first moments of a step: fast, then slower. `from` and `to` are parts of these moments.
    float entrance(float from = 0, float to = 1) const;
    bool moving() const { return playing || entrance() < 1; }
};

// The nearest step of another stage, after `step` (direction 1) or before it (-1); the last or the first step where
// there is none.
std::size_t step_of_next_stage(const steps::Steps& steps, std::size_t step, int direction);

// The step to open a run at, for `warp`: the first at which half of its block's lanes are active; 0 where there is
// none.
std::size_t opening_step(const steps::Steps& steps, const WarpRef& warp, bool at_shuffle = false);

// The warp to look at in a step: `home` where its block takes part in it, else one that does, if possible with the
// same number.
WarpRef working_warp(const steps::Steps& steps, std::size_t step, const WarpRef& home);

// The recorded warp after (direction 1) or before (-1) this one, around the ends; itself where there is no other.
WarpRef warp_beside(const steps::Steps& steps, const WarpRef& warp, int direction);
// The first recorded warp of the block after or before, around the ends.
WarpRef block_beside(const steps::Steps& steps, const WarpRef& warp, int direction);

}  // namespace lanewise::player
