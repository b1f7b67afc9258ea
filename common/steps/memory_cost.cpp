#include "common/steps/memory_cost.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "common/steps/update.hpp"

namespace lanewise::steps {
namespace {

using trace::Record;

constexpr int kTurnBytes = kBanks * kBankBytes;

std::int64_t size_of(const trace::Trace& trace, const Record& record) {
    const Element element = record.array < trace.arrays.size() ? trace.arrays[record.array].element : record.type;
    return element_size(element);
}

// What one lane touches, in bytes from the start of its array. An atomic touches one element, whatever it is given.
std::pair<std::int64_t, std::int64_t> bytes_of(const trace::Trace& trace, const Record& record, std::size_t lane) {
    const std::int64_t size = size_of(trace, record);
    const std::int64_t first = record.element_index[lane] * size;
    const int elements = trace::is_atomic(record.op) ? 1 : record.elements;
    return {first, first + size * elements};
}

// Rounded down, also below the array's start (a lane out of bounds).
std::int64_t unit_of(std::int64_t byte, std::int64_t unit) {
    return byte >= 0 ? byte / unit : -((-byte + unit - 1) / unit);
}

template <class F>
void each_lane(const Record& record, F act) {
    for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane)
        if (takes_part(record, lane)) act(lane);
}

}  // namespace

std::vector<std::int64_t> sectors_of(const trace::Trace& trace, const Record& record) {
    std::set<std::int64_t> sectors;
    each_lane(record, [&](std::size_t lane) {
        const auto [first, last] = bytes_of(trace, record, lane);
        for (std::int64_t sector = unit_of(first, kSectorBytes); sector <= unit_of(last - 1, kSectorBytes); ++sector)
            sectors.insert(sector);
    });
    return {sectors.begin(), sectors.end()};
}

std::uint32_t useful_bytes(const trace::Trace& trace, const Record& record) {
    std::vector<std::pair<std::int64_t, std::int64_t>> spans;
    each_lane(record, [&](std::size_t lane) { spans.push_back(bytes_of(trace, record, lane)); });
    std::sort(spans.begin(), spans.end());
    std::int64_t bytes = 0, reached = spans.empty() ? 0 : spans.front().first;
    for (const auto& [first, last] : spans) {
        bytes += std::max<std::int64_t>(0, last - std::max(first, reached));
        reached = std::max(reached, last);
    }
    return static_cast<std::uint32_t>(bytes);
}

BankUse banks_of(const trace::Trace& trace, const Record& record) {
    BankUse use;
    const int elements = trace::is_atomic(record.op) ? 1 : record.elements;
    const std::int64_t wanted = size_of(trace, record) * elements;   // bytes a lane
    const auto lanes_a_turn = static_cast<std::size_t>(
        std::clamp<std::int64_t>(kTurnBytes / std::max<std::int64_t>(wanted, 1), 1, trace::kWarpSize));
    for (std::size_t begin = 0; begin < trace::kWarpSize; begin += lanes_a_turn) {
        std::array<std::set<std::int64_t>, kBanks> words;
        bool any = false;
        for (std::size_t lane = begin; lane < begin + lanes_a_turn; ++lane) {
            if (!takes_part(record, lane)) continue;
            any = true;
            const auto [first, last] = bytes_of(trace, record, lane);
            for (std::int64_t word = unit_of(first, kBankBytes); word <= unit_of(last - 1, kBankBytes); ++word)
                words[static_cast<std::size_t>(((word % kBanks) + kBanks) % kBanks)].insert(word);
        }
        if (!any) continue;
        ++use.turns;
        std::size_t most = 1;
        for (std::size_t bank = 0; bank < kBanks; ++bank) {
            most = std::max(most, words[bank].size());
            use.words[bank] = std::max(use.words[bank], static_cast<std::uint8_t>(words[bank].size()));
        }
        use.wavefronts += static_cast<int>(most);
    }
    return use;
}

}  // namespace lanewise::steps
