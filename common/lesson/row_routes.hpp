// How lessons on rows choose a kernel by the length of a row: in packs of 16 bytes, for blocks and clusters that hold a
// row in registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/element.hpp"
#include "common/base/error.hpp"
#include "common/launch/plan.hpp"
#include "common/lesson/rows.hpp"

namespace lanewise::lesson {

inline constexpr std::uint32_t kWarpBlock = 128;   // threads of a block with a row for each warp
inline constexpr std::uint32_t kMostThreads = 1024;
inline constexpr std::uint32_t kPacks = 4;  // packs that a thread holds of a row: as many 16-byte loads in flight

// Shared arrays of packs in the lessons' kernels for rows of floats.
inline const std::vector<std::string> kFloatPacks = {"kept", "copied", "tiles", "shares", "shared_packs", "shared_weights"};

// Values in 16 bytes.
inline std::uint64_t pack_of(Element element) { return 16 / static_cast<std::uint64_t>(element_size(element)); }

inline std::uint64_t packs_of(std::uint64_t columns, Element element) {
    return (columns + pack_of(element) - 1) / pack_of(element);
}

// Do all rows begin at a multiple of 16 bytes and hold whole packs?
inline bool is_packed(const Inputs& inputs, Element element) {
    return inputs.offset % pack_of(element) == 0 && rows_of(inputs).columns % pack_of(element) == 0;
}

// Packs in which a row lies, at most: one that begins within a pack shares its first and its last with other rows.
inline std::uint64_t packs_touched(const Inputs& inputs, Element element) {
    const std::uint64_t columns = rows_of(inputs).columns;
    return packs_of(is_packed(inputs, element) ? columns : columns + pack_of(element) - 1, element);
}

inline constexpr std::uint32_t kPacksOfALine = 8;   // of memory: 128 bytes

// Places of a pack, from a line on, in which a row lies, at most: one that begins past a line, by up to seven packs, has
// as many empty places before it.
inline std::uint64_t places_of(const Inputs& inputs, Element element) {
    const std::uint64_t packs = packs_of(rows_of(inputs).columns, element);
    const bool begins_lines = is_packed(inputs, element) && packs % kPacksOfALine == 0 &&
                              inputs.offset / pack_of(element) % kPacksOfALine == 0;
    return begins_lines ? packs : packs + kPacksOfALine - 1;
}

// Do the packs in which rows lie end within the array? Those at a row's ends may hold values of the rows beside it, which
// can be one fewer than a pack has. The first and the last row of all are not read past.
inline bool packs_end_inside(const Inputs& inputs, Element element) {
    const Rows rows = rows_of(inputs);
    return is_packed(inputs, element) || rows.count == 1 || rows.columns + 1 >= pack_of(element);
}

// Bytes of all rows. Their results take as many.
inline std::uint64_t bytes_of_rows(const Inputs& inputs, Element element) {
    return inputs.n * static_cast<std::uint64_t>(element_size(element));
}

// How often the bytes that a kernel reads and writes, each once, fill L2.
inline double fillings_of_l2(const Inputs& inputs, Element element) {
    return static_cast<double>(2 * bytes_of_rows(inputs, element)) / static_cast<double>(inputs.machine.l2_bytes);
}
// Has L2 room for all that is read and written, and for more? An H200's up to 50 MB.
inline bool l2_holds(const Inputs& inputs, Element element) { return fillings_of_l2(inputs, element) <= 0.8; }
// Is so much read and written that hardly any of it is still in L2 at the next launch? More threads then wait for memory at
// once. On an H200 so from 94 MB on: measured at 134 MB and more.
inline bool outgrows_l2(const Inputs& inputs, Element element) { return fillings_of_l2(inputs, element) > 1.5; }
// Is it faster to ask L2 to evict what is read last? Measured on an H200: at 134 and 268 MB it is slower or makes no
// difference, at 537 MB it is 2 to 3 % faster.
inline bool pays_to_hint(const Inputs& inputs, Element element) { return fillings_of_l2(inputs, element) > 6; }

// Are there as many rows as where fitted blocks, teams and rows on demand were timed: rows and results of 31 MB and more?
inline bool rows_are_many(const Inputs& inputs, Element element) {
    return bytes_of_rows(inputs, element) >= 15u << 20;
}

// Is it faster to start while the kernel before still runs? Measured on an H200 at 4 MB to 1 GB.
inline bool overlaps(const Inputs& inputs, Element element) {
    const bool measured = bytes_of_rows(inputs, element) >= 1u << 20;
    return measured && inputs.machine.architecture >= 90 && is_packed(inputs, element);
}

// How many blocks of so many rows lie between the rows that a kernel works on and those that it prefetches. 0, none, for
// what is mostly in L2 anyway. Measured on an H200, 134 MB to 1 GB: 2 to 4 MB ahead is 1 to 4 % faster than no prefetch.
// 9 to 17 MB ahead, as much as runs at once, rows of 65536 halves take up to a third longer.
inline int blocks_ahead(const Inputs& inputs, Element element, std::uint64_t rows_a_block) {
    constexpr std::uint64_t kBytes = 3 << 20;
    if (!outgrows_l2(inputs, element)) return 0;
    const std::uint64_t a_row = rows_of(inputs).columns * static_cast<std::uint64_t>(element_size(element));
    return static_cast<int>(std::max<std::uint64_t>(kBytes / (a_row * rows_a_block), 1));
}
// The last template argument of a kernel that prefetches rows so far ahead.
inline const char* prefetches(int ahead) { return ahead > 0 ? ", true" : ", false"; }

// Does memory bring each multiprocessor more than 30 GB/s? An H200's brings 37, an H100's 25. There large clusters are
// slow: 1024 rows of 65536 halves, loaded, multiplied by weights and stored, with no sum taken, need 64 us on an H200 by
// blocks of 512 threads, and 77 where eight of them are a cluster.
inline bool memory_is_fast(const Machine& machine) {
    return machine.memory_gb_per_s > 30 * machine.multiprocessors;
}

// Threads of a block of a kernel that runs as many as its registers let, kPacks packs a thread: the fewest of its
// instances that hold a row of so many packs, 0 where none does.
inline std::uint32_t threads_at_high_occupancy(std::uint64_t packs) {
    for (const std::uint32_t threads : {64u, 128u, 192u, 256u, 384u, 512u, 768u, 1024u})
        if (packs <= std::uint64_t{threads} * kPacks) return threads;
    return 0;
}

// An instance of a kernel whose blocks have no more warps than a row needs: packs that a thread holds, a block's threads at
// most, and blocks of so many for which a multiprocessor has registers. And the threads that a row takes, 0 where none
// holds it.
struct FittedShape {
    std::uint32_t packs = 0, most_threads = 0, blocks = 0, threads = 0;
};
// Whole warps of the first instance that holds a row of so many packs.
inline FittedShape fitted_shape(std::uint64_t packs, std::initializer_list<FittedShape> instances) {
    for (FittedShape shape : instances) {
        const std::uint64_t warps = (packs + shape.packs * 32 - 1) / (shape.packs * 32);
        if (warps * 32 > shape.most_threads) continue;
        shape.threads = static_cast<std::uint32_t>(warps * 32);
        return shape;
    }
    return {};
}

// Do rows and results fill L2, but not much more? It is then faster that L1 does not keep what is read. Percent of a copy's
// bandwidth on an H200 so and else, of halves: 67 MB of 20000 by softmax 101 and 97, but 48 MB 86 and 89, 134 MB 94 and
// 100; of 3501, which begin anywhere, by layer norm 56 MB 87 and 83, but 44 MB 65 and 66, 134 MB 91 and 94.
inline bool fills_l2(const Inputs& inputs, Element element) {
    return !l2_holds(inputs, element) && !outgrows_l2(inputs, element);
}

// A block for each row. The kernel's other template arguments, if any, end in a comma and a blank.
template <class... Arguments>
void launch_fitted(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                   const FittedShape& shape, const std::string& others, const Arguments&... arguments) {
    const int ahead = blocks_ahead(inputs, element, 1);
    plan.launch(kernel,
                fmt::format("{}, {}, {}, {}, {}{}{}", type_of(element), shape.packs, shape.most_threads, shape.blocks, others,
                            fills_l2(inputs, element), prefetches(ahead)),
                launch::Grid{rows_of(inputs).blocks()}, launch::Block{shape.threads}, arguments..., ahead);
    plan.launches.back().overlaps = true;
}

// An instance of a kernel for rows that begin anywhere, whose blocks have no more warps than a row needs: rows that its
// threads work on together, packs that a thread holds of each, a block's threads at most, and blocks of so many for which
// a multiprocessor has registers; packs of a row, at most; and the threads that a row takes, 0 where none holds it.
struct FittedAnywhereShape {
    std::uint32_t rows = 0, packs = 0, most_threads = 0, blocks = 0;
    std::uint64_t most_packs = 0;
    std::uint32_t threads = 0;
};
// Whole warps of the instance whose threads have the fewest places for packs that stay empty; the first such one.
// Percent of a copy's bandwidth on an H100, of halves: softmax of 1501 columns, 187 packs, of 34 MB 58 in 320 places
// (two warps, five packs a thread) and 85 in 192 (one warp, six packs); layer norm of 601 46 in 128 and 69 in 96, and of
// 134 MB 86 and 98.
inline FittedAnywhereShape fitted_anywhere_shape(std::uint64_t columns, Element element,
                                                 std::initializer_list<FittedAnywhereShape> instances) {
    const std::uint64_t packs = columns / pack_of(element);
    FittedAnywhereShape fullest;
    for (FittedAnywhereShape shape : instances) {
        const std::uint64_t warps = std::max<std::uint64_t>((packs + shape.packs * 32 - 1) / (shape.packs * 32), 1);
        if (packs > shape.most_packs || warps * 32 > shape.most_threads) continue;
        shape.threads = static_cast<std::uint32_t>(warps * 32);
        if (fullest.threads == 0 || shape.threads * shape.packs < fullest.threads * fullest.packs) fullest = shape;
    }
    return fullest;
}
// Groups of threads for rows of which each works on so many together. Those lie as many rows apart as a pack has values.
inline std::uint32_t groups_of_rows_apart(const Inputs& inputs, Element element, std::uint32_t together) {
    const auto apart = static_cast<std::uint32_t>(together > 1 ? pack_of(element) : 1);
    return rows_of(inputs).blocks(apart * together) * apart;
}
// Where a warp is enough for a row, a block has four. `instance`: the kernel's template arguments.
template <class... Arguments>
void launch_rows_together(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                          const FittedAnywhereShape& shape, const std::string& instance, const Arguments&... arguments) {
    const std::uint32_t groups = shape.threads == 32 ? 4 : 1;   // of a block
    const std::uint32_t all = groups_of_rows_apart(inputs, element, shape.rows);
    plan.launch(kernel, instance, launch::Grid{(all + groups - 1) / groups}, launch::Block{shape.threads, groups},
                arguments...);
    plan.launches.back().overlaps = true;
}
// The same of a kernel whose last template argument is kPastL1.
template <class... Arguments>
void launch_fitted_anywhere(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                            const FittedAnywhereShape& shape, const std::string& instance,
                            const Arguments&... arguments) {
    launch_rows_together(plan, inputs, element, kernel, shape,
                         fmt::format("{}, {}", instance, fills_l2(inputs, element)), arguments...);
}

// Are there clusters, with as much shared memory a block as those of cluster_anywhere() take? 208 KB at most: sm_90 and
// sm_100 have 227, sm_120 has 99.
inline bool has_large_clusters(const Machine& machine) {
    return machine.architecture >= 90 && machine.architecture < 120;
}

// An instance of a kernel in which a cluster of small blocks takes a row: packs that a thread holds, a block's threads at
// most, blocks of so many for which a multiprocessor has registers, blocks of the cluster; packs of a row, at most; and a
// block's threads, 0 where no instance holds the row.
struct FittedClusterShape {
    std::uint32_t packs = 0, most_threads = 0, blocks = 0, cluster = 0;
    std::uint64_t most_packs = 0;
    std::uint32_t threads = 0;
    std::uint64_t room() const { return std::uint64_t{cluster} * threads * packs; }
};
// Whole warps of the instance whose threads have the fewest places for packs that stay empty; the first such one. A row
// lies in so many places.
inline FittedClusterShape fitted_cluster_shape(std::uint64_t places, std::initializer_list<FittedClusterShape> instances) {
    FittedClusterShape fullest;
    for (FittedClusterShape shape : instances) {
        const std::uint64_t lines = std::uint64_t{shape.cluster} * kPacksOfALine;
        const std::uint64_t share = (places + lines - 1) / lines * kPacksOfALine;   // of a block
        const std::uint64_t warps = (share + shape.packs * 32 - 1) / (shape.packs * 32);
        if (places > shape.most_packs || warps * 32 > shape.most_threads) continue;
        shape.threads = static_cast<std::uint32_t>(warps * 32);
        if (fullest.threads == 0 || shape.room() < fullest.room()) fullest = shape;
    }
    return fullest;
}
// Are rows as many as where such clusters were timed: on an H200, rows and results of 34 to 67 MB? Where L2 holds those,
// memory does not matter.
inline bool clusters_of_small_blocks_were_timed(const Inputs& inputs, Element element) {
    return has_large_clusters(inputs.machine) && rows_are_many(inputs, element) && !outgrows_l2(inputs, element) &&
           (l2_holds(inputs, element) || memory_is_fast(inputs.machine));
}
// A cluster for each row. `others`: what the kernel's template arguments have besides, after a comma and a blank.
template <class... Arguments>
void launch_fitted_cluster(launch::Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                           const FittedClusterShape& shape, const std::string& others, const Arguments&... arguments) {
    plan.launch(kernel,
                fmt::format("{}, {}, {}, {}, {}{}", type_of(element), shape.packs, shape.most_threads, shape.blocks,
                            shape.cluster, others),
                launch::Grid{rows_of(inputs).blocks() * shape.cluster}, launch::Block{shape.threads}, arguments...);
    plan.launches.back().overlaps = true;
}

// Threads of a block, and packs that each of them holds.
struct BlockShape {
    std::uint32_t threads = 0, packs = 0;
};

// Does a row take that many threads at high occupancy, and fill seven eighths of them?
inline bool fills_most(std::uint64_t packs, std::uint32_t threads) {
    return threads_at_high_occupancy(packs) == threads && 8 * packs >= 7 * std::uint64_t{threads} * kPacks;
}

// Threads that share a row, and packs that each of them holds, of a kernel whose launches overlap: a warp, or the fewest
// of its instances that hold a row of so many packs; none where none does.
inline BlockShape shape_of_overlap(std::uint64_t packs) {
    return {packs <= 32 * kPacks ? 32 : threads_at_high_occupancy(packs), kPacks};
}
// The threads of a block in which so many threads share a row, and the rows that it takes.
inline std::uint32_t block_of_overlap(std::uint32_t threads_a_row) { return std::max(threads_a_row, 64u); }
inline std::uint32_t rows_of_overlap(std::uint32_t threads_a_row) { return block_of_overlap(threads_a_row) / threads_a_row; }

// Of a kernel for rows that begin anywhere: whole warps, as many as the whole packs of a row need. None where they need
// more than 512 threads.
inline BlockShape block_anywhere(std::uint64_t columns, Element element) {
    const std::uint64_t packs = columns / pack_of(element);
    if (packs > 512 * 4) return {};
    const std::uint32_t a_thread = packs <= 64 ? 2 : 4;
    const std::uint64_t warps = (packs + a_thread * 32 - 1) / (a_thread * 32);
    return {static_cast<std::uint32_t>(warps < 1 ? 32 : warps * 32), a_thread};
}

// Blocks that share a row as a cluster, threads of each, packs that a thread holds.
struct ClusterShape {
    std::uint32_t blocks = 0, threads = 0, packs = 0;
    std::uint64_t room() const { return std::uint64_t{blocks} * threads * packs; }
};

// Of a kernel in which so many blocks share a row of whole packs: whole warps, as many as a block's share needs, 2 to
// 32. A row that needs more has no room.
inline ClusterShape cluster_of(std::uint64_t packs_a_row, std::uint32_t blocks, std::uint32_t packs_a_thread) {
    const std::uint64_t a_warp = std::uint64_t{blocks} * packs_a_thread * 32;
    const std::uint64_t warps = (packs_a_row + a_warp - 1) / a_warp;
    return {blocks, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(warps, 2, 32) * 32), packs_a_thread};
}
// The same of long rows that begin anywhere.
inline ClusterShape cluster_anywhere(std::uint64_t columns, Element element, std::uint32_t blocks,
                                     std::uint32_t packs_a_thread) {
    return cluster_of(columns / pack_of(element), blocks, packs_a_thread);
}

