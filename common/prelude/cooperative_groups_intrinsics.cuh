// What cooperative groups are made of: where a thread is, values of any size through shuffles, and the lanes of a
// tile. Part of cooperative_groups.cuh, inside the kernel's namespace.
#pragma once

namespace cooperative_groups {

class thread_block;
template <unsigned kSize, class Parent>
class thread_block_tile;

namespace details {

struct Access;

// A block's threads and warps: x runs fastest, and lane l of a warp is thread l of its 32.
LANEWISE_GROUP unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
LANEWISE_GROUP unsigned block_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
LANEWISE_GROUP unsigned lane() { return block_rank() % static_cast<unsigned>(warpSize); }
LANEWISE_GROUP unsigned lanes_below() { return (1u << lane()) - 1; }
LANEWISE_GROUP unsigned count(unsigned lanes) { return static_cast<unsigned>(__popc(lanes)); }

// The lane of the thread of rank `rank` among those of `mask`; ~0u past the last.
LANEWISE_GROUP unsigned lane_of_rank(unsigned mask, unsigned rank) {
    while (rank-- != 0 && mask != 0) mask &= mask - 1;
    return static_cast<unsigned>(__ffs(static_cast<int>(mask))) - 1;
}

// The bits that `lanes` has in the places of `mask`, pushed together: bit r stands for rank r.
LANEWISE_GROUP unsigned pack(unsigned mask, unsigned lanes) {
    if (mask == ~0u) return lanes;
    unsigned packed = 0;
    for (unsigned rank = 0; mask != 0; mask &= mask - 1, ++rank)
        if (lanes & mask & (0u - mask)) packed |= 1u << rank;
    return packed;
}

// Does a T travel as one value of the shuffle intrinsics? Everything else goes in pieces of four bytes.
template <class T>
inline constexpr bool kWhole = ::std::is_arithmetic_v<T> && sizeof(T) <= 8;
template <> inline constexpr bool kWhole<__half> = true;
template <> inline constexpr bool kWhole<__half2> = true;
template <> inline constexpr bool kWhole<__nv_bfloat16> = true;
template <> inline constexpr bool kWhole<__nv_bfloat162> = true;

template <class T>
struct Pieces {
    static_assert(::std::is_trivially_copyable_v<T>, "a group can only exchange types that may be copied byte by byte");
    static_assert(sizeof(T) <= 32, "a group can only exchange types of up to 32 bytes");
    int parts[(sizeof(T) + 3) / 4] = {};
};

// What the match intrinsics take for an integer: four or eight bytes.
template <class T>
LANEWISE_GROUP auto widened(T value) {
    if constexpr (sizeof(T) == 8) return static_cast<unsigned long long>(value);
    else return static_cast<int>(value);
}

#define LANEWISE_GROUP_SHUFFLE(name, intrinsic)                                                                       \
    template <class T>                                                                                           \
    LANEWISE_GROUP T name(int line, unsigned mask, T value, int argument, int width) {                           \
        if constexpr (kWhole<T>) {                                                                               \
            return static_cast<T>(LANEWISE_GROUP_INTRINSIC(intrinsic, name, mask, value, argument, width));                \
        } else {                                                                                                 \
            Pieces<T> pieces;                                                                                    \
            __builtin_memcpy(pieces.parts, &value, sizeof(T));                                                   \
            for (int& piece : pieces.parts)                                                                      \
                piece = LANEWISE_GROUP_INTRINSIC(intrinsic, name, mask, piece, argument, width);                           \
            __builtin_memcpy(&value, pieces.parts, sizeof(T));                                                   \
            return value;                                                                                        \
        }                                                                                                        \
    }
LANEWISE_GROUP_SHUFFLE(shfl_idx, __shfl_sync)
LANEWISE_GROUP_SHUFFLE(shfl_up, __shfl_up_sync)
LANEWISE_GROUP_SHUFFLE(shfl_down, __shfl_down_sync)
LANEWISE_GROUP_SHUFFLE(shfl_xor, __shfl_xor_sync)
#undef LANEWISE_GROUP_SHUFFLE

// How many threads a group has that can be cut by tiled_partition<size>; 0 for other groups.
template <class Group>
struct Parent {
    static constexpr unsigned size = 0;
};
template <>
struct Parent<thread_block> {
    static constexpr unsigned size = ~0u;
};
template <unsigned kSize, class Whole>
struct Parent<thread_block_tile<kSize, Whole>> {
    static constexpr unsigned size = kSize;
};

#ifdef LANEWISE_EMULATED
// Shared memory by which the warps of a tile wait for one another and hand values over.
struct TileMemory {
    unsigned arrived[5][16];                   // at the barriers of tiles of 64, 128, …, 1024 threads, so far
    alignas(16) unsigned char values[32][32];  // of each warp of the block
};
#endif

// kSize lanes side by side.
template <unsigned kSize>
class Tile {
    static_assert(kSize <= 32, "a thread_block_tile of more than 32 threads is not traced on a GPU; use tiles of up to 32");
    static_assert(kSize > 0 && (kSize & (kSize - 1)) == 0, "a thread_block_tile has 1, 2, 4, 8, 16 or 32 threads");

public:
    LANEWISE_GROUP static constexpr unsigned num_threads() { return kSize; }
    LANEWISE_GROUP static constexpr unsigned size() { return kSize; }
    LANEWISE_GROUP static unsigned thread_rank() { return block_rank() & (kSize - 1); }
    LANEWISE_GROUP static void sync(LANEWISE_GROUP_LINE) { LANEWISE_GROUP_INTRINSIC(__syncwarp, sync_warp, mask()); }

