// Where the words of an access stand: in rows between the lanes, with what is said of them.
#include <algorithm>

#include "common/base/element.hpp"
#include "common/scene/cell_text.hpp"
#include "viz/model/cell_paint.hpp"
#include "viz/views/stage/scene.hpp"

namespace lanewise::viz {
namespace {

// At scale 1.
constexpr float kWordHeight = 20;
constexpr float kElementHeight = 11;   // of a wide access, whose elements are under one another
constexpr float kHead = 16;            // brackets and indices, on the side away from the lines
constexpr float kCaptionLine = 13;
constexpr float kBetweenRows = 6;
constexpr float kTinyDigit = 5.1f;     // advance of the smallest face, and of the one of captions
constexpr float kSmallDigit = 6.3f;
constexpr std::size_t kMostElements = 8;   // of a wide access that are shown

// Code points: captions hold "…" and "·".
float signs(const std::string& text) {
    return static_cast<float>(std::count_if(text.begin(), text.end(),
                                            [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

// A row and what is over or under it.
struct Laid {
    const scene::WordRow* row = nullptr;
    std::vector<WordBracket> brackets;
    float height = kWordHeight;
    float head = kHead;
    float caption_x0 = 0, caption_x1 = 0;

    float whole() const { return head + height + kBetweenRows; }
};

std::vector<WordBracket> brackets_of(const scene::WordRow& row, const Scene& scene, float scale) {
    std::vector<WordBracket> brackets;
    for (const scene::WordSpan& span : row.spans) {
        WordBracket& bracket = brackets.emplace_back();
        bracket.shared = row.shared;
        bracket.below = row.write;
        bracket.box.x0 = scene.lanes_x0 + scene.cell * span.first + scale;
        bracket.box.x1 = scene.lanes_x0 + scene.cell * span.last + scene.cell - scale;
        bracket.label = span.label;
    }
    return brackets;
}

// The caption is at the row's left on the line of the indices; where they are close, on a line of its own. An
// index that finds no room is left out.
bool place_labels(std::vector<WordBracket>& brackets, float caption_end, float scale) {
    const bool dense = brackets.size() > 4 && brackets[1].box.x0 < caption_end;
    float free = dense ? -1e9f : caption_end;
    for (WordBracket& bracket : brackets) {
        const float width = signs(bracket.label) * kTinyDigit * scale;
        if (bracket.box.x0 < free) {
            bracket.label.clear();
            continue;
        }
        bracket.label_box = {bracket.box.x0, 0, bracket.box.x0 + width, 0};
        free = bracket.label_box.x1 + 3 * scale;
    }
    return dense;
}

// What lies between a word and its lane: the other rows' words, which lines pass between two columns.
struct Passage {
    bool needed = false;
    float y0 = 0, y1 = 0;
};

WordLine line_of(const Word& word, float column_x, float lane_x, float lane_y, const Passage& passage, float scale) {
    WordLine line;
    line.write = word.write;
    const Point at_word{word.box.center().x, word.write ? word.box.y0 - 2 * scale : word.box.y1 + 2 * scale};
    const Point at_lane{lane_x, lane_y};
    line.from = word.write ? at_lane : at_word;
    line.to = word.write ? at_word : at_lane;
    line.bends = passage.needed;
    line.over = {column_x, passage.y0};
    line.under = {column_x, passage.y1};
    return line;
}

Word word_of(const scene::Word& content, const Rect& box, const scene::CellRoom& room) {
    Word word;
    static_cast<scene::Word&>(word) = content;
    word.box = box;
    word.text = content.known ? scene::cell_text(word.type, word.bits(), room) : "?";
    const std::size_t count = content.values.size();
    for (std::size_t k = 0; count > 1 && k < std::min(count, kMostElements); ++k) {
        const bool cut = k + 1 == kMostElements && count > kMostElements;
        word.texts.push_back(cut ? "…" : scene::cell_text(word.type, content.values[k], room));
    }
    if (content.bank >= 0) word.tag = "b" + std::to_string(content.bank);
    return word;
}

// For the numbers of a row, in one type; the elements of a wide access stand in a frame.
scene::CellRoom room_of(const scene::WordRow& row, float cell, float scale) {
    return cell_room(cell - (row.elements > 1 ? 2.5f : 1.0f) * scale, scale, [&](const scene::CellRoom& room) {
        return std::all_of(row.words.begin(), row.words.end(), [&](const scene::Word& word) {
            return std::all_of(word.values.begin(), word.values.end(), [&](std::uint64_t bits) {
                return scene::shows_size(scene::cell_text(word.type, bits, room), element_to_double(word.type, bits),
                                         room);
            });
        });
    });
}

}  // namespace

void place_words(const std::vector<scene::WordRow>& rows, const Scene& scene, float scale, Band& band) {
    // Brackets first: how they stand decides how tall a row is.
    std::vector<Laid> laid;
    for (const scene::WordRow& row : rows) {
        Laid& each = laid.emplace_back();
        each.row = &row;
        if (row.elements > 1)
            each.height = 6 + kElementHeight *
                                  static_cast<float>(std::min(static_cast<std::size_t>(row.elements), kMostElements));
        each.brackets = brackets_of(row, scene, scale);
        // At the first word, or as far left of it as the caption takes to end with the lanes.
        const float caption_width = (signs(row.caption) * kSmallDigit + 6) * scale;
        const float last_x = scene.lanes_x1() - caption_width;
        each.caption_x0 = std::max(scene.lanes_x0, std::min(each.brackets.front().box.x0, last_x));
        each.caption_x1 = each.caption_x0 + caption_width;
        const bool dense = place_labels(each.brackets, each.caption_x1 + 2 * scale, scale) || row.banks;
        each.head = kHead + (dense ? kCaptionLine : 0);
        (row.write ? band.writes_height : band.reads_height) += each.whole() * scale;
    }
    const float reads_end = band.box.y0 + band.reads_height;
    const float writes_begin = band.box.y1 - band.writes_height;
    // Where what was read comes together before it is written.
    const float knot = band.reads_height > 0 ? reads_end + 8 * scale : band.box.y0;
    float top = band.box.y0;
    bool writing = false;
    for (Laid& each : laid) {
        const scene::WordRow& row = *each.row;
        const bool first_write = row.write && !writing;
        if (first_write) top = writes_begin;
        writing = row.write;
        // Heads lie away from the lines: above what is read, below what is written.
        WordRow placed;
        placed.write = row.write;
        placed.shared = row.shared;
        const float strip_y = row.write ? top + kBetweenRows * scale : top + each.head * scale;
        placed.strip = {band.box.x0, strip_y, band.box.x1, strip_y + each.height * scale};
        placed.caption = row.caption;
        const float line_at = row.write ? placed.strip.y1 + (each.head - kCaptionLine + 1) * scale : top;
        const float labels_at = row.write ? placed.strip.y1 + 4 * scale : placed.strip.y0 - 16 * scale;
        placed.caption_box = {each.caption_x0, line_at, each.caption_x1, line_at + 12 * scale};
        for (WordBracket& bracket : each.brackets) {
            bracket.box.y0 = row.write ? placed.strip.y1 + scale : placed.strip.y0 - 4 * scale;
            bracket.box.y1 = bracket.box.y0 + 3 * scale;
            bracket.label_box.y0 = labels_at;
            bracket.label_box.y1 = labels_at + 11 * scale;
            band.brackets.push_back(bracket);
        }
        band.word_rows.push_back(placed);
        top += each.whole() * scale;

        Passage passage;
        if (row.write) {
            passage = {!first_write, writes_begin + 2 * scale, placed.strip.y0 - 5 * scale};
        } else {
            passage = {top + scale < reads_end, placed.strip.y1 + 5 * scale, reads_end - 2 * scale};
        }
        const float lane_y = row.write ? knot : band.writes_height > 0 ? knot : band.box.y1;
        const scene::CellRoom room = room_of(row, scene.cell, scale);
        for (const scene::Word& content : row.words) {
            const float x = scene.lanes_x0 + scene.cell * content.column;
            Word word = word_of(content, {x + scale, placed.strip.y0, x + scene.cell - scale, placed.strip.y1}, room);
            if (row.banks) word.tag_box = {word.box.x0, labels_at, word.box.x1, labels_at + 11 * scale};
            for (int lane = 0; lane < kWarpSize; ++lane) {
                if (!((word.lanes >> lane) & 1u)) continue;
                const float middle = scene.lanes_x0 + scene.cell * (static_cast<float>(lane) + 0.5f);
                WordLine line = line_of(word, x, middle, lane_y, passage, scale);
                line.lane = lane;
                line.word = band.words.size();
                band.lines.push_back(line);
            }
            band.words.push_back(std::move(word));
        }
    }
}

}  // namespace lanewise::viz
