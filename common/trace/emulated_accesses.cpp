#include "common/trace/emulated_accesses.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "common/trace/diff.hpp"

namespace lanewise::trace {
namespace {

using WarpKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

WarpKey warp_of(const Record& record) { return {record.launch, record.block, record.warp}; }

// Where each of the emulator's arrays lies among the GPU's; those that are missing there are added.
std::vector<std::uint32_t> join_arrays(std::vector<Array>& gpu, const std::vector<Array>& emulator) {
    std::vector<std::uint32_t> places;
    for (const Array& array : emulator) {
        auto there = std::find_if(gpu.begin(), gpu.end(), [&](const Array& other) {
            return other.name == array.name && other.space == array.space;
        });
        if (there == gpu.end()) there = gpu.insert(gpu.end(), array);
        places.push_back(static_cast<std::uint32_t>(there - gpu.begin()));
    }
    return places;
}

void mark_written(Record& gpu, const Record& emulator, const std::vector<std::uint32_t>& places) {
    for (ArrayImage& image : gpu.shared)
        for (const ArrayImage& seen : emulator.shared)
            if (places.at(seen.array) == image.array && seen.first == image.first &&
                seen.written.size() == image.values.size())
                image.written = seen.written;
}

}  // namespace

std::string merge_emulated_accesses(Trace& gpu, const Trace& emulator) {
    const Difference difference = diff(gpu, emulator);
    if (!difference.equal) return "Who read which word is not shown: the emulator differs. " + difference.sentence;
    for (const std::uint32_t block : gpu.header.blocks)
        if (std::find(emulator.header.blocks.begin(), emulator.header.blocks.end(), block) ==
            emulator.header.blocks.end())
            return "Who read which word is not shown: the emulator did not record block " + std::to_string(block) + ".";

    std::map<WarpKey, std::vector<const Record*>> theirs;
    for (const Record& record : gpu.records)
        if (!is_access(record.op)) theirs[warp_of(record)].push_back(&record);

    const std::vector<std::uint32_t> places = join_arrays(gpu.arrays, emulator.arrays);
    std::vector<Record> woven;
    std::map<WarpKey, std::uint32_t> lengths;
    std::map<WarpKey, std::size_t> taken;
    const auto put = [&](Record record) {
        record.index = lengths[warp_of(record)]++;
        woven.push_back(std::move(record));
    };
    // Active masks are paired with nothing: the GPU's are where its run had them.
    const auto put_active_masks = [&](const WarpKey& warp, std::size_t most) {
        const std::vector<const Record*>& own = theirs[warp];
        for (std::size_t& at = taken[warp]; most > 0 && at < own.size() && own[at]->op == Op::active_mask; ++at, --most)
            put(*own[at]);
    };
    constexpr std::size_t kAll = static_cast<std::size_t>(-1);
    for (std::size_t i = 0; i < emulator.records.size(); ++i) {
        const Record& seen = emulator.records[i];
        const auto& blocks = gpu.header.blocks;
        if (!blocks.empty() && std::find(blocks.begin(), blocks.end(), seen.block) == blocks.end()) continue;
        const WarpKey warp = warp_of(seen);
        if (is_access(seen.op)) {
            Record record = seen;
            record.array = places.at(seen.array);
            put(std::move(record));
        } else if (seen.op == Op::active_mask) {
            put_active_masks(warp, 1);
        } else {
            put_active_masks(warp, kAll);
            Record record = *theirs.at(warp).at(taken[warp]++);
            mark_written(record, seen, places);
            put(std::move(record));
        }
        const bool ends_warp = i + 1 == emulator.records.size() || warp_of(emulator.records[i + 1]) != warp;
        if (ends_warp) put_active_masks(warp, kAll);
    }
    gpu.records = std::move(woven);
    gpu.header.accesses_from = "emulator";
    return "";
}

}  // namespace lanewise::trace
