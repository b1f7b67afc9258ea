// What there is to measure, and what each figure means.
#include <algorithm>
#include <array>

#include "common/timing/costs.hpp"

namespace lanewise::timing {
namespace {

constexpr const char* kLanes = "Lanes of a warp";
constexpr const char* kArithmetic = "Arithmetic";
constexpr const char* kShared = "Shared memory";
constexpr const char* kLoads = "Loads from global memory";
constexpr const char* kWaits = "Barriers and fences";
constexpr const char* kAtomics = "Atomics on global memory";

constexpr std::array kCatalog = {
    CostInfo{"shuffle_xor", kLanes, "__shfl_xor_sync", "shuffle", "Each shuffle hands on what the one before brought.",
             1},
    CostInfo{"shuffle_down", kLanes, "__shfl_down_sync", "shuffle", "By one lane; the last lane keeps its own.", 1},
    CostInfo{"shuffle_idx", kLanes, "__shfl_sync, any lane", "shuffle",
             "The lane to read is what the shuffle before brought.", 1},
    CostInfo{"ballot", kLanes, "__ballot_sync", "vote", "With the test of a bit that makes the next vote's predicate."},
    CostInfo{"any", kLanes, "__any_sync", "vote", "With the logic that makes the next vote's predicate."},
    CostInfo{"match_any_equal", kLanes, "__match_any_sync, all equal", "match", "All 32 lanes hold the same value."},
    CostInfo{"match_any_different", kLanes, "__match_any_sync, all differ", "match", "The 32 lanes hold 32 values."},
    CostInfo{"match_all", kLanes, "__match_all_sync", "match", "All 32 lanes hold the same value."},
    CostInfo{"reduce_add", kLanes, "__reduce_add_sync", "reduction",
             "Each fifth is followed by an addition: sums of sums run to zero.", 0, CostWait::answer, 80},
    CostInfo{"syncwarp", kLanes, "__syncwarp()", "warp barrier",
             "Where the compiler knows that the lanes are together: it leaves an instruction that does nothing.", 0,
             CostWait::leave},
    CostInfo{
        "syncwarp_apart", kLanes, "if …, then __syncwarp()", "warp barrier",
        "After an if that no lane takes: the compiler must reckon with lanes that come later. The branch is in it.", 0,
        CostWait::leave},
    CostInfo{"add_f32", kArithmetic, "float +", "addition", "Each adds to what the one before gave."},
    CostInfo{"fma_f32", kArithmetic, "fmaf", "multiply-add", "Each multiplies and adds to what the one before gave."},
    CostInfo{"shared_load", kShared, "load, no conflict", "load",
             "Each load brings the next one's address; 32 lanes, 32 banks.", 20},
    CostInfo{"shared_load_2", kShared, "load, 2-way conflict", "load",
             "Two lanes at a time want different words of one bank."},
    CostInfo{"shared_load_4", kShared, "load, 4-way conflict", "load",
             "Four lanes at a time want different words of one bank."},
    CostInfo{"shared_load_8", kShared, "load, 8-way conflict", "load",
             "Eight lanes at a time want different words of one bank."},
    CostInfo{"shared_load_16", kShared, "load, 16-way conflict", "load",
             "Sixteen lanes at a time want different words of one bank."},
    CostInfo{"shared_load_32", kShared, "load, 32-way conflict", "load", "All lanes want different words of one bank."},
    CostInfo{"shared_atomic_own", kShared, "int atomicAdd, own words", "atomic",
             "32 lanes, 32 words; what it finds is what the next one adds."},
    CostInfo{"shared_atomic_one", kShared, "int atomicAdd, one word", "atomic",
             "32 lanes, one word; what it finds is what the next one adds."},
    CostInfo{"shared_atomic_f32_own", kShared, "float atomicAdd, own words", "atomic",
             "32 lanes, 32 words. Shared memory adds no floats: a loop of load, add and compare-and-swap."},
    CostInfo{"shared_atomic_f32_one", kShared, "float atomicAdd, one word", "atomic",
             "32 lanes, one word: the same loop, and each turn of it one lane succeeds."},
    CostInfo{"load_l1", kLoads, "load, found in L1", "load",
             "From line to line of 16 KB, in random order, each load bringing the next address."},
    CostInfo{"load_l2", kLoads, "load, found in L2", "load",
             "Past the L1 cache, from line to line of a few MB in random order.", 0, CostWait::answer, 75, true},
    CostInfo{"load_memory", kLoads, "load, from memory", "load",
             "From line to line of four times the L2 cache, in random order, none read before.", 400, CostWait::answer,
             75, true},
    CostInfo{"syncthreads_1", kWaits, "__syncthreads, 1 warp", "barrier", "A block of one warp, barrier after barrier.",
             0, CostWait::leave},
    CostInfo{"syncthreads_4", kWaits, "__syncthreads, 4 warps", "barrier", "All warps of the block come at once.", 0,
             CostWait::leave},
    CostInfo{"syncthreads_8", kWaits, "__syncthreads, 8 warps", "barrier", "All warps of the block come at once.", 0,
             CostWait::leave},
    CostInfo{"syncthreads_32", kWaits, "__syncthreads, 32 warps", "barrier", "All warps of the block come at once.", 0,
             CostWait::leave},
    CostInfo{"threadfence", kWaits, "__threadfence", "fence", "Fence after fence, with nothing to put in order.", 0,
             CostWait::leave},
    CostInfo{"store_threadfence", kWaits, "store, __threadfence", "store with its fence",
             "The fence waits until all of the GPU would see the store.", 0, CostWait::leave},
    CostInfo{"atomic_one_lane", kAtomics, "int atomicAdd, one word, lane 0", "atomic",
             "One lane of each warp, as when each block adds its sum; what it finds is what the next one adds.", 0,
             CostWait::answer, 75, true},
    CostInfo{"atomic_one", kAtomics, "int atomicAdd, one word, 32 lanes", "atomic",
             "All lanes to one word; what it finds is what the next one adds.", 0, CostWait::answer, 75, true},
    CostInfo{"atomic_own", kAtomics, "int atomicAdd, own words", "atomic",
             "Each lane to a word of its own, side by side.", 0, CostWait::answer, 75, true},
    CostInfo{"atomic_void_one_lane", kAtomics, "int, no result, one word, lane 0", "atomic",
             "As a kernel has it that does not use what atomicAdd returns: nothing comes back.", 0, CostWait::nothing,
             75, true},
    CostInfo{"atomic_void_one", kAtomics, "int, no result, one word, 32 lanes", "atomic",
             "All lanes to one word; nothing comes back.", 0, CostWait::nothing, 75, true},
    CostInfo{"atomic_void_own", kAtomics, "int, no result, own words", "atomic",
             "Each lane to a word of its own; nothing comes back.", 0, CostWait::nothing, 75, true},
    CostInfo{"atomic_f32_one_lane", kAtomics, "float atomicAdd, one word, lane 0", "atomic",
             "One lane of each warp; the next one's operand waits for what it finds.", 0, CostWait::answer, 75, true},
    CostInfo{"atomic_f32_one", kAtomics, "float atomicAdd, one word, 32 lanes", "atomic",
             "All lanes to one word; the next one's operand waits for what it finds.", 0, CostWait::answer, 75, true},
    CostInfo{"atomic_f32_void_one_lane", kAtomics, "float, no result, one word, lane 0", "atomic",
             "As when each block adds its float sum and does not use what atomicAdd returns.", 0, CostWait::nothing, 75,
             true},
    CostInfo{"atomic_f32_void_one", kAtomics, "float, no result, one word, 32 lanes", "atomic",
             "All lanes to one word; nothing comes back.", 0, CostWait::nothing, 75, true},
};

}  // namespace

std::span<const CostInfo> cost_catalog() { return kCatalog; }

const CostInfo* cost_info(std::string_view id) {
    const auto at = std::find_if(kCatalog.begin(), kCatalog.end(), [&](const CostInfo& info) { return id == info.id; });
    return at == kCatalog.end() ? nullptr : &*at;
}

}  // namespace lanewise::timing
