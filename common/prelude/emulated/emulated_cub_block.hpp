// CUB's BlockReduce and BlockScan.
#pragma once

#include "common/prelude/emulated/emulated_cub_common.hpp"

namespace cub {

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
        const unsigned thread = lanewise_details::thread_rank(), first = thread / 32 * 32,
                       count = static_cast<unsigned>(valid);
        const unsigned last = count <= first ? 0 : count - first - 1;  // of a warp without values, nothing is taken
        const T all = lanewise_details::reduced(line, lanewise_details::warp_mask(), input, op, thread % 32,
                                                last < 31 ? last : 31, 32);
        if (kWarps == 1) return all;
        if (thread % 32 == 0) warps_[thread / 32] = all;
        lanewise_emulated::sync_block(line);
        T result = all;
        if (thread == 0)
            for (unsigned warp = 1; warp < static_cast<unsigned>(kWarps) && warp * 32 < count; ++warp)
                result = op(result, warps_[warp]);
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
    LANEWISE_MEMBER void InclusiveScan(T input, T& output, Op op, LANEWISE_HERE) {
        output = scan(line, input, op).inclusive(op);
    }
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
    LANEWISE_MEMBER void InclusiveSum(T input, T& output, LANEWISE_HERE) {
        InclusiveScan(input, output, cub::Sum(), line);
    }
    LANEWISE_MEMBER void InclusiveSum(T input, T& output, T& aggregate, LANEWISE_HERE) {
        InclusiveScan(input, output, cub::Sum(), aggregate, line);
    }
    template <class Prefix>
        requires(!std::is_same_v<Prefix, T> && !std::is_same_v<Prefix, int>)
    LANEWISE_MEMBER void InclusiveSum(T input, T& output, Prefix& prefix, LANEWISE_HERE) {
        InclusiveScan(input, output, cub::Sum(), prefix, line);
    }
    LANEWISE_MEMBER void ExclusiveSum(T input, T& output, LANEWISE_HERE) {
        ExclusiveScan(input, output, T{}, cub::Sum(), line);
    }
    LANEWISE_MEMBER void ExclusiveSum(T input, T& output, T& aggregate, LANEWISE_HERE) {
        ExclusiveScan(input, output, T{}, cub::Sum(), aggregate, line);
    }
    template <class Prefix>
        requires(!std::is_same_v<Prefix, T> && !std::is_same_v<Prefix, int>)
    LANEWISE_MEMBER void ExclusiveSum(T input, T& output, Prefix& prefix, LANEWISE_HERE) {
        ExclusiveScan(input, output, cub::Sum(), prefix, line);
    }

    // Several values to a thread, one after the other.
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
    LANEWISE_MEMBER void ExclusiveScan(T (&input)[kItems], T (&output)[kItems], T initial, Op op, T& aggregate,
                                       LANEWISE_HERE) {
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

    // The first warp asks for what is in front of the block; lane 0's answer holds for all.
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
    LANEWISE_MEMBER static void write_inclusive(T (&input)[kItems], T (&output)[kItems], Op op, T before,
                                                bool is_first) {
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
