// Which fast route takes rows of a length: kernels of routes.cuh and kernels_sm90.cuh, from short rows to long ones.
#pragma once

#include <cstdint>
#include <string>

#include "lessons/15_rms_norm/case.hpp"

namespace rms_norm {

enum class Route : std::uint8_t { warp, registers, cluster, bulk_copies, two_reads };

inline constexpr std::uint32_t kWarpBlock = 128;  // threads of a block with a row for each warp
inline constexpr std::uint32_t kMostThreads = 1024;

inline std::uint64_t pack_of(Element element) {
    return 16 / static_cast<std::uint64_t>(lanewise::element_size(element));
}
inline std::uint64_t packs_of(std::uint64_t columns, Element element) {
    return (columns + pack_of(element) - 1) / pack_of(element);
}

// 16-byte loads that a thread has in flight.
inline constexpr std::uint32_t kPacks = 4;

// The instances of the kernels in which the blocks of a cluster share a row: blocks a row, threads a block, packs a
// thread.
struct ClusterShape {
    std::uint32_t blocks = 0, threads = 0, packs = 0;
    std::uint64_t room() const { return std::uint64_t{blocks} * threads * packs; }
};
inline ClusterShape cluster_shape(std::uint64_t packs_a_row) {
    const ClusterShape shape{8, 256, kPacks};
    return packs_a_row <= shape.room() ? shape : ClusterShape{8, 256, 2 * kPacks};
}
// Of bulk copies: a small one to be looked at, one of a multiprocessor's size to be timed.
inline ClusterShape bulk_shape(Element element, std::uint32_t block) {
    if (block == kWarpBlock) return {2, block, kPacks};
    return {2, element == Element::f32 ? 1024u : 512u, 2 * kPacks};
}

// Do all rows begin at a multiple of 16 bytes and hold whole packs?
inline bool is_packed(const Inputs& inputs, Element element) {
    return inputs.offset % pack_of(element) == 0 && rows_of(inputs).columns % pack_of(element) == 0;
}

inline bool has_room(Route route, const Inputs& inputs, Element element, std::uint32_t block) {
    const std::uint64_t packs = packs_of(rows_of(inputs).columns, element);
    switch (route) {
        case Route::warp:
            return packs <= 32 * kPacks;
        case Route::registers:
            return packs <= std::uint64_t{block} * kPacks;
        case Route::cluster: {
            // Packs of 16 bits need no more than four a thread for any row that pays.
            const ClusterShape shape = cluster_shape(packs);
            return is_packed(inputs, element) && packs <= shape.room() &&
                   (shape.packs == kPacks || element == Element::f32);
        }
        case Route::bulk_copies:
            return is_packed(inputs, element) && packs <= bulk_shape(element, block).room();
        case Route::two_reads:
            return true;
    }
    return false;
}

// The route for a length, and its threads.
struct Choice {
    Route route = Route::two_reads;
    std::uint32_t block = kMostThreads;
};
inline Choice best_route(const Inputs& inputs, Element element) {
    if (has_room(Route::warp, inputs, element, kWarpBlock)) return {Route::warp, kWarpBlock};
    for (std::uint32_t block = kWarpBlock; block <= kMostThreads; block *= 2)
        if (has_room(Route::registers, inputs, element, block)) return {Route::registers, block};
    if (inputs.machine.architecture >= 90 && has_room(Route::cluster, inputs, element, kMostThreads))
        return {Route::cluster, kMostThreads};
    return {};
}

inline std::string shape_text(Element element, const ClusterShape& shape) {
    return type_of(element) + ", " + std::to_string(shape.threads) + ", " + std::to_string(shape.packs) + ", " +
           std::to_string(shape.blocks);
}

// As many clusters as run at once, each with a row after the other; as many rows on their way as shared memory holds.
inline void launch_bulk_copies(Plan& plan, const Inputs& inputs, Element element, const Buffers& b) {
    constexpr std::uint64_t kSharedBytes = 208u << 10;
    constexpr std::uint64_t kMostStages = 8;
    const Rows rows = rows_of(inputs);
    const ClusterShape shape = bulk_shape(element, inputs.block);
    const std::uint64_t clusters = std::min<std::uint64_t>(rows.count, inputs.machine.multiprocessors / shape.blocks);
    const std::uint64_t share = (packs_of(rows.columns, element) + shape.blocks - 1) / shape.blocks;
    const std::uint64_t turns = (rows.count + clusters - 1) / clusters;
    const std::uint64_t stages =
        std::clamp<std::uint64_t>(kSharedBytes / (share * 16), 1, std::min(kMostStages, turns));
    Block block{shape.threads};
    block.dynamic_shared_bytes = static_cast<std::uint32_t>(stages * share * 16);
    plan.launch("rms_norm_bulk_copies", shape_text(element, shape),
                Grid{static_cast<std::uint32_t>(clusters * shape.blocks)}, block, b.in, b.weight, b.out,
                static_cast<long long>(rows.count), columns_of(inputs), epsilon_of(inputs), static_cast<int>(stages));
}

// The plan of one route. A row that has no room there is taken by the one that takes any.
inline void plan_route(Plan& plan, const Inputs& inputs, Element element, Route route) {
    const Rows rows = rows_of(inputs);
    std::uint32_t block = inputs.block;
    if (block < kWarpBlock || block > kMostThreads || block % kWarpBlock != 0)
        throw lanewise::Error("--block " + std::to_string(block) + ": this variant takes 128, 256, 512 or 1024.");
    if (!has_room(route, inputs, element, block)) {
        route = Route::two_reads;
        block = kMostThreads;
    }
    const Buffers b = add_buffers(plan, inputs, element,
                                  additions_in(rows.columns, route == Route::warp ? 32 : block) + 64);
    const std::string type = type_of(element);
    const int columns = columns_of(inputs);
    const float epsilon = epsilon_of(inputs);
    switch (route) {
        case Route::warp:
            plan.launch("rms_norm_row_a_warp", type + ", " + std::to_string(kPacks),
                        Grid{rows.blocks(block / 32)}, Block{block}, b.in, b.weight, b.out,
                        static_cast<long long>(rows.count), columns, epsilon);
            break;
        case Route::registers:
            plan.launch("rms_norm_registers", type + ", " + std::to_string(kPacks),
                        Grid{rows.blocks()}, Block{block}, b.in, b.weight, b.out, columns, epsilon);
            break;
        case Route::cluster: {
            const ClusterShape shape = cluster_shape(packs_of(rows.columns, element));
            plan.launch("rms_norm_cluster", shape_text(element, shape), Grid{rows.blocks() * shape.blocks},
                        Block{shape.threads}, b.in, b.weight, b.out, columns, epsilon);
            break;
        }
        case Route::bulk_copies:
            launch_bulk_copies(plan, inputs, element, b);
            break;
        case Route::two_reads:
            plan.launch("rms_norm_two_reads", type, Grid{rows.blocks()}, Block{block}, b.in, b.weight, b.out, columns,
                        epsilon);
            break;
    }
}

inline void plan_best(Plan& plan, const Inputs& inputs, Element element) {
    if (inputs.block != kWarpBlock)
        throw lanewise::Error("rms_norm_best chooses its threads by the length of a row; leave out --block.");
    const Choice best = best_route(inputs, element);
    Inputs chosen = inputs;
    chosen.block = best.block;
    plan_route(plan, chosen, element, best.route);
}

}  // namespace rms_norm
