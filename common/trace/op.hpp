// The kinds of instruction that a trace records. Light: every kernel is compiled with it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanewise::trace {

// One kind of instruction. Names in files and on the screen: op_name().
enum class Op : std::uint8_t {
    shfl_idx, shfl_up, shfl_down, shfl_xor,
    reduce_add, reduce_min, reduce_max, reduce_and, reduce_or, reduce_xor,   // __reduce_*_sync
    vote_any, vote_all, vote_ballot, vote_match_any, vote_match_all,
    sync_warp, sync_block, sync_block_count, sync_block_and, sync_block_or,
    active_mask,                // one legal answer of several: never compared
    fence,                      // __threadfence*: orders the lane's own accesses, waits for no other thread
    load, store,
    atomic_add, atomic_sub, atomic_min, atomic_max, atomic_inc, atomic_dec, atomic_and, atomic_or, atomic_xor,
    atomic_exch, atomic_cas,
};
inline constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::atomic_cas) + 1;

const char* op_name(Op op);  // "shfl_xor"

bool is_shuffle(Op op);
bool is_reduce(Op op);         // __reduce_*_sync: every lane receives all lanes' values joined
bool is_vote(Op op);           // any, all, ballot, match_any, match_all
bool is_block_barrier(Op op);  // __syncthreads and its _count, _and, _or forms
bool is_atomic(Op op);
bool is_access(Op op);         // load or store
// Offers a value to its warp and may assign what comes back: shuffles and reductions. These have before, after, effect.
bool is_exchange(Op op);
// any, all, ballot; not the matches, which compare values.
bool is_predicate_vote(Op op);
// __syncthreads_count, _and, _or: has arg and received, as a vote does.
bool is_barrier_vote(Op op);
// A collective: lanes wait for each other (shuffles, reductions, votes, __syncwarp, block barriers).
bool is_collective(Op op);

}  // namespace lanewise::trace
