// <cooperative_groups/reduce.h>: reduce() and the operators. See cooperative_groups.cuh.
//
// The order of operations is the toolkit's (12 and 13), so that floats come out bit by bit alike: a tile, or a
// coalesced group of a whole warp, halves its distance in xor shuffles (out = op(out, received), from size / 2 down
// to 1); a smaller coalesced group scans upwards by rank (1, 2, 4, …) and takes the last lane's result. Integers of
// up to four bytes under this file's own operators go to __reduce_*_sync from sm_80 on, on coalesced groups and tiles
// of 16 and 32.
#pragma once

#include "common/prelude/cooperative_groups.cuh"

namespace cooperative_groups {

template <class T>
struct plus {
    LANEWISE_GROUP T operator()(T a, T b) const { return static_cast<T>(a + b); }
};
template <class T>
struct less {  // the smaller
    LANEWISE_GROUP T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {  // the greater
    LANEWISE_GROUP T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
    LANEWISE_GROUP T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
template <class T>
struct bit_or {
    LANEWISE_GROUP T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
template <class T>
struct bit_xor {
    LANEWISE_GROUP T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};

namespace details {

// The type that an operator written for one type takes; void for others.
template <class Op>
struct Operand {
    using type = void;
};
template <template <class> class Op, class T>
struct Operand<Op<T>> {
    using type = T;
};

template <class T, class Op>
LANEWISE_GROUP constexpr void check_operator() {
    using Given = typename Operand<Op>::type;
    static_assert(::std::is_void_v<Given> || ::std::is_same_v<Given, T>,
                  "the operator is made for another type than the value's; write plus<float>() for a float");
}

template <class Group>
struct Lanes {  // coalesced groups
    static constexpr bool reduces = true;
    static constexpr unsigned tile = 0;
};
template <unsigned kSize, class Parent>
struct Lanes<thread_block_tile<kSize, Parent>> {
    static constexpr bool reduces = kSize >= 16;
    static constexpr unsigned tile = kSize;
};

// After each round the lane's partial result is recorded.
template <class T>
LANEWISE_GROUP void joined([[maybe_unused]] int line, [[maybe_unused]] const T& out) {
#if !defined(LANEWISE_EMULATED) || defined(LANEWISE_TRACED_COPY)
    if constexpr (kWhole<T>) ::lanewise_traced::after(line, line, 2, out);
#endif
}

template <class T, class Op>
inline constexpr bool kReduceIntrinsic = false;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <class T>
inline constexpr bool kShortInteger = ::std::is_integral_v<T> && sizeof(T) <= 4;
template <class T> inline constexpr bool kReduceIntrinsic<T, plus<T>> = kShortInteger<T>;
template <class T> inline constexpr bool kReduceIntrinsic<T, less<T>> = kShortInteger<T>;
template <class T> inline constexpr bool kReduceIntrinsic<T, greater<T>> = kShortInteger<T>;
template <class T> inline constexpr bool kReduceIntrinsic<T, bit_and<T>> = kShortInteger<T>;
template <class T> inline constexpr bool kReduceIntrinsic<T, bit_or<T>> = kShortInteger<T>;
template <class T> inline constexpr bool kReduceIntrinsic<T, bit_xor<T>> = kShortInteger<T>;

template <class T, class Op>
LANEWISE_GROUP T reduce_intrinsic(int line, unsigned mask, T value) {
    using Integer = ::std::conditional_t<::std::is_unsigned_v<T>, unsigned, int>;
    const auto integer = static_cast<Integer>(value);
    const auto bits = static_cast<unsigned>(integer);
    if constexpr (::std::is_same_v<Op, plus<T>>)
        return static_cast<T>(LANEWISE_GROUP_INTRINSIC(__reduce_add_sync, reduce_add, mask, integer));
    else if constexpr (::std::is_same_v<Op, less<T>>)
        return static_cast<T>(LANEWISE_GROUP_INTRINSIC(__reduce_min_sync, reduce_min, mask, integer));
    else if constexpr (::std::is_same_v<Op, greater<T>>)
        return static_cast<T>(LANEWISE_GROUP_INTRINSIC(__reduce_max_sync, reduce_max, mask, integer));
    else if constexpr (::std::is_same_v<Op, bit_and<T>>)
        return static_cast<T>(LANEWISE_GROUP_INTRINSIC(__reduce_and_sync, reduce_and, mask, bits));
    else if constexpr (::std::is_same_v<Op, bit_or<T>>)
        return static_cast<T>(LANEWISE_GROUP_INTRINSIC(__reduce_or_sync, reduce_or, mask, bits));
    else
        return static_cast<T>(LANEWISE_GROUP_INTRINSIC(__reduce_xor_sync, reduce_xor, mask, bits));
}
#else
template <class T, class Op>
LANEWISE_GROUP T reduce_intrinsic(int, unsigned, T value) {
    return value;
}
#endif

template <class T, class Op>
LANEWISE_GROUP T halve(int line, unsigned mask, T out, Op& op, int size) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
        out = op(out, details::shfl_xor(line, mask, out, distance, size));
        details::joined(line, out);
    }
    return out;
}

// Inclusive, by rank among the lanes of `mask`. Lanes too low for a round take part in its shuffle and keep their own.
template <class T, class Op>
LANEWISE_GROUP T scan_lanes(int line, unsigned mask, T out, Op& op) {
    const unsigned size = count(mask), rank = count(mask & lanes_below());
    for (unsigned distance = 1; distance < size; distance *= 2) {
        const unsigned source = distance <= rank ? lane_of_rank(mask, rank - distance) : lane();
        const T lower = shfl_idx(line, mask, out, static_cast<int>(source), 32);
        if (distance <= rank) {
            out = op(out, lower);
            details::joined(line, out);
        }
    }
    return out;
}

}  // namespace details

// What `op` makes of the values of all threads of the group, on each of them.
template <class Group, class T, class Op>
LANEWISE_GROUP T reduce(const Group& group, T value, Op&& op, LANEWISE_GROUP_LINE) {
    using Operator = ::std::decay_t<Op>;
    details::check_operator<T, Operator>();
    static_assert(::std::is_same_v<::std::decay_t<decltype(op(value, value))>, T>,
                  "the operator given to reduce must return the type of the value");
    static_assert(::std::is_same_v<Group, coalesced_group> || details::Lanes<Group>::tile != 0,
                  "reduce works on a thread_block_tile or a coalesced_group, not on a whole block");
    using Lanes = details::Lanes<Group>;
    const unsigned mask = details::Access::mask(group);
    if constexpr (Lanes::tile > 32) {
        return group.joined(line, details::halve(line, mask, value, op, 32), op);
    } else if constexpr (details::kReduceIntrinsic<T, Operator> && Lanes::reduces) {
        return details::reduce_intrinsic<T, Operator>(line, mask, value);
    } else if constexpr (Lanes::tile != 0) {
        return details::halve(line, mask, value, op, static_cast<int>(Lanes::tile));
    } else {
        if (mask == ~0u) return details::halve(line, mask, value, op, 32);
        const T scanned = details::scan_lanes(line, mask, value, op);
        return details::shfl_idx(line, mask, scanned, 31 - __clz(static_cast<int>(mask)), 32);
    }
}

// One thread of the group stores the result.
template <class Group, class T, class Op>
LANEWISE_GROUP void reduce_store_async(const Group& group, T* out, T value, Op&& op, LANEWISE_GROUP_LINE) {
    const T result = reduce(group, value, op, line);
    if (group.thread_rank() == 0) *out = result;
}

}  // namespace cooperative_groups
