// The overlay that lists all keys, and the card that shows a sentence.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

// Keys that belong together: "Space" -> "play or pause".
struct KeyGroup {
    std::string title;
    std::vector<std::pair<std::string, std::string>> rows;
};

struct KeysView {
    bool open = false;

    // In as many columns as the window has room for. A click anywhere closes it.
    Intent draw(const Pane& pane, const std::vector<KeyGroup>& groups) const;
};

}  // namespace lanewise::viz