    template <class T>
    LANEWISE_GROUP T shfl(T value, int rank, LANEWISE_GROUP_LINE) const {
        return shfl_idx(line, mask(), value, rank, kSize);
    }
    template <class T>
    LANEWISE_GROUP T shfl_up(T value, unsigned delta, LANEWISE_GROUP_LINE) const {
        return details::shfl_up(line, mask(), value, static_cast<int>(delta), kSize);
    }
    template <class T>
    LANEWISE_GROUP T shfl_down(T value, unsigned delta, LANEWISE_GROUP_LINE) const {
        return details::shfl_down(line, mask(), value, static_cast<int>(delta), kSize);
    }
    template <class T>
    LANEWISE_GROUP T shfl_xor(T value, unsigned lanes, LANEWISE_GROUP_LINE) const {
        return details::shfl_xor(line, mask(), value, static_cast<int>(lanes), kSize);
    }

    // As in the toolkit's header, all() compares with the whole tile's mask: in a tile that the block's end cuts short
    // it is never true.
    LANEWISE_GROUP int any(int predicate, LANEWISE_GROUP_LINE) const {
        return LANEWISE_GROUP_INTRINSIC(__ballot_sync, vote_ballot, mask(), predicate) != 0;
    }
    LANEWISE_GROUP int all(int predicate, LANEWISE_GROUP_LINE) const {
        return LANEWISE_GROUP_INTRINSIC(__ballot_sync, vote_ballot, mask(), predicate) == mask();
    }
    LANEWISE_GROUP unsigned ballot(int predicate, LANEWISE_GROUP_LINE) const {
        return LANEWISE_GROUP_INTRINSIC(__ballot_sync, vote_ballot, mask(), predicate) >> first();
    }
    template <class T>
    LANEWISE_GROUP unsigned match_any(T value, LANEWISE_GROUP_LINE) const {
        return LANEWISE_GROUP_INTRINSIC(__match_any_sync, vote_match_any, mask(), value) >> first();
    }
    template <class T>
    LANEWISE_GROUP unsigned match_all(T value, int& same, LANEWISE_GROUP_LINE) const {
        return LANEWISE_GROUP_INTRINSIC(__match_all_sync, vote_match_all, mask(), value, &same) >> first();
    }

protected:
    friend struct Access;
    LANEWISE_GROUP static unsigned first() { return lane() & ~(kSize - 1); }
    LANEWISE_GROUP static unsigned mask() { return (~0u >> (32 - kSize)) << first(); }
};

}  // namespace details
}  // namespace cooperative_groups
