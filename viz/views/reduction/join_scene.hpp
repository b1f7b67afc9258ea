// Where those that joined a word stand, and the values that it held: plain data, without ImGui.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/scene/sums/atomic_chain.hpp"
#include "viz/widgets/geometry.hpp"

namespace lanewise::viz {

struct JoinScene {
    // One that gave, in the order of blocks, warps and lanes.
    struct Giver {
        std::size_t join = 0;                // in Chain::joins
        Rect box;
    };
    // What the word held, one after the other; a break where something that was not recorded came between.
    struct Held {
        bool gap = false;
        std::uint64_t bits = 0;
        std::size_t join = kNoStep;   // that left it (found it, where no order is known)
        bool end = false;                    // after the run
        Rect box = {};
    };
    // From one that gave to what it left.
    struct Line {
        std::size_t join = 0;
        Point from;
        Point to;
    };

    std::vector<Giver> givers;
    std::vector<Held> held;
    std::vector<Line> lines;   // only those whose both ends are in sight
    std::size_t hidden = 0;    // the others: not all that gave, and not all values, have room
};

// Within `room`, with the join at place `focus` of Chain::joins in sight.
JoinScene build_join_scene(const scene::Chain& chain, const Rect& room, float scale, std::size_t focus);

// "12 of 64 lines lead out of sight and are not drawn"; empty where none does.
std::string hidden_lines(const JoinScene& scene);

}  // namespace lanewise::viz
