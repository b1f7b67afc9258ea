// One sum of a run, beside the sum that it would be without rounding. A plain value that every room shares.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "common/base/element.hpp"
#include "common/base/warp.hpp"

namespace lanewise {

// One value of the addition tree: an input as it was read, or what a lane (for atomics: a word) held after an addition.
struct Sum {
    enum class Kind : std::uint8_t {
        input,     // a leaf
        add,       // of a lane: a shuffle's join, `sum += in[i]`, a word added to another
        reduce,    // __reduce_add_sync: all lanes' values at once
        atomic,    // what a word held after an atomicAdd
    };
    static constexpr std::int32_t kNone = -1;

    // What this addition lost, in its value's own units; infinite where it overflowed.
    double loss() const { return overflowed ? std::numeric_limits<double>::infinity() : std::fabs(lost); }

    Kind kind = Kind::add;
    Element type = Element::f32;        // the format of the sum itself
    bool recorded = true;  // false: no record holds it. It was added again here, in the order and the format
                           // that give all recorded values bit by bit
    std::size_t step = kNoStep;         // where it came about; an input: where it was first read
    WarpRef warp;
    int lane = -1;
    std::uint64_t bits = 0;             // the rounded value

    // What was added: places in RoundingLens::sums; kNone: a zero that holds no input.
    std::int32_t own = kNone;           // what the lane (the word) held
    std::int32_t other = kNone;         // what came to it
    std::int64_t element = -1;          // an input: its place in the input array

    // Without any rounding: the sum of all inputs that came in, each as often as it did.
    std::uint64_t exact = 0;            // rounded once, to `type`
    double exact_value = 0;             // the same to a double
    double error = 0;  // the value less the exact one, rounded to a double; infinite where only the value
                       // is, 0 where both are the same infinity, NaN where either is
    double ulps = 0;                    // `error` in ulp of `type` at the exact value (at the value where that is 0)
    double lost = 0;                    // what this one addition did: the value less the sum of its two parts
    double lost_ulps = 0;               // the same in the unit of `ulps`
    bool stopped = false;               // stopped growing: neither part is zero, and the sum is just one of them
    bool overflowed = false;            // infinite, though nothing that came in is
    bool narrow = false;  // its format has fewer bits than that of the sum it was added to: a pair added in
                          // 16 bits before it was widened
    std::int32_t worst = kNone;         // of this addition and all that led to it, the one that alone lost most (in the
                                        // values' own units; an overflow before all), the first of several; kNone: none
                                        // lost anything
    std::uint32_t additions = 0;        // on the longest way from an input to here
    std::uint32_t inputs = 0;           // into Steps::provenances; 0: of a word, or of a part of what was read
    std::uint64_t count = 0;            // inputs in it, each as often as it came in
};

}  // namespace lanewise
