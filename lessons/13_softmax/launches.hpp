// How rows are launched by each route: which instance of its kernel, how many blocks, and what must come out.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "common/lesson/row_routes.hpp"
#include "common/lesson/row_teams.hpp"
#include "common/lesson/row_tiles.hpp"
#include "common/lesson/short_rows.hpp"
#include "lessons/13_softmax/case.hpp"
#include "lessons/13_softmax/routes.hpp"

namespace softmax {

// A few lanes for each row, many rows a block.
inline void launch_short_rows(Plan& plan, const Inputs& inputs, Element element, const Buffers& buffers) {
    const Rows rows = rows_of(inputs);
    const LaneShape shape = lanes_for_short(rows.columns, element);
    plan.launch("softmax_short_rows", type_of(element) + ", " + std::to_string(shape.packs),
                Grid{rows.blocks(kShortBlock / shape.lanes)}, Block{kShortBlock},
                buffers.in, buffers.out, static_cast<long long>(rows.count), columns_of(inputs),
                static_cast<int>(shape.lanes));
}

// As many clusters as there are rows, of which a GPU launches those that run at once, each with a row after the other.
inline void launch_bulk_copies(Plan& plan, const Inputs& inputs, Element element, const Buffers& buffers) {
    const Rows rows = rows_of(inputs);
    const ClusterShape shape = bulk_shape(packs_of(rows.columns, element), element, inputs.block);
    Block block{shape.threads};
    block.dynamic_shared_bytes = tiles_under_way(shape.packs) * shape.threads * 16;
    plan.launch("softmax_bulk_copies", shape_text(type_of(element), shape), Grid{rows.blocks() * shape.blocks}, block,
                buffers.in, buffers.out, static_cast<long long>(rows.count), columns_of(inputs));
    plan.launches.back().cluster_in_turns = shape.blocks;
    plan.launches.back().overlaps = true;
}

// As launch_bulk_copies().
inline void launch_rows_on_demand(Plan& plan, const Inputs& inputs, Element element, const Buffers& buffers) {
    const OnDemand by = on_demand(inputs, element, inputs.block);
    launch_on_demand(plan, inputs, "softmax_rows_on_demand",
                     fmt::format("{}, {}, {}, {}, {}", type_of(element), by.full ? by.shape.threads : kMostThreads,
                                 by.shape.packs, by.shape.blocks, by.full),
                     by.shape, 1, buffers.in, buffers.out, static_cast<int>(rows_of(inputs).count), columns_of(inputs));
}

// What does not fit the registers of a row's block is in its shared memory.
inline void launch_split_row(Plan& plan, const Inputs& inputs, Element element, const Buffers& buffers) {
    const Rows rows = rows_of(inputs);
    const std::uint64_t packs = packs_of(rows.columns, element);
    Block block{threads_of_split_row(inputs.block)};
    const std::uint64_t held = std::uint64_t{block.x} * kPacksHeld;
    block.dynamic_shared_bytes = packs > held ? static_cast<std::uint32_t>((packs - held) * 16) : 0;
    plan.launch("softmax_split_row",
                fmt::format("{}, {}, {}, {}", type_of(element), block.x, kPacksHeld, kPacksCopied),
                Grid{rows.blocks()}, block, buffers.in, buffers.out, columns_of(inputs));
    plan.launches.back().overlaps = true;
}

// A few lanes for each row, many rows a block, which begin anywhere.
inline void launch_short_anywhere(Plan& plan, const Inputs& inputs, Element element, const Buffers& buffers) {
    launch_rows_by_words(plan, inputs, element, "softmax_short_anywhere", 0, buffers.in, buffers.out,
                         static_cast<long long>(rows_of(inputs).count), columns_of(inputs));
}

// A few lanes for rows that they hold and work on together.
inline void launch_few_lanes_of_rows(Plan& plan, const Inputs& inputs, Element element, const Buffers& buffers) {
    const FewLanesShape shape = shape_of_few_lanes(inputs, element);
    launch_few_lanes(plan, inputs, element, "softmax_few_lanes", shape, groups_of(shape), buffers.in, buffers.out,
                     static_cast<int>(rows_of(inputs).count), columns_of(inputs));
}

// As many teams as run at once, each with a row after the other.
inline void launch_rows_a_team(Plan& plan, const Inputs& inputs, Element element, const Buffers& buffers) {
    launch_team(plan, inputs, element, "softmax_team", shape_of_team(inputs, element, inputs.block), 0, 2, buffers.in,
                buffers.out, static_cast<int>(rows_of(inputs).count), columns_of(inputs));
}

// A row for each block that runs at once, then another one.
inline void launch_anywhere(Plan& plan, const Inputs& inputs, Element element, const Buffers& buffers) {
    const BlockShape shape = block_anywhere(rows_of(inputs).columns, element);
    const Rows rows = rows_of(inputs);
    plan.launch("softmax_anywhere", type_of(element) + ", " + std::to_string(shape.packs), Grid{rows.blocks()},
                Block{shape.threads}, buffers.in, buffers.out, static_cast<long long>(rows.count), columns_of(inputs));
    plan.launches.back().cluster_in_turns = 1;
}

// As launch_bulk_copies(), of rows that begin anywhere.
inline void launch_anywhere_cluster(Plan& plan, const Inputs& inputs, Element element, const Buffers& buffers) {
    const Rows rows = rows_of(inputs);
    const ClusterShape shape = anywhere_shape(rows.columns, element);
    Block block{shape.threads};
    block.dynamic_shared_bytes = tiles_under_way(shape.packs) * shape.threads * 16;
    plan.launch("softmax_anywhere_cluster",
                type_of(element) + ", " + std::to_string(shape.packs) + ", " + std::to_string(shape.blocks),
                Grid{rows.blocks() * shape.blocks}, block, buffers.in, buffers.out,
                static_cast<long long>(rows.count), columns_of(inputs));
    plan.launches.back().cluster_in_turns = shape.blocks;
}

// Do the blocks of a cluster share a row?
inline bool is_shared(Route route) {
    return route == Route::cluster || route == Route::bulk_copies || route == Route::rows_on_demand ||
           route == Route::anywhere_cluster;
}
// Are sums of different scales brought to one?
inline bool merges(Route route) {
    return is_shared(route) || route == Route::team || route == Route::overlap || route == Route::fitted ||
           route == Route::fitted_anywhere || route == Route::fitted_cluster || route == Route::row_tile ||
           route == Route::split_row ||
           route == Route::two_reads || route == Route::anywhere_two_reads;
}

// The plan of one route, by overlap with that many packs a thread. A row that has no room there is taken by the one
// that takes any.
inline void plan_route(Plan& plan, const Inputs& inputs, Element element, Route route,
                       std::uint32_t packs_a_thread = kPacks) {
    const Rows rows = rows_of(inputs);
    std::uint32_t block = inputs.block;
    if (!has_room(route, inputs, element, block)) {
        route = Route::two_reads;
        block = kMostThreads;
    }
    const std::uint64_t packs = packs_of(rows.columns, element);
    const Buffers buffers = add_buffers(plan, inputs, element);
    const std::string threads = type_of(element) + ", " + std::to_string(block);
    const int columns = columns_of(inputs);
    const Grid grid{rows.blocks()};
    switch (route) {
        case Route::short_rows:
            launch_short_rows(plan, inputs, element, buffers);
            break;
        case Route::warp: {
            const std::uint64_t packs_a_lane = std::bit_ceil((packs + 31) / 32);
            plan.launch("softmax_row_a_warp", threads + ", " + std::to_string(packs_a_lane),
                        Grid{rows.blocks(std::max(block / 32, 1u))}, Block{block}, buffers.in, buffers.out,
                        static_cast<long long>(rows.count), columns);
            break;
        }
        case Route::registers: {
            const bool twice = packs > std::uint64_t{block} * kPacks;
            plan.launch("softmax_registers", threads + ", " + std::to_string(kPacks * (twice ? 2 : 1)), grid,
                        Block{block}, buffers.in, buffers.out, columns);
            break;
        }
        case Route::high_occupancy:
            plan.launch("softmax_high_occupancy", threads + (pays_to_hint(inputs, element) ? ", true" : ", false"), grid,
                        Block{block}, buffers.in, buffers.out, columns);
            break;
        case Route::overlap: {
            const int ahead = blocks_ahead(inputs, element, rows_of_overlap(block));
            plan.launch("softmax_overlap", threads + ", " + std::to_string(packs_a_thread) + prefetches(ahead),
                        Grid{rows.blocks(rows_of_overlap(block))}, Block{block_of_overlap(block)}, buffers.in,
                        buffers.out, static_cast<long long>(rows.count), columns, ahead);
            plan.launches.back().overlaps = true;
            break;
        }
        case Route::fitted:
            launch_fitted(plan, inputs, element, "softmax_fitted", shape_of_fitted(packs), "", buffers.in, buffers.out,
                          static_cast<long long>(rows.count), columns);
            break;
        case Route::shared: {
            Block with_row{block};
            with_row.dynamic_shared_bytes = static_cast<std::uint32_t>(packs * 16);
            plan.launch("softmax_shared", threads, grid, with_row, buffers.in, buffers.out, columns);
            break;
        }
        case Route::cluster: {
            const ClusterShape shape = shape_of_cluster(packs);
            plan.launch("softmax_cluster", fmt::format("{}, {}, {}", type_of(element), shape.packs, shape.blocks),
                        Grid{rows.blocks() * shape.blocks}, Block{shape.threads}, buffers.in, buffers.out, columns);
            plan.launches.back().overlaps = true;
            break;
        }
        case Route::split_row:
            launch_split_row(plan, inputs, element, buffers);
            break;
        case Route::short_anywhere:
            launch_short_anywhere(plan, inputs, element, buffers);
            break;
        case Route::few_columns:
            launch_few_columns(plan, inputs, element, "softmax_few_columns", shape_of_few_columns(inputs, element),
                               buffers.in, buffers.out, static_cast<int>(rows.count));
            break;
        case Route::row_tile:
            launch_row_tile(plan, inputs, element, "softmax_row_tile", shape_of_row_tile(inputs, element), 0, buffers.in,
                            buffers.out, static_cast<int>(rows.count), columns);
            break;
        case Route::few_lanes:
            launch_few_lanes_of_rows(plan, inputs, element, buffers);
            break;
        case Route::team:
            launch_rows_a_team(plan, inputs, element, buffers);
            break;
        case Route::fitted_anywhere: {
            const FittedAnywhereShape shape = shape_of_fitted_anywhere(inputs, element);
            launch_fitted_anywhere(plan, inputs, element, "softmax_fitted_anywhere", shape,
                                   fmt::format("{}, {}, {}, {}, {}", type_of(element), shape.packs, shape.most_threads,
                                               shape.blocks, keeps_exponentials(inputs, element)),
                                   buffers.in, buffers.out, static_cast<long long>(rows.count), columns);
            break;
        }
        case Route::fitted_cluster: {
            const FittedClusterShape shape = shape_of_fitted_cluster(inputs, element);
            launch_fitted_cluster(plan, inputs, element, "softmax_fitted_cluster", shape,
                                  fmt::format(", {}, {}", is_packed(inputs, element),
                                              packs_kept_as_floats(shape, inputs, element)),
                                  buffers.in, buffers.out, columns);
            break;
        }
        case Route::anywhere:
            launch_anywhere(plan, inputs, element, buffers);
            break;
        case Route::anywhere_cluster:
            launch_anywhere_cluster(plan, inputs, element, buffers);
            break;
        case Route::bulk_copies:
            launch_bulk_copies(plan, inputs, element, buffers);
            break;
        case Route::rows_on_demand:
            launch_rows_on_demand(plan, inputs, element, buffers);
            break;
        case Route::anywhere_two_reads:
            plan.launch("softmax_anywhere_two_reads", threads, grid, Block{block}, buffers.in, buffers.out, columns);
            break;
        case Route::two_reads:
            plan.launch("softmax_two_reads", threads, grid, Block{block}, buffers.in, buffers.out, columns);
            break;
    }
    const bool one_warp = route == Route::warp;
    // A thread adds all that it holds, of which some is 0.
    const double additions = additions_in(rows.columns, one_warp ? 32 : block) + 64;
    expect(plan, buffers, inputs,
           {.element = element,
            .additions = additions,
            .merges = merges(route),
            .fast = true});
}

inline void plan_best(Plan& plan, const Inputs& inputs, Element element) {
    refuse_block(inputs, "softmax_best");
    const Choice best = best_route(inputs, element);
    Inputs chosen = inputs;
    chosen.block = best.block;
    plan_route(plan, chosen, element, best.route, best.packs);
}

}  // namespace softmax
