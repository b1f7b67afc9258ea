// Shared memory as 32 banks, under the lanes: what each word holds, which words are written or read now.
#pragma once

#include "viz/views/exhibit.hpp"
#include "viz/views/pane.hpp"
#include "viz/views/selection.hpp"

namespace lanewise::viz {

struct BanksView {
    float lanes_x0 = 0;   // where lane 0 stands on the stage: bank 0 stands under it
    float cell = 20;

    // 0 where the launch uses no shared memory.
    float height(const Look& look, const Exhibit& exhibit, const Selection& selection) const;
    void draw(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Playhead& playhead, Selection& selection);
};

}  // namespace lanewise::viz
