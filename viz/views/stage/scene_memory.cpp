// Where the words of an access stand: shared memory under its bank, so that the picture lines up with the banks below;
// global memory in the order of its lanes, by sector.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "common/base/element.hpp"
#include "common/steps/memory_cost.hpp"
#include "viz/model/cell_text.hpp"
#include "viz/views/reduction/chain.hpp"
#include "viz/views/memory/memory.hpp"
#include "viz/views/stage/scene.hpp"

namespace lanewise::viz {
namespace {

constexpr std::size_t lane_index(int lane) { return static_cast<std::size_t>(lane); }

// At scale 1.
constexpr float kWordHeight = 20;
constexpr float kElementHeight = 11;   // of a wide access, whose elements stand under one another
constexpr float kHead = 16;            // brackets and indices, on the side away from the lines
constexpr float kCaptionLine = 13;
constexpr float kBetweenRows = 6;
constexpr float kTinyDigit = 5.1f;     // advance of the smallest face, and of the one of captions
constexpr float kSmallDigit = 6.3f;
constexpr std::size_t kMostElements = 8;   // of a wide access that are told

// Code points: captions hold "…" and "·".
float signs(const std::string& text) {
    return static_cast<float>(std::count_if(text.begin(), text.end(),
                                            [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

// One row of words: what one record touched, or several that do not stand in each other's way.
struct Touched {
    bool write = false;
    bool atomic = false;
    std::string op{};                                  // of an atomic: "add"
    std::uint32_t array = 0;
    int elements = 1;
    bool conflict = false;                             // lanes wait for one another at a bank
    bool banks = false;                                // each word is labelled with its bank
    std::map<std::int64_t, std::uint32_t> lanes{};     // index -> lanes
    std::map<std::int64_t, std::vector<std::uint64_t>> bits{};
    std::set<std::int64_t> unknown{};                   // of an atomic: words whose last change is not told
    std::map<std::int64_t, float> columns{};           // index -> column, in lanes
    Element type = Element::f32;
    float height = kWordHeight;
    float head = kHead;
};

bool lanes_follow_words(const Touched& row) {
    return std::all_of(row.lanes.begin(), row.lanes.end(), [](const auto& entry) {
        return (entry.second & (entry.second - 1)) == 0;  // one lane each
    });
}

// Under its bank, where no two words share one, there is a column for each (a block's last warp may have few lanes),
// and banks rise with indices: else lines would cross that do not in the tree.
bool place_by_bank(const trace::Array& array, Touched& row, int columns) {
    if (array.space != trace::Space::shared || element_size(array.element) != 4 || row.elements != 1) return false;
    std::map<std::int64_t, float> places;
    float last = -1;
    for (const auto& [index, lanes] : row.lanes) {
        const auto bank = static_cast<float>(index & 31);
        if (bank <= last || (index & 31) >= columns) {
            row.banks = true;
            return false;
        }
        places[index] = last = bank;
    }
    row.columns = std::move(places);
    return true;
}

// Over the lanes that use it: words with one lane each take the columns of those lanes in rising order; shared ones
// stand in the middle of their lanes, pushed apart where they would overlap.
void place_by_lanes(Touched& row, int most_columns) {
    std::uint32_t all = 0;
    for (const auto& [index, lanes] : row.lanes) all |= lanes;
    if (lanes_follow_words(row)) {
        int lane = -1;
        for (const auto& [index, lanes] : row.lanes) {
            do ++lane;
            while (!((all >> lane) & 1u));
            row.columns[index] = static_cast<float>(lane);
        }
        return;
    }
    int next = 0;
    auto left = static_cast<int>(row.lanes.size());
    for (const auto& [index, lanes] : row.lanes) {
        int sum = 0;
        int count = 0;
        for (int lane = 0; lane < trace::kWarpSize; ++lane) {
            if (!((lanes >> lane) & 1u)) continue;
            sum += lane;
            ++count;
        }
        // Whole columns, so that lines of other rows can pass between the words.
        const int place = std::min(std::max(next, sum / std::max(count, 1)), most_columns - left);
        row.columns[index] = static_cast<float>(std::max(place, next));
        next = std::max(place, next) + 1;
        --left;
    }
}

// What the words of an atomic hold when all of the warp's lanes have changed them: not their operands.
void tell_words(const trace::Record& record, Touched& row) {
    for (const auto& [index, lanes] : row.lanes) {
        std::vector<Join> joins;
        for (int lane = 0; lane < trace::kWarpSize; ++lane) {
            if ((lanes >> lane) & 1u) joins.push_back(join_of(record, 0, lane));
        }
        std::string why;
        if (put_in_order(joins, record.type, why)) row.bits[index] = {joins.back().left};
        else row.unknown.insert(index);
    }
}

Touched touched_by(const trace::Trace& trace, const trace::Record& record) {
    Touched row;
    row.write = record.op != trace::Op::load;
    row.atomic = trace::is_atomic(record.op);
    if (row.atomic) row.op = std::string(trace::op_name(record.op)).substr(std::string_view("atomic_").size());
    row.array = record.array;
    row.elements = row.atomic ? 1 : std::max(record.elements, 1);
    row.type = record.type;
    for (int lane = 0; lane < trace::kWarpSize; ++lane) {
        if (!((record.active >> lane) & 1u)) continue;
        const std::int64_t index = record.element_index[lane_index(lane)];
        row.lanes[index] |= std::uint32_t{1} << lane;
        std::vector<std::uint64_t>& bits = row.bits[index];
        bits.clear();
        for (int k = 0; k < row.elements; ++k)
            bits.push_back(trace::element_at(record.value[lane_index(lane)], record.type, k));
    }
    if (row.atomic) tell_words(record, row);
    if (trace.arrays[row.array].space == trace::Space::shared && !row.atomic) {
        const steps::BankUse use = steps::banks_of(trace, record);
        row.conflict = row.banks = use.passes > use.turns;
    }
    if (row.elements > 1)
        row.height =
            6 + kElementHeight * static_cast<float>(std::min(static_cast<std::size_t>(row.elements), kMostElements));
    return row;
}

// Two reads of one array share a row where no column is wanted twice.
bool merge(Touched& into, const Touched& row) {
    if (into.write != row.write || into.array != row.array || into.elements != row.elements ||
        into.conflict != row.conflict || into.atomic != row.atomic || into.banks != row.banks) {
        return false;
    }
    for (const auto& [index, column] : row.columns) {
        for (const auto& [other, taken] : into.columns) {
            if (other != index && std::abs(column - taken) < 0.99f) return false;
        }
    }
    for (const auto& [index, lanes] : row.lanes) into.lanes[index] |= lanes;
    into.bits.insert(row.bits.begin(), row.bits.end());
    into.unknown.insert(row.unknown.begin(), row.unknown.end());
    into.columns.insert(row.columns.begin(), row.columns.end());
    return true;
}

std::string caption_of(const trace::Array& array, const Touched& row) {
    const std::int64_t first = row.lanes.begin()->first;
    const std::int64_t last = row.lanes.rbegin()->first + row.elements - 1;
    std::string caption =
        (array.space == trace::Space::shared ? "shared " : "global ") + array.name + "[" + std::to_string(first);
    if (last != first) caption += "…" + std::to_string(last);
    caption += "]";
    // What stands in the words is not what the lanes gave.
    return row.atomic ? caption + " after " + row.op : caption;
}

// Words by column, as they stand from left to right.
std::vector<std::pair<float, std::int64_t>> from_left(const Touched& row) {
    std::vector<std::pair<float, std::int64_t>> places;
    for (const auto& [index, column] : row.columns) places.emplace_back(column, index);
    std::sort(places.begin(), places.end());
    return places;
}

// Brackets over what belongs together: a sector of global memory, a row of the 32 banks.
std::vector<WordBracket> brackets_of(const trace::Array& array, const Touched& row, const Scene& scene, float scale) {
    const bool shared = array.space == trace::Space::shared;
    const std::int64_t unit = shared ? steps::kBanks * steps::kBankBytes : steps::kSectorBytes;
    std::vector<WordBracket> brackets;
    std::int64_t last = -1;
    for (const auto& [column, index] : from_left(row)) {
        const std::int64_t key = index * element_size(array.element) / unit;
        const float x = scene.lanes_x0 + scene.cell * column;
        if (brackets.empty() || key != last) {
            WordBracket bracket;
            bracket.shared = shared;
            bracket.box.x0 = x + scale;
            if (!row.banks) bracket.label = std::to_string(index);
            brackets.push_back(std::move(bracket));
        }
        brackets.back().box.x1 = x + scene.cell - scale;
        last = key;
    }
    return brackets;
}

// The caption stands at the row's left on the line of the indices; where they stand close, on a line of its own. An
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

std::vector<Touched> rows_of(const steps::Steps& steps, const steps::WarpStep& part, int columns) {
    std::vector<Touched> rows;
    for (const std::size_t number : part.records) {
        const trace::Record& record = steps.trace->records[number];
        if (!touches_memory(record) || record.active == 0 || record.array >= steps.trace->arrays.size()) continue;
        Touched row = touched_by(*steps.trace, record);
        if (!place_by_bank(steps.trace->arrays[row.array], row, columns)) place_by_lanes(row, columns);
        const bool merged = std::any_of(rows.begin(), rows.end(), [&](Touched& other) { return merge(other, row); });
        if (!merged) rows.push_back(std::move(row));
    }
    std::stable_partition(rows.begin(), rows.end(), [](const Touched& row) { return !row.write; });
    return rows;
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

}  // namespace

void lay_words(const steps::Steps& steps, const steps::WarpStep& part, const Scene& scene, float scale, Band& band) {
    std::vector<Touched> rows = rows_of(steps, part, scene.lanes);
    // Brackets first: how they stand decides how tall a row is.
    std::vector<std::vector<WordBracket>> brackets;
    for (Touched& row : rows) {
        const trace::Array& array = steps.trace->arrays[row.array];
        brackets.push_back(brackets_of(array, row, scene, scale));
        const float caption_end =
            brackets.back().front().box.x0 + (signs(caption_of(array, row)) * kSmallDigit + 8) * scale;
        const bool dense = place_labels(brackets.back(), caption_end, scale) || row.banks;
        row.head = kHead + (dense ? kCaptionLine : 0);
        const float height = (row.head + row.height + kBetweenRows) * scale;
        (row.write ? band.writes_height : band.reads_height) += height;
    }
    const float reads_end = band.box.y0 + band.reads_height;
    const float writes_begin = band.box.y1 - band.writes_height;
    // Where what was read comes together before it is written.
    const float knot = band.reads_height > 0 ? reads_end + 8 * scale : band.box.y0;
    const int chars = cell_chars(scene.cell, scale);

    float top = band.box.y0;
    bool writing = false;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const Touched& row = rows[r];
        const trace::Array& array = steps.trace->arrays[row.array];
        const bool first_write = row.write && !writing;
        if (first_write) top = writes_begin;
        writing = row.write;
        // Heads lie away from the lines: above what is read, below what is written.
        WordRow placed;
        placed.write = row.write;
        placed.shared = array.space == trace::Space::shared;
        const float strip_y = row.write ? top + kBetweenRows * scale : top + row.head * scale;
        placed.strip = {band.box.x0, strip_y, band.box.x1, strip_y + row.height * scale};
        placed.caption = caption_of(array, row);
        const float line_at = row.write ? placed.strip.y1 + (row.head - kCaptionLine + 1) * scale : top;
        const float labels_at = row.write ? placed.strip.y1 + 4 * scale : placed.strip.y0 - 16 * scale;
        const float caption_x = brackets[r].front().box.x0;
        placed.caption_box = {caption_x, line_at, caption_x + (signs(placed.caption) * kSmallDigit + 6) * scale,
                              line_at + 12 * scale};
        for (WordBracket& bracket : brackets[r]) {
            bracket.below = row.write;
            bracket.box.y0 = row.write ? placed.strip.y1 + scale : placed.strip.y0 - 4 * scale;
            bracket.box.y1 = bracket.box.y0 + 3 * scale;
            bracket.label_box.y0 = labels_at;
            bracket.label_box.y1 = labels_at + 11 * scale;
            band.brackets.push_back(bracket);
        }
        band.word_rows.push_back(placed);
        top += (row.head + row.height + kBetweenRows) * scale;

        Passage passage;
        if (row.write) {
            passage = {!first_write, writes_begin + 2 * scale, placed.strip.y0 - 5 * scale};
        } else {
            passage = {top + scale < reads_end, placed.strip.y1 + 5 * scale, reads_end - 2 * scale};
        }
        const float lane_y = row.write ? knot : band.writes_height > 0 ? knot : band.box.y1;
        for (const auto& [index, lanes] : row.lanes) {
            const std::vector<std::uint64_t>& bits = row.bits.at(index);
            Word word;
            word.array = array.name;
            word.array_id = row.array;
            word.index = index;
            word.type = row.type;
            word.bits = bits.front();
            word.text = cell_text(word.type, word.bits, chars, true);
            if (row.unknown.contains(index)) word.text = "?";
            word.write = row.write;
            word.atomic = row.atomic;
            word.lanes = lanes;
            word.shared = placed.shared;
            for (std::size_t k = 0; row.elements > 1 && k < std::min(bits.size(), kMostElements); ++k) {
                const bool cut = k + 1 == kMostElements && bits.size() > kMostElements;
                word.values.push_back(bits[k]);
                std::string text = cut ? "…" : format_element(word.type, bits[k], chars);
                // "-0.008" has no form of three signs: told by its colour and by pointing at its lane.
                if (!cut && text.size() > static_cast<std::size_t>(std::max(chars, 3))) text.clear();
                word.texts.push_back(std::move(text));
            }
            const float x = scene.lanes_x0 + scene.cell * row.columns.at(index);
            word.box = {x + scale, placed.strip.y0, x + scene.cell - scale, placed.strip.y1};
            if (row.banks) {
                const std::int64_t bank = index * element_size(array.element) / steps::kBankBytes % steps::kBanks;
                word.tag = "b" + std::to_string(bank);
                word.waits = row.conflict;
                word.tag_box = {word.box.x0, labels_at, word.box.x1, labels_at + 11 * scale};
            }
            band.words.push_back(word);
            for (int lane = 0; lane < trace::kWarpSize; ++lane) {
                if (!((lanes >> lane) & 1u)) continue;
                const float middle = scene.lanes_x0 + scene.cell * (static_cast<float>(lane) + 0.5f);
                WordLine line = line_of(word, x, middle, lane_y, passage, scale);
                line.lane = lane;
                line.word = band.words.size() - 1;
                band.lines.push_back(line);
            }
        }
    }
}

}  // namespace lanewise::viz
