// How rows are launched by each route: which instance of its kernel, how many blocks, and what must come out.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "common/lesson/row_routes.hpp"
#include "common/lesson/row_teams.hpp"
#include "common/lesson/row_tiles.hpp"
#include "common/lesson/short_rows.hpp"
#include "lessons/14_layer_norm/case.hpp"
#include "lessons/14_layer_norm/routes.hpp"

namespace layer_norm {

// A few lanes for each row, many rows a block.
inline void launch_short_rows(Plan& plan, const Inputs& inputs, Element element, const Buffers& b) {
    const Rows rows = rows_of(inputs);
    const LaneShape shape = lanes_for_short(rows.columns, element);
    plan.launch("layer_norm_short_rows", type_of(element) + ", " + std::to_string(shape.packs),
                Grid{rows.blocks(kShortBlock / shape.lanes)}, Block{kShortBlock},
                b.in, b.weight, b.bias, b.out, static_cast<long long>(rows.count), columns_of(inputs),
                epsilon_of(inputs), static_cast<int>(shape.lanes));
}

// As many clusters as there are rows, of which a GPU launches those that run at once, each with a row after the other.
inline void launch_bulk_copies(Plan& plan, const Inputs& inputs, Element element, const Buffers& b) {
    const Rows rows = rows_of(inputs);
    const ClusterShape shape = bulk_shape(packs_of(rows.columns, element), element, inputs.block);
    Block block{shape.threads};
    block.dynamic_shared_bytes = tiles_under_way(shape.packs) * shape.threads * 16;
    plan.launch("layer_norm_bulk_copies", shape_text(type_of(element), shape), Grid{rows.blocks() * shape.blocks},
                block, b.in, b.weight, b.bias, b.out, static_cast<long long>(rows.count), columns_of(inputs),
                epsilon_of(inputs));
    plan.launches.back().cluster_in_turns = shape.blocks;
    plan.launches.back().overlaps = true;
}

// As launch_bulk_copies(). Biases lie in shared memory.
inline void launch_rows_on_demand(Plan& plan, const Inputs& inputs, Element element, const Buffers& b) {
    const ClusterShape shape = on_demand_shape(element, inputs.block);
    launch_on_demand(plan, inputs, "layer_norm_rows_on_demand", shape_text(type_of(element), shape), shape, 2, b.in,
                     b.weight, b.bias, b.out, static_cast<int>(rows_of(inputs).count), epsilon_of(inputs));
}

// A few lanes for each row, many rows a block, which begin anywhere. Weights and biases lie in shared memory.
inline void launch_short_anywhere(Plan& plan, const Inputs& inputs, Element element, const Buffers& b) {
    launch_rows_by_words(plan, inputs, element, "layer_norm_short_anywhere", kVectors, b.in, b.weight, b.bias, b.out,
                         static_cast<long long>(rows_of(inputs).count), columns_of(inputs), epsilon_of(inputs));
}

// A few lanes for rows that they hold and work on together.
inline void launch_few_lanes_of_rows(Plan& plan, const Inputs& inputs, Element element, const Buffers& b) {
    const FewLanesShape shape = shape_of_few_lanes(inputs, element);
    launch_few_lanes(plan, inputs, element, "layer_norm_few_lanes", shape, near_groups_of_norm(shape), b.in, b.weight,
                     b.bias, b.out, static_cast<int>(rows_of(inputs).count), columns_of(inputs), epsilon_of(inputs));
}

// A tile of rows for each block, a few rows of it for a warp or two.
inline void launch_lane_tile_of_rows(Plan& plan, const Inputs& inputs, Element element, const Buffers& b) {
    const LaneTileShape shape = shape_of_lane_tile(inputs, element);
    const TilesAtOnce at_once{.most = static_cast<double>(shape.blocks),
                              .in_turns = shape.in_turns > 0 ? shape.in_turns : shape.blocks,
                              .least = shape.begin_within ? 28 / shape.warps : shape.blocks};   // by fewer, others are slower
    launch_lane_tile(plan, inputs, element, "layer_norm_lane_tile", shape, kVectors, at_once, b.in, b.weight, b.bias,
                     b.out, static_cast<int>(rows_of(inputs).count), columns_of(inputs), epsilon_of(inputs));
}

// As many teams as run at once, each with a row after the other. Weights and biases lie in shared memory.
inline void launch_rows_a_team(Plan& plan, const Inputs& inputs, Element element, const Buffers& b) {
    launch_team(plan, inputs, element, "layer_norm_team", shape_of_team(inputs, element, inputs.block), kVectors, 2,
                b.in, b.weight, b.bias, b.out, static_cast<int>(rows_of(inputs).count), columns_of(inputs),
                epsilon_of(inputs));
}

// A row for each block that runs at once, then another one. Weights and biases lie in shared memory, cut to fit.
inline void launch_anywhere(Plan& plan, const Inputs& inputs, Element element, const Buffers& b) {
    const BlockShape shape = block_anywhere(rows_of(inputs).columns, element);
    const Rows rows = rows_of(inputs);
    Block block{shape.threads};
    block.dynamic_shared_bytes = 2 * shape.packs * shape.threads * 16;
    plan.launch("layer_norm_anywhere", type_of(element) + ", " + std::to_string(shape.packs), Grid{rows.blocks()},
                block, b.in, b.weight, b.bias, b.out, static_cast<long long>(rows.count), columns_of(inputs),
                epsilon_of(inputs));
    plan.launches.back().cluster_in_turns = 1;
}

// As launch_bulk_copies(), of rows that begin anywhere. Weights and biases as in launch_anywhere().
inline void launch_anywhere_cluster(Plan& plan, const Inputs& inputs, Element element, const Buffers& b) {
    const Rows rows = rows_of(inputs);
    const ClusterShape shape = anywhere_shape(rows.columns, element);
    Block block{shape.threads};
    block.dynamic_shared_bytes = (tiles_under_way(shape.packs) + 2 * shape.packs) * shape.threads * 16;
    plan.launch("layer_norm_anywhere_cluster",
                type_of(element) + ", " + std::to_string(shape.packs) + ", " + std::to_string(shape.blocks),
                Grid{rows.blocks() * shape.blocks}, block, b.in, b.weight, b.bias, b.out,
                static_cast<long long>(rows.count), columns_of(inputs), epsilon_of(inputs));
    plan.launches.back().cluster_in_turns = shape.blocks;
}

// The plan of one route, where a warp takes a row with that many packs a thread. A row that has no room there is taken
// by the one that takes any.
inline void plan_route(Plan& plan, const Inputs& inputs, Element element, Route route,
                       std::uint32_t packs_a_thread = kPacks) {
    const Rows rows = rows_of(inputs);
    std::uint32_t block = inputs.block;
    if (!has_room(route, inputs, element, block)) {
        route = Route::two_reads;
        block = kMostThreads;
    }
    // Values of 16 bits are read once for mean and variance, and take quotients and roots that are right to a few
    // roundings more. Kernels that bring vectors into L1 read floats once, too.
    const bool in_l1 = route == Route::vectors_in_l1 || route == Route::vectors_in_l1_cluster;
    const bool near = route == Route::fitted_anywhere || route == Route::few_lanes || route == Route::row_tile ||
                      route == Route::lane_tile || route == Route::asks_early || route == Route::fitted_cluster ||
                      in_l1;
    const bool two_passes = route == Route::warp || route == Route::registers || route == Route::high_occupancy ||
                            route == Route::overlap || route == Route::short_anywhere || route == Route::few_columns ||
                            route == Route::anywhere ||
                            (((near && !in_l1) || route == Route::fitted) && element == Element::f32);
    // Where the mean is far, kernels that bring vectors into L1 walk over a row by a block's threads, value by value.
    const std::uint32_t threads_that_add =
        route == Route::warp            ? 32
        : route == Route::vectors_in_l1 ? shape_with_vectors_in_l1(inputs, element).threads
        : in_l1                         ? cluster_with_vectors_in_l1(inputs, element).shape.threads
                                        : block;
    const Buffers b = add_buffers(
        plan, inputs,
        {.element = element,
         .way = two_passes                          ? Way::two_passes
                : near && element != Element::f32 ? Way::squares_if_near
                : in_l1                           ? Way::squares_about_first
                                                  : Way::merges,
         .additions = additions_in(rows.columns, threads_that_add) + 64});
    const std::string type = type_of(element);
    const std::string whole = is_packed(inputs, element) ? ", true" : ", false";
    const int columns = columns_of(inputs);
    const float epsilon = epsilon_of(inputs);
    switch (route) {
        case Route::short_rows:
            launch_short_rows(plan, inputs, element, b);
            break;
        case Route::warp:
            plan.launch("layer_norm_row_a_warp", type + ", " + std::to_string(packs_a_thread) + whole,
                        Grid{rows.blocks(block / 32)}, Block{block}, b.in, b.weight, b.bias, b.out,
                        static_cast<long long>(rows.count), columns, epsilon);
            break;
        case Route::registers:
            plan.launch("layer_norm_registers", type + ", " + std::to_string(kPacks) + whole,
                        Grid{rows.blocks()}, Block{block}, b.in, b.weight, b.bias, b.out, columns, epsilon);
            break;
        case Route::high_occupancy:
            plan.launch("layer_norm_high_occupancy",
                        type + ", " + std::to_string(block) + (pays_to_hint(inputs, element) ? ", true" : ", false"),
                        Grid{rows.blocks()}, Block{block}, b.in, b.weight, b.bias, b.out, columns, epsilon);
            break;
        case Route::overlap: {
            const int ahead = blocks_ahead(inputs, element, rows_of_overlap(block));
            plan.launch("layer_norm_overlap",
                        type + ", " + std::to_string(block) + ", " + std::to_string(packs_a_thread) + prefetches(ahead),
                        Grid{rows.blocks(rows_of_overlap(block))}, Block{block_of_overlap(block)}, b.in, b.weight,
                        b.bias, b.out, static_cast<long long>(rows.count), columns, epsilon, ahead);
            plan.launches.back().overlaps = true;
            break;
        }
        case Route::fitted:
            launch_fitted(plan, inputs, element, "layer_norm_fitted", shape_of_fitted(inputs, element), "",
                          b.in, b.weight, b.bias, b.out, static_cast<long long>(rows.count), columns, epsilon);
            break;
        case Route::asks_early: {
            const FittedShape shape = shape_that_asks_early(inputs, element);
            plan.launch("layer_norm_asks_early",
                        fmt::format("{}, {}, {}, {}", type, shape.packs, shape.most_threads, shape.blocks),
                        Grid{rows.blocks()}, Block{shape.threads}, b.in, b.weight, b.bias, b.out,
                        static_cast<int>(rows.count), columns, epsilon);
            plan.launches.back().overlaps = true;
            break;
        }
        case Route::vectors_in_l1: {
            const FittedAnywhereShape shape = shape_with_vectors_in_l1(inputs, element);
            launch_rows_together(plan, inputs, element, "layer_norm_vectors_in_l1", shape,
                                 fmt::format("{}, {}, {}, {}, {}{}", type, shape.rows, shape.packs, shape.most_threads,
                                             shape.blocks, whole),
                                 b.in, b.weight, b.bias, b.out, static_cast<int>(rows.count), columns, epsilon);
            break;
        }
        case Route::vectors_in_l1_cluster: {
            const ClusterWithVectorsInL1 cluster = cluster_with_vectors_in_l1(inputs, element);
            const FittedClusterShape& shape = cluster.shape;
            const std::uint32_t clusters = is_packed(inputs, element) ? rows.blocks(cluster.rows)
                                                                      : groups_of_rows_apart(inputs, element, cluster.rows);
            plan.launch("layer_norm_vectors_in_l1_cluster",
                        fmt::format("{}, {}, {}, {}, {}, {}{}", type, cluster.rows, shape.packs, shape.most_threads,
                                    shape.blocks, shape.cluster, whole),
                        Grid{clusters * shape.cluster}, Block{shape.threads}, b.in, b.weight, b.bias, b.out,
                        static_cast<int>(rows.count), columns, epsilon);
            plan.launches.back().overlaps = true;
            break;
        }
        case Route::fitted_cluster: {
            const LayerNormCluster cluster = cluster_of_small_blocks(inputs, element);
            launch_fitted_cluster(plan, inputs, element, "layer_norm_fitted_cluster", cluster.shape,
                                  cluster.asks_early ? ", true" : ", false", b.in, b.weight, b.bias, b.out, columns, epsilon);
            break;
        }
        case Route::cluster: {
            const RowsACluster cluster = rows_a_cluster(packs_of(rows.columns, element), element);
            plan.launch("layer_norm_cluster", shape_text(type, cluster),
                        Grid{rows.blocks(cluster.rows) * cluster.shape.blocks}, Block{cluster.shape.threads}, b.in,
                        b.weight, b.bias, b.out, static_cast<long long>(rows.count), columns, epsilon);
            plan.launches.back().overlaps = true;
            break;
        }
        case Route::short_anywhere:
            launch_short_anywhere(plan, inputs, element, b);
            break;
        case Route::few_lanes:
            launch_few_lanes_of_rows(plan, inputs, element, b);
            break;
        case Route::few_columns:
            launch_few_columns(plan, inputs, element, "layer_norm_few_columns", shape_of_few_columns(inputs, element),
                               b.in, b.weight, b.bias, b.out, static_cast<int>(rows.count), epsilon);
            break;
        case Route::row_tile:
            launch_row_tile(plan, inputs, element, "layer_norm_row_tile", row_tile_of_norm(inputs, element), kVectors, b.in,
                            b.weight, b.bias, b.out, static_cast<int>(rows.count), columns, epsilon);
            break;
        case Route::lane_tile:
            launch_lane_tile_of_rows(plan, inputs, element, b);
            break;
        case Route::team:
            launch_rows_a_team(plan, inputs, element, b);
            break;
        case Route::fitted_anywhere: {
            const FittedAnywhereShape shape = shape_of_fitted_anywhere(inputs, element);
            launch_fitted_anywhere(plan, inputs, element, "layer_norm_fitted_anywhere", shape,
                                   fmt::format("{}, {}, {}, {}, {}", type, shape.rows, shape.packs, shape.most_threads,
                                               shape.blocks),
                                   b.in, b.weight, b.bias, b.out, static_cast<long long>(rows.count), columns,
                                   epsilon);
            break;
        }
        case Route::anywhere:
            launch_anywhere(plan, inputs, element, b);
            break;
        case Route::anywhere_cluster:
            launch_anywhere_cluster(plan, inputs, element, b);
            break;
        case Route::bulk_copies:
            launch_bulk_copies(plan, inputs, element, b);
            break;
        case Route::rows_on_demand:
            launch_rows_on_demand(plan, inputs, element, b);
            break;
        case Route::anywhere_two_reads:
            plan.launch("layer_norm_anywhere_two_reads", type, Grid{rows.blocks()}, Block{block},
                        b.in, b.weight, b.bias, b.out, columns, epsilon);
            break;
        case Route::two_reads:
            plan.launch("layer_norm_two_reads", type, Grid{rows.blocks()}, Block{block}, b.in, b.weight, b.bias, b.out,
                        columns, epsilon);
            break;
    }
}

// The plan of one route in blocks of --block threads. Throws Error as check_block().
inline void plan_in_blocks(Plan& plan, const Inputs& inputs, Element element, Route route) {
    check_block(inputs);
    plan_route(plan, inputs, element, route);
}

inline void plan_best(Plan& plan, const Inputs& inputs, Element element) {
    refuse_block(inputs, "layer_norm_best");
    const Choice best = best_route(inputs, element);
    Inputs chosen = inputs;
    chosen.block = best.block;
    plan_route(plan, chosen, element, best.route, best.packs);
}

}  // namespace layer_norm
