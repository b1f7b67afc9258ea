// <cooperative_groups/scan.h>: inclusive_scan() and exclusive_scan(), in the toolkit's order of operations. See
// cooperative_groups_reduce.cuh.
#pragma once

#include "common/prelude/cooperative_groups_reduce.cuh"

namespace cooperative_groups {
namespace details {

template <class Group, class T, class Op>
LANEWISE_GROUP T scan_tile(int line, const Group& group, T out, Op& op) {
    for (unsigned distance = 1; distance < group.size(); distance *= 2) {
        const T lower = group.shfl_up(out, distance, line);
        if (distance <= group.thread_rank()) {
            out = op(out, lower);
            details::joined(line, out);
        }
    }
    return out;
}

}  // namespace details

// Of each thread: what `op` makes of the values up to its own rank.
template <class Group, class T, class Op>
LANEWISE_GROUP T inclusive_scan(const Group& group, T value, Op&& op, LANEWISE_GROUP_LINE) {
    details::check_operator<T, ::std::decay_t<Op>>();
    const unsigned mask = details::Access::mask(group);
    if (details::Lanes<Group>::tile == 0 && mask != ~0u) return details::scan_lanes(line, mask, value, op);
    return details::scan_tile(line, group, value, op);
}
template <class Group, class T>
LANEWISE_GROUP T inclusive_scan(const Group& group, T value, LANEWISE_GROUP_LINE) {
    return inclusive_scan(group, value, plus<T>(), line);
}

// Of each thread: what `op` makes of the values below its own rank; T() on the first.
template <class Group, class T, class Op>
LANEWISE_GROUP T exclusive_scan(const Group& group, T value, Op&& op, LANEWISE_GROUP_LINE) {
    const T inclusive = inclusive_scan(group, value, op, line);
    if constexpr (::std::is_integral_v<T> && ::std::is_same_v<::std::decay_t<Op>, plus<T>>) {
        return static_cast<T>(inclusive - value);
    } else {
        const T lower = group.shfl_up(inclusive, 1, line);
        return group.thread_rank() == 0 ? T() : lower;
    }
}
template <class Group, class T>
LANEWISE_GROUP T exclusive_scan(const Group& group, T value, LANEWISE_GROUP_LINE) {
    return exclusive_scan(group, value, plus<T>(), line);
}

}  // namespace cooperative_groups