// The template arguments of a kernel in which a cluster shares a row.
inline std::string shape_text(const std::string& type, const ClusterShape& shape) {
    return type + ", " + std::to_string(shape.threads) + ", " + std::to_string(shape.packs) + ", " +
           std::to_string(shape.blocks);
}

inline constexpr std::uint32_t kMostBlocksOfACluster = 8;   // that every GPU with clusters has

// Of rows that clusters take on demand, which they fill: a small one to be looked at, and that of 65536 columns.
inline ClusterShape on_demand_shape(Element element, std::uint32_t block) {
    if (block == kWarpBlock) return {2, 64, kPacks};
    return {kMostBlocksOfACluster, element == Element::f32 ? 512u : 256u, kPacks};
}

// Bytes of shared memory that a block takes at least. With 60 KB no fourth block of 256 threads finds room on a
// multiprocessor of an H100 or H200, which has 228: a kernel like softmax's took an H100 92.8 us with four and 90.7
// with three, for 1024 rows of 65536 halves.
inline std::uint32_t least_shared_on_demand(const ClusterShape& shape) { return shape.threads == 256 ? 60 << 10 : 0; }

// Is a team faster than clusters that take rows on demand? Percent of a copy's bandwidth on an H200, rows of 65536 halves, so
// and on demand: RMS norm of 34 MB 68 61, 67 MB 94 88, but 90 MB 92 94; layer norm 58 50, 86 84, but 84 91. Softmax of floats
// of 67 MB 101 and 89.
inline bool team_beats_rows_on_demand(const Inputs& inputs, Element element) {
    return memory_is_fast(inputs.machine) && rows_are_many(inputs, element) && fillings_of_l2(inputs, element) <= 1.2;
}

