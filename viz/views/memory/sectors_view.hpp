// Global memory in rows of 128 bytes, four sectors of 32: what is known of each word, which sectors the step moves, and
// what of them no lane asked for.
#pragma once

#include <string>
#include <vector>

#include "viz/model/selection.hpp"
#include "viz/views/memory/memory_paint.hpp"
#include "common/scene/memory/sectors.hpp"
#include "common/scene/outline.hpp"

namespace lanewise::viz {

struct SectorsView {
    float lanes_x0 = 0;   // a row of 32 words is under the lanes, as far as the indices beside it allow
    float cell = 20;
    std::string uses{};   // who writes and reads the word that is pointed at

    float height(const Look& look, std::size_t rows) const;
    void draw(const Pane& pane, const Rect& where, const ArrayHead& array, const SectorWindow& window,
              const MemoryArray& words, const std::vector<std::int64_t>& moved, const ValueScale& scale,
              Selection& selection) const;
};

}  // namespace lanewise::viz
