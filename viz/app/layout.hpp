// Where the panels of the window stand: a pure function of its size and of what the learner chose.
#pragma once

#include <array>
#include <cstdint>

#include "viz/widgets/geometry.hpp"

namespace lanewise::viz {

// What can be dragged: the edge of one panel.
enum class Edge : std::uint8_t { text, side, timeline, source, count_ };

// What the learner chose of the panels. Sizes are pixels at scale 1; 0: as the window's size suggests.
struct Panels {
    float text = 0;         // width of the lesson's text
    float side = 0;         // width of source and inspector
    float timeline = 0;     // height of the steps
    float source = 0;       // height of the source above the inspector
    bool show_text = true;
    bool show_side = true;
    bool show_timeline = true;

    bool operator==(const Panels&) const = default;
    float& of(Edge edge);
};

// What there is to be placed.
struct Contents {
    bool text = true;              // the lesson has one
    bool side = true;              // source and inspector belong to this view
    bool timeline = true;
    float timeline_height = 130;   // pixels that the steps ask for
};

// Rectangles in pixels; empty: not shown.
struct Places {
    Rect text, stage, side, timeline;
    // Under kThreeColumns there is no room for a column of text: it shares the side's place with the source.
    bool text_in_side = false;
};

// Width at scale 1 from which text, stage and source fit side by side.
inline constexpr float kThreeColumns = 1120;

// The stage keeps the room that 32 lanes need before the panels beside it do.
Places arrange(const Rect& body, const Panels& panels, const Contents& contents, float scale);

// Of the side's height, that of the source; the inspector has the rest.
float source_height(const Panels& panels, float side_height, float scale);

// The size that `edge` has when it is dragged to `pointer`, as Panels counts, within what keeps all panels usable.
float size_when_dragged(Edge edge, Point pointer, const Rect& body, const Places& places, float scale);

}  // namespace lanewise::viz
