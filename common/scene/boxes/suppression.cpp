// Reads boxes, bits and decisions out of a run's records. Arrays are known by their names: `order` and `sorted`, the
// `mask` (elements of 32 bits: whole rows; of 64: tiles, with a `diagonal`), `removed`, `kept` and `keep`.
#include "common/scene/boxes/suppression.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "common/base/counted.hpp"
#include "common/base/element.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

using trace::Op;
using trace::Record;

constexpr std::size_t kTile = 64;

class Reader {
public:
    Reader(const steps::Steps& steps, Suppression& all) : steps_(steps), trace_(*steps.trace), all_(all) {}

    void read() {
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            step_ = k;
            for (const steps::WarpStep& warp : steps_.steps[k].warps)
                for (const std::size_t record : warp.records) take(trace_.records[record]);
        }
        for (RankedBox& box : all_.boxes)
            if (const auto score = scores_.find(box.number); score != scores_.end()) {
                box.has_score = true;
                box.score = score->second;
            }
    }

private:
    std::size_t size() const { return all_.boxes.size(); }
    bool drawn(std::int64_t row) const { return row >= 0 && static_cast<std::size_t>(row) < size(); }
    PairBit& pair(std::size_t row, std::size_t column) { return all_.pairs[row * size() + column]; }

    template <class F>
    static void each_lane(const Record& record, F act) {
        for (std::size_t lane = 0; lane < kWarpSize; ++lane)
            if (record.active >> lane & 1) act(lane);
    }

    void make(std::size_t row, std::size_t column, std::size_t step, bool set) {
        if (row >= column || column >= size()) return;
        PairBit& bit = pair(row, column);
        bit.made = std::min(bit.made, step);
        bit.set |= set;
    }

    void cross(std::size_t box) {
        if (box < size()) all_.boxes[box].crossed = std::min(all_.boxes[box].crossed, step_);
    }

    void decide(std::size_t row, bool lives) {
        if (row >= size() || all_.boxes[row].turn != kNoStep) return;
        all_.boxes[row].turn = step_;
        all_.boxes[row].lives_at_turn = lives;
    }

    void take(const Record& record) {
        const WarpRef warp{record.launch, record.block, record.warp};
        if (record.op == Op::vote_ballot) {
            ballots_of_[warp].push_back(step_);
            if (tile_open_) ballot_of_tile(record);
            return;
        }
        if (record.op == Op::shfl_idx) return shuffled(record);
        if (!trace::is_access(record.op) && !trace::is_atomic(record.op)) return;
        const trace::Array& array = trace_.arrays[record.array];
        const std::string_view name = array.name;
        if (name == "scores") scores(record);
        else if (name == "order") places(record);
        else if (name == "sorted") corners(record);
        else if (name == "mask" && array.element == Element::u32) rows_of_mask(record, warp);
        else if (name == "mask") tiles_of_mask(record, warp);
        else if (name == "diagonal" && record.op == Op::store) diagonal(record, warp);
        else if (name == "removed") removed(record);
        else if (name == "kept" && array.space == Space::shared) shared_kept(record);
        else if (name == "keep" && record.op == Op::store) keep(record);
        else if (name == "kept" && record.op == Op::store) kept_numbers(record);
    }

    void scores(const Record& record) {
        each_lane(record, [&](std::size_t lane) {
            scores_[record.element_index[lane]] = from_bits<float>(record.value[lane][0]);
        });
    }

    void places(const Record& record) {
        each_lane(record, [&](std::size_t lane) {
            const std::int64_t row = record.element_index[lane];
            if (!drawn(row)) return;
            RankedBox& box = all_.boxes[static_cast<std::size_t>(row)];
            box.number = from_bits<std::int32_t>(record.value[lane][0]);
            box.placed = std::min(box.placed, step_);
            row_of_[box.number] = static_cast<std::size_t>(row);
        });
    }

    void corners(const Record& record) {
        const bool load = record.op == Op::load;
        each_lane(record, [&](std::size_t lane) {
            const std::int64_t row = record.element_index[lane] / 4;
            if (!drawn(row) || record.elements != 4) return;
            RankedBox& box = all_.boxes[static_cast<std::size_t>(row)];
            float* const to[] = {&box.x1, &box.y1, &box.x2, &box.y2};
            for (int k = 0; k < 4; ++k)
                *to[k] = from_bits<float>(trace::element_at(record.value[lane], Element::f32, k));
            box.has_corners = true;
            box.placed = std::min(box.placed, step_);
            // The one kernel compares as it reads: a thread that found its own box kept, with each box after it.
            if (load && all_.racing)
                if (const auto own = asked_.find(thread_of(record, lane)); own != asked_.end())
                    make(own->second, static_cast<std::size_t>(row), step_, false);
        });
    }

    static std::uint64_t thread_of(const Record& record, std::size_t lane) { return record.warp * 32ull + lane; }

    // The shared array of the one kernel: all are set to 1, each thread asks for its own, crosses out others, and in
    // the end reads what is left.
    void shared_kept(const Record& record) {
        all_.racing = true;
        each_lane(record, [&](std::size_t lane) {
            const std::int64_t at = record.element_index[lane];
            const bool one = record.value[lane][0] != 0;
            if (!drawn(at)) return;
            const auto box = static_cast<std::size_t>(at);
            if (record.op == Op::load) {
                decide(box, one);   // the first time
                if (one) asked_[thread_of(record, lane)] = box;
            } else if (!one) {
                cross(box);
                if (const auto own = asked_.find(thread_of(record, lane)); own != asked_.end()) {
                    make(own->second, box, step_, true);
                    RankedBox& row = all_.boxes[own->second];
                    row.read = std::min(row.read, step_);
                }
            }
        });
    }

    // A step of the ballot that made an element of the mask; of the store, where none was recorded.
    std::size_t made_at(const WarpRef& warp) const {
        const auto at = ballots_of_.find(warp);
        return at == ballots_of_.end() ? step_ : at->second.back();
    }
    // The second of the two ballots that a warp makes for each row of its tile, one row after the other.
    std::size_t made_at(const WarpRef& warp, std::size_t row) const {
        const auto at = ballots_of_.find(warp);
        const std::size_t ballot = 2 * (row % kTile) + 1;
        return at == ballots_of_.end() || ballot >= at->second.size() ? step_ : at->second[ballot];
    }

    void rows_of_mask(const Record& record, const WarpRef& warp) {
        const std::size_t words = (all_.count + 31) / 32;
        each_lane(record, [&](std::size_t lane) {
            const auto at = static_cast<std::size_t>(record.element_index[lane]);
            const std::size_t row = at / words, first = at % words * 32;
            if (row >= size()) return;
            const auto bits = static_cast<std::uint32_t>(record.value[lane][0]);
            const bool load = record.op == Op::load;
            if (load) all_.boxes[row].read = std::min(all_.boxes[row].read, step_);
            else all_.boxes[row].worker = warp;
            for (std::size_t b = 0; b < 32; ++b) {
                make(row, first + b, load ? step_ : made_at(warp), bits >> b & 1);
                if (load && bits >> b & 1) cross(first + b);
            }
        });
    }

    // One warp asks row after row for the word with the row's bit; it knows what was there before it joins the row.
    void shuffled(const Record& record) {
        if (!kernel(record).starts_with("keep_in_order") || next_row_ >= all_.count || record.active == 0) return;
        const std::size_t row = next_row_++;
        const auto lane = static_cast<std::size_t>(std::countr_zero(record.active));
        const bool gone = record.received[lane] >> row % 32 & 1;
        decide(row, !gone);
    }

    std::string_view kernel(const Record& record) const {
        const auto& launches = trace_.header.launches;
        return record.launch < launches.size() ? std::string_view(launches[record.launch].kernel) : std::string_view();
    }

    // As the kernel file lays it out: a row of tile t has an element for each tile after t.
    void tiles_of_mask(const Record& record, const WarpRef& warp) {
        const std::size_t tiles = (all_.count + kTile - 1) / kTile;
        all_.tiled = true;
        each_lane(record, [&](std::size_t lane) {
            auto at = static_cast<std::size_t>(record.element_index[lane]);
            std::size_t tile = 0;
            for (; tile + 1 < tiles && at >= kTile * (tiles - 1 - tile); ++tile) at -= kTile * (tiles - 1 - tile);
            const std::size_t behind = tiles - 1 - tile;
            if (behind == 0) return;
            const std::size_t row = tile * kTile + at / behind, first = (tile + 1 + at % behind) * kTile;
            if (row >= size()) return;
            const bool load = record.op == Op::load;
            if (load) all_.boxes[row].read = std::min(all_.boxes[row].read, step_);
            else all_.boxes[row].worker = warp;
            for (std::size_t b = 0; b < kTile; ++b)
                make(row, first + b, load ? step_ : made_at(warp, row), record.value[lane][0] >> b & 1);
        });
    }

    // Of each row, the rows of its tile that would suppress it: a column of the matrix.
    void diagonal(const Record& record, const WarpRef& warp) {
        each_lane(record, [&](std::size_t lane) {
            const auto column = static_cast<std::size_t>(record.element_index[lane]);
            if (column >= size()) return;
            all_.boxes[column].worker = warp;
            for (std::size_t row = column / kTile * kTile; row < column; ++row)
                make(row, column, made_at(warp, column), record.value[lane][0] >> row % kTile & 1);
        });
    }

    // Words of 32 bits of the rows removed by the tiles before.
    void removed(const Record& record) {
        const bool joined = trace::is_atomic(record.op);
        if (!joined && record.op != Op::load) return;
        std::map<std::size_t, std::uint32_t> words;
        each_lane(record, [&](std::size_t lane) {
            words[static_cast<std::size_t>(record.element_index[lane])] |=
                static_cast<std::uint32_t>(record.value[lane][0]);
        });
        for (const auto& [word, bits] : words) {
            if (!joined) begin_tile(word / 2);
            for (std::size_t b = 0; b < 32; ++b) {
                const std::size_t row = word * 32 + b;
                if (!(bits >> b & 1)) continue;
                cross(row);
                if (joined) continue;
                decide(row, false);
                undecided_ &= ~(std::uint64_t{1} << row % kTile);
            }
        }
    }

    void begin_tile(std::size_t tile) {
        if (tile_open_ && tile == tile_) return;
        tile_open_ = true;
        tile_ = tile;
        kept_ = 0;
        ballots_ = 0;
        const std::size_t rows = std::min(kTile, all_.count - std::min(all_.count, tile * kTile));
        undecided_ = rows == kTile ? ~std::uint64_t{0} : (std::uint64_t{1} << rows) - 1;
    }

    // Four ballots a round: the rows that nothing left would suppress, 32 and 32; the rows that a kept one suppresses.
    void ballot_of_tile(const Record& record) {
        if (!kernel(record).starts_with("keep_tiles") || record.active == 0) return;
        const auto lane = static_cast<std::size_t>(std::countr_zero(record.active));
        const auto answer = static_cast<std::uint32_t>(record.received[lane]);
        const int which = ballots_++ % 4;
        if (which % 2 == 0) {
            low_ = answer;
            return;
        }
        const std::uint64_t both = std::uint64_t{answer} << 32 | low_, named = both & undecided_;
        for (std::size_t b = 0; b < kTile; ++b) {
            if (!(named >> b & 1)) continue;
            const std::size_t row = tile_ * kTile + b;
            if (which == 1) {
                decide(row, true);
            } else if (!(kept_ >> b & 1)) {
                cross(row);
                decide(row, false);
            }
        }
        if (which == 1) kept_ |= named;
        else undecided_ &= ~(kept_ | both);
    }

    void keep(const Record& record) {
        each_lane(record, [&](std::size_t lane) {
            const auto row = row_of_.find(record.element_index[lane]);
            if (row != row_of_.end()) store(row->second, record.value[lane][0] != 0);
        });
    }

    // The numbers of the kept boxes in order, then -1 where all are listed.
    void kept_numbers(const Record& record) {
        each_lane(record, [&](std::size_t lane) {
            const std::int64_t number = from_bits<std::int32_t>(record.value[lane][0]);
            const auto row = row_of_.find(number);
            if (number >= 0 && row != row_of_.end()) store(row->second, true);
        });
    }

    void store(std::size_t row, bool lives) {
        all_.boxes[row].stored = step_;
        all_.boxes[row].lives = lives;
    }

    const steps::Steps& steps_;
    const trace::Trace& trace_;
    Suppression& all_;
    std::size_t step_ = 0;
    std::map<std::int64_t, float> scores_;
    std::map<std::int64_t, std::size_t> row_of_;          // by the box's number
    std::map<std::uint64_t, std::size_t> asked_;          // the box that a thread found kept
    std::map<WarpRef, std::vector<std::size_t>> ballots_of_;   // their steps
    std::size_t next_row_ = 0;
    // Of the tile that is being decided.
    bool tile_open_ = false;
    std::size_t tile_ = 0;
    int ballots_ = 0;
    std::uint32_t low_ = 0;
    std::uint64_t undecided_ = 0, kept_ = 0;
};

