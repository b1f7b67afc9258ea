// A rectangle of the window that a view draws in: its canvas, its clipping, and whether the pointer is on something.
#pragma once

#include "viz/widgets/paint.hpp"
#include "viz/widgets/screen_canvas.hpp"

namespace lanewise::viz {

class Pane {
public:
    enum class Scroll : std::uint8_t { none, vertical };

    // Opens a child of the present ImGui window at `box` (in pixels of the screen).
    Pane(const Look& look, const char* id, const Rect& box, Color ground = 0, Scroll scroll = Scroll::none);
    ~Pane();
    Pane(const Pane&) = delete;
    Pane& operator=(const Pane&) = delete;

    Brush brush;
    Rect box;         // what can be seen
    float scrolled = 0;  // how far down the content has been scrolled

    const Look& look() const { return brush.look; }
    const Theme& colors() const { return *brush.look.theme; }
    float px(float v) const { return brush.look.px(v); }

    bool hovers(const Rect& where) const;
    bool hovers() const { return hovers(box); }
    bool clicked(const Rect& where) const;
    // The pointer becomes a hand over `where`; true when it was clicked, or chosen and pressed by keys.
    bool button(const Rect& where) const;
    Point pointer() const;
    float wheel() const;   // notches turned over this pane in this frame

    // Scrolling panes: sets how tall the content is, from box.y0.
    void content_height(float height) const;
    // Scrolls so that `y0…y1` (from the content's top) can be seen.
    void keep_in_sight(float y0, float y1) const;
    // Scrolls by pages, down or up (-1); two lines stay in sight.
    void turn(int pages) const;

private:
    ScreenCanvas screen_;
};

// The ground of a card that lies over others, and what it darkens around it.
void raised_card(const Brush& brush, const Rect& box);

// A short text in a card that follows the pointer.
void hint_card(const Look& look, std::string_view text);

// A sentence in the middle of a pane: running, or what went wrong.
void sentence_card(const Pane& pane, const Rect& where, std::string_view title, std::string_view sentence, Color ink);

}  // namespace lanewise::viz
