// What CUDA's warp intrinsics must give, written from the PTX ISA manual's text alone: no code of the emulator or of
// the trace is used here. Values are bits; a lane is a number from 0 to 31.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace lanewise::conformance {

using Bits = std::uint64_t;

enum class Shuffle : std::uint8_t { idx, up, down, bfly };

// PTX ISA, "Data Movement and Conversion Instructions: shfl.sync": the lane that `lane` reads, with b and c as CUDA
// passes them (c: segment mask in bits 8-12, clamp in bits 0-4).
inline int shuffle_source(Shuffle mode, int lane, int argument, int width) {
    const int b = argument & 0x1f;
    const int c = ((32 - width) << 8) | (mode == Shuffle::up ? 0x00 : 0x1f);
    const int segment = (c >> 8) & 0x1f;
    const int clamp = c & 0x1f;
    const int highest = (lane & segment) | (clamp & ~segment & 0x1f);
    const int lowest = lane & segment;
    int j = 0;
    bool in_range = false;
    switch (mode) {
        case Shuffle::up: j = lane - b, in_range = j >= highest; break;
        case Shuffle::down: j = lane + b, in_range = j <= highest; break;
        case Shuffle::bfly: j = lane ^ b, in_range = j <= highest; break;
        case Shuffle::idx: j = lowest | (b & ~segment & 0x1f), in_range = j <= highest; break;
    }
    return in_range ? j : lane;
}

// PTX ISA, "vote.sync": over the lanes of the mask that are there.
inline std::uint32_t ballot(std::uint32_t lanes, const std::vector<int>& predicate) {
    std::uint32_t answer = 0;
    for (int lane = 0; lane < 32; ++lane)
        if (lanes >> lane & 1 && predicate[static_cast<std::size_t>(lane)] != 0) answer |= 1u << lane;
    return answer;
}

// PTX ISA, "match.sync": operands are compared as untyped bits.
inline std::uint32_t match_any(std::uint32_t mask, const std::vector<Bits>& value, int lane) {
    std::uint32_t answer = 0;
    for (int other = 0; other < 32; ++other)
        if (mask >> other & 1 && value[static_cast<std::size_t>(other)] == value[static_cast<std::size_t>(lane)])
            answer |= 1u << other;
    return answer;
}
inline std::uint32_t match_all(std::uint32_t mask, const std::vector<Bits>& value, int lane) {
    return match_any(mask, value, lane) == mask ? mask : 0;
}

// The lanes of a mask in the order of their ranks, and bits of lanes pushed together into bits of ranks (CUDA C++
// Programming Guide, "Coalesced Groups").
inline std::vector<int> lanes_of(std::uint32_t mask) {
    std::vector<int> lanes;
    for (int lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) lanes.push_back(lane);
    return lanes;
}
inline std::uint32_t packed(std::uint32_t mask, std::uint32_t bits) {
    std::uint32_t answer = 0;
    const std::vector<int> lanes = lanes_of(mask);
    for (std::size_t rank = 0; rank < lanes.size(); ++rank)
        if (bits >> lanes[rank] & 1) answer |= 1u << rank;
    return answer;
}

// The order in which cooperative groups join values: a tile by xor distances from the half down …
template <class T, class Op>
std::vector<T> tile_reduced(std::vector<T> values, Op op) {
    for (std::size_t distance = values.size() / 2; distance > 0; distance /= 2) {
        const std::vector<T> old = values;
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = op(old[i], old[i ^ distance]);
    }
    return values;
}
// … and scans by distances 1, 2, 4, … upwards. A coalesced group's sum is its scan's last value.
template <class T, class Op>
std::vector<T> scanned(std::vector<T> values, Op op) {
    for (std::size_t distance = 1; distance < values.size(); distance *= 2) {
        const std::vector<T> old = values;
        for (std::size_t i = distance; i < values.size(); ++i) values[i] = op(old[i], old[i - distance]);
    }
    return values;
}

// IEEE 754 numbers of sixteen bits: `fraction` bits after the point (10 for half, 7 for bfloat16), decoded exactly and
// encoded to the nearest, ties to even.
struct SmallFloat {
    int fraction;
    int bias() const { return (1 << (14 - fraction)) - 1; }
    int exponents() const { return 1 << (15 - fraction); }

    double decode(std::uint32_t bits) const {
        const int exponent = static_cast<int>(bits >> fraction) & (exponents() - 1);
        const double part = std::ldexp(static_cast<double>(bits & ((1u << fraction) - 1)), -fraction);
        double value = 0;
        if (exponent == exponents() - 1) value = part != 0 ? NAN : INFINITY;
        else if (exponent == 0) value = std::ldexp(part, 1 - bias());
        else value = std::ldexp(1 + part, exponent - bias());
        return bits >> 15 & 1 ? -value : value;
    }
    std::uint32_t encode(double value) const {
        const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
        const double size = std::fabs(value);
        if (std::isnan(value)) return 0x7fffu;
        if (size == 0) return sign;
        const int exponent = std::max(std::isinf(size) ? exponents() : std::ilogb(size), 1 - bias());
        if (exponent > bias()) return sign | static_cast<std::uint32_t>((exponents() - 1) << fraction);
        // nearbyint rounds to even in the default mode; a fraction that rounds up carries into the exponent by itself.
        const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, fraction - exponent)));
        const std::uint32_t unbiased = static_cast<std::uint32_t>(exponent + bias() - 1) << fraction;
        return sign | (unbiased + steps);
    }
};
inline constexpr SmallFloat kHalf{10}, kBfloat{7};

}  // namespace lanewise::conformance
