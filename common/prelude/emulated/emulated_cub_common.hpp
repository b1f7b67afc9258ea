// What CUB's collectives have in common: operators, the line of a call, shuffles of any type, logical warps.
#pragma once

#include "common/prelude/emulated/emulated.hpp"

namespace lanewise_emulated {
// The line of a call, as a type of its own: many of these functions take an int in the same place.
struct Here {
    int line;
    LANEWISE_MEMBER constexpr operator int() const { return line; }
};
LANEWISE_UNHOOKED constexpr Here here(int line = __builtin_LINE()) { return {line}; }
}  // namespace lanewise_emulated
#define LANEWISE_HERE ::lanewise_emulated::Here line = ::lanewise_emulated::here()

namespace cub {

#define LANEWISE_OPERATOR(name, value)                                              \
    struct name {                                                                   \
        template <class A, class B>                                                 \
        LANEWISE_MEMBER constexpr auto operator()(const A& a, const B& b) const {   \
            return value;                                                           \
        }                                                                           \
    };
LANEWISE_OPERATOR(Sum, a + b)
LANEWISE_OPERATOR(Difference, a - b)
LANEWISE_OPERATOR(Division, a / b)
LANEWISE_OPERATOR(Max, a < b ? b : a)
LANEWISE_OPERATOR(Min, b < a ? b : a)
LANEWISE_OPERATOR(Equality, a == b)
LANEWISE_OPERATOR(Inequality, a != b)
// Of pairs: the larger (smaller) value; of equal ones the lower key.
LANEWISE_OPERATOR(ArgMax, b.value > a.value || (b.value == a.value && b.key < a.key) ? b : a)
LANEWISE_OPERATOR(ArgMin, b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a)
#undef LANEWISE_OPERATOR

template <class Key, class Value>
struct KeyValuePair {
    Key key;
    Value value;
};

struct NullType {};

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

namespace lanewise_details {

LANEWISE_INTRINSIC unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
LANEWISE_INTRINSIC unsigned lane() { return thread_rank() % 32; }
// The lanes of this warp that exist.
LANEWISE_INTRINSIC unsigned warp_mask() {
    const unsigned first = thread_rank() / 32 * 32, all = blockDim.x * blockDim.y * blockDim.z;
    return all - first >= 32 ? ~0u : ~(~0u << (all - first));
}

// A shuffle of any type: in parts of four bytes where it is none of CUDA's numbers.
enum class Move { up, down, from };
template <Move kMove, class T>
LANEWISE_INTRINSIC T moved(int line, unsigned mask, const T& value, int arg, int width) {
    if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4) {
        if constexpr (kMove == Move::up) return __shfl_up_sync(mask, value, arg, width, line);
        else if constexpr (kMove == Move::down) return __shfl_down_sync(mask, value, arg, width, line);
        else return __shfl_sync(mask, value, arg, width, line);
    } else {
        constexpr int kParts = (static_cast<int>(sizeof(T)) + 3) / 4;
        unsigned parts[kParts] = {};
        __builtin_memcpy(parts, &value, sizeof(T));
        for (int i = 0; i < kParts; ++i) parts[i] = moved<kMove>(line, mask, parts[i], arg, width);
        T result;
        __builtin_memcpy(&result, parts, sizeof(T));
        return result;
    }
}

// Lanes [place, last] of the warp's first `width`, joined in order; valid in the first lane of each part. Where a block
// ends with part of a warp, no lane reads one that does not exist.
template <class T, class Op>
LANEWISE_INTRINSIC T reduced(int line, unsigned mask, T value, Op op, unsigned place, unsigned last, int width) {
    const int lanes = __popc(mask);
    for (unsigned offset = 1; offset < static_cast<unsigned>(lanes); offset *= 2) {
        const int from = static_cast<int>(place + offset);
        const T other = lanes == width ? moved<Move::down>(line, mask, value, static_cast<int>(offset), width)
                                       : moved<Move::from>(line, mask, value, from < lanes ? from : lanes - 1, width);
        if (place + offset <= last) value = op(value, other);
    }
    return value;
}

template <class T, class Op>
LANEWISE_INTRINSIC T scanned(int line, unsigned mask, T value, Op op, unsigned place, int width) {
    for (unsigned offset = 1; offset < static_cast<unsigned>(width); offset *= 2) {
        const T other = moved<Move::up>(line, mask, value, static_cast<int>(offset), width);
        if (place >= offset) value = op(other, value);
    }
    return value;
}

// A logical warp of kThreads lanes. Of a size that is no power of two there is one to a warp.
template <int kThreads>
struct Logical {
    static_assert(kThreads >= 1 && kThreads <= 32, "a logical warp has 1 to 32 threads");
    static constexpr bool kEven = (kThreads & (kThreads - 1)) == 0;
    static constexpr int kWidth = kEven ? kThreads : 32;
    LANEWISE_UNHOOKED static unsigned first() { return kEven ? lane() / kThreads * kThreads : 0; }
    LANEWISE_UNHOOKED static unsigned place() { return lane() - first(); }
    LANEWISE_UNHOOKED static unsigned mask() {
        return (kThreads == 32 ? ~0u : ~(~0u << kThreads % 32) << first()) & warp_mask();
    }
};

}  // namespace lanewise_details

}  // namespace cub
