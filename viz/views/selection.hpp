// What the learner points at and where they are: shared by all views, owned by the application.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/steps/steps.hpp"

namespace lanewise::viz {

// What the pointer is on. Views read `now` and write `next`; the application turns one into the other between frames,
// so that a view drawn first knows of a lane hovered in a view drawn last.
struct Hover {
    int lane = -1;
    int line = 0;          // of the kernel file; 0: none
    bool operator==(const Hover&) const = default;
};

struct Selection {
    steps::WarpRef warp;       // the warp that is drawn large
    int pinned_lane = -1;
    Hover now;
    Hover next;

    // The lane to explain: hovered, else pinned, else -1.
    int lane() const { return now.lane >= 0 ? now.lane : pinned_lane; }
    // Returns true when something else is hovered than a frame ago: one more frame is needed.
    bool turn() {
        const bool changed = !(now == next);
        now = next;
        next = {};
        return changed;
    }
};

// Something that a view asks the application to do.
struct Intent {
    enum class Kind : std::uint8_t { none, go_to, toggle_play, variant, next_variant, compare, keys, close, faster, slower,
                                     theme, pin, timings,
                                     step_back, step_forward, first, last, stage_back, stage_forward, panel, memory,
                                     rounding, table };
    Kind kind = Kind::none;
    std::size_t value = 0;

    explicit operator bool() const { return kind != Kind::none; }
};

// Where the learner is among `count` steps.
struct Playhead {
    std::size_t step = 0;
    std::size_t count = 0;
    bool playing = false;
    float speed = 1;          // 1: a step in 0.9 seconds
    float since_step = 1e9f;  // seconds since the step was entered; motion eases from it

    void go_to(std::size_t to);
    void forward() { go_to(step + 1); }
    void back() { go_to(step > 0 ? step - 1 : 0); }
    void first() { go_to(0); }
    void last() { go_to(count); }
    void toggle_play();
    // Lets time pass; at the end of the steps playing stops.
    void advance(float seconds);
    // 0…1 over the first moments of a step.
    float entrance() const;
    bool moving() const { return playing || entrance() < 1; }
};

}  // namespace lanewise::viz
