// The overlay that tells all keys, and the card that tells a sentence.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "viz/views/pane.hpp"
#include "viz/views/selection.hpp"

namespace lanewise::viz {

struct KeysView {
    bool open = false;

    // `keys`: "Space" -> "play or pause". A click anywhere closes it.
    Intent draw(const Pane& pane, const std::vector<std::pair<std::string, std::string>>& keys) const;
};

// A sentence in the middle of a pane: running, or what went wrong.
void sentence_card(const Pane& pane, const Rect& where, std::string_view title, std::string_view sentence, Color ink);

}  // namespace lanewise::viz
