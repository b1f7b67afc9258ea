// A card to type a file's name in, with what it may continue to. Keys reach it through the application, so that typing
// does nothing else.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "viz/platform/paths.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

class OpenCard {
public:
    bool is_open() const { return open_; }
    // Opens it in the folder where the last file was.
    void open(const std::vector<std::string>& recent);
    void close() { open_ = false; }

    // Tab completes, up and down choose, Enter takes, Escape closes.
    void press(Key key);
    void draw(const Look& look, const Rect& window);
    // The file that was taken since the last call; empty: none.
    std::string taken();

    const std::string& typed() const { return typed_; }
    const std::vector<PathChoice>& choices() const { return choices_; }

private:
    void type(const std::string& text);   // puts it in the field
    std::string for_field(std::string_view text);
    std::string from_field(std::string_view text) const;
    void look_up();
    void take(const PathChoice& choice);
    void draw_choices(const Pane& pane, Rect rest);

    bool open_ = false;
    bool focus_ = false;              // the field is to be typed in from the next frame on
    bool replace_ = false;            // the field is to hold typed_
    std::string shown_;               // how the field shows typed_: ImGui may have no room for some of its letters
    std::string typed_;
    std::vector<std::string> far_;    // letters of file names that ImGui has no room for
    std::array<char, 4096> buffer_{};
    std::vector<std::string> recent_;
    std::vector<PathChoice> choices_;
    int chosen_ = -1;
    std::string taken_;
};

}  // namespace lanewise::viz
