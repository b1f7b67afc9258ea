#include "viz/views/memory/memory_paint.hpp"

#include <algorithm>

#include "common/base/element.hpp"
#include "common/scene/cell_text.hpp"

namespace lanewise::viz {

std::string WordPaint::text(const MemoryWord& word) const {
    if (!numbers) return "";
    if (word.known) return scene::cell_text(element, word.bits, room);
    return word.written ? "?" : "";   // changed by atomics whose order is not known
}

bool WordPaint::shows_size(const MemoryWord& word, const scene::CellRoom& in) const {
    return !numbers || !word.known ||
           scene::shows_size(scene::cell_text(element, word.bits, in), element_to_double(element, word.bits), in);
}

void WordPaint::draw(const Rect& box, const MemoryWord& word, const std::string& text, bool unused) const {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const bool own = word.lanes != 0;   // touched by the chosen warp; what others touch now is quieter
    const bool tall = box.height() > pane.px(14);
    Rect place = box;   // of the number: above the bar
    if (word.read_now) place.y1 -= pane.px(tall ? 3 : 2);
    Color ink = colors.text;
    if (word.known) {
        const Color ground = mix(scale.color(element, word.bits), colors.ground, own ? 0.15 : 0.6);
        ink = text_on(ground);
        fill(brush, box, ground);
        if (unused) hatch(brush, box, mix(ground, ink, 0.22));
        if (numbers) number_in(brush, face, place, ink, text);
    } else {
        outline(brush, box, with_alpha(colors.faint, 0.7), 0, pane.px(1));
        if (unused) hatch(brush, box, with_alpha(colors.quiet, 0.7));
        if (numbers) number_in(brush, face, place, colors.quiet, text);
    }
    if (word.read_now) {
        // The ground shows below the bar, so that it is seen on a dark and on a bright one.
        const float foot = box.y1 - pane.px(tall ? 1.5f : 1);
        const float thick = pane.px(own && tall ? 2.0f : 1.5f);
        const Color bar = with_alpha(ink, own ? 1 : 0.5);
        // The first of several reads has a whole bar, later ones a broken one; a word that both read has both.
        const bool later = word.reads > 1;
        if (!later || (word.reads & 1u)) fill(brush, {box.x0, foot - thick, box.x1, foot}, bar);
        if (later) {
            const float y = (word.reads & 1u) ? foot - thick - pane.px(1.5f) : foot;
            const float third = box.width() / 3;
            fill(brush, {box.x0, y - thick, box.x0 + third, y}, bar);
            fill(brush, {box.x1 - third, y - thick, box.x1, y}, bar);
        }
    }
    if (word.written_now) outline(brush, box, with_alpha(colors.accent, own ? 1 : 0.45), 0, pane.px(own ? 2.0f : 1.0f));
    if (word.changed_after_read) {
        // A folded corner, as on a lane that something is wrong with.
        const float fold = std::min(pane.px(7), box.height() * 0.6f);
        outline(brush, box, colors.warning, 0, pane.px(1.5f));
        triangle(brush, {box.x1 - fold, box.y0}, {box.x1, box.y0}, {box.x1, box.y0 + fold}, colors.warning);
    }
    if (lane >= 0 && ((word.lanes >> lane) & 1u)) outline(brush, box.inset(-pane.px(1)), colors.focus, 0, pane.px(2));
}

std::string word_hint(const std::string& name, std::size_t index, const std::string& where, const MemoryWord& word,
                      Element element) {
    std::string text = name + "[" + std::to_string(index) + "] · " + where;
    if (word.known) text += " · " + format_element(element, word.bits);
    else text += word.written ? " · changed by atomics: which came last is not known" : " · not known yet";
    if (word.read_now || word.written_now) {
        text += word.read_now && word.written_now ? " · read and written"
                 : word.written_now                ? " · written"
                                                   : " · read";
        text += " now by warp " + std::to_string(word.by.warp) + " lane " + std::to_string(word.lane);
    }
    if (word.changed_after_read) {
        text += " · warp " + std::to_string(word.reader.warp) + " lane " + std::to_string(word.reader_lane) +
                 " read " + format_element(element, word.read_bits) + " before it changed";
    }
    return text;
}

void hatch(const Brush& brush, const Rect& box, Color color) {
    const float pitch = brush.px(5);
    const float height = box.height();
    // Lines from bottom left to top right, cut at both ends of the box.
    for (float x = box.x0 - height + pitch; x < box.x1; x += pitch) {
        const float from = std::max(x, box.x0);
        const float to = std::min(x + height, box.x1);
        if (to <= from) continue;
        hairline(brush, {from, box.y1 - (from - x)}, {to, box.y1 - (to - x)}, color, brush.px(1));
    }
}

float mark_key(const Pane& pane, float left, float right, float y, const std::vector<Mark>& marks) {
    const Theme& colors = pane.colors();
    const auto name = [](Mark mark) {
        switch (mark) {
            case Mark::written: return "written now";
            case Mark::read: return "read now";
            case Mark::second_read: return "second read";
            case Mark::sector: return "sector transferred";
            case Mark::unused: return "transferred, unused";
        }
        return "";
    };
    float x = right;
    for (const Mark mark : marks) x -= pane.px(32) + text_width(pane.look(), Face::caption, name(mark));
    if (x < left) return right;
    const float start = x;
    for (const Mark mark : marks) {
        const float wide = mark == Mark::sector ? 16.0f : 10.0f;
        x += pane.px(16);
        const Rect swatch{x, y - pane.px(5), x + pane.px(wide), y + pane.px(5)};
        switch (mark) {
            case Mark::written: outline(pane.brush, swatch, colors.accent, 0, pane.px(2)); break;
            case Mark::read:
                fill(pane.brush, {swatch.x0, swatch.y1 - pane.px(2), swatch.x1, swatch.y1}, colors.text);
                break;
            case Mark::second_read:
                for (const float end : {swatch.x0, swatch.x1 - swatch.width() / 3})
                    fill(pane.brush, {end, swatch.y1 - pane.px(2), end + swatch.width() / 3, swatch.y1}, colors.text);
                break;
            case Mark::sector:
                fill(pane.brush, swatch, colors.accent_ground, pane.px(2));
                outline(pane.brush, swatch, colors.accent, pane.px(2), pane.px(1.3f));
                break;
            case Mark::unused:
                hatch(pane.brush, swatch, colors.quiet);
                outline(pane.brush, swatch, colors.quiet, 0, pane.px(1));
                break;
        }
        const Rect text_box{swatch.x1 + pane.px(5), y - pane.px(8), right + pane.px(20), y + pane.px(8)};
        text_in(pane.brush, Face::caption, text_box, colors.quiet, name(mark), Align::left);
        x = text_box.x0 + text_width(pane.look(), Face::caption, name(mark));
    }
    return start;
}

}  // namespace lanewise::viz
