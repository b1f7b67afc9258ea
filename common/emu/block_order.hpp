// The order in which blocks run.
#pragma once

#include <cstdint>

#include "common/launch/backend.hpp"

namespace lanewise::emu {

// Ascending and descending as they say; seeded: a permutation of all blocks, worked out for each place on its own, so
// that a grid of any size costs no memory.
class BlockOrder {
public:
    // Throws Error where a listed order does not have as many.
    BlockOrder(const launch::Order& order, std::uint64_t blocks);

    // The block that runs at `place`, below the number of blocks.
    std::uint64_t operator[](std::uint64_t place) const;

private:
    std::uint64_t scrambled(std::uint64_t value) const;

    launch::Order order_;
    std::uint64_t blocks_;
    int half_bits_ = 0;  // blocks_ <= 2^(2 half_bits_)
};

}  // namespace lanewise::emu
