// CUDA's cooperative groups, written on CUDA's own warp intrinsics: one text for the emulated copies and for the
// traced GPU copy. The derived copy of a kernel file includes it where the file says #include <cooperative_groups.h>,
// inside the kernel's own namespace, so that a kernel finds this before the toolkit's. The plain GPU build keeps the
// real one.
//
// Every lane gets the value the toolkit's header gives it, and every record the line of the caller: members take it
// as a default argument. Here: thread_block, thread_group, tiles, coalesced groups, partitions; on the emulator alone
// also tiles of several warps (cooperative_groups_wide.cuh). What needs blocks that run together (grid.sync(),
// clusters) or copies that run beside the kernel is a compile error that says so. Source: CUDA C++ Programming Guide,
// "Cooperative Groups".
#pragma once

#ifndef LANEWISE_EMULATED
#define LANEWISE_GROUP __device__ __forceinline__
#define LANEWISE_GROUP_SYNC LANEWISE_GROUP
#define LANEWISE_GROUP_INTRINSIC(intrinsic, traced, ...) ::lanewise_traced::traced(line __VA_OPT__(, ) __VA_ARGS__)
#else
#define LANEWISE_GROUP LANEWISE_UNHOOKED __attribute__((unused)) inline
// Barriers are part of the kernel's own code: each call of them is known by its place.
#define LANEWISE_GROUP_SYNC __attribute__((unused, always_inline)) inline
#define LANEWISE_GROUP_INTRINSIC(intrinsic, traced, ...) intrinsic(__VA_ARGS__ __VA_OPT__(, ) line)
#endif
#define LANEWISE_GROUP_LINE int line = __builtin_LINE()

#include "common/prelude/cooperative_groups_intrinsics.cuh"

namespace cooperative_groups {

class thread_block;
class coalesced_group;
template <unsigned kSize, class Parent = void>
class thread_block_tile;

// Any group that fits into a block: a whole block, or the lanes of one warp that a mask names.
class thread_group {
public:
    LANEWISE_GROUP unsigned long long num_threads() const { return whole_ ? details::block_threads() : size_; }
    LANEWISE_GROUP unsigned long long size() const { return num_threads(); }
    LANEWISE_GROUP unsigned long long thread_rank() const {
        return whole_ ? details::block_rank() : details::count(mask_ & details::lanes_below());
    }
    LANEWISE_GROUP_SYNC void sync(LANEWISE_GROUP_LINE) const {
        if (whole_) LANEWISE_GROUP_INTRINSIC(__syncthreads, sync_block);
        else LANEWISE_GROUP_INTRINSIC(__syncwarp, sync_warp, mask_);
    }

protected:
    friend struct details::Access;
    thread_group() = default;

    bool whole_ = false;   // the block
    bool tiled_ = false;   // lanes side by side, from a multiple of the size on
    unsigned mask_ = 0;
    unsigned size_ = 0;
    unsigned meta_rank_ = 0;
    unsigned meta_size_ = 1;
};

// The whole block.
class thread_block : public thread_group {
public:
    struct arrival_token {};

    LANEWISE_GROUP_SYNC static void sync(LANEWISE_GROUP_LINE) { LANEWISE_GROUP_INTRINSIC(__syncthreads, sync_block); }
    LANEWISE_GROUP arrival_token barrier_arrive() const { return {}; }
    LANEWISE_GROUP_SYNC void barrier_wait(arrival_token&&, LANEWISE_GROUP_LINE) const { sync(line); }

