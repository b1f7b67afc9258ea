// The same run again, blocks in other orders: what each gave, and where the last bits differ.
#pragma once

#include "common/scene/sums/reruns.hpp"
#include "viz/model/pane.hpp"

namespace lanewise::viz {

struct RerunsView {
    std::size_t most = 6;    // rows

    // 0 where there were no other runs.
    float height(const Look& look, const scene::RerunTable& table) const;
    void draw(const Pane& pane, const scene::RerunTable& table) const;
};

}  // namespace lanewise::viz
