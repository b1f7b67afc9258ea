// CUB's WarpReduce and WarpScan.
#pragma once

#include "common/prelude/emulated/emulated_cub_common.hpp"

namespace cub {

// Results of the reductions are those of lane 0 of each logical warp (of a segment: of its first lane).
template <class T, int kThreads = 32, int = 0>
class WarpReduce {
    using Warp = lanewise_details::Logical<kThreads>;

public:
    struct TempStorage {};
    LANEWISE_MEMBER explicit WarpReduce(TempStorage&) {}

    template <class Op>
    LANEWISE_MEMBER T Reduce(T input, Op op, LANEWISE_HERE) { return reduce(line, input, op, kThreads); }
    template <class Op>
    LANEWISE_MEMBER T Reduce(T input, Op op, int valid, LANEWISE_HERE) { return reduce(line, input, op, valid); }
    LANEWISE_MEMBER T Sum(T input, LANEWISE_HERE) { return reduce(line, input, cub::Sum(), kThreads); }
    LANEWISE_MEMBER T Max(T input, LANEWISE_HERE) { return reduce(line, input, cub::Max(), kThreads); }
    LANEWISE_MEMBER T Min(T input, LANEWISE_HERE) { return reduce(line, input, cub::Min(), kThreads); }
    template <int = 0>
    LANEWISE_MEMBER T Sum(T input, int valid, LANEWISE_HERE) { return reduce(line, input, cub::Sum(), valid); }

    template <class Flag, class Op>
    LANEWISE_MEMBER T HeadSegmentedReduce(T input, Flag head, Op op, LANEWISE_HERE) {
        const unsigned heads = flags(line, static_cast<bool>(head)) & ~1u;
        return segmented(line, input, op, heads >> 1);  // a segment ends in front of a head
    }
    template <class Flag>
    LANEWISE_MEMBER T HeadSegmentedSum(T input, Flag head, LANEWISE_HERE) {
        return HeadSegmentedReduce(input, head, cub::Sum(), line);
    }
    template <class Flag, class Op>
    LANEWISE_MEMBER T TailSegmentedReduce(T input, Flag tail, Op op, LANEWISE_HERE) {
        return segmented(line, input, op, flags(line, static_cast<bool>(tail)));
    }
    template <class Flag>
    LANEWISE_MEMBER T TailSegmentedSum(T input, Flag tail, LANEWISE_HERE) {
        return TailSegmentedReduce(input, tail, cub::Sum(), line);
    }

private:
    template <class Op>
    LANEWISE_UNHOOKED static T reduce(int line, T input, Op op, int valid) {
        const unsigned lanes = static_cast<unsigned>(__popc(Warp::mask()));
        const unsigned count = static_cast<unsigned>(valid) < lanes ? static_cast<unsigned>(valid) : lanes;
        return lanewise_details::reduced(line, Warp::mask(), input, op, Warp::place(), count - 1, Warp::kWidth);
    }
    // Bit k: that of the logical warp's lane k.
    LANEWISE_UNHOOKED static unsigned flags(int line, bool flag) {
        return (__ballot_sync(Warp::mask(), flag, line) & Warp::mask()) >> Warp::first();
    }
    template <class Op>
    LANEWISE_UNHOOKED static T segmented(int line, T input, Op op, unsigned tails) {
        tails |= 1u << (__popc(Warp::mask()) - 1);
        const unsigned last = static_cast<unsigned>(__ffs(static_cast<int>(tails & (~0u << Warp::place())))) - 1;
        return lanewise_details::reduced(line, Warp::mask(), input, op, Warp::place(), last, Warp::kWidth);
    }
};

template <class T, int kThreads = 32, int = 0>
class WarpScan {
    using Warp = lanewise_details::Logical<kThreads>;

public:
    struct TempStorage {};
    LANEWISE_MEMBER explicit WarpScan(TempStorage&) {}

