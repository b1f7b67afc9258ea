// CUDA's words that the traced copies intercept, and the functions of the preludes (lanewise_traced) that stand for them.
#pragma once

#include <string_view>

namespace lanewise::annotate {

struct Word {
    std::string_view cuda;
    std::string_view traced;
};

inline constexpr Word kWords[] = {
    {"__shfl_sync", "shfl_idx"},
    {"__shfl_up_sync", "shfl_up"},
    {"__shfl_down_sync", "shfl_down"},
    {"__shfl_xor_sync", "shfl_xor"},
    {"__any_sync", "vote_any"},
    {"__all_sync", "vote_all"},
    {"__ballot_sync", "vote_ballot"},
    {"__syncwarp", "sync_warp"},
    {"__syncthreads", "sync_block"},
    {"__syncthreads_count", "sync_block_count"},
    {"__syncthreads_and", "sync_block_and"},
    {"__syncthreads_or", "sync_block_or"},
    {"__match_any_sync", "vote_match_any"},
    {"__match_all_sync", "vote_match_all"},
    {"__activemask", "active_mask"},
    {"__reduce_add_sync", "reduce_add"},
    {"__reduce_min_sync", "reduce_min"},
    {"__reduce_max_sync", "reduce_max"},
    {"__reduce_and_sync", "reduce_and"},
    {"__reduce_or_sync", "reduce_or"},
    {"__reduce_xor_sync", "reduce_xor"},
    {"__threadfence", "fence_device"},
    {"__threadfence_block", "fence_block"},
    {"__threadfence_system", "fence_system"},
    {"atomicAdd", "atomic_add"},
    {"atomicSub", "atomic_sub"},
    {"atomicMin", "atomic_min"},
    {"atomicMax", "atomic_max"},
    {"atomicAnd", "atomic_and"},
    {"atomicOr", "atomic_or"},
    {"atomicXor", "atomic_xor"},
    {"atomicExch", "atomic_exch"},
    {"atomicCAS", "atomic_cas"},
};

}  // namespace lanewise::annotate
