// What the learner points at and where they are: shared by all views, owned by the application.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/player/actions.hpp"
#include "common/player/playhead.hpp"
#include "common/base/warp.hpp"
#include "common/scene/memory/word_uses.hpp"

namespace lanewise::viz {

// What the pointer is on. Views read `now` and write `next`; the application turns one into the other between frames,
// so that a view drawn first knows of a lane hovered in a view drawn last.
struct Hover {
    int lane = -1;
    int line = 0;                        // of the kernel file; 0: none
    std::size_t step = kNoStep;
    scene::WordRef word;
    bool operator==(const Hover&) const = default;
};

// What the colours of lanes show.
enum class ColorBy : std::uint8_t { value, inputs };

// How things are shown: chosen by the learner, remembered by the application.
struct DisplayOptions {
    ColorBy colors = ColorBy::value;
};

struct Selection {
    WarpRef warp;       // the warp that is drawn large
    int pinned_lane = -1;
    DisplayOptions display;
    Hover now;
    Hover next;

    bool by_keys = false;   // a lane was chosen by keys since the pointer moved: what the pointer is on waits

    // The lane to explain: that of the last input; hovered, else pinned, else -1.
    int lane() const { return now.lane >= 0 && !by_keys ? now.lane : pinned_lane; }
    // Returns true when something else is hovered than a frame ago: one more frame is needed.
    bool turn() {
        const bool changed = !(now == next);
        now = next;
        next = {};
        return changed;
    }
};

using player::Action;
using player::actions;
using player::Group;
using player::Intent;
using player::intent_of_key;
using player::Key;
using player::key_rows;
using player::letter;
using player::Playhead;

}  // namespace lanewise::viz
