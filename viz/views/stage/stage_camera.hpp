// How large the stage is drawn, and which part of it is in sight. Above 100 % everything grows and can be dragged;
// below, rows and bands away from the present step shrink, so that a long run is in sight at once.
//
// Ctrl and the wheel: larger or smaller, where the pointer is. Wheel: up and down. Shift and the wheel, or a wheel of
// its own: sideways. Right or middle button: drag. Double click: as it was.
#pragma once

#include "viz/model/pane.hpp"
#include "viz/views/stage/scene.hpp"

namespace lanewise::viz {

class StageCamera {
public:
    static constexpr float kLeast = 0.05f, kMost = 4;

    float zoom() const { return zoom_; }
    void larger();
    void smaller();
    void reset();

    // Reads the mouse over `area`; `scene` is what was drawn there last.
    void take_input(const Pane& pane, const Rect& area, const Scene& scene, std::size_t step);
    // How the scene is to be laid out to fill `area`, and how things look in it.
    StageMetrics metrics(const Rect& area, const Look& look, float gutter) const;
    Look look(const Look& look);
    // Brings the laid-out scene in sight; `shown` is where its lanes are seen. Returns how far it is scrolled down, and
    // how far it could be.
    struct Scrolled {
        float offset = 0, spare = 0;
    };
    Scrolled place(Scene& scene, const Rect& area, const Rect& shown);

private:
    void zoom_to(float zoom, Point at, const Rect& area, const Scene& scene);

    float zoom_ = 1;
    float right_ = 0;            // of the lanes' left edge, in pixels
    float by_hand_ = 0;          // down from where the present step is in sight, until the step changes
    std::size_t step_ = kNoStep;
    bool dragging_ = false;
    // What stays where it is while the size changes.
    struct Anchor {
        bool set = false;
        float y = 0;             // on the screen
        std::size_t row = 0;     // this row and the band under it
        float part = 0;
    } anchor_;
    Fonts fonts_;                // as large as the lanes
    float fonts_zoom_ = 0;
    const Fonts* fonts_of_ = nullptr;
};

}  // namespace lanewise::viz