    LANEWISE_GROUP static unsigned num_threads() { return details::block_threads(); }
    LANEWISE_GROUP static unsigned size() { return num_threads(); }
    LANEWISE_GROUP static unsigned thread_rank() { return details::block_rank(); }
    LANEWISE_GROUP static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    LANEWISE_GROUP static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    LANEWISE_GROUP static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    LANEWISE_GROUP static dim3 group_dim() { return dim_threads(); }

#ifdef LANEWISE_EMULATED
    details::TileMemory* tile_memory() const { return memory_; }
#endif

private:
    friend struct details::Access;
    LANEWISE_GROUP thread_block() { whole_ = true; }
#ifdef LANEWISE_EMULATED
    details::TileMemory* memory_ = nullptr;  // for tiles of several warps
#endif
};

// The lanes of one warp that a mask names; ranks count the lanes named, from the lowest.
class coalesced_group : public thread_group {
public:
    LANEWISE_GROUP unsigned num_threads() const { return size_; }
    LANEWISE_GROUP unsigned size() const { return size_; }
    LANEWISE_GROUP unsigned thread_rank() const { return details::count(mask_ & details::lanes_below()); }
    LANEWISE_GROUP unsigned meta_group_rank() const { return meta_rank_; }
    LANEWISE_GROUP unsigned meta_group_size() const { return meta_size_; }
    LANEWISE_GROUP void sync(LANEWISE_GROUP_LINE) const { LANEWISE_GROUP_INTRINSIC(__syncwarp, sync_warp, mask_); }

    // Past the group's ends a lane keeps its own value.
    template <class T>
    LANEWISE_GROUP T shfl(T value, int rank, LANEWISE_GROUP_LINE) const {
        const int lane = full() ? rank : static_cast<int>(details::lane_of_rank(mask_, static_cast<unsigned>(rank)));
        return details::shfl_idx(line, mask_, value, lane, 32);
    }
    template <class T>
    LANEWISE_GROUP T shfl_down(T value, unsigned delta, LANEWISE_GROUP_LINE) const {
        if (full()) return details::shfl_down(line, mask_, value, static_cast<int>(delta), 32);
        const unsigned rank = thread_rank();
        return from_rank(line, value, delta < size_ - rank ? rank + delta : rank);
    }
    template <class T>
    LANEWISE_GROUP T shfl_up(T value, unsigned delta, LANEWISE_GROUP_LINE) const {
        if (full()) return details::shfl_up(line, mask_, value, static_cast<int>(delta), 32);
        const unsigned rank = thread_rank();
        return from_rank(line, value, delta <= rank ? rank - delta : rank);
    }

    LANEWISE_GROUP int any(int predicate, LANEWISE_GROUP_LINE) const {
        return LANEWISE_GROUP_INTRINSIC(__ballot_sync, vote_ballot, mask_, predicate) != 0;
    }
    LANEWISE_GROUP int all(int predicate, LANEWISE_GROUP_LINE) const {
        return LANEWISE_GROUP_INTRINSIC(__ballot_sync, vote_ballot, mask_, predicate) == mask_;
    }
    // Bit r of the answer stands for the thread of rank r.
    LANEWISE_GROUP unsigned ballot(int predicate, LANEWISE_GROUP_LINE) const {
        return details::pack(mask_, LANEWISE_GROUP_INTRINSIC(__ballot_sync, vote_ballot, mask_, predicate));
    }
    template <class T>
    LANEWISE_GROUP unsigned match_any(T value, LANEWISE_GROUP_LINE) const {
        return details::pack(mask_, LANEWISE_GROUP_INTRINSIC(__match_any_sync, vote_match_any, mask_, value));
    }
    template <class T>
    LANEWISE_GROUP unsigned match_all(T value, int& same, LANEWISE_GROUP_LINE) const {
        return details::pack(mask_, LANEWISE_GROUP_INTRINSIC(__match_all_sync, vote_match_all, mask_, value, &same));
    }

private:
    friend struct details::Access;
    coalesced_group() = default;
    LANEWISE_GROUP bool full() const { return size_ == 32; }
    template <class T>
    LANEWISE_GROUP T from_rank(int line, T value, unsigned rank) const {
        return details::shfl_idx(line, mask_, value, static_cast<int>(details::lane_of_rank(mask_, rank)), 32);
    }
};

namespace details {

// How functions outside the classes make groups and read their masks.
struct Access {
    LANEWISE_GROUP static thread_block block() { return {}; }
#ifdef LANEWISE_EMULATED
    LANEWISE_GROUP static thread_block block(TileMemory& memory) {
        thread_block block;
        block.memory_ = &memory;
        return block;
    }
#endif
    LANEWISE_GROUP static coalesced_group lanes(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1,
                                                bool tiled = false) {
        coalesced_group group;
        fill(group, mask, meta_rank, meta_size, tiled);
        return group;
    }
    LANEWISE_GROUP static void fill(thread_group& group, unsigned mask, unsigned meta_rank, unsigned meta_size,
                                    bool tiled) {
        group.mask_ = mask;
        group.size_ = count(mask);
        group.meta_rank_ = meta_rank;
        group.meta_size_ = meta_size;
        group.tiled_ = tiled;
    }
    LANEWISE_GROUP static unsigned mask(const coalesced_group& group) { return group.mask_; }
    template <unsigned kSize, class Parent>
    LANEWISE_GROUP static unsigned mask(const thread_block_tile<kSize, Parent>&) {
        if constexpr (kSize > 32) return ~0u;  // of the warp
        else return Tile<kSize>::mask();
    }
    LANEWISE_GROUP static bool whole(const thread_group& group) { return group.whole_; }

