// A sentence under the header: something that went wrong, or that the learner should know. It stays until it is read.
#pragma once

#include <string>

#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

struct Notice {
    std::string sentence;   // empty: no bar
    std::string offer;      // label of a button; empty: none
    Intent accepted = {};   // what the button asks for
    bool good = false;      // something was done as asked: nothing to worry about
};

struct NoticeBar {
    // Pixels that the sentence needs in a window of `width`; 0 where there is none.
    static float height(const Look& look, const Notice& notice, float width);
    // Its button, or Kind::dismiss.
    static Intent draw(const Pane& pane, const Notice& notice);
};

}  // namespace lanewise::viz
