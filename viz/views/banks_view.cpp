#include "viz/views/banks_view.hpp"

#include <algorithm>

#include "common/base/element.hpp"
#include "viz/views/memory.hpp"
#include "viz/views/scene.hpp"
#include "viz/views/stage_paint.hpp"

namespace lanewise::viz {
namespace {

constexpr float kTitle = 20;
constexpr int kBanks = 32;

// Words of four bytes; smaller elements share one, larger take several.
std::size_t rows_of(std::uint64_t elements, Element element) {
    const std::uint64_t words = (elements * static_cast<std::uint64_t>(element_size(element)) + 3) / 4;
    return static_cast<std::size_t>((words + kBanks - 1) / kBanks);
}

// The arrays that the chosen launch touches.
std::vector<bool> arrays_of(const steps::Steps& steps, std::uint32_t launch) {
    std::vector<bool> used(steps.trace->arrays.size(), false);
    for (const trace::Record& record : steps.trace->records) {
        if (record.launch != launch) continue;
        for (const trace::ArrayImage& image : record.shared) {
            if (image.array < used.size()) used[image.array] = true;
        }
        if ((trace::is_access(record.op) || trace::is_atomic(record.op)) && record.array < used.size()) used[record.array] = true;
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
        used[i] = used[i] && steps.trace->arrays[i].space == trace::Space::shared;
    }
    return used;
}

std::size_t total_rows(const steps::Steps& steps, const std::vector<bool>& used) {
    std::size_t rows = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i]) rows += rows_of(steps.trace->arrays[i].count, steps.trace->arrays[i].element);
    }
    return rows;
}

}  // namespace

float BanksView::height(const Look& look, const Exhibit& exhibit, const Selection& selection) const {
    const auto used = arrays_of(exhibit.steps(), selection.warp.launch);
    const std::size_t rows = total_rows(exhibit.steps(), used);
    if (rows == 0) return 0;
    const float row = rows <= 2 ? 22.0f : rows <= 8 ? 17.0f : 8.0f;
    return look.px(kTitle + row * static_cast<float>(std::min<std::size_t>(rows, 24)) + 10);
}

void BanksView::draw(const Pane& pane, const Rect& where, const Exhibit& exhibit, const Playhead& playhead,
                     Selection& selection) {
    const steps::Steps& steps = exhibit.steps();
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const ValueScale& scale = exhibit.scale_of(selection.warp);   // as on the stage: one value, one colour
    const auto used = arrays_of(steps, selection.warp.launch);
    const std::vector<SharedArray> arrays = shared_memory(steps, playhead.step, selection.warp);
    const std::size_t rows = std::max<std::size_t>(total_rows(steps, used), 1);
    Rect rest = where;
    Rect title = rest.cut_top(pane.px(kTitle));
    hairline(brush, {where.x0, where.y0}, {where.x1, where.y0}, colors.line);
    title.x0 = lanes_x0;
    text_in(brush, Face::caption, title, colors.quiet, "shared memory of block " + std::to_string(selection.warp.block) +
            " · one column a bank", Align::left);
    const float right = lanes_x0 + cell * kBanks;
    // What the marks mean, where they are used.
    Rect key{right - pane.px(170), title.y0, right, title.y1};
    const float y = key.center().y;
    outline(brush, {key.x0, y - pane.px(5), key.x0 + pane.px(10), y + pane.px(5)}, colors.accent, 0, pane.px(2));
    text_in(brush, Face::caption, {key.x0 + pane.px(15), key.y0, key.x1, key.y1}, colors.quiet, "written now", Align::left);
    const Rect read{key.x0 + pane.px(92), y - pane.px(5), key.x0 + pane.px(102), y + pane.px(5)};
    fill(brush, {read.x0, read.y1 - pane.px(2), read.x1, read.y1}, colors.text);
    text_in(brush, Face::caption, {read.x1 + pane.px(5), key.y0, key.x1 + pane.px(40), key.y1}, colors.quiet, "read now", Align::left);

    const float row_height = std::min(pane.px(22), (rest.height() - pane.px(6)) / static_cast<float>(rows));
    const bool numbers = row_height >= pane.px(13);
    const int chars = cell_chars(cell, pane.look().scale);
    float top = rest.y0;
    std::size_t place = 0;
    for (std::size_t a = 0; a < used.size(); ++a) {
        if (steps.trace->arrays[a].space != trace::Space::shared) continue;
        const SharedArray& array = arrays[place++];
        if (!used[a]) continue;
        const int size = element_size(array.element);
        const float width = cell * static_cast<float>(size) / 4;
        const auto per_row = static_cast<std::size_t>(kBanks * 4 / size);
        int longest = 1;
        std::vector<std::string> texts;
        for (const SharedWord& word : array.words) {
            texts.push_back(numbers && word.known ? format_element(array.element, word.bits, chars) : word.written ? "•" : "");
            longest = std::max(longest, word.known ? static_cast<int>(texts.back().size()) : 1);
        }
        const Face face = cell_face(pane.look(), width, longest);
        for (std::size_t i = 0; i < array.words.size(); ++i) {
            const SharedWord& word = array.words[i];
            const float x = lanes_x0 + width * static_cast<float>(i % per_row);
            const float y0 = top + row_height * static_cast<float>(i / per_row);
            if (y0 + row_height > where.y1) break;
            const Rect box{x + pane.px(1), y0 + pane.px(1), x + width - pane.px(1), y0 + row_height - pane.px(1)};
            const bool now = word.read_now || word.written_now;
            if (word.known) {
                const Color own = scale.color(array.element, word.bits);
                const Color ground = mix(own, colors.ground, now ? 0.15 : 0.6);
                fill(brush, box, ground);
                if (numbers) text_in(brush, face, box, text_on(ground), texts[i]);
                if (word.read_now) fill(brush, {box.x0, box.y1 - pane.px(2.5f), box.x1, box.y1}, text_on(ground));
            } else {
                outline(brush, box, with_alpha(colors.faint, 0.7), 0, pane.px(1));
                if (numbers && word.written) text_in(brush, face, box, colors.quiet, texts[i]);
            }
            if (word.written_now) outline(brush, box, colors.accent, 0, pane.px(2));
            if (pane.hovers(box)) {
                std::string words = array.name + "[" + std::to_string(i) + "] · bank " +
                                    std::to_string(i * static_cast<std::size_t>(size) / 4 % kBanks);
                if (word.known) words += " · " + format_element(array.element, word.bits);
                else words += word.written ? " · changed by an atomic" : " · not written yet";
                if (now) {
                    words += std::string(word.written_now ? " · written" : " · read") + " now by warp " +
                             std::to_string(word.by.warp) + " lane " + std::to_string(word.lane);
                    if (word.by == selection.warp) selection.next.lane = word.lane;
                }
                hint_card(pane.look(), words);
            }
        }
        const std::size_t array_rows = rows_of(array.words.size(), array.element);
        text_in(brush, Face::small, {right + pane.px(10), top, where.x1, top + std::min(row_height, pane.px(22))}, colors.quiet,
                fit_text(pane.look(), Face::small, array.name, where.x1 - right - pane.px(12)), Align::left);
        top += row_height * static_cast<float>(array_rows);
    }
}

}  // namespace lanewise::viz