    // The part of `group` that the calling thread falls into when it is cut into pieces of `size` threads.
    LANEWISE_GROUP static coalesced_group cut(const thread_group& group, unsigned size) {
        if (size == 0 || size > 32 || (size & (size - 1)) != 0) __trap();  // as the toolkit's header does
        if (!group.whole_ && group.size_ <= size)
            return lanes(group.mask_, group.meta_rank_, group.meta_size_, group.tiled_);
        const auto rank = static_cast<unsigned>(group.thread_rank());
        const auto all = static_cast<unsigned>(group.size());
        const unsigned first = rank & ~(size - 1);
        const unsigned pieces = (all + size - 1) / size;
        if (!group.whole_ && !group.tiled_) {
            unsigned mask = 0;
            for (unsigned r = first; r < all && r < first + size; ++r) mask |= 1u << lane_of_rank(group.mask_, r);
            return lanes(mask, rank / size, pieces);
        }
        const unsigned length = all - first < size ? all - first : size;
        return lanes((~0u >> (32 - length)) << (lane() & ~(size - 1)), rank / size, pieces, true);
    }
};

}  // namespace details

// One of the equal pieces, of a power of two up to 32 threads, that a block or a larger tile is cut into.
template <unsigned kSize, class Parent>
class thread_block_tile : public details::Tile<kSize> {
public:
    LANEWISE_GROUP static unsigned meta_group_rank() { return Parent::thread_rank() / kSize; }
    LANEWISE_GROUP static unsigned meta_group_size() { return (Parent::size() + kSize - 1) / kSize; }
    LANEWISE_GROUP operator thread_group() const { return thread_block_tile<kSize, void>(*this); }

private:
    template <unsigned kPiece, class Whole>
    friend LANEWISE_GROUP thread_block_tile<kPiece, Whole> tiled_partition(const Whole&);
    thread_block_tile() = default;
};

// A tile whose parent's type is forgotten.
template <unsigned kSize>
    requires(kSize <= 32)
class thread_block_tile<kSize, void> : public details::Tile<kSize>, public thread_group {
public:
    template <class Parent>
    LANEWISE_GROUP thread_block_tile(const thread_block_tile<kSize, Parent>& tile) {
        details::Access::fill(*this, details::Tile<kSize>::mask(), tile.meta_group_rank(), tile.meta_group_size(),
                              true);
    }
    using details::Tile<kSize>::num_threads;
    using details::Tile<kSize>::size;
    using details::Tile<kSize>::sync;
    using details::Tile<kSize>::thread_rank;
    LANEWISE_GROUP unsigned meta_group_rank() const { return meta_rank_; }
    LANEWISE_GROUP unsigned meta_group_size() const { return meta_size_; }

private:
    friend LANEWISE_GROUP thread_block_tile<1, void> this_thread();
    LANEWISE_GROUP thread_block_tile() { details::Access::fill(*this, details::Tile<kSize>::mask(), 0, 1, true); }
};

LANEWISE_GROUP thread_block this_thread_block() { return details::Access::block(); }
LANEWISE_GROUP thread_block_tile<1, void> this_thread() { return {}; }

// The lanes of the warp that run together here: some legal answer, not the only one.
LANEWISE_GROUP coalesced_group coalesced_threads(LANEWISE_GROUP_LINE) {
    return details::Access::lanes(LANEWISE_GROUP_INTRINSIC(__activemask, active_mask));
}

#ifdef LANEWISE_EMULATED
}  // namespace cooperative_groups
#include "common/prelude/cooperative_groups_wide.cuh"
namespace cooperative_groups {
#endif

template <unsigned kPiece, class Whole>
LANEWISE_GROUP thread_block_tile<kPiece, Whole> tiled_partition([[maybe_unused]] const Whole& whole) {
    static_assert(details::Parent<Whole>::size > 0, "tiled_partition<size> cuts a thread_block or a thread_block_tile; "
                                                    "cut other groups with tiled_partition(group, size)");
    static_assert(details::Parent<Whole>::size > kPiece, "a tile must be smaller than the tile it is cut from");
#ifdef LANEWISE_EMULATED
    if constexpr (kPiece > 32) return thread_block_tile<kPiece, Whole>(whole);
    else return {};
#else
    return {};
#endif
}
LANEWISE_GROUP thread_group tiled_partition(const thread_group& group, unsigned size) {
    return details::Access::cut(group, size);
}
LANEWISE_GROUP coalesced_group tiled_partition(const coalesced_group& group, unsigned size) {
    return details::Access::cut(group, size);
}

// The lanes of `group` that gave the same predicate, or the same label (an integer or a pointer).
template <class Group>
LANEWISE_GROUP coalesced_group binary_partition(const Group& group, bool predicate, LANEWISE_GROUP_LINE) {
    const unsigned mask = details::Access::mask(group);
    const unsigned set = LANEWISE_GROUP_INTRINSIC(__ballot_sync, vote_ballot, mask, predicate);
    if (set == mask || set == 0) return details::Access::lanes(mask);
    return details::Access::lanes(predicate ? set : mask & ~set, predicate, 2);
}
template <class Group, class Label>
LANEWISE_GROUP coalesced_group labeled_partition(const Group& group, Label label, LANEWISE_GROUP_LINE) {
    static_assert(::std::is_integral_v<Label> || ::std::is_pointer_v<Label>,
                  "labeled_partition takes an integer or a pointer as its label");
    if constexpr (::std::is_same_v<Label, bool>) {
        return binary_partition(group, label, line);
    } else if constexpr (::std::is_pointer_v<Label>) {
        return labeled_partition(group, reinterpret_cast<unsigned long long>(label), line);
    } else {
        const unsigned mask = details::Access::mask(group);
        const unsigned same = LANEWISE_GROUP_INTRINSIC(__match_any_sync, vote_match_any, mask, details::widened(label));
        const auto leader = static_cast<unsigned>(__ffs(static_cast<int>(same))) - 1;
        const unsigned leaders = LANEWISE_GROUP_INTRINSIC(__ballot_sync, vote_ballot, mask, leader == details::lane());
        return details::Access::lanes(same, details::count(leaders & ((1u << leader) - 1)), details::count(leaders));
    }
}

template <class Group>
LANEWISE_GROUP_SYNC void sync(const Group& group, LANEWISE_GROUP_LINE) {
    group.sync(line);
}
template <class Group>
LANEWISE_GROUP auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
    return group.thread_rank();
}
template <class Group>
LANEWISE_GROUP auto group_size(const Group& group) -> decltype(group.num_threads()) {
    return group.num_threads();
}

// The function runs on one thread of the group: here the first, in the toolkit's header any one.
template <class Group, class Function, class... A>
LANEWISE_GROUP void invoke_one(const Group& group, Function&& function, A&&... arguments) {
    if (group.thread_rank() == 0) function(static_cast<A&&>(arguments)...);
}

}  // namespace cooperative_groups

#include "common/prelude/cooperative_groups_absent.cuh"
