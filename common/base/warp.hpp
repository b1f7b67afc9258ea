// What a run is made of, by name and number: lanes, warps, steps, memory. Plain values that every room shares.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace lanewise {

inline constexpr int kWarpSize = 32;

template <class T>
using PerLane = std::array<T, kWarpSize>;

// A warp of a run; of a block, with warp 0.
struct WarpRef {
    std::uint32_t launch = 0;
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    auto operator<=>(const WarpRef&) const = default;   // by launch, block, warp
};

// What a step is: a learner takes it in at once.
enum class StepKind : std::uint8_t {
    load, store, shuffle, reduce, vote, warp_barrier, block_barrier, atomic, active_mask, fence
};

// Is it a barrier of a warp or of a block?
constexpr bool is_barrier(StepKind kind) { return kind == StepKind::warp_barrier || kind == StepKind::block_barrier; }

// No step; also the place before the first.
inline constexpr std::size_t kNoStep = static_cast<std::size_t>(-1);

enum class Space : std::uint8_t { shared, global };

}  // namespace lanewise
