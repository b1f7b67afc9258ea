#include "common/trace/weave.hpp"

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

void tell_written(Record& gpu, const Record& emulator, const std::vector<std::uint32_t>& places) {
    for (ArrayImage& image : gpu.shared)
        for (const ArrayImage& seen : emulator.shared)
            if (places.at(seen.array) == image.array && seen.written.size() == image.values.size())
                image.written = seen.written;
}

}  // namespace

std::string weave_accesses(Trace& gpu, const Trace& emulator) {
    const Difference difference = diff(gpu, emulator);
    if (!difference.equal) return "Who read which word is not shown: the emulator differs. " + difference.sentence;
    for (const std::uint32_t block : gpu.header.blocks)
        if (std::find(emulator.header.blocks.begin(), emulator.header.blocks.end(), block) == emulator.header.blocks.end())
            return "Who read which word is not shown: the emulator did not record block " + std::to_string(block) + ".";

    std::map<WarpKey, std::vector<const Record*>> theirs;
    for (const Record& record : gpu.records)
        if (!is_access(record.op)) theirs[warp_of(record)].push_back(&record);

    const std::vector<std::uint32_t> places = join_arrays(gpu.arrays, emulator.arrays);
    std::vector<Record> woven;
    std::map<WarpKey, std::uint32_t> lengths;
    std::map<WarpKey, std::size_t> taken;
    for (const Record& seen : emulator.records) {
        const auto& blocks = gpu.header.blocks;
        if (!blocks.empty() && std::find(blocks.begin(), blocks.end(), seen.block) == blocks.end()) continue;
        Record record = seen;
        if (is_access(seen.op)) {
            record.array = places.at(seen.array);
        } else {
            record = *theirs.at(warp_of(seen)).at(taken[warp_of(seen)]++);
            tell_written(record, seen, places);
        }
        record.index = lengths[warp_of(seen)]++;
        woven.push_back(std::move(record));
    }
    gpu.records = std::move(woven);
    gpu.header.accesses_from = "emulator";
    return "";
}

}  // namespace lanewise::trace
