// CUDA's intrinsics that the traced copies intercept, and the functions of the preludes (lanewise_traced) that stand
// for them.
#pragma once

#include <string_view>

namespace lanewise::annotate {

struct Intrinsic {
    std::string_view cuda;
    std::string_view traced;
};

inline constexpr Intrinsic kIntrinsics[] = {
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
    {"atomicAdd_block", "atomic_add_block"},
    {"atomicAdd_system", "atomic_add_system"},
    {"atomicSub", "atomic_sub"},
    {"atomicSub_block", "atomic_sub_block"},
    {"atomicSub_system", "atomic_sub_system"},
    {"atomicMin", "atomic_min"},
    {"atomicMin_block", "atomic_min_block"},
    {"atomicMin_system", "atomic_min_system"},
    {"atomicMax", "atomic_max"},
    {"atomicMax_block", "atomic_max_block"},
    {"atomicMax_system", "atomic_max_system"},
    {"atomicInc", "atomic_inc"},
    {"atomicInc_block", "atomic_inc_block"},
    {"atomicInc_system", "atomic_inc_system"},
    {"atomicDec", "atomic_dec"},
    {"atomicDec_block", "atomic_dec_block"},
    {"atomicDec_system", "atomic_dec_system"},
    {"atomicAnd", "atomic_and"},
    {"atomicAnd_block", "atomic_and_block"},
    {"atomicAnd_system", "atomic_and_system"},
    {"atomicOr", "atomic_or"},
    {"atomicOr_block", "atomic_or_block"},
    {"atomicOr_system", "atomic_or_system"},
    {"atomicXor", "atomic_xor"},
    {"atomicXor_block", "atomic_xor_block"},
    {"atomicXor_system", "atomic_xor_system"},
    {"atomicExch", "atomic_exch"},
    {"atomicExch_block", "atomic_exch_block"},
    {"atomicExch_system", "atomic_exch_system"},
    {"atomicCAS", "atomic_cas"},
    {"atomicCAS_block", "atomic_cas_block"},
    {"atomicCAS_system", "atomic_cas_system"},
};

}  // namespace lanewise::annotate
