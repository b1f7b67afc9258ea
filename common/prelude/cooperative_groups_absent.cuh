// What cooperative groups have that cannot be emulated: each use is a compile error that says so. Part of
// cooperative_groups.cuh, inside the kernel's namespace.
#pragma once

namespace cooperative_groups {
namespace details {

// False, but only known to be when the template around it is used.
template <class...>
inline constexpr bool kNever = false;

}  // namespace details

// All blocks of the launch. Where a thread is among them is known; waiting for all of them is not emulated.
class grid_group {
public:
    template <class... A>
    LANEWISE_GROUP void sync(A...) const {
        static_assert(details::kNever<A...>,
                      "grid_group::sync() needs all blocks to run together, which is not emulated; "
                      "end the kernel there and launch another");
    }
    LANEWISE_GROUP bool is_valid() const { return false; }
    LANEWISE_GROUP static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    LANEWISE_GROUP static dim3 group_dim() { return dim_blocks(); }
    LANEWISE_GROUP static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    LANEWISE_GROUP static unsigned long long num_blocks() {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }
    LANEWISE_GROUP static unsigned long long block_rank() {
        return blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                                (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
    }
    LANEWISE_GROUP static dim3 dim_threads() {
        return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
    }
    LANEWISE_GROUP static dim3 thread_index() {
        return dim3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                    blockIdx.z * blockDim.z + threadIdx.z);
    }
    LANEWISE_GROUP static unsigned long long num_threads() { return num_blocks() * details::block_threads(); }
    LANEWISE_GROUP static unsigned long long size() { return num_threads(); }
    LANEWISE_GROUP static unsigned long long thread_rank() {
        return block_rank() * details::block_threads() + details::block_rank();
    }
};
LANEWISE_GROUP grid_group this_grid() { return {}; }

class cluster_group {
#ifdef LANEWISE_DECLARED_ONLY  // for the annotator, which also reads kernels that are never emulated
public:
    struct arrival_token {};
    static void sync();
    static arrival_token barrier_arrive();
    static void barrier_wait(arrival_token&&);
    static unsigned block_rank();
    static unsigned thread_rank();
    static unsigned num_blocks();
    static unsigned num_threads();
    static unsigned query_shared_rank(const void*);
    template <class T>
    static T* map_shared_rank(T*, int);
#endif
};
template <class... A>
LANEWISE_GROUP cluster_group this_cluster(A...) {
    static_assert(details::kNever<A...>, "cluster_group: clusters of blocks are not emulated");
    return {};
}

class multi_grid_group {};
template <class... A>
LANEWISE_GROUP multi_grid_group this_multi_grid(A...) {
    static_assert(details::kNever<A...>,
                  "multi_grid_group: launches over several GPUs are not emulated, and CUDA 13 has none");
    return {};
}

template <class... A>
LANEWISE_GROUP void memcpy_async(const A&...) {
    static_assert(
        details::kNever<A...>,
        "memcpy_async: copies that run beside the kernel are not emulated; copy element by element and call sync()");
}
template <class... A>
LANEWISE_GROUP void wait(const A&...) {
    static_assert(details::kNever<A...>, "cooperative_groups::wait belongs to memcpy_async, which is not emulated");
}
template <unsigned kStages, class... A>
LANEWISE_GROUP void wait_prior(const A&...) {
    static_assert(details::kNever<A...>,
                  "cooperative_groups::wait_prior belongs to memcpy_async, which is not emulated");
}

#ifndef LANEWISE_EMULATED
template <unsigned kThreads = 1024>
struct block_tile_memory {
    static_assert(kThreads == 0, "block_tile_memory serves tiles of more than 32 threads, which are not traced on a GPU");
};
#endif

}  // namespace cooperative_groups
