// What is written under the pointer: kept while a frame is drawn, so that a term explains itself wherever it stands.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "viz/widgets/geometry.hpp"

namespace lanewise::viz {

class TextUnderPointer {
public:
    Point pointer{-1e6f, -1e6f};

    // A text was drawn in `box`; `seen`: the pointer's window is the one that it is in. Texts that follow each other on
    // a line are one.
    void drawn(std::string_view text, const Rect& box, bool seen) {
        const bool follows = box.y0 == last_.y0 && box.x0 >= last_.x1 - 1 && box.x0 - last_.x1 < box.height() * 0.5f;
        if (follows) line_ += box.x0 - last_.x1 > 1 ? " " : "";
        else line_.clear(), under_ = false;
        const std::size_t began = line_.size();
        line_ += text;
        last_ = box;
        if (seen && box.contains(pointer)) {
            const float part = (pointer.x - box.x0) / std::max(box.width(), 1.0f);
            place_ = began + static_cast<std::size_t>(part * static_cast<float>(text.size()));
            under_ = true;
            box_ = box;
        }
        if (under_) text_ = line_;
    }
    // The line under the pointer, and the sign of it.
    const std::string& text() const { return text_; }
    std::size_t place() const { return place_; }
    const Rect& box() const { return box_; }
    void clear() {
        text_.clear();
        line_.clear();
        last_ = {};
        under_ = false;
    }

private:
    std::string line_, text_;
    Rect last_{}, box_{};
    std::size_t place_ = 0;
    bool under_ = false;
};

}  // namespace lanewise::viz
