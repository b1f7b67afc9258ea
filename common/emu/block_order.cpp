#include "common/emu/block_order.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/emu/mix.hpp"

namespace lanewise::emu {

namespace {
constexpr int kRounds = 4;
}

BlockOrder::BlockOrder(const launch::Order& order, std::uint64_t blocks) : order_(order), blocks_(blocks) {
    if (order.kind == launch::Order::Kind::listed && order.blocks.size() != blocks)
        throw Error(fmt::format("the order lists {} blocks, but the grid has {}; list each once.", order.blocks.size(),
                                blocks));
    while (half_bits_ < 32 && std::uint64_t{1} << 2 * half_bits_ < blocks_) ++half_bits_;
}

// A Feistel network: whatever its round function, no two values end alike.
std::uint64_t BlockOrder::scrambled(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = value >> half_bits_, right = value & mask;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
        std::uint64_t state = order_.seed ^ right << 8 ^ round;
        const std::uint64_t next = left ^ (mix(state) & mask);
        left = right;
        right = next;
    }
    return left << half_bits_ | right;
}

std::uint64_t BlockOrder::operator[](std::uint64_t place) const {
    switch (order_.kind) {
        case launch::Order::Kind::ascending: return place;
        case launch::Order::Kind::descending: return blocks_ - 1 - place;
        case launch::Order::Kind::listed: return order_.blocks[place];
        case launch::Order::Kind::seeded: break;
    }
    // The network permutes up to four times as many values; those past the end are sent on until they are not.
    do place = scrambled(place);
    while (place >= blocks_);
    return place;
}

}  // namespace lanewise::emu
