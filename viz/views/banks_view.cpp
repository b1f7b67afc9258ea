#include "viz/views/banks_view.hpp"

#include <algorithm>

#include "common/base/element.hpp"
#include "viz/views/scene.hpp"
#include "viz/views/stage_paint.hpp"

namespace lanewise::viz {
namespace {

using steps::kBanks;

constexpr float kMarks = 15;
constexpr std::size_t kMostRows = 24;   // more are drawn smaller

// Words of four bytes; smaller elements share one, larger take several.
std::size_t rows_of(std::size_t elements, Element element) {
    const std::size_t words = (elements * static_cast<std::size_t>(element_size(element)) + 3) / 4;
    return (words + kBanks - 1) / kBanks;
}

}  // namespace

std::array<std::uint8_t, kBanks> bank_conflicts(const std::vector<Request>& requests) {
    std::array<std::uint8_t, kBanks> most{};
    for (const Request& request : requests) {
        if (request.space != trace::Space::shared) continue;
        for (std::size_t bank = 0; bank < most.size(); ++bank) most[bank] = std::max(most[bank], request.banks.words[bank]);
    }
    return most;
}

std::size_t BanksView::rows(const std::vector<MemoryArray>& arrays) {
    std::size_t rows = 0;
    for (const MemoryArray& array : arrays) rows += rows_of(array.words.size(), array.element);
    return rows;
}

float BanksView::height(const Look& look, std::size_t rows) const {
    const float row = rows <= 2 ? 22.0f : rows <= 8 ? 17.0f : 8.0f;
    return look.px(row * static_cast<float>(std::min(rows, kMostRows)) + (marks ? kMarks : 0));
}

void BanksView::draw(const Pane& pane, const Rect& where, const std::vector<MemoryArray>& arrays,
                     const std::vector<Request>& requests, const ValueScale& scale, Selection& selection) const {
    const Theme& colors = pane.colors();
    const float right = lanes_x0 + cell * static_cast<float>(kBanks);
    Rect rest = where;
    if (marks) rest.cut_top(pane.px(kMarks));
    const auto all = static_cast<float>(std::max<std::size_t>(rows(arrays), 1));
    const float row_height = std::min(pane.px(22), rest.height() / all);
    float top = rest.y0;
    float own_end = rest.y0;   // below the last row that the chosen warp touches
    for (const MemoryArray& array : arrays) {
        const int size = element_size(array.element);
        const float width = cell * static_cast<float>(size) / 4;
        const auto per_row = static_cast<std::size_t>(kBanks * 4 / size);
        WordPaint paint{pane, scale, array.element, selection.lane(), Face::tiny, row_height >= pane.px(13),
                        cell_chars(width, pane.look().scale)};
        int longest = 1;
        std::vector<std::string> texts;
        for (const MemoryWord& word : array.words) {
            texts.push_back(paint.text(word));
            longest = std::max(longest, word.known ? static_cast<int>(texts.back().size()) : 1);
        }
        paint.face = cell_face(pane.look(), width, longest);
        for (std::size_t i = 0; i < array.words.size(); ++i) {
            const MemoryWord& word = array.words[i];
            const float x = lanes_x0 + width * static_cast<float>(i % per_row);
            const float y0 = top + row_height * static_cast<float>(i / per_row);
            const Rect box{x + pane.px(1), y0 + pane.px(1), x + width - pane.px(1), y0 + row_height - pane.px(1)};
            paint.draw(box, word, texts[i]);
            if (word.lanes != 0) own_end = std::max(own_end, y0 + row_height);
            if (!pane.hovers(box)) continue;
            if (word.lane >= 0 && word.by == selection.warp) selection.next.lane = word.lane;
            const std::size_t bank = i * static_cast<std::size_t>(size) / 4 % static_cast<std::size_t>(kBanks);
            hint_card(pane.look(), word_hint(array.name, i, "bank " + std::to_string(bank), word, array.element));
        }
        const std::size_t array_rows = rows_of(array.words.size(), array.element);
        text_in(pane.brush, Face::small, {right + pane.px(10), top, where.x1, top + std::min(row_height, pane.px(22))}, colors.quiet,
                fit_text(pane.look(), Face::small, array.name, where.x1 - right - pane.px(12)), Align::left);
        // The index that a row begins with, where the margin has room for it.
        for (std::size_t r = 1; r < array_rows && row_height >= pane.px(13); ++r) {
            const std::string index = std::to_string(r * per_row);
            const float y0 = top + row_height * static_cast<float>(r);
            if (text_width(pane.look(), Face::tiny, index) > lanes_x0 - where.x0 - pane.px(3)) break;
            text_in(pane.brush, Face::tiny, {where.x0, y0, lanes_x0 - pane.px(3), y0 + row_height}, colors.quiet, index, Align::right);
        }
        top += row_height * static_cast<float>(array_rows);
    }
    if (marks) draw_marks(pane, {where.x0, where.y0, where.x1, std::min(own_end, where.y1)}, requests);
}

// "4×" over a bank of which four different words are wanted, and a frame down to the last of them.
void BanksView::draw_marks(const Pane& pane, const Rect& where, const std::vector<Request>& requests) const {
    const Theme& colors = pane.colors();
    const auto conflicts = bank_conflicts(requests);
    for (std::size_t bank = 0; bank < conflicts.size(); ++bank) {
        if (conflicts[bank] < 2) continue;
        const float x = lanes_x0 + cell * static_cast<float>(bank);
        const Rect head{x + pane.px(0.5f), where.y0, x + cell - pane.px(0.5f), where.y0 + pane.px(kMarks - 2)};
        fill(pane.brush, head, colors.warning, pane.px(2));
        text_in(pane.brush, cell_face(pane.look(), cell, 3), head, text_on(colors.warning), std::to_string(conflicts[bank]) + "×");
        outline(pane.brush, {head.x0, where.y0, head.x1, where.y1}, colors.warning, pane.px(2), pane.px(1.2f));
    }
}

}  // namespace lanewise::viz
