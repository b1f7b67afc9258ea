#include "viz/app/layout.hpp"

#include <algorithm>

namespace lanewise::viz {
namespace {

// Least sizes at scale 1.
constexpr float kLeastText = 190;
constexpr float kLeastSide = 230;
constexpr float kLeastStage = 460;
constexpr float kLeastTimeline = 84;
constexpr float kLeastSource = 96;
constexpr float kLeastInspector = 150;

// Parts of the window that the panels may take when they are dragged wide.
constexpr float kMostOfWidth = 0.45f;
constexpr float kMostOfHeight = 0.5f;

// clamp() whose bounds may cross: the upper one wins, as in a window too small for all.
float between(float value, float least, float most) { return std::min(std::max(value, least), most); }

}  // namespace

float& Panels::of(Edge edge) {
    switch (edge) {
        case Edge::text: return text;
        case Edge::side: return side;
        case Edge::timeline: return timeline;
        default: return source;
    }
}

Places arrange(const Rect& body, const Panels& panels, const Contents& contents, float scale) {
    Places places;
    Rect rest = body;
    if (contents.timeline && panels.show_timeline) {
        const float wanted =
            panels.timeline > 0 ? std::max(panels.timeline, kLeastTimeline) * scale : contents.timeline_height;
        places.timeline = rest.cut_bottom(std::min(wanted, body.height() * kMostOfHeight));
    }
    const float width = body.width() / scale;
    const bool text = contents.text && panels.show_text;
    const bool side = contents.side && panels.show_side;
    places.text_in_side = text && side && width < kThreeColumns;
    float text_width =
        text && !places.text_in_side ? panels.text > 0 ? panels.text : std::clamp(width * 0.172f, 236.0f, 400.0f) : 0;
    float side_width = side ? panels.side > 0 ? panels.side : std::clamp(width * 0.24f, 300.0f, 470.0f) : 0;
    if (text_width > 0) text_width = between(text_width, kLeastText, width * kMostOfWidth);
    if (side_width > 0) side_width = between(side_width, kLeastSide, width * kMostOfWidth);
    // Too little is left for the stage: both give way, down to their least.
    const float lacking = kLeastStage - (width - text_width - side_width);
    const float spare_text = std::max(0.0f, text_width - kLeastText),
                spare_side = std::max(0.0f, side_width - kLeastSide);
    if (lacking > 0 && spare_text + spare_side > 0) {
        const float share = std::min(1.0f, lacking / (spare_text + spare_side));
        text_width -= spare_text * share;
        side_width -= spare_side * share;
    }
    if (text_width > 0) places.text = rest.cut_left(text_width * scale);
    if (side_width > 0) places.side = rest.cut_right(side_width * scale);
    places.stage = rest;
    return places;
}

float source_height(const Panels& panels, float side_height, float scale) {
    const float wanted = panels.source > 0 ? panels.source * scale : side_height * 0.44f;
    return between(wanted, kLeastSource * scale, std::max(side_height - kLeastInspector * scale, side_height * 0.3f));
}

float size_when_dragged(Edge edge, Point pointer, const Rect& body, const Places& places, float scale) {
    const float width = body.width() / scale;
    switch (edge) {
        case Edge::text: {
            const float other = places.side.width() / scale;
            return between((pointer.x - body.x0) / scale, kLeastText,
                           std::min(width * kMostOfWidth, width - other - kLeastStage));
        }
        case Edge::side: {
            const float other = places.text.width() / scale;
            return between((body.x1 - pointer.x) / scale, kLeastSide,
                           std::min(width * kMostOfWidth, width - other - kLeastStage));
        }
        case Edge::timeline:
            return between((body.y1 - pointer.y) / scale, kLeastTimeline, body.height() / scale * kMostOfHeight);
        default:
            return between((pointer.y - places.side.y0) / scale, kLeastSource,
                           places.side.height() / scale - kLeastInspector);
    }
}

}  // namespace lanewise::viz
