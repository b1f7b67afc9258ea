#include "common/scene/memory/memory_words.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "common/base/element.hpp"
#include "common/base/memory_units.hpp"
#include "common/scene/memory/records.hpp"
#include "common/scene/sums/atomic_chain.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

// Words beyond this are not drawn; a block has at most 228 kB.
constexpr std::uint64_t kMostWords = 64 * 1024;

// Plays the records of a run into the arrays that are shown, step by step.
class Replay {
public:
    Replay(const trace::Trace& trace, std::vector<MemoryArray>& shown, const WarpRef& warp)
        : trace_(trace), arrays_(shown), chosen_(warp), place_(trace.arrays.size(), -1) {
        for (std::size_t i = 0; i < shown.size(); ++i) place_[shown[i].array] = static_cast<int>(i);
    }

    void apply(std::size_t number, bool now) {
        const trace::Record& record = trace_.records[number];
        for (const trace::ArrayImage& image : record.shared) show(image);
        if (!touches_memory(record)) return;
        if (now && WarpRef{record.launch, record.block, record.warp} == chosen_) {
            own_now_.push_back(number);
            loads_ += record.op == trace::Op::load ? 1 : 0;
        }
        MemoryArray* target = array(record.array);
        if (!target) return;
        const int elements = trace::is_atomic(record.op) ? 1 : record.elements;
        for (int lane = 0; lane < kWarpSize; ++lane) {
            if (!((record.active >> lane) & 1u)) continue;
            const auto l = static_cast<std::size_t>(lane);
            for (int k = 0; k < elements; ++k) {
                MemoryWord* word = target->word(record.element_index[l] + k);
                if (!word) continue;
                const std::uint64_t bits = trace::element_at(record.value[l], record.type, k);
                if (trace::is_atomic(record.op)) {
                    join(*word, record, number, lane);
                } else if (record.op == trace::Op::store) {
                    word->written = word->known = true;
                    word->bits = bits;
                    word->writer = {record.launch, record.block, record.warp};
                    word->writer_lane = lane;
                    joins_.erase(word);
                } else if (!word->known) {
                    // What was there before the kernel began, or what atomics left.
                    word->known = true;
                    word->bits = bits;
                }
                if (now) touch(*word, record, lane, bits);
            }
        }
    }

    // After the last record.
    void finish() {
        for (auto& [word, joins] : joins_) {
            if (word->known) continue;   // it was read since
            std::string why;
            word->known = put_in_order(joins, trace_.records[joins.back().record].type, why);
            if (word->known) word->bits = joins.back().left;
            // Where the chosen warp changes it now, as that warp left it: what the stage shows.
            const auto own = std::find_if(joins.rbegin(), joins.rend(), [&](const Join& join) {
                return join.has_left && std::find(own_now_.begin(), own_now_.end(), join.record) != own_now_.end();
            });
            if (word->known && own != joins.rend()) word->bits = own->left;
        }
        for (const Touch& read : reads_) {
            MemoryWord& word = *read.word;
            // Blocks may wait for one another by reading until a word changes; within one a store that no barrier keeps
            // apart from the read is a race, whichever step it is reported in.
            const bool same_block = word.writer.launch == read.by.launch && word.writer.block == read.by.block;
            const bool own_write = word.writer == read.by && word.writer_lane == read.lane;
            if (!word.known || word.bits == read.bits || word.writer_lane < 0 || !same_block || own_write) continue;
            const bool better = read.by == chosen_ && !(word.reader == chosen_);
            if (word.changed_after_read && !better) continue;
            word.changed_after_read = true;
            word.read_bits = read.bits;
            word.reader = read.by;
            word.reader_lane = read.lane;
        }
    }

private:
    // A lane's read in the present step.
    struct Touch {
        MemoryWord* word;
        WarpRef by;
        int lane;
        std::uint64_t bits;
    };

    MemoryArray* array(std::uint32_t number) const {
        return number < place_.size() && place_[number] >= 0 ? &arrays_[static_cast<std::size_t>(place_[number])]
                                                             : nullptr;
    }

    void show(const trace::ArrayImage& image) {
        MemoryArray* target = array(image.array);
        if (!target) return;
        for (std::size_t i = 0; i < image.values.size(); ++i) {
            MemoryWord* word = target->word(static_cast<std::int64_t>(image.first + i));
            // A GPU does not record which words were written: it shows them all, but marks none.
            if (!word || (!image.written.empty() && !image.written[i])) continue;
            word->bits = image.values[i];
            word->written |= !image.written.empty();
            word->known = true;
        }
    }

    // In the end the word holds what the last of all atomics since the last store left, where their old values show
    // which it was; an operand is never taken for it.
    void join(MemoryWord& word, const trace::Record& record, std::size_t number, int lane) {
        joins_[&word].push_back(join_of(record, number, lane));
        word.written = true;
        word.known = false;
        word.writer_lane = -1;
    }

    void touch(MemoryWord& word, const trace::Record& record, int lane, std::uint64_t bits) {
        const WarpRef by{record.launch, record.block, record.warp};
        const bool own = by == chosen_;
        if (record.op == trace::Op::load) {
            word.read_now = true;
            if (record.type == trace_.arrays[record.array].element) reads_.push_back({&word, by, lane, bits});
        } else {
            word.written_now = true;
        }
        if (own) word.lanes |= std::uint32_t{1} << lane;
        if (own && record.op == trace::Op::load && loads_ > 0)
            word.reads = static_cast<std::uint8_t>(word.reads | 1u << std::min(loads_ - 1, 7));
        if (word.lane >= 0 && word.by == chosen_ && !own) return;
        word.by = by;
        word.lane = lane;
    }

