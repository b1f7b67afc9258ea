// How a word of memory looks under the stage: the same in banks and in sectors.
#pragma once

#include <string>
#include <vector>

#include "viz/model/run_view.hpp"
#include "common/scene/memory/memory_words.hpp"
#include "common/scene/cell_text.hpp"
#include "viz/model/pane.hpp"

namespace lanewise::viz {

struct WordPaint {
    const Pane& pane;
    const ValueScale& scale;
    Element element = Element::f32;
    int lane = -1;          // the lane to explain
    Face face = Face::tiny;
    bool numbers = true;    // else colours alone
    scene::CellRoom room = 2;   // for a number in a word

    std::string text(const MemoryWord& word) const;
    // Would its text show in this room how large it is?
    bool shows_size(const MemoryWord& word, const scene::CellRoom& in) const;
    // Written now: an edge. Read now: a bar at its foot. Unused, though its sector moved: hatched.
    void draw(const Rect& box, const MemoryWord& word, const std::string& text, bool unused = false) const;
};

// "tree[33] · bank 1 · 528 · read now by warp 0 lane 16", without the place in memory, which `where` gives.
std::string word_hint(const std::string& name, std::size_t index, const std::string& where, const MemoryWord& word,
                      Element element);

// Diagonal lines: moved, and not used.
void hatch(const Brush& brush, const Rect& box, Color color);

// Swatch and label for each mark, ending at `right`; returns the left edge. Draws nothing where it does not fit from
// `left`.
enum class Mark : std::uint8_t { written, read, second_read, sector, unused };
float mark_key(const Pane& pane, float left, float right, float y, const std::vector<Mark>& marks);

}  // namespace lanewise::viz
