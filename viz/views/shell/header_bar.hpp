// The top of the window: which lesson, which variant, and where the data came from.
#pragma once

#include <string>
#include <vector>

#include "common/run/front_end.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/run_view.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

struct HeaderBar {
    std::size_t tab = 0;               // the variant shown, or chosen in a comparison; in Presentation::variants
    std::vector<std::size_t> shown;    // all that are compared
    bool menu_open = false;
    bool with_hints = true;    // what a variant is, over its tab
    bool with_tabs = true;        // else the title alone: a page that is of no variant
    float tabs_scroll = 0;

    // One line where the tabs fit beside the title, else two.
    float height(const Look& look, const run::Presentation& presentation, float width) const;

    // Where the ☰ is, in a header at that place.
    static Rect menu_button(const Look& look, const Rect& header);

    // Also Kind::menu.
    Intent draw(const Pane& pane, const run::Presentation& presentation, const std::string& origin);

private:
    Intent draw_tabs(const Pane& pane, const run::Presentation& presentation, const Rect& where);
};

}  // namespace lanewise::viz