// As many clusters as there are rows, of which a GPU launches those that run at once. A block's shared memory holds its
// share of `kept` vectors as long as a row: of the row, and of the biases. The last argument is the queue: how many
// rows have been taken, and how many clusters have ended. Kernels count rows in an int: each has 8 KB at least.
template <class... Arguments>
void launch_on_demand(launch::Plan& plan, const Inputs& inputs, const std::string& kernel,
                      const std::string& template_arguments, const ClusterShape& shape, std::uint32_t kept,
                      const Arguments&... arguments) {
    launch::Block block{shape.threads};
    block.dynamic_shared_bytes = std::max(kept * shape.packs * shape.threads * 16, least_shared_on_demand(shape));
    const auto queue = plan.kept<unsigned>("queue", 2);
    plan.launch(kernel, template_arguments, launch::Grid{rows_of(inputs).blocks() * shape.blocks}, block, arguments...,
                queue);
    plan.launches.back().cluster_in_turns = shape.blocks;
    plan.launches.back().overlaps = true;
}

// Of a norm's kernel in which a cluster keeps a few rows in registers.
struct RowsACluster {
    ClusterShape shape;
    std::uint32_t rows = 1;
    bool whole = false;   // a row fills the shape, and the kernel knows
};
// Two rows, so that weights are read once for both. Long rows of floats that fill eight packs a thread are faster one
// by one: 1024 x 65536 in two runs on an H100, RMS norm 182.7 and 184.1 us instead of 184.1 and 185.7, layer norm 185.5
// and 186.8 instead of 190.4 and 191.4.
inline RowsACluster rows_a_cluster(std::uint64_t packs_a_row, Element element) {
    const ClusterShape one = cluster_of(packs_a_row, kMostBlocksOfACluster, 2 * kPacks);
    if (element == Element::f32 && one.threads >= 256 && packs_a_row == one.room()) return {one, 1, true};
    const ClusterShape two = cluster_of(packs_a_row, kMostBlocksOfACluster, kPacks);
    return {two, 2, element != Element::f32 && packs_a_row == two.room()};
}
// The template arguments of such a kernel.
inline std::string shape_text(const std::string& type, const RowsACluster& cluster) {
    return type + (cluster.whole ? ", true, " : ", false, ") + std::to_string(cluster.rows) + ", " +
           std::to_string(cluster.shape.packs) + ", " + std::to_string(cluster.shape.blocks);
}

// Bulk copies under way, in tiles of a pack for each thread: as kTilesUnderWay in the lessons' cluster.cuh.
inline std::uint32_t tiles_under_way(std::uint32_t packs) { return packs < 4 ? 2 * packs : packs + packs / 4; }

// Throws Error where --block was given to `variant`, which chooses its threads itself.
inline void refuse_block(const Inputs& inputs, const std::string& variant) {
    if (inputs.block != kWarpBlock)
        throw Error(variant + " chooses its threads by the length of a row; leave out --block.");
}

// Throws Error where --block is no multiple of kWarpBlock up to kMostThreads.
inline void check_block(const Inputs& inputs) {
    if (inputs.block < kWarpBlock || inputs.block > kMostThreads || inputs.block % kWarpBlock != 0)
        throw Error("--block " + std::to_string(inputs.block) + ": this variant takes a multiple of 128 up to 1024.");
}

}  // namespace lanewise::lesson
