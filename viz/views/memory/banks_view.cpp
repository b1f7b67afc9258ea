#include "viz/views/memory/banks_view.hpp"

#include <algorithm>

#include "common/base/element.hpp"
#include "common/scene/cell_text.hpp"
#include "viz/model/cell_paint.hpp"

namespace lanewise::viz {
namespace {

constexpr float kMarks = 15;

// Does `touches` hold for any word of the row?
template <class F>
bool any_word(const MemoryArray& array, std::size_t row, F touches) {
    const std::size_t first = row * per_bank_row(array.element);
    const std::size_t last = std::min(first + per_bank_row(array.element), array.words.size());
    for (std::size_t i = first; i < last; ++i) {
        if (touches(array.words[i])) return true;
    }
    return false;
}

bool is_own(const MemoryWord& word) { return word.lanes != 0; }

}  // namespace

float BanksView::height(const Look& look, std::size_t rows) const {
    return look.px((rows <= 2 ? 22.0f : 17.0f) * static_cast<float>(rows) + (marks ? kMarks : 0));
}

void BanksView::draw_row(const Pane& pane, const Rect& box, const MemoryArray& array, std::size_t row, WordPaint& paint,
                         Selection& selection) const {
    const std::size_t first = row * per_bank_row(array.element);
    const std::size_t last = std::min(first + per_bank_row(array.element), array.words.size());
    const float width = box.width() / static_cast<float>(per_bank_row(array.element));
    for (std::size_t i = first; i < last; ++i) {
        const MemoryWord& word = array.words[i];
        const float x = box.x0 + width * static_cast<float>(i - first);
        const Rect place{x + pane.px(1), box.y0 + pane.px(1), x + width - pane.px(1), box.y1 - pane.px(1)};
        paint.draw(place, word, paint.text(word));
        const WordRef ref{array.array, static_cast<std::int64_t>(i)};
        if (selection.now.word == ref)
            outline(pane.brush, place.inset(-pane.px(1)), pane.colors().accent, 0, pane.px(2));
        if (!pane.hovers(place)) continue;
        selection.next.word = ref;
        if (word.lane >= 0 && word.by == selection.warp) selection.next.lane = word.lane;
        const std::size_t bank =
            i * static_cast<std::size_t>(element_size(array.element)) / 4 % static_cast<std::size_t>(kBanks);
        hint_card(pane.look(), word_hint(array.name, i, "bank " + std::to_string(bank), word, array.element) +
                                   (uses.empty() ? "" : "\n" + uses));
    }
}

void BanksView::draw(const Pane& pane, const Rect& where, const std::vector<MemoryArray>& arrays,
                     const std::vector<BankRow>& rows, const BankCounts& conflicts, const ValueScale& scale,
                     Selection& selection) const {
    if (rows.empty()) return;
    const Theme& colors = pane.colors();
    const float right = lanes_x0 + cell * static_cast<float>(kBanks);
    Rect rest = where;
    if (marks) rest.cut_top(pane.px(kMarks));
    const float row_height = std::min(pane.px(22), rest.height() / static_cast<float>(rows.size()));
    float own_end = rest.y0;   // below the last row that the chosen warp touches
    std::vector<WordPaint> paints;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        const float width = cell * static_cast<float>(kBanks) / static_cast<float>(per_bank_row(arrays[a].element));
        paints.push_back({pane, scale, arrays[a].element, selection.lane(), Face::tiny,
                          row_height >= pane.px(13) && width >= pane.px(11)});
        paints[a].room = cell_room(width - pane.px(2), pane.look().scale, [&](const scene::CellRoom& room) {
            return std::none_of(rows.begin(), rows.end(), [&](const BankRow& row) {
                return row.array == a && any_word(arrays[a], row.row, [&](const MemoryWord& word) {
                           return !paints[a].shows_size(word, room);
                       });
            });
        });
        CellWidths widths;
        for (const BankRow& row : rows) {
            if (row.array != a) continue;
            any_word(arrays[a], row.row, [&](const MemoryWord& word) {
                widths.add(paints[a].text(word));
                return false;
            });
        }
        paints[a].face = cell_face(pane.look(), width - pane.px(2), widths);
        if (row_height < pane.px(20) && paints[a].face == Face::figure)
            paints[a].face = Face::small;  // clear of the marks
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const MemoryArray& array = arrays[rows[r].array];
        const Rect box{lanes_x0, rest.y0 + row_height * static_cast<float>(r), right,
                       rest.y0 + row_height * static_cast<float>(r + 1)};
        draw_row(pane, box, array, rows[r].row, paints[rows[r].array], selection);
        if (any_word(array, rows[r].row, is_own)) own_end = box.y1;
        // The array's name, and the index where rows are left out.
        const bool follows = r > 0 && rows[r - 1].array == rows[r].array && rows[r - 1].row + 1 == rows[r].row;
        if (r > 0 && rows[r - 1].array == rows[r].array && !follows)
            hairline(pane.brush, {box.x0, box.y0}, {box.x1, box.y0}, colors.quiet, pane.px(1));
        const std::string index = std::to_string(rows[r].row * per_bank_row(array.element));
        if (!follows) {
            const std::string name = rows[r].row == 0 ? array.name : array.name + "[" + index + "]";
            const float room = where.x1 - right - pane.px(8);
            const Face face = text_width(pane.look(), Face::small, name) <= room ? Face::small : Face::tiny;
            text_in(pane.brush, face, {right + pane.px(8), box.y0, where.x1, box.y1}, colors.quiet,
                    fit_text(pane.look(), face, name, room), Align::left);
        }
        // The index that a row begins with, where the margin has room for it.
        if (rows[r].row == 0 || row_height < pane.px(11) ||
            text_width(pane.look(), Face::tiny, index) > lanes_x0 - where.x0 - pane.px(3))
            continue;
        text_in(pane.brush, Face::tiny, {where.x0, box.y0, lanes_x0 - pane.px(3), box.y1}, colors.quiet, index,
                Align::right);
    }
    if (marks) draw_marks(pane, {where.x0, where.y0, where.x1, own_end}, conflicts);
}

// "4×" over a bank of which four different words are wanted, and a frame down to the last of them.
void BanksView::draw_marks(const Pane& pane, const Rect& where, const BankCounts& conflicts) const {
    const Theme& colors = pane.colors();
    for (std::size_t bank = 0; bank < conflicts.size(); ++bank) {
        if (conflicts[bank] < 2) continue;
        const float x = lanes_x0 + cell * static_cast<float>(bank);
        const Rect head{x + pane.px(0.5f), where.y0, x + cell - pane.px(0.5f), where.y0 + pane.px(kMarks - 2)};
        fill(pane.brush, head, colors.warning, pane.px(2));
        const std::string times = std::to_string(conflicts[bank]) + "×";
        CellWidths widths;
        widths.add(times);
        text_in(pane.brush, cell_face(pane.look(), cell, widths), head, text_on(colors.warning), times);
        outline(pane.brush, {head.x0, where.y0, head.x1, where.y1}, colors.warning, pane.px(2), pane.px(1.2f));
    }
}

}  // namespace lanewise::viz
