#include "viz/views/memory/sectors_view.hpp"

#include <algorithm>

#include "common/base/element.hpp"
#include "common/scene/cell_text.hpp"
#include "viz/model/cell_paint.hpp"

namespace lanewise::viz {
float SectorsView::height(const Look& look, std::size_t rows) const {
    return look.px((rows <= 2 ? 24.0f : rows <= 5 ? 22.0f : 18.0f) * static_cast<float>(rows));
}

void SectorsView::draw(const Pane& pane, const Rect& where, const ArrayHead& array, const SectorWindow& window,
                       const MemoryArray& words, const std::vector<std::int64_t>& moved, const ValueScale& scale,
                       Selection& selection) const {
    if (window.rows.empty()) return;
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const float right = lanes_x0 + cell * 32;
    const auto per_sector = static_cast<std::int64_t>(words.per_sector());
    const float row_height = std::min(pane.px(24), where.height() / static_cast<float>(window.rows.size()));

    // Indices are in the margin; where they are longer, the words make room.
    float index_width = 0;
    for (const std::int64_t sector : words.sectors) {
        index_width = std::max(index_width, text_width(pane.look(), Face::tiny, std::to_string(sector * per_sector)));
    }
    const float gap = pane.px(2);   // on each side of a sector
    const float row_x0 = window.packed ? lanes_x0 : std::max(lanes_x0, where.x0 + index_width + pane.px(5));
    const float sector_width = (right - row_x0) / kSectorsPerRow;
    const float words_at = window.packed ? index_width + pane.px(6) : 0;
    const float word_width = (sector_width - words_at - 2 * gap) / static_cast<float>(per_sector);

    WordPaint paint{pane, scale, array.element, selection.lane(), Face::tiny, row_height >= pane.px(13)};
    paint.room = cell_room(word_width - pane.px(1), pane.look().scale, [&](const scene::CellRoom& room) {
        return std::all_of(words.words.begin(), words.words.end(),
                           [&](const MemoryWord& word) { return paint.shows_size(word, room); });
    });
    CellWidths widths;
    for (const MemoryWord& word : words.words) widths.add(paint.text(word));
    paint.numbers = paint.numbers && word_width >= pane.px(11);
    paint.face = cell_face(pane.look(), word_width - pane.px(1), widths);
    if (row_height < pane.px(20) && (paint.face == Face::figure || paint.face == Face::small)) paint.face = Face::tiny;
    if (row_height < pane.px(23) && paint.face == Face::figure) paint.face = Face::small;   // clear of the marks

    float y0 = where.y0;
    for (std::size_t r = 0; r < window.rows.size(); ++r, y0 += row_height) {
        const SectorRow& row = window.rows[r];
        if (!window.packed && r > 0 && row.front() != window.rows[r - 1].back() + 1) {
            hairline(brush, {lanes_x0, y0}, {right, y0}, colors.quiet, pane.px(1));   // memory between is left out
        }
        for (std::size_t s = 0; s < row.size(); ++s) {
            if (row[s] < 0 || static_cast<std::uint64_t>(row[s] * per_sector) >= array.count) continue;
            const float x0 = row_x0 + sector_width * static_cast<float>(s);
            const Rect slab{x0 + words_at, y0 + pane.px(1), x0 + sector_width, y0 + row_height - pane.px(1)};
            const bool is_moved = std::binary_search(moved.begin(), moved.end(), row[s]);
            if (window.packed || s == 0) {
                const Rect index{window.packed ? x0 : where.x0, slab.y0,
                                 window.packed ? slab.x0 - pane.px(3) : row_x0 - pane.px(3), slab.y1};
                text_in(brush, Face::tiny, index, is_moved ? colors.text : colors.quiet,
                        std::to_string(row[s] * per_sector), Align::right);
            }
            if (is_moved) fill(brush, slab, colors.accent_ground, pane.px(2));
            for (std::int64_t k = 0; k < per_sector; ++k) {
                const std::int64_t index = row[s] * per_sector + k;
                const MemoryWord* word = words.word(index);
                const float x = slab.x0 + gap + word_width * static_cast<float>(k);
                if (!word || static_cast<std::uint64_t>(index) >= array.count) {
                    // Past the end of the array, and moved all the same.
                    if (is_moved)
                        hatch(brush, {x, slab.y0 + pane.px(1.5f), slab.x1 - gap, slab.y1 - pane.px(1.5f)},
                              with_alpha(colors.quiet, 0.7));
                    break;
                }
                const Rect box{x + pane.px(0.5f), slab.y0 + pane.px(1.5f), x + word_width - pane.px(0.5f),
                               slab.y1 - pane.px(1.5f)};
                const bool unused = is_moved && word->lanes == 0;
                paint.draw(box, *word, paint.text(*word), unused);
                const WordRef ref{words.array, index};
                if (selection.now.word == ref) outline(brush, box.inset(-pane.px(1)), colors.accent, 0, pane.px(2));
                if (!pane.hovers(box)) continue;
                selection.next.word = ref;
                if (word->lane >= 0 && word->by == selection.warp) selection.next.lane = word->lane;
                std::string place = "sector " + std::to_string(row[s]);
                if (unused) place += ", moved and not used";
                hint_card(pane.look(),
                          word_hint(words.name, static_cast<std::size_t>(index), place, *word, array.element) +
                              (uses.empty() ? "" : "\n" + uses));
            }
            if (is_moved) outline(brush, slab, colors.accent, pane.px(2), pane.px(1.5f));
            else outline(brush, slab, with_alpha(colors.faint, 0.9), pane.px(2), pane.px(1));
        }
    }
}

}  // namespace lanewise::viz
