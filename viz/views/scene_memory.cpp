// Where the words of an access stand: shared memory under its bank, so that the picture lines up with the banks below;
// global memory in the order of its lanes.
#include <algorithm>
#include <map>
#include <optional>

#include "common/base/element.hpp"
#include "viz/views/scene.hpp"

namespace lanewise::viz {
namespace {

constexpr std::size_t lane_index(int lane) { return static_cast<std::size_t>(lane); }

// One row of words: what one record touched, or several that do not stand in each other's way.
struct WordRow {
    bool write = false;
    bool atomic = false;
    std::uint32_t array = 0;
    int elements = 1;
    std::map<std::int64_t, std::uint32_t> lanes;       // index -> lanes
    std::map<std::int64_t, std::uint64_t> bits;
    std::map<std::int64_t, float> columns;             // index -> column, in lanes
    Element type = Element::f32;
};

bool lanes_follow_words(const WordRow& row) {
    return std::all_of(row.lanes.begin(), row.lanes.end(), [](const auto& entry) {
        return (entry.second & (entry.second - 1)) == 0;  // one lane each
    });
}

// Under its bank, where no two words share one.
bool place_by_bank(const trace::Array& array, WordRow& row) {
    if (array.space != trace::Space::shared || element_size(array.element) != 4 || row.elements != 1) return false;
    std::uint32_t taken = 0;
    for (const auto& [index, lanes] : row.lanes) {
        const auto bit = std::uint32_t{1} << (index & 31);
        if (taken & bit) return false;
        taken |= bit;
        row.columns[index] = static_cast<float>(index & 31);
    }
    return true;
}

// Over the lanes that use it: words with one lane each take the columns of those lanes in rising order; shared ones
// stand in the middle of their lanes, pushed apart where they would overlap.
void place_by_lanes(WordRow& row) {
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
    float next = 0;
    for (const auto& [index, lanes] : row.lanes) {
        float sum = 0;
        float count = 0;
        for (int lane = 0; lane < trace::kWarpSize; ++lane) {
            if (!((lanes >> lane) & 1u)) continue;
            sum += static_cast<float>(lane);
            count += 1;
        }
        const float place = std::min(std::max(next, sum / count), static_cast<float>(trace::kWarpSize - 1));
        row.columns[index] = place;
        next = place + 1;
    }
}

WordRow row_of(const trace::Record& record) {
    WordRow row;
    row.write = record.op != trace::Op::load;
    row.atomic = trace::is_atomic(record.op);
    row.array = record.array;
    row.elements = record.elements;
    row.type = record.type;
    for (int lane = 0; lane < trace::kWarpSize; ++lane) {
        if (!((record.active >> lane) & 1u)) continue;
        const std::int64_t index = record.element_index[lane_index(lane)];
        row.lanes[index] |= std::uint32_t{1} << lane;
        row.bits[index] = trace::element_at(record.value[lane_index(lane)], record.type, 0);
    }
    return row;
}

// Two reads of one array share a row where no column is wanted twice.
bool merge(WordRow& into, const WordRow& row) {
    if (into.write != row.write || into.array != row.array || into.elements != row.elements) return false;
    for (const auto& [index, column] : row.columns) {
        for (const auto& [other, taken] : into.columns) {
            if (other != index && std::abs(column - taken) < 0.99f) return false;
        }
    }
    for (const auto& [index, lanes] : row.lanes) into.lanes[index] |= lanes;
    into.bits.insert(row.bits.begin(), row.bits.end());
    into.columns.insert(row.columns.begin(), row.columns.end());
    return true;
}

std::string caption_of(const trace::Array& array, const WordRow& row) {
    const std::int64_t first = row.lanes.begin()->first;
    const std::int64_t last = row.lanes.rbegin()->first + row.elements - 1;
    std::string caption = array.name + "[" + std::to_string(first);
    if (last != first) caption += "…" + std::to_string(last);
    return caption + "]";
}

}  // namespace

void lay_words(const steps::Steps& steps, const steps::WarpStep& part, const Scene& scene, float scale, Band& band) {
    std::vector<WordRow> rows;
    for (const std::size_t number : part.records) {
        const trace::Record& record = steps.trace->records[number];
        if ((!trace::is_access(record.op) && !trace::is_atomic(record.op)) || record.active == 0) continue;
        if (record.array >= steps.trace->arrays.size()) continue;
        WordRow row = row_of(record);
        if (!place_by_bank(steps.trace->arrays[row.array], row)) place_by_lanes(row);
        const bool merged = std::any_of(rows.begin(), rows.end(), [&](WordRow& other) { return merge(other, row); });
        if (!merged) rows.push_back(std::move(row));
    }
    std::stable_partition(rows.begin(), rows.end(), [](const WordRow& row) { return !row.write; });
    const auto reads = static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const WordRow& row) { return !row.write; }));

    const float word_height = 20 * scale;
    const float pitch = word_height + 14 * scale;   // room for the caption, away from the lines
    const int chars = cell_chars(scene.cell, scale);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const WordRow& row = rows[r];
        const float top = row.write
            ? band.box.y1 - static_cast<float>(rows.size() - r) * pitch   // its caption below
            : band.box.y0 + static_cast<float>(r) * pitch + 13 * scale;
        const Rect strip{band.box.x0, top, band.box.x1, top + word_height};
        band.word_rows.push_back(strip);
        band.captions.push_back(caption_of(steps.trace->arrays[row.array], row));
        for (const auto& [index, lanes] : row.lanes) {
            Word word;
            word.array = steps.trace->arrays[row.array].name;
            word.index = index;
            word.type = row.type;
            word.bits = row.bits.at(index);
            word.text = format_element(word.type, word.bits, chars);
            word.write = row.write;
            word.atomic = row.atomic;
            word.lanes = lanes;
            const float x = scene.lanes_x0 + scene.cell * row.columns.at(index);
            word.box = {x + scale, strip.y0, x + scene.cell - scale, strip.y1};
            band.words.push_back(word);
            for (int lane = 0; lane < trace::kWarpSize; ++lane) {
                if (!((lanes >> lane) & 1u)) continue;
                const float middle = scene.lanes_x0 + scene.cell * (static_cast<float>(lane) + 0.5f);
                WordLine line;
                line.lane = lane;
                line.word = band.words.size() - 1;
                line.write = row.write;
                if (row.write) {
                    // From the lane above, or from where the words it read came together.
                    const float from = reads > 0 ? band.box.y0 + static_cast<float>(reads) * pitch + 20 * scale : band.box.y0;
                    line.from = {middle, from};
                    line.to = {word.box.center().x, strip.y0 - 2 * scale};
                } else {
                    const float to = reads < rows.size() ? band.box.y0 + static_cast<float>(reads) * pitch + 20 * scale
                                                         : band.box.y1;
                    line.from = {word.box.center().x, strip.y1 + 2 * scale};
                    line.to = {middle, to};
                }
                band.lines.push_back(line);
            }
        }
    }
}

std::vector<Access> accesses_of(const steps::Steps& steps, const steps::WarpStep& part, int lane) {
    std::vector<Access> accesses;
    for (const std::size_t number : part.records) {
        const trace::Record& record = steps.trace->records[number];
        if (!trace::is_access(record.op) && !trace::is_atomic(record.op)) continue;
        if (!((record.active >> lane) & 1u) || record.array >= steps.trace->arrays.size()) continue;
        for (int k = 0; k < record.elements; ++k) {
            Access access;
            access.array = steps.trace->arrays[record.array].name;
            access.index = record.element_index[lane_index(lane)] + k;
            access.type = record.type;
            access.bits = trace::element_at(record.value[lane_index(lane)], record.type, k);
            access.op = record.op;
            accesses.push_back(std::move(access));
        }
    }
    return accesses;
}

}  // namespace lanewise::viz
