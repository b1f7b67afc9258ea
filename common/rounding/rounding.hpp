// The rounding lens: for every value that additions led to, what it would be without rounding, and how far off it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/stop.hpp"
#include "common/base/sum.hpp"
#include "common/rounding/exact_sum.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::rounding {

struct RoundingLens {
    std::string why_not;                // why nothing is shown: a sentence; empty where something is
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

// Pure. Only values that records hold, or that follow from them bit by bit, are kept; sums whose parts are not known to
// be sums of inputs (a product, a maximum, a square) are left out and counted in `unknown`. Throws Stopped where `stop`
// asks for that: of a million inputs it takes a second or two.
RoundingLens build_rounding(const steps::Steps& steps, const std::stop_token& stop = {});

// The sums of one step that are worth a line.
struct RoundingRow {
    std::size_t step = 0;
    std::int32_t worst = Sum::kNone;   // the largest |ulps| (an overflow, a NaN before all); the first of several
    std::size_t sums = 0;              // how many came about
    std::size_t inexact = 0;           // whose error is not 0
    std::size_t stopped = 0;
};
std::vector<RoundingRow> rounding_rows(const steps::Steps& steps, const RoundingLens& lens);

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
std::string what_of(const steps::Steps& steps, const Sum& sum);

// A value in all its digits, as far as there is room for 18: "0.00390625", where the shortest form that reads back as
// f16 is 0.003906.
std::string full_value(Element type, std::uint64_t bits);
// One addition in figures: "2048 + 1 = 2049, rounded to f16: 2048".
std::string describe_addition(const RoundingLens& lens, std::int32_t sum);

}  // namespace lanewise::rounding
