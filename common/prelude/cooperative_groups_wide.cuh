// Tiles of more than 32 threads, for emulated builds: their warps wait at a counter in the block_tile_memory that the
// kernel gives this_thread_block(). Part of cooperative_groups.cuh.
#pragma once

namespace cooperative_groups {

template <unsigned kThreads = 1024>
struct block_tile_memory {
    details::TileMemory memory;
};

// All threads of the block call it, before they cut tiles.
template <unsigned kThreads>
LANEWISE_GROUP_SYNC thread_block this_thread_block(block_tile_memory<kThreads>& memory, LANEWISE_GROUP_LINE) {
    if (details::block_rank() == 0)
        for (auto& tiles : memory.memory.arrived)
            for (unsigned& arrived : tiles) arrived = 0;
    __syncthreads(line);
    return details::Access::block(memory.memory);
}

namespace details {

template <unsigned kSize>
class WideTile {
    static_assert(kSize <= 1024 && (kSize & (kSize - 1)) == 0, "a thread_block_tile has 1, 2, 4, …, 512 or 1024 threads");

public:
    LANEWISE_GROUP static constexpr unsigned num_threads() { return kSize; }
    LANEWISE_GROUP static constexpr unsigned size() { return kSize; }
    LANEWISE_GROUP static unsigned thread_rank() { return block_rank() & (kSize - 1); }
    LANEWISE_GROUP static unsigned meta_group_rank() { return block_rank() / kSize; }
    LANEWISE_GROUP static unsigned meta_group_size() { return (block_threads() + kSize - 1) / kSize; }
    LANEWISE_GROUP TileMemory* tile_memory() const { return memory_; }

    LANEWISE_GROUP_SYNC void sync(LANEWISE_GROUP_LINE) const {
        if (memory_ == nullptr)
            lanewise_emulated::assert_failed("this tile's block was made by this_thread_block(memory)", __FILE__, line);
        __syncwarp(~0u, line);
        if (lane() == 0) {
            unsigned* arrived = &memory_->arrived[__builtin_ctz(kSize) - 6][meta_group_rank()];
            __threadfence_block(line);
            const unsigned all = (atomicAdd(arrived, 1u, line) / kWarps + 1) * kWarps;
            while (static_cast<int>(atomicAdd(arrived, 0u, line) - all) < 0) __nanosleep(20, line);
            __threadfence_block(line);
        }
        __syncwarp(~0u, line);
    }

    template <class T>
    LANEWISE_GROUP_SYNC T shfl(T value, int rank, LANEWISE_GROUP_LINE) const {
        const unsigned from = static_cast<unsigned>(rank) & (kSize - 1);
        if (thread_rank() == from) put(0, value);
        sync(line);
        const T result = got<T>(0);
        sync(line);
        return result;
    }
    LANEWISE_GROUP_SYNC int any(int predicate, LANEWISE_GROUP_LINE) const {
        return joined(line, __any_sync(~0u, predicate, line), [](int a, int b) { return a | b; });
    }
    LANEWISE_GROUP_SYNC int all(int predicate, LANEWISE_GROUP_LINE) const {
        return joined(line, __all_sync(~0u, predicate, line), [](int a, int b) { return a & b; });
    }

    // What `op` makes of one value from each warp, in their order.
    template <class T, class Op>
    LANEWISE_GROUP_SYNC T joined(int line, T of_warp, Op op) const {
        if (lane() == 0) put(thread_rank() / 32, of_warp);
        sync(line);
        T result = got<T>(0);
        for (unsigned warp = 1; warp < kWarps; ++warp) result = op(result, got<T>(warp));
        sync(line);
        return result;
    }

protected:
    static constexpr unsigned kWarps = kSize / 32;
    LANEWISE_GROUP explicit WideTile(TileMemory* memory) : memory_(memory) {}

private:
    template <class T>
    LANEWISE_GROUP void put(unsigned warp, const T& value) const {
        static_assert(sizeof(T) <= sizeof(TileMemory::values[0]), "a value of more than 32 bytes");
        __builtin_memcpy(memory_->values[meta_group_rank() * kWarps + warp], &value, sizeof(T));
    }
    template <class T>
    LANEWISE_GROUP T got(unsigned warp) const {
        T value;
        __builtin_memcpy(&value, memory_->values[meta_group_rank() * kWarps + warp], sizeof(T));
        return value;
    }

    TileMemory* memory_;
};

}  // namespace details

template <unsigned kSize, class Parent>
    requires(kSize > 32)
class thread_block_tile<kSize, Parent> : public details::WideTile<kSize> {
public:
    // Cut from a block or a larger tile; or from one whose parent's type is forgotten here.
    template <class Whole>
    LANEWISE_GROUP thread_block_tile(const Whole& whole) : details::WideTile<kSize>(whole.tile_memory()) {}
};

}  // namespace cooperative_groups
