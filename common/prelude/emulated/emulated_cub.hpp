// CUB's warp and block collectives, written on CUDA's intrinsics from CUB's documentation: WarpReduce, WarpScan,
// BlockReduce, BlockScan and the operators. Stands in for CUB's headers in emulated builds. Each shuffle and barrier
// has the line of the call. A collective's storage is shared memory of the kernel's: using it again without a barrier
// is found, as it would fail on a GPU. The order of additions is ours, so sums of floats may differ in the last bits.
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

// A shuffle of any type: in words of four bytes where it is none of CUDA's numbers.
enum class Move { up, down, from };
template <Move kMove, class T>
LANEWISE_INTRINSIC T moved(int line, unsigned mask, const T& value, int arg, int width) {
    if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4) {
        if constexpr (kMove == Move::up) return __shfl_up_sync(mask, value, arg, width, line);
        else if constexpr (kMove == Move::down) return __shfl_down_sync(mask, value, arg, width, line);
        else return __shfl_sync(mask, value, arg, width, line);
    } else {
        constexpr int kWords = (static_cast<int>(sizeof(T)) + 3) / 4;
        unsigned words[kWords] = {};
        __builtin_memcpy(words, &value, sizeof(T));
        for (int i = 0; i < kWords; ++i) words[i] = moved<kMove>(line, mask, words[i], arg, width);
        T result;
        __builtin_memcpy(&result, words, sizeof(T));
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
    LANEWISE_UNHOOKED static unsigned mask() { return (kThreads == 32 ? ~0u : ~(~0u << kThreads % 32) << first()) & warp_mask(); }
};

}  // namespace lanewise_details

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
    LANEWISE_MEMBER void InclusiveSum(T input, T& output, LANEWISE_HERE) { InclusiveScan(input, output, cub::Sum(), line); }
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
    LANEWISE_MEMBER void ExclusiveSum(T input, T& output, LANEWISE_HERE) { ExclusiveScan(input, output, T{}, cub::Sum(), line); }
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
        return lanewise_details::moved<lanewise_details::Move::from>(line, Warp::mask(), input, static_cast<int>(lane), Warp::kWidth);
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
        return lanewise_details::moved<lanewise_details::Move::from>(line, Warp::mask(), value, __popc(Warp::mask()) - 1, Warp::kWidth);
    }
};

// The result is thread 0's.
template <class T, int kX, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int kY = 1, int kZ = 1, int = 0>
class BlockReduce {
    static constexpr int kWarps = (kX * kY * kZ + 31) / 32;

public:
    struct TempStorage {
        alignas(T) unsigned char warps[kWarps * sizeof(T)];
    };
    LANEWISE_MEMBER explicit BlockReduce(TempStorage& storage) : warps_(reinterpret_cast<T*>(storage.warps)) {}

    template <class Op>
    LANEWISE_MEMBER T Reduce(T input, Op op, LANEWISE_HERE) { return reduce(line, input, op, kX * kY * kZ); }
    template <class Op>
    LANEWISE_MEMBER T Reduce(T input, Op op, int valid, LANEWISE_HERE) { return reduce(line, input, op, valid); }
    template <int kItems, class Op>
    LANEWISE_MEMBER T Reduce(T (&items)[kItems], Op op, LANEWISE_HERE) {
        T all = items[0];
        for (int i = 1; i < kItems; ++i) all = op(all, items[i]);
        return reduce(line, all, op, kX * kY * kZ);
    }
    LANEWISE_MEMBER T Sum(T input, LANEWISE_HERE) { return reduce(line, input, cub::Sum(), kX * kY * kZ); }
    template <int = 0>
    LANEWISE_MEMBER T Sum(T input, int valid, LANEWISE_HERE) { return reduce(line, input, cub::Sum(), valid); }
    template <int kItems>
    LANEWISE_MEMBER T Sum(T (&items)[kItems], LANEWISE_HERE) { return Reduce(items, cub::Sum(), line); }

private:
    template <class Op>
    LANEWISE_MEMBER T reduce(int line, T input, Op op, int valid) {
        const unsigned thread = lanewise_details::thread_rank(), first = thread / 32 * 32, count = static_cast<unsigned>(valid);
        const unsigned last = count <= first ? 0 : count - first - 1;  // of a warp without values, nothing is taken
        const T all = lanewise_details::reduced(line, lanewise_details::warp_mask(), input, op, thread % 32, last < 31 ? last : 31, 32);
        if (kWarps == 1) return all;
        if (thread % 32 == 0) warps_[thread / 32] = all;
        lanewise_emulated::sync_block(line);
        T result = all;
        if (thread == 0)
            for (unsigned warp = 1; warp < static_cast<unsigned>(kWarps) && warp * 32 < count; ++warp) result = op(result, warps_[warp]);
        return result;
    }

    T* warps_;
};

