// Sums of floats without any rounding, so that a rounded sum can be held against the true one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/element.hpp"

namespace lanewise::rounding {

// A fixed-point number with a place for every bit of a double, from 2^-1074 to beyond 2^1087: adding is exact, and the
// order does not matter. Infinities and NaNs are kept apart and joined as IEEE 754 says.
class ExactSum {
public:
    // Adds a value `times` times (0: nothing). A value that is not finite counts once.
    void add(double value, std::uint64_t times = 1);
    // The value of bits of `element`; exact for 64-bit integers too.
    void add(Element element, std::uint64_t bits, std::uint64_t times = 1);
    void add(const ExactSum& other);
    void negate();

    bool is_finite() const { return !nan_ && !positive_infinity_ && !negative_infinity_; }
    bool is_zero() const;
    bool is_negative() const;   // -inf too

    // Rounded once, to nearest even: as a format's addition would have given it, had it been done in one go. Beyond the
    // range: infinity (the eight-bit floats, which saturate in conversions: their largest). Integers wrap.
    std::uint64_t rounded_to(Element element) const;
    double to_double() const;

    // In decimal digits, all of them where they are at most `digits`, else so many and "…":
    // "0.1000000014901161193847…".
    std::string decimal(int digits) const;

private:
    friend class ExactSums;
    static constexpr int kLowest = -1074;   // exponent of bit 0
    static constexpr std::size_t kLimbs = 34;
    using Limbs = std::array<std::uint64_t, kLimbs>;

    void add_shifted(std::uint64_t magnitude, int bit, bool negative);
    Limbs magnitude() const;

    Limbs limbs_{};   // two's complement, low limb first
    bool nan_ = false, positive_infinity_ = false, negative_infinity_ = false;
};

// Many of them, each in the places that it needs: some 24 bytes for a sum of f32 instead of 280.
class ExactSums {
public:
    void push_back(const ExactSum& sum);
    // Throws std::out_of_range where there is no such sum.
    ExactSum at(std::size_t place) const;
    ExactSum operator[](std::size_t place) const { return at(place); }
    std::size_t size() const { return packed_.size(); }
    void reserve(std::size_t sums);

private:
    struct Packed {
        std::uint32_t at = 0;        // of its limbs, in limbs_
        std::uint8_t first = 0;      // limb of the sum that limbs_[at] is: 0 below, and above `count` as the sign is
        std::uint8_t count = 0;
        bool negative = false, nan = false, positive_infinity = false, negative_infinity = false;
    };
    std::vector<Packed> packed_;
    std::vector<std::uint64_t> limbs_;
};

// The distance between neighbouring numbers of a floating-point format around `value`: that of the binade it lies in,
// that of the smallest numbers below them. 1 for integers.
double ulp_of(Element element, double value);

}  // namespace lanewise::rounding
