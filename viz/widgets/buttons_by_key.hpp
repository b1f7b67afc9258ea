// The buttons of a frame, in the order in which they are drawn, so that a key reaches each of them.
#pragma once

namespace lanewise::viz {

class ButtonsByKey {
public:
    // Before and after a frame is drawn.
    void begin() { count_ = 0; }
    void end() {
        if (chosen_ >= count_) chosen_ = -1;
        pressed_ = false;
    }
    // A button is drawn: it is the chosen one.
    bool is_chosen() { return count_++ == chosen_; }

    void choose_next(int by) {
        if (count_ > 0) chosen_ = chosen_ < 0 ? (by > 0 ? 0 : count_ - 1) : (chosen_ + by + count_) % count_;
    }
    bool any() const { return chosen_ >= 0; }
    void let_go() { chosen_ = -1; }
    // The chosen one is pressed in the next frame.
    void press() { pressed_ = any(); }
    bool pressed() const { return pressed_; }

private:
    int count_ = 0, chosen_ = -1;
    bool pressed_ = false;
};

}  // namespace lanewise::viz
