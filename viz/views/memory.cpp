#include "viz/views/memory.hpp"

#include <algorithm>

namespace lanewise::viz {
namespace {

// Words beyond this are not drawn; a block has at most 228 kB.
constexpr std::uint64_t kMostWords = 64 * 1024;

struct Replay {
    const steps::Steps& steps;
    std::vector<SharedArray>& arrays;
    std::vector<int> place;   // of Trace::arrays in `arrays`, -1 for global ones

    SharedWord* word(std::uint32_t array, std::int64_t index) {
        if (array >= place.size() || place[array] < 0) return nullptr;
        auto& words = arrays[static_cast<std::size_t>(place[array])].words;
        return index >= 0 && static_cast<std::size_t>(index) < words.size() ? &words[static_cast<std::size_t>(index)]
                                                                            : nullptr;
    }

    void apply(const trace::Record& record, bool now) {
        for (const trace::ArrayImage& image : record.shared) {
            for (std::size_t i = 0; i < image.values.size(); ++i) {
                SharedWord* target = word(image.array, static_cast<std::int64_t>(i));
                if (!target) continue;
                // A GPU does not tell which words were written: it shows them all, but marks none.
                const bool written = image.written.empty() ? target->written : image.written[i];
                if (!written && !image.written.empty()) continue;
                target->bits = image.values[i];
                target->written = written;
                target->known = true;
            }
        }
        if (!trace::is_access(record.op) && !trace::is_atomic(record.op)) return;
        for (int lane = 0; lane < trace::kWarpSize; ++lane) {
            if (!((record.active >> lane) & 1u)) continue;
            const auto l = static_cast<std::size_t>(lane);
            for (int k = 0; k < record.elements; ++k) {
                SharedWord* target = word(record.array, record.element_index[l] + k);
                if (!target) continue;
                const std::uint64_t bits = trace::element_at(record.value[l], record.type, k);
                if (record.op == trace::Op::load) {
                    target->read_now |= now;
                } else {
                    target->written = true;
                    target->known = record.op == trace::Op::store;
                    target->bits = bits;
                    target->written_now |= now;
                }
                if (now) {
                    target->by = {record.launch, record.block, record.warp};
                    target->lane = lane;
                }
            }
        }
    }
};

}  // namespace

bool has_shared_memory(const steps::Steps& steps) {
    return std::any_of(steps.trace->arrays.begin(), steps.trace->arrays.end(),
                       [](const trace::Array& array) { return array.space == trace::Space::shared; });
}

std::vector<SharedArray> shared_memory(const steps::Steps& steps, std::size_t step, const steps::WarpRef& block) {
    std::vector<SharedArray> arrays;
    Replay replay{steps, arrays, {}};
    for (const trace::Array& array : steps.trace->arrays) {
        replay.place.push_back(array.space == trace::Space::shared ? static_cast<int>(arrays.size()) : -1);
        if (array.space != trace::Space::shared) continue;
        arrays.push_back({array.name, array.element, {}});
        arrays.back().words.resize(static_cast<std::size_t>(std::min(array.count, kMostWords)));
    }
    if (arrays.empty()) return arrays;
    for (std::size_t k = 0; k <= step && k < steps.size(); ++k) {
        for (const steps::WarpStep& part : steps.steps[k].warps) {
            if (part.warp.block != block.block || part.warp.launch != block.launch) continue;
            for (const std::size_t record : part.records) replay.apply(steps.trace->records[record], k == step);
        }
    }
    return arrays;
}

}  // namespace lanewise::viz