const trace::Array* named(const trace::Trace& trace, std::string_view name) {
    for (const trace::Array& array : trace.arrays)
        if (array.name == name) return &array;
    return nullptr;
}

std::string name_of(std::size_t row, std::size_t count) {
    return count <= 26 ? std::string(1, static_cast<char>('A' + row)) : std::to_string(row);
}

}  // namespace

bool has_boxes(const trace::Trace& trace) {
    const trace::Array* const sorted = named(trace, "sorted");
    const trace::Array* const order = named(trace, "order");
    return sorted && order && sorted->element == Element::f32 && sorted->count == 4 * order->count &&
           (named(trace, "keep") || named(trace, "kept"));
}

Suppression suppression_of(const steps::Steps& steps) {
    Suppression all;
    all.steps = steps.size();
    if (!steps.trace || !has_boxes(*steps.trace)) {
        all.why_none = "This run decides among no boxes; lesson 17 (non-maximum suppression) has runs that do.";
        return all;
    }
    all.count = named(*steps.trace, "order")->count;
    const std::size_t drawn = std::min(all.count, kMostBoxesDrawn);
    all.boxes.resize(drawn);
    all.pairs.resize(drawn * drawn);
    for (std::size_t row = 0; row < drawn; ++row) all.boxes[row].name = name_of(row, all.count);
    Reader(steps, all).read();
    const auto placed = static_cast<std::size_t>(
        std::count_if(all.boxes.begin(), all.boxes.end(), [](const RankedBox& box) { return box.has_corners; }));
    if (placed == 0) {
        all.why_none = "The records show no box: loads and stores were not recorded. The emulator records them "
                       "(--backend cpu).";
        return all;
    }
    if (drawn < all.count) all.note = "the first " + std::to_string(drawn) + " of " + counted(all.count, "box");
    if (placed < drawn)
        all.note += (all.note.empty() ? "" : "; ") + std::string("the records hold the corners of ") +
                    counted(placed, "box") + ", of the others' blocks nothing was recorded";
    ask_questions(all);
    return all;
}

}  // namespace lanewise::scene