    template <class Op>
    LANEWISE_MEMBER void InclusiveScan(T input, T& output, Op op, LANEWISE_HERE) { output = scan(line, input, op); }
    template <class Op>
    LANEWISE_MEMBER void InclusiveScan(T input, T& output, Op op, T& aggregate, LANEWISE_HERE) {
        output = scan(line, input, op);
        aggregate = last(line, output);
    }
    LANEWISE_MEMBER void InclusiveSum(T input, T& output, LANEWISE_HERE) {
        InclusiveScan(input, output, cub::Sum(), line);
    }
    LANEWISE_MEMBER void InclusiveSum(T input, T& output, T& aggregate, LANEWISE_HERE) {
        InclusiveScan(input, output, cub::Sum(), aggregate, line);
    }
    // The first lane's result is not defined without an initial value.
    template <class Op>
    LANEWISE_MEMBER void ExclusiveScan(T input, T& output, Op op, LANEWISE_HERE) {
        const T before = shifted(line, scan(line, input, op));
        if (Warp::place() > 0) output = before;
    }
    template <class Op>
    LANEWISE_MEMBER void ExclusiveScan(T input, T& output, T initial, Op op, LANEWISE_HERE) {
        const T before = shifted(line, scan(line, input, op));
        output = Warp::place() > 0 ? op(initial, before) : initial;
    }
    template <class Op>
    LANEWISE_MEMBER void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate, LANEWISE_HERE) {
        const T inclusive = scan(line, input, op), before = shifted(line, inclusive);
        output = Warp::place() > 0 ? op(initial, before) : initial;
        aggregate = last(line, inclusive);
    }
    LANEWISE_MEMBER void ExclusiveSum(T input, T& output, LANEWISE_HERE) {
        ExclusiveScan(input, output, T{}, cub::Sum(), line);
    }
    LANEWISE_MEMBER void ExclusiveSum(T input, T& output, T& aggregate, LANEWISE_HERE) {
        ExclusiveScan(input, output, T{}, cub::Sum(), aggregate, line);
    }
    template <class Op>
    LANEWISE_MEMBER void Scan(T input, T& inclusive, T& exclusive, T initial, Op op, LANEWISE_HERE) {
        const T all = scan(line, input, op), before = shifted(line, all);
        inclusive = op(initial, all);
        exclusive = Warp::place() > 0 ? op(initial, before) : initial;
    }
    template <class Op>
    LANEWISE_MEMBER void Scan(T input, T& inclusive, T& exclusive, Op op, LANEWISE_HERE) {
        inclusive = scan(line, input, op);
        const T before = shifted(line, inclusive);
        if (Warp::place() > 0) exclusive = before;
    }
    LANEWISE_MEMBER void Sum(T input, T& inclusive, T& exclusive, LANEWISE_HERE) {
        Scan(input, inclusive, exclusive, T{}, cub::Sum(), line);
    }
    LANEWISE_MEMBER T Broadcast(T input, unsigned lane, LANEWISE_HERE) {
        return lanewise_details::moved<lanewise_details::Move::from>(line, Warp::mask(), input, static_cast<int>(lane),
                                                                     Warp::kWidth);
    }

private:
    template <class Op>
    LANEWISE_UNHOOKED static T scan(int line, T input, Op op) {
        return lanewise_details::scanned(line, Warp::mask(), input, op, Warp::place(), Warp::kWidth);
    }
    LANEWISE_UNHOOKED static T shifted(int line, T value) {
        return lanewise_details::moved<lanewise_details::Move::up>(line, Warp::mask(), value, 1, Warp::kWidth);
    }
    LANEWISE_UNHOOKED static T last(int line, T value) {
        return lanewise_details::moved<lanewise_details::Move::from>(line, Warp::mask(), value,
                                                                     __popc(Warp::mask()) - 1, Warp::kWidth);
    }
};

}  // namespace cub