template <class T, int kX, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int kY = 1, int kZ = 1, int = 0>
class BlockScan {
    static constexpr int kWarps = (kX * kY * kZ + 31) / 32;

public:
    struct TempStorage {
        alignas(T) unsigned char warps[(kWarps + 1) * sizeof(T)];
    };
    LANEWISE_MEMBER explicit BlockScan(TempStorage& storage) : warps_(reinterpret_cast<T*>(storage.warps)) {}

    // One value to a thread. Without an initial value the first thread's exclusive result is not defined.
    template <class Op>
    LANEWISE_MEMBER void InclusiveScan(T input, T& output, Op op, LANEWISE_HERE) { output = scan(line, input, op).inclusive(op); }
    template <class Op>
    LANEWISE_MEMBER void InclusiveScan(T input, T& output, Op op, T& aggregate, LANEWISE_HERE) {
        const Part part = scan(line, input, op);
        output = part.inclusive(op), aggregate = part.all;
    }
    template <class Op, class Prefix>
        requires(!std::is_same_v<Prefix, T> && !std::is_same_v<Prefix, int>)
    LANEWISE_MEMBER void InclusiveScan(T input, T& output, Op op, Prefix& prefix, LANEWISE_HERE) {
        const Part part = scan(line, input, op);
        output = op(from_first(line, prefix, part.all), part.inclusive(op));
    }
    template <class Op>
    LANEWISE_MEMBER void ExclusiveScan(T input, T& output, Op op, LANEWISE_HERE) {
        const Part part = scan(line, input, op);
        if (!part.is_first) output = part.before;
    }
    template <class Op>
    LANEWISE_MEMBER void ExclusiveScan(T input, T& output, T initial, Op op, LANEWISE_HERE) {
        output = scan(line, input, op).exclusive(initial, op);
    }
    template <class Op>
    LANEWISE_MEMBER void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate, LANEWISE_HERE) {
        const Part part = scan(line, input, op);
        output = part.exclusive(initial, op), aggregate = part.all;
    }
    template <class Op, class Prefix>
        requires(!std::is_same_v<Prefix, T> && !std::is_same_v<Prefix, int>)
    LANEWISE_MEMBER void ExclusiveScan(T input, T& output, Op op, Prefix& prefix, LANEWISE_HERE) {
        const Part part = scan(line, input, op);
        output = part.exclusive(from_first(line, prefix, part.all), op);
    }
    LANEWISE_MEMBER void InclusiveSum(T input, T& output, LANEWISE_HERE) { InclusiveScan(input, output, cub::Sum(), line); }
    LANEWISE_MEMBER void InclusiveSum(T input, T& output, T& aggregate, LANEWISE_HERE) {
        InclusiveScan(input, output, cub::Sum(), aggregate, line);
    }
    template <class Prefix>
        requires(!std::is_same_v<Prefix, T> && !std::is_same_v<Prefix, int>)
    LANEWISE_MEMBER void InclusiveSum(T input, T& output, Prefix& prefix, LANEWISE_HERE) {
        InclusiveScan(input, output, cub::Sum(), prefix, line);
    }
    LANEWISE_MEMBER void ExclusiveSum(T input, T& output, LANEWISE_HERE) { ExclusiveScan(input, output, T{}, cub::Sum(), line); }
    LANEWISE_MEMBER void ExclusiveSum(T input, T& output, T& aggregate, LANEWISE_HERE) {
        ExclusiveScan(input, output, T{}, cub::Sum(), aggregate, line);
    }
    template <class Prefix>
        requires(!std::is_same_v<Prefix, T> && !std::is_same_v<Prefix, int>)
    LANEWISE_MEMBER void ExclusiveSum(T input, T& output, Prefix& prefix, LANEWISE_HERE) {
        ExclusiveScan(input, output, cub::Sum(), prefix, line);
    }

    // Several values to a thread, one behind the other.
    template <int kItems, class Op>
    LANEWISE_MEMBER void InclusiveScan(T (&input)[kItems], T (&output)[kItems], Op op, LANEWISE_HERE) {
        const Part part = scan(line, joined(input, op), op);
        write_inclusive(input, output, op, part.before, part.is_first);
    }
    template <int kItems, class Op>
    LANEWISE_MEMBER void InclusiveScan(T (&input)[kItems], T (&output)[kItems], Op op, T& aggregate, LANEWISE_HERE) {
        const Part part = scan(line, joined(input, op), op);
        write_inclusive(input, output, op, part.before, part.is_first);
        aggregate = part.all;
    }
    template <int kItems, class Op>
    LANEWISE_MEMBER void ExclusiveScan(T (&input)[kItems], T (&output)[kItems], T initial, Op op, LANEWISE_HERE) {
        write_exclusive(input, output, op, scan(line, joined(input, op), op).exclusive(initial, op));
    }
    template <int kItems, class Op>
    LANEWISE_MEMBER void ExclusiveScan(T (&input)[kItems], T (&output)[kItems], T initial, Op op, T& aggregate, LANEWISE_HERE) {
        const Part part = scan(line, joined(input, op), op);
        write_exclusive(input, output, op, part.exclusive(initial, op));
        aggregate = part.all;
    }
    template <int kItems, class Op, class Prefix>
        requires(!std::is_same_v<Prefix, T> && !std::is_same_v<Prefix, int>)
    LANEWISE_MEMBER void ExclusiveScan(T (&input)[kItems], T (&output)[kItems], Op op, Prefix& prefix, LANEWISE_HERE) {
        const Part part = scan(line, joined(input, op), op);
        write_exclusive(input, output, op, part.exclusive(from_first(line, prefix, part.all), op));
    }
    template <int kItems>
    LANEWISE_MEMBER void InclusiveSum(T (&input)[kItems], T (&output)[kItems], LANEWISE_HERE) {
        InclusiveScan(input, output, cub::Sum(), line);
    }
    template <int kItems>
    LANEWISE_MEMBER void InclusiveSum(T (&input)[kItems], T (&output)[kItems], T& aggregate, LANEWISE_HERE) {
        InclusiveScan(input, output, cub::Sum(), aggregate, line);
    }
    template <int kItems>
    LANEWISE_MEMBER void ExclusiveSum(T (&input)[kItems], T (&output)[kItems], LANEWISE_HERE) {
        ExclusiveScan(input, output, T{}, cub::Sum(), line);
    }
    template <int kItems>
    LANEWISE_MEMBER void ExclusiveSum(T (&input)[kItems], T (&output)[kItems], T& aggregate, LANEWISE_HERE) {
        ExclusiveScan(input, output, T{}, cub::Sum(), aggregate, line);
    }
    template <int kItems, class Prefix>
        requires(!std::is_same_v<Prefix, T> && !std::is_same_v<Prefix, int>)
    LANEWISE_MEMBER void ExclusiveSum(T (&input)[kItems], T (&output)[kItems], Prefix& prefix, LANEWISE_HERE) {
        ExclusiveScan(input, output, cub::Sum(), prefix, line);
    }

