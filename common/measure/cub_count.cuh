// How CUB is given a count.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <limits>

#include <cub/version.cuh>

namespace lanewise::measure {

inline constexpr std::uint64_t kIntMax = std::numeric_limits<int>::max();
// Since CUB 2.2 the count's type is the caller's; before, it was an int.
inline constexpr bool kWideCounts = CUB_VERSION >= 200200;

// Calls `reduce` with n as an int where it is one.
template <class Reduce>
int with_count(std::uint64_t n, Reduce reduce) {
    if (n <= kIntMax) return reduce(static_cast<int>(n));
    if constexpr (kWideCounts) return reduce(static_cast<std::int64_t>(n));
    else return cudaErrorInvalidValue;
}

}  // namespace lanewise::measure
