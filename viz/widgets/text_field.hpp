// One line that is typed in: ImGui's, drawn as the rest of the window.
#pragma once

#include <string>
#include <vector>

#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

class TextField {
public:
    // Begins with `text`, all of it selected, and takes the keyboard.
    void begin(const std::string& text);
    // Another text in the field; the keyboard stays where it is.
    void replace(const std::string& text);
    std::string text() const { return buffer_.empty() ? std::string() : std::string(buffer_.data()); }
    bool typing() const { return typing_; }

    // Draws it in ImGui's present window. `wrong`: what is in it does not do. True where Enter ended it.
    bool draw(const Look& look, const char* id, const Rect& box, bool wrong);

private:
    // A pasted novel ends here, and what reads the field refuses it.
    static constexpr std::size_t kMost = 32 * 1024;

    std::vector<char> buffer_;
    bool focus_ = false;
    bool replace_ = false;
    std::string wanted_;   // what replaces it: ImGui has a copy of its own while the field is typed in
    bool typing_ = false;
};

}  // namespace lanewise::viz