private:
    // What one thread knows: what is joined in front of its value (not the first thread's), its value, and all.
    struct Part {
        T before, own, all;
        bool is_first;
        template <class Op>
        LANEWISE_MEMBER T inclusive(Op op) const { return is_first ? own : op(before, own); }
        template <class Op>
        LANEWISE_MEMBER T exclusive(T initial, Op op) const { return is_first ? initial : op(initial, before); }
    };

    template <class Op>
    LANEWISE_MEMBER Part scan(int line, T input, Op op) {
        using lanewise_details::Move;
        const unsigned thread = lanewise_details::thread_rank(), lane = thread % 32, warp = thread / 32;
        const unsigned mask = lanewise_details::warp_mask();
        const T inclusive = lanewise_details::scanned(line, mask, input, op, lane, 32);
        Part part = {lanewise_details::moved<Move::up>(line, mask, inclusive, 1, 32), input, inclusive, thread == 0};
        if (kWarps == 1) {
            part.all = lanewise_details::moved<Move::from>(line, mask, inclusive, __popc(mask) - 1, 32);
            return part;
        }
        if (lane == static_cast<unsigned>(__popc(mask)) - 1) warps_[warp] = inclusive;
        lanewise_emulated::sync_block(line);
        T all = warps_[0];
        for (unsigned i = 1; i < static_cast<unsigned>(kWarps); ++i) {
            if (i == warp) part.before = lane == 0 ? all : op(all, part.before);
            all = op(all, warps_[i]);
        }
        part.all = all;
        return part;
    }

    // The first warp asks for what stands in front of the block; lane 0's answer holds for all.
    template <class Prefix>
    LANEWISE_MEMBER T from_first(int line, Prefix& prefix, T all) {
        if (lanewise_details::thread_rank() < 32) {
            const T answer = prefix(all);
            if (lanewise_details::thread_rank() == 0) warps_[kWarps] = answer;
        }
        lanewise_emulated::sync_block(line);
        return warps_[kWarps];
    }

    template <int kItems, class Op>
    LANEWISE_MEMBER static T joined(T (&items)[kItems], Op op) {
        T all = items[0];
        for (int i = 1; i < kItems; ++i) all = op(all, items[i]);
        return all;
    }
    template <int kItems, class Op>
    LANEWISE_MEMBER static void write_inclusive(T (&input)[kItems], T (&output)[kItems], Op op, T before, bool is_first) {
        T sum = is_first ? input[0] : op(before, input[0]);
        for (int i = 0; i < kItems; ++i) {
            if (i > 0) sum = op(sum, input[i]);
            output[i] = sum;
        }
    }
    template <int kItems, class Op>
    LANEWISE_MEMBER static void write_exclusive(T (&input)[kItems], T (&output)[kItems], Op op, T before) {
        for (int i = 0; i < kItems; ++i) {
            const T value = input[i];
            output[i] = before;
            before = op(before, value);
        }
    }

    T* warps_;
};

}  // namespace cub
#undef LANEWISE_HERE
