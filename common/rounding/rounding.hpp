// The rounding lens: for every value that additions led to, what it would be without rounding, and how far off it is.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/base/stop.hpp"
#include "common/rounding/exact_sum.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::steps {

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

struct RoundingLens {
    std::string why_not;                // why nothing is told: a sentence; empty where something is
    std::vector<Sum> sums;              // in the order in which they came about
    ExactSums exact;                    // of each
    // What each lane had come to after a step in which it added something; kNone: it did not.
    struct Place {
        std::size_t step = 0;
        std::size_t warp = 0;           // in Steps::warps
        trace::PerLane<std::int32_t> lanes{};
    };
    std::vector<Place> places;          // by step, then warp
    std::size_t unknown = 0;             // additions seen whose exact value is not known: something else than a sum of
                                        // inputs came in, or what was added left no record

    const Sum& sum(std::int32_t place) const { return sums[static_cast<std::size_t>(place)]; }

    // The sum that a lane (of the warp at that place of Steps::warps) came to at a step; kNone: none. Where it was
    // added to zeros only, that is an older one.
    std::int32_t at(std::size_t step, std::size_t warp, int lane) const;
    // The same at the last step up to and with `step` where there is one.
    std::int32_t last(std::size_t step, std::size_t warp, int lane) const;
    // Value less exact value, without rounding.
    ExactSum error_of(std::int32_t sum) const;
};

// Pure. Only values that records hold, or that follow from them bit by bit, are told; sums whose parts are not known to
// be sums of inputs (a product, a maximum, a square) are left out and counted in `untold`. Throws Stopped where `stop`
// asks for that: of a million inputs it takes a second or two.
RoundingLens build_rounding(const Steps& steps, const std::stop_token& stop = {});

// The sums of one step that are worth a line.
struct RoundingRow {
    std::size_t step = 0;
    std::int32_t worst = Sum::kNone;   // the largest |ulps| (an overflow, a NaN before all); the first of several
    std::size_t sums = 0;              // how many came about
    std::size_t inexact = 0;           // whose error is not 0
    std::size_t stopped = 0;
};
std::vector<RoundingRow> rounding_rows(const Steps& steps, const RoundingLens& lens);

// Where precision is lost: the addition that alone lost most (in the value's own units), and the first that stopped.
struct RoundingLoss {
    std::int32_t worst = Sum::kNone;     // kNone: nothing was rounded
    std::int32_t stopped = Sum::kNone;   // kNone: none did
    std::size_t stops = 0;
};
RoundingLoss rounding_loss(const RoundingLens& lens);

// "0", "+0.5", "-2", "+1.3e5", "overflow", "nan"
std::string format_ulps(const Sum& sum);
// "block 0 · warp 1 · lane 5".
std::string where_of(const Sum& sum);
// What the sum is: "in[5], an input", "sum of 2 inputs in f16, then widened", with what is special about it.
std::string what_of(const Steps& steps, const Sum& sum);

// A value in all its digits, as far as there is room for 18: "0.00390625", where the shortest form that reads back as
// f16 is 0.003906.
std::string full_value(Element type, std::uint64_t bits);
// One addition in figures: "2048 + 1 = 2049, rounded to f16: 2048".
std::string describe_addition(const RoundingLens& lens, std::int32_t sum);

}  // namespace lanewise::steps
