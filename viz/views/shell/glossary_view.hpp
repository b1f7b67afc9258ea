// Terms and their sentences, over everything else: those of the step shown, or the one of a link, then all others.
#pragma once

#include <string>
#include <vector>

#include "common/player/glossary.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

struct GlossaryView {
    bool open = false;
    std::string title;                          // what the first terms are of
    std::vector<const player::Term*> first;     // they are on top

    void show(std::string what, std::vector<const player::Term*> terms);
    // Up and down, a line or a page; false for other keys.
    bool press(Key key);
    // A click beside the card closes it: Kind::close.
    Intent draw(const Look& look, const Rect& window, const player::Glossary& glossary);

private:
    float by_ = 0;     // pages to scroll in the next frame
    bool top_ = false;
};

// One term as a card beside the pointer.
void term_card(const Look& look, const player::Term& term);

}  // namespace lanewise::viz
