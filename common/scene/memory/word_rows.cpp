#include "common/scene/memory/word_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "common/base/lanes.hpp"
#include "common/base/memory_units.hpp"
#include "common/scene/memory/records.hpp"
#include "common/scene/sums/atomic_chain.hpp"
#include "common/scene/warps.hpp"
#include "common/steps/memory_cost.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

// One row of words: what one record touched, or several that are not in each other's way.
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
    std::set<std::int64_t> unknown{};                   // of an atomic: words whose last change is not known
    std::map<std::int64_t, float> columns{};           // index -> column, in lanes
    Element type = Element::f32;
};

bool lanes_follow_words(const Touched& row) {
    return std::all_of(row.lanes.begin(), row.lanes.end(), [](const auto& entry) {
        return (entry.second & (entry.second - 1)) == 0;  // one lane each
    });
}

// Under its bank, where no two words share one, there is a column for each (a block's last warp may have few lanes),
// and banks rise with indices: else lines would cross that do not in the tree.
bool place_by_bank(const trace::Array& array, Touched& row, int columns) {
    if (array.space != Space::shared || element_size(array.element) != 4 || row.elements != 1) return false;
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
// are in the middle of their lanes, pushed apart where they would overlap.
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
        for (int lane = 0; lane < kWarpSize; ++lane) {
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
void add_words(const trace::Record& record, Touched& row) {
    for (const auto& [index, lanes] : row.lanes) {
        std::vector<Join> joins;
        for (int lane = 0; lane < kWarpSize; ++lane) {
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
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!((record.active >> lane) & 1u)) continue;
        const std::int64_t index = record.element_index[lane_index(lane)];
        row.lanes[index] |= std::uint32_t{1} << lane;
        std::vector<std::uint64_t>& bits = row.bits[index];
        bits.clear();
        for (int k = 0; k < row.elements; ++k)
            bits.push_back(trace::element_at(record.value[lane_index(lane)], record.type, k));
    }
    if (row.atomic) add_words(record, row);
    if (trace.arrays[row.array].space == Space::shared && !row.atomic) {
        const BankUse use = steps::banks_of(trace, record);
        row.conflict = row.banks = use.wavefronts > use.turns;
    }
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
        (array.space == Space::shared ? "shared " : "global ") + array.name + "[" + std::to_string(first);
    if (last != first) caption += "…" + std::to_string(last);
    caption += "]";
    // What is in the words is not what the lanes gave.
    return row.atomic ? caption + " after " + row.op : caption;
}

// Words by column, as they are from left to right.
std::vector<std::pair<float, std::int64_t>> from_left(const Touched& row) {
    std::vector<std::pair<float, std::int64_t>> places;
    for (const auto& [index, column] : row.columns) places.emplace_back(column, index);
    std::sort(places.begin(), places.end());
    return places;
}

// What belongs together: a sector of global memory, a row of the 32 banks.
std::vector<WordSpan> spans_of(const trace::Array& array, const Touched& row) {
    const std::int64_t unit = array.space == Space::shared ? kBanks * kBankBytes : kSectorBytes;
    std::vector<WordSpan> spans;
    std::int64_t last = -1;
    for (const auto& [column, index] : from_left(row)) {
        const std::int64_t key = index * element_size(array.element) / unit;
        if (spans.empty() || key != last)
            spans.push_back({column, column, row.banks ? std::string() : std::to_string(index)});
        spans.back().last = column;
        last = key;
    }
    return spans;
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

WordRow row_of(const trace::Array& array, const Touched& row) {
    WordRow all;
    all.write = row.write;
    all.shared = array.space == Space::shared;
    all.banks = row.banks;
    all.elements = row.elements;
    all.caption = caption_of(array, row);
    all.spans = spans_of(array, row);
    for (const auto& [index, lanes] : row.lanes) {
        Word word;
        word.array = array.name;
        word.array_id = row.array;
        word.index = index;
        word.type = row.type;
        word.values = row.bits.at(index);
        word.known = !row.unknown.contains(index);
        word.write = row.write;
        word.atomic = row.atomic;
        word.shared = all.shared;
        word.lanes = lanes;
        word.column = row.columns.at(index);
        if (row.banks)
            word.bank = static_cast<int>(index * element_size(array.element) / kBankBytes % kBanks);
        word.waits = row.banks && row.conflict;
        all.words.push_back(std::move(word));
    }
    return all;
}

}  // namespace

std::vector<WordRow> word_rows(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    std::vector<WordRow> rows;
    const steps::WarpStep* part = step < steps.size() ? steps.steps[step].find(warp) : nullptr;
    if (!part) return rows;
    for (const Touched& row : rows_of(steps, *part, lanes_of(steps, warp)))
        rows.push_back(row_of(steps.trace->arrays[row.array], row));
    return rows;
}

}  // namespace lanewise::scene
