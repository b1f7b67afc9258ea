// What the tests of CUDA's types share: the kernels, and two-byte numbers as the host knows them.
#pragma once

#include "common/prelude/emulated/rounded_math.hpp"
#include "common/conformance/case_sweep.hpp"

namespace lanewise::generated {

launch::KernelSet conformance_types();

}  // namespace lanewise::generated

namespace lanewise::conformance {
using lanewise_emulated::Round;
using lanewise_emulated::Small;
using lanewise_emulated::SmallBinary;
using lanewise_emulated::SmallUnary;

using Bits = std::uint16_t;
inline constexpr std::uint32_t kThreads = 64, kBlocks = 8, kAll = kThreads * kBlocks;

inline const launch::KernelSet& kernels() {
    static const launch::KernelSet set = generated::conformance_types();
    return set;
}

template <Small kFormat>
Bits of_double(double v, Round round = Round::nearest) {
    return static_cast<Bits>(lanewise_emulated::small_bits<kFormat>(v, round));
}
template <Small kFormat>
double to_double(Bits bits) {
    return lanewise_emulated::small_value<kFormat>(bits);
}

}  // namespace lanewise::conformance
