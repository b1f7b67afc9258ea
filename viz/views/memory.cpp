#include "viz/views/memory.hpp"

#include <algorithm>

#include "common/steps/memory_cost.hpp"

namespace lanewise::viz {
namespace {

// Words beyond this are not drawn; a block has at most 228 kB.
constexpr std::uint64_t kMostWords = 64 * 1024;

struct Replay {
    std::vector<MemoryArray>& arrays;
    steps::WarpRef chosen;
    std::vector<int> place{};   // of Trace::arrays in `arrays`, -1 for those that are not shown

    Replay(const trace::Trace& trace, std::vector<MemoryArray>& shown, const steps::WarpRef& warp)
        : arrays(shown), chosen(warp), place(trace.arrays.size(), -1) {
        for (std::size_t i = 0; i < shown.size(); ++i) place[shown[i].array] = static_cast<int>(i);
    }

    MemoryArray* array(std::uint32_t number) const {
        return number < place.size() && place[number] >= 0 ? &arrays[static_cast<std::size_t>(place[number])] : nullptr;
    }

    void show(const trace::ArrayImage& image) const {
        MemoryArray* target = array(image.array);
        if (!target) return;
        for (std::size_t i = 0; i < image.values.size(); ++i) {
            MemoryWord* word = target->word(static_cast<std::int64_t>(image.first + i));
            // A GPU does not tell which words were written: it shows them all, but marks none.
            if (!word || (!image.written.empty() && !image.written[i])) continue;
            word->bits = image.values[i];
            word->written |= !image.written.empty();
            word->known = true;
        }
    }

    void touch(MemoryWord& word, const trace::Record& record, int lane) const {
        const steps::WarpRef by{record.launch, record.block, record.warp};
        const bool own = by == chosen;
        (record.op == trace::Op::load ? word.read_now : word.written_now) = true;
        if (own) word.lanes |= std::uint32_t{1} << lane;
        if (word.lane >= 0 && word.by == chosen && !own) return;
        word.by = by;
        word.lane = lane;
    }

    void apply(const trace::Record& record, bool now) const {
        for (const trace::ArrayImage& image : record.shared) show(image);
        if (!touches_memory(record)) return;
        MemoryArray* target = array(record.array);
        if (!target) return;
        const int elements = trace::is_atomic(record.op) ? 1 : record.elements;
        for (int lane = 0; lane < trace::kWarpSize; ++lane) {
            if (!((record.active >> lane) & 1u)) continue;
            const auto l = static_cast<std::size_t>(lane);
            for (int k = 0; k < elements; ++k) {
                MemoryWord* word = target->word(record.element_index[l] + k);
                if (!word) continue;
                const std::uint64_t bits = trace::element_at(record.value[l], record.type, k);
                if (record.op != trace::Op::load) {
                    word->written = true;
                    word->known = record.op == trace::Op::store;
                    word->bits = bits;
                } else if (!word->known) {
                    // What was there before the kernel began, or what atomics left.
                    word->known = true;
                    word->bits = bits;
                }
                if (now) touch(*word, record, lane);
            }
        }
    }
};

}  // namespace

bool touches_memory(const trace::Record& record) { return trace::is_access(record.op) || trace::is_atomic(record.op); }

int MemoryArray::per_sector() const { return std::max(steps::kSectorBytes / element_size(element), 1); }

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

bool uses_memory(const steps::Steps& steps, std::uint32_t launch, trace::Space space) {
    const auto& arrays = steps.trace->arrays;
    const auto fits = [&](std::uint32_t array) { return array < arrays.size() && arrays[array].space == space; };
    return std::any_of(steps.trace->records.begin(), steps.trace->records.end(), [&](const trace::Record& record) {
        return record.launch == launch &&
               ((touches_memory(record) && fits(record.array)) ||
                std::any_of(record.shared.begin(), record.shared.end(), [&](const trace::ArrayImage& image) { return fits(image.array); }));
    });
}

std::vector<MemoryArray> shared_memory(const steps::Steps& steps, std::size_t step, const steps::WarpRef& warp) {
    std::vector<MemoryArray> arrays;
    for (std::size_t i = 0; i < steps.trace->arrays.size(); ++i) {
        const trace::Array& array = steps.trace->arrays[i];
        if (array.space != trace::Space::shared) continue;
        arrays.push_back({static_cast<std::uint32_t>(i), array.name, array.element, {}, {}});
        arrays.back().words.resize(static_cast<std::size_t>(std::min(array.count, kMostWords)));
    }
    if (arrays.empty()) return arrays;
    const Replay replay(*steps.trace, arrays, warp);
    for (std::size_t k = 0; k <= step && k < steps.size(); ++k) {
        for (const steps::WarpStep& part : steps.steps[k].warps) {
            if (part.warp.block != warp.block || part.warp.launch != warp.launch) continue;
            for (const std::size_t record : part.records) replay.apply(steps.trace->records[record], k == step);
        }
    }
    return arrays;
}

MemoryArray global_memory(const steps::Steps& steps, std::size_t step, const steps::WarpRef& warp, std::uint32_t array,
                          std::vector<std::int64_t> sectors) {
    if (array >= steps.trace->arrays.size() || sectors.empty()) return {};
    const trace::Array& shown = steps.trace->arrays[array];
    std::vector<MemoryArray> arrays{{array, shown.name, shown.element, {}, std::move(sectors)}};
    MemoryArray& only = arrays.front();
    only.words.resize(only.sectors.size() * static_cast<std::size_t>(only.per_sector()));
    const Replay replay(*steps.trace, arrays, warp);
    for (std::size_t k = 0; k <= step && k < steps.size(); ++k) {
        for (const steps::WarpStep& part : steps.steps[k].warps) {
            const bool own = part.warp.block == warp.block && part.warp.launch == warp.launch;
            for (const std::size_t record : part.records) replay.apply(steps.trace->records[record], k == step && own);
        }
    }
    return std::move(only);
}

}  // namespace lanewise::viz
