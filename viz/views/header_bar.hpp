// The top of the window: which lesson, which variant, and where the data came from.
#pragma once

#include <string>

#include "viz/views/exhibit.hpp"
#include "viz/views/pane.hpp"
#include "viz/views/selection.hpp"

namespace lanewise::viz {

struct HeaderBar {
    std::size_t tab = 0;          // the variant shown, in Presentation::variants
    std::size_t second_tab = 0;   // in comparison: the other one
    bool comparing = false;
    float tabs_scroll = 0;

    // One line where the tabs fit beside the title, else two.
    static float height(const Look& look, const lesson::Presentation& presentation, float width);

    Intent draw(const Pane& pane, const lesson::Presentation& presentation, const std::string& origin);

private:
    Intent draw_tabs(const Pane& pane, const lesson::Presentation& presentation, const Rect& where);
};

}  // namespace lanewise::viz