    const trace::Trace& trace_;
    std::vector<MemoryArray>& arrays_;
    WarpRef chosen_;
    std::vector<int> place_;   // of Trace::arrays in `arrays_`, -1 for those that are not shown
    std::map<MemoryWord*, std::vector<Join>> joins_;   // since the word was stored last
    std::vector<Touch> reads_;                               // in the present step
    int loads_ = 0;                                          // of the chosen warp in the present step, so far
    std::vector<std::size_t> own_now_;                       // records of the chosen warp in the present step
};

}  // namespace

int MemoryArray::per_sector() const { return std::max(kSectorBytes / element_size(element), 1); }

MemoryWord* MemoryArray::word(std::int64_t index) {
    if (index < 0) return nullptr;
    auto place = static_cast<std::size_t>(index);
    if (!sectors.empty()) {
        const std::int64_t sector = index / per_sector();
        const auto at = std::lower_bound(sectors.begin(), sectors.end(), sector);
        if (at == sectors.end() || *at != sector) return nullptr;
        place = static_cast<std::size_t>((at - sectors.begin()) * per_sector() + index % per_sector());
    }
    return place < words.size() ? &words[place] : nullptr;
}

std::int64_t MemoryArray::index_of(std::size_t place) const {
    if (sectors.empty()) return static_cast<std::int64_t>(place);
    const auto size = static_cast<std::size_t>(per_sector());
    return sectors[place / size] * per_sector() + static_cast<std::int64_t>(place % size);
}

bool uses_memory(const steps::Steps& steps, std::uint32_t launch, Space space) {
    const auto& arrays = steps.trace->arrays;
    const auto fits = [&](std::uint32_t array) { return array < arrays.size() && arrays[array].space == space; };
    return std::any_of(steps.trace->records.begin(), steps.trace->records.end(), [&](const trace::Record& record) {
        return record.launch == launch &&
               ((touches_memory(record) && fits(record.array)) ||
                std::any_of(record.shared.begin(), record.shared.end(),
                            [&](const trace::ArrayImage& image) { return fits(image.array); }));
    });
}

std::vector<MemoryArray> shared_memory(const steps::Steps& steps, std::size_t step, const WarpRef& warp) {
    std::vector<MemoryArray> arrays;
    for (std::size_t i = 0; i < steps.trace->arrays.size(); ++i) {
        const trace::Array& array = steps.trace->arrays[i];
        if (array.space != Space::shared) continue;
        arrays.push_back({static_cast<std::uint32_t>(i), array.name, array.element, {}, {}});
        arrays.back().words.resize(static_cast<std::size_t>(std::min(array.count, kMostWords)));
    }
    if (arrays.empty()) return arrays;
    Replay replay(*steps.trace, arrays, warp);
    for (std::size_t k = 0; k <= step && k < steps.size(); ++k) {
        for (const steps::WarpStep& part : steps.steps[k].warps) {
            if (part.warp.block != warp.block || part.warp.launch != warp.launch) continue;
            for (const std::size_t record : part.records) replay.apply(record, k == step);
        }
    }
    replay.finish();
    return arrays;
}

MemoryArray global_memory(const steps::Steps& steps, std::size_t step, const WarpRef& warp, std::uint32_t array,
                          std::vector<std::int64_t> sectors) {
    if (array >= steps.trace->arrays.size() || sectors.empty()) return {};
    const trace::Array& shown = steps.trace->arrays[array];
    std::vector<MemoryArray> arrays{{array, shown.name, shown.element, {}, std::move(sectors)}};
    MemoryArray& only = arrays.front();
    only.words.resize(only.sectors.size() * static_cast<std::size_t>(only.per_sector()));
    Replay replay(*steps.trace, arrays, warp);
    for (std::size_t k = 0; k <= step && k < steps.size(); ++k) {
        for (const steps::WarpStep& part : steps.steps[k].warps) {
            const bool own = part.warp.block == warp.block && part.warp.launch == warp.launch;
            for (const std::size_t record : part.records) replay.apply(record, k == step && own);
        }
    }
    replay.finish();
    return std::move(only);
}

std::string changed_text(const std::vector<MemoryArray>& arrays) {
    std::string text;
    std::size_t more = 0;
    for (const MemoryArray& array : arrays) {
        for (std::size_t i = 0; i < array.words.size(); ++i) {
            const MemoryWord& word = array.words[i];
            if (!word.changed_after_read) continue;
            if (!text.empty()) {
                ++more;
                continue;
            }
            text = array.name + "[" + std::to_string(array.index_of(i)) + "]: warp " +
                    std::to_string(word.reader.warp) + " lane " + std::to_string(word.reader_lane) + " read " +
                    format_element(array.element, word.read_bits) + ", now " + format_element(array.element, word.bits);
        }
    }
    if (more > 0)
        text += "; " + std::to_string(more) + (more == 1 ? " more word" : " more words") + " changed after being read";
    return text;
}

}  // namespace lanewise::scene
