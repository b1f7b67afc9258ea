// In which orders, and in which formats, the words that a lane read one after the other may have been added, where no
// record holds what came in between.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/element.hpp"

namespace lanewise::rounding {

// What one load brought.
struct Read {
    std::size_t step = 0;
    std::uint32_t inputs = 0;                // what the lane holds after it, in Steps::provenances
    Element type = Element::f32;
    int words = 0;                           // that hold inputs
};

// What a lane read, load after load, and the words of them all, in their order.
struct Reads {
    std::vector<Read> loads;
    std::vector<std::uint64_t> bits;
    std::vector<std::int32_t> sums;          // what each word is, in RoundingLens::sums
};

// One addition of a replay. Operands: an index >= 0 is an earlier addition; kStart what the sum began with; kElement -
// i the i-th word of all that were read.
struct Replayed {
    static constexpr std::int32_t kStart = -1;
    static constexpr std::int32_t kElement = -2;
    std::int32_t own = kStart;
    std::int32_t other = kElement;
    Element type = Element::f32;
    std::uint64_t bits = 0;
    std::size_t read = 0;                    // of which load it is
    bool ends_read = false;                  // the sum holds all of that read
};

enum class Order : std::uint8_t {
    one_by_one,        // sum += a; sum += b; …
    pairs,             // sum += (a + b) + (c + d)
    narrow_pairs,      // as pairs, but added in the format of what was read, then widened
    narrow_in_turn,    // sum += ((a + b) + c) + d, added in the format of what was read, then widened
};
inline constexpr int kOrders = 4;

// The additions in that order, in `type` but for the narrow ones; empty where the order means nothing here, or no
// addition is needed. `start`: bits of `type`; `zero`: nothing but a zero, to which the first word is added without an
// addition.
std::vector<Replayed> replay(Order order, Element type, std::uint64_t start, bool zero, const Reads& reads);

}  // namespace lanewise::rounding
