// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "common/lesson/references.hpp"

namespace at_the_limit {

using lanewise::Element;
using lanewise::launch::Buffer;
using lanewise::launch::Plan;
using lanewise::lesson::gamma;
using lanewise::lesson::Inputs;
using lanewise::lesson::Machine;
using lanewise::lesson::rounds_of;

// ---- Values ----------------------------------------------------------------------------------------------------

// Stands before the values where they begin at in[1]: a kernel that adds it is seen to be wrong.
inline constexpr double kNotAValue = 1000;

// The name of the kernels' template argument.
inline std::string type_of(Element element) {
    return element == Element::f32 ? "float" : element == Element::f16 ? "__half" : "__nv_bfloat16";
}

struct Sum {
    double sum = 0;
    double magnitude = 0;
};

// Writes the values rounded to `element` to `bytes` and adds them up, `count` of them from `first` on.
inline Sum fill(const Inputs& inputs, Element element, std::uint64_t first, std::uint64_t count, std::byte* bytes) {
    const auto size = static_cast<std::size_t>(lanewise::element_size(element));
    const std::vector<double> values = inputs.part(first, count);
    Sum sum;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t bits = lanewise::element_from_double(element, values[i]);
        std::memcpy(bytes + i * size, &bits, size);
        const double rounded = lanewise::element_to_double(element, bits);
        sum.sum += rounded;
        sum.magnitude += std::abs(rounded);
    }
    return sum;
}

// The plan's input of inputs.offset + n values, and the sum of the n. In pieces and by all cores, for n may be 2^31.
inline Sum add_input(Plan& plan, const Inputs& inputs, Element element, Buffer<void>& in) {
    constexpr std::uint64_t kPiece = 1u << 18;
    const std::vector<double> before(inputs.offset, kNotAValue);
    in = plan.input_as("in", element, before);
    auto& buffer = plan.buffers.back();
    const auto size = static_cast<std::size_t>(lanewise::element_size(element));
    buffer.count += inputs.n;
    buffer.contents.resize(buffer.bytes());
    std::byte* const bytes = buffer.contents.data() + inputs.offset * size;
    const std::uint64_t pieces = (inputs.n + kPiece - 1) / kPiece;
    std::vector<Sum> sums(pieces);
    const auto work = [&](std::uint64_t begin, std::uint64_t step) {
        for (std::uint64_t piece = begin; piece < pieces; piece += step) {
            const std::uint64_t first = piece * kPiece;
            sums[piece] = fill(inputs, element, first, std::min(kPiece, inputs.n - first), bytes + first * size);
        }
    };
    const std::uint64_t threads = std::min<std::uint64_t>(std::max(1u, std::thread::hardware_concurrency()), pieces);
    std::vector<std::thread> others;
    for (std::uint64_t t = 1; t < threads; ++t) others.emplace_back(work, t, threads);
    work(0, threads);
    for (std::thread& other : others) other.join();
    Sum all;
    for (const Sum& sum : sums) {
        all.sum += sum.sum;
        all.magnitude += sum.magnitude;
    }
    in = in.from(inputs.offset);
    return all;
}

// ---- Shapes ----------------------------------------------------------------------------------------------------

// How a sum is launched: blocks of `block` threads that have `loads` loads of 16 bytes in flight each.
struct Shape {
    std::uint32_t block = 128;
    std::uint32_t loads = 4;
    std::uint32_t blocks = 1;
};

inline std::uint64_t bytes_of(std::uint64_t n, Element element) {
    return n * static_cast<std::uint64_t>(lanewise::element_size(element));
}

inline std::uint32_t blocks_for(std::uint64_t n, Element element, std::uint64_t packs_a_block) {
    const std::uint64_t packs = (bytes_of(n, element) + 15) / 16;
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>((packs + packs_a_block - 1) / packs_a_block, 1, 0x7fffffff));
}

// As many blocks as run at once, or as many as have something to do.
inline Shape one_wave(std::uint64_t n, Element element, std::uint32_t block, std::uint32_t loads,
                      const Machine& machine) {
    const std::uint32_t wave = machine.multiprocessors * std::max(1u, machine.threads_per_multiprocessor / block);
    return {block, loads, std::min(wave, blocks_for(n, element, std::uint64_t{block} * loads))};
}

// A turn for each block: the grid grows with n.
inline Shape one_turn(std::uint64_t n, Element element, std::uint32_t block) {
    return {block, 1, blocks_for(n, element, block)};
}

// Bytes of input, up to which a shape did best on an H200.
inline constexpr std::uint64_t kSmall = 128u << 10;     // blocks of 128, so that there are several
inline constexpr std::uint64_t kOne256 = 3u << 20;      // a block of 256 a multiprocessor
inline constexpr std::uint64_t kOne512 = 12u << 20;     // a block of 512
inline constexpr std::uint64_t kOne1024 = 24u << 20;    // a block of 1024
inline constexpr std::uint64_t kTwo1024 = 128u << 20;   // two of 1024; beyond, two of 512 with four loads each

// Bytes that one block takes in one turn, with four loads of 16 bytes in flight a thread: 128, 256, 512 or 1024
// threads.
inline constexpr std::uint64_t one_turn_bytes(std::uint32_t block) { return std::uint64_t{block} * 4 * 16; }
// The fewest threads that take n values in one turn of one block; 1024 where none do.
inline std::uint32_t one_turn_block(std::uint64_t n, Element element) {
    std::uint32_t block = 128;
    while (block < 1024 && bytes_of(n, element) > one_turn_bytes(block)) block *= 2;
    return block;
}
inline bool is_one_turn(std::uint64_t n, Element element) { return bytes_of(n, element) <= one_turn_bytes(1024); }

// Threads a block where the command line does not say: of one route, and of the best.
inline std::uint32_t route_block(std::uint64_t n, Element element, std::uint32_t large) {
    return bytes_of(n, element) <= kSmall ? 128 : large;
}
inline std::uint32_t best_block(std::uint64_t n, Element element) {
    if (is_one_turn(n, element)) return one_turn_block(n, element);
    const std::uint64_t bytes = bytes_of(n, element);
    return bytes <= kSmall ? 128 : bytes <= kOne256 ? 256 : bytes <= kOne512 ? 512 : bytes <= kTwo1024 ? 1024 : 512;
}

// How much of an input is to stay in L2: 44 of the H200's 60 MB did best, of 64 and of 128 MB. Of 52 MB nothing is left
// when it is read again.
inline std::uint64_t kept_bytes(const Machine& machine) { return machine.l2_bytes / 15 * 11; }
// From where on. Without a hint, 32 MB are read again in 9.3 us, with one in 6.7: L2 is in two halves.
inline bool worth_keeping(std::uint64_t bytes, const Machine& machine) { return bytes > machine.l2_bytes / 5 * 2; }

// The best for a size on a machine: one turn of one block up to 64 KB, then poll; where the GPU takes them, with cache
// hints, and a policy where the input is larger than what L2 holds from one launch to the next.
struct Choice {
    Shape shape;
    bool one_turn = false;
    bool hints = false;
    std::uint64_t keep_bytes = 0;
};

inline Choice best_choice(std::uint64_t n, Element element, std::uint32_t block, const Machine& machine) {
    const std::uint64_t bytes = bytes_of(n, element);
    Choice best;
    if (is_one_turn(n, element) && block == best_block(n, element)) {
        best.shape = {block, 4, 1};
        best.one_turn = true;
        return best;
    }
    best.shape = one_wave(n, element, block, block == 256 || block == 1024 ? 2 : 4, machine);
    // A block that the command line asks for runs plain poll, in one wave.
    if (block == 128 || block != best_block(n, element) || machine.architecture < 80) return best;
    best.hints = true;
    if (bytes > kOne512 && worth_keeping(bytes, machine)) best.keep_bytes = kept_bytes(machine);
    if (bytes <= kOne512) best.shape.loads = 2;
    // All multiprocessors, even where a thread then has fewer packs than it could have in flight.
    const std::uint32_t each =
        bytes <= kOne1024 ? 1 : std::min(2u, std::max(1u, machine.threads_per_multiprocessor / block));
    best.shape.blocks = std::min(machine.multiprocessors * each, blocks_for(n, element, block));
    return best;
}

// ---- Plans -----------------------------------------------------------------------------------------------------

// Additions that a value goes through at most: its thread's packs and ends, the tree in a pack, the block's two levels,
// and what joins the blocks.
inline void expect_sum(Plan& plan, Buffer<float> out, const Sum& sum, const Inputs& inputs, Element element,
                       const Shape& shape, double joining) {
    const double packs = static_cast<double>((bytes_of(inputs.n, element) + 15) / 16);
    const double packs_a_thread = std::ceil(packs / (double{1} * shape.blocks * shape.block)) + shape.loads;
    const double depth = 3 + 2 + 5 + rounds_of((shape.block + 31) / 32);
    plan.bytes_moved = bytes_of(inputs.n, element) + sizeof(float);
    plan.expect(out, {sum.sum}, gamma(packs_a_thread + depth + joining) * sum.magnitude,
                "(packs a thread + depth of a block + what joins the blocks) * 2^-24 * sum|x|");
}

inline std::string arguments(Element element, const Shape& shape, const std::string& more = "") {
    return type_of(element) + ", " + std::to_string(shape.block) + ", " + std::to_string(shape.loads) + more;
}

// How the block that adds the others' sums does it: some a thread, then the block's two levels.
inline double joining_of(const Shape& shape, std::uint64_t sums) {
    return std::ceil(static_cast<double>(sums) / shape.block) + 10;
}

inline long long count_of(const Inputs& inputs) { return static_cast<long long>(inputs.n); }

inline void plan_one_block(Plan& plan, const Inputs& inputs, Element element) {
    const Shape shape{inputs.block, 4, 1};
    Buffer<void> in;
    const Sum sum = add_input(plan, inputs, element, in);
    const auto out = plan.output<float>("out", 1);
    plan.launch("one_block", arguments(element, shape), {1}, {shape.block}, in, out, count_of(inputs));
    expect_sum(plan, out, sum, inputs, element, shape, 0);
}

// For n that the block takes in one turn.
inline void plan_one_turn(Plan& plan, const Inputs& inputs, Element element) {
    const Shape shape{inputs.block, 4, 1};
    Buffer<void> in;
    const Sum sum = add_input(plan, inputs, element, in);
    const auto out = plan.output<float>("out", 1);
    plan.launch("one_turn", arguments(element, shape), {1}, {shape.block}, in, out, static_cast<int>(inputs.n));
    expect_sum(plan, out, sum, inputs, element, shape, 0);
}

// The grid of `shape`.
inline void plan_atomic(Plan& plan, const Inputs& inputs, Element element, const Shape& shape) {
    Buffer<void> in;
    const Sum sum = add_input(plan, inputs, element, in);
    const auto out = plan.total<float>("out", 1);
    plan.launch("atomic_per_block", arguments(element, shape), {shape.blocks}, {shape.block}, in, out,
                count_of(inputs));
    expect_sum(plan, out, sum, inputs, element, shape, shape.blocks);
}

// The last block finishes: last_block_fences or last_block_ticket.
inline void plan_last_block(Plan& plan, const Inputs& inputs, Element element, const std::string& kernel) {
    const Shape shape = one_wave(inputs.n, element, inputs.block, 4, inputs.machine);
    Buffer<void> in;
    const Sum sum = add_input(plan, inputs, element, in);
    const auto out = plan.scratch<float>("out", 1);
    const auto partials = plan.scratch<float>("partials", shape.blocks);
    const auto ticket = plan.kept<unsigned>("ticket", 1);
    plan.launch(kernel, arguments(element, shape), {shape.blocks}, {shape.block}, in, out, partials, ticket,
                count_of(inputs));
    expect_sum(plan, out, sum, inputs, element, shape, joining_of(shape, shape.blocks) + shape.blocks / 32.0);
}

inline void plan_grid_barrier(Plan& plan, const Inputs& inputs, Element element) {
    Shape shape = one_wave(inputs.n, element, inputs.block, 4, inputs.machine);
    // Half of what may run at once: the launch is refused where registers leave room for fewer.
    shape.blocks = std::min(
        shape.blocks,
        std::max(1u, inputs.machine.multiprocessors * (inputs.machine.threads_per_multiprocessor / shape.block / 2)));
    Buffer<void> in;
    const Sum sum = add_input(plan, inputs, element, in);
    const auto out = plan.scratch<float>("out", 1);
    const auto partials = plan.scratch<float>("partials", shape.blocks);
    plan.launch("grid_barrier", arguments(element, shape), {shape.blocks}, {shape.block}, in, out, partials,
                count_of(inputs));
    plan.launches.back().cooperative = true;
    expect_sum(plan, out, sum, inputs, element, shape, joining_of(shape, shape.blocks));
}

// One block polls: poll and poll_warps, cluster and bulk_copy. Each block but the last has `slots_a_block` slots.
inline void plan_poll(Plan& plan, const Inputs& inputs, Element element, const std::string& kernel, Shape shape,
                      std::uint32_t slots_a_block = 1) {
    Buffer<void> in;
    const Sum sum = add_input(plan, inputs, element, in);
    const auto out = plan.scratch<float>("out", 1);
    const std::uint64_t slots = std::uint64_t{shape.blocks - 1} * slots_a_block;
    const auto place = plan.kept<std::uint64_t>("slots", std::max<std::uint64_t>(slots, 1));
    plan.launch(kernel, arguments(element, shape), {shape.blocks}, {shape.block}, in, out, place, count_of(inputs));
    expect_sum(plan, out, sum, inputs, element, shape, joining_of(shape, slots));
}

inline void plan_cluster(Plan& plan, const Inputs& inputs, Element element) {
    constexpr std::uint32_t kCluster = 4;
    Shape shape = one_wave(inputs.n, element, inputs.block, 4, inputs.machine);
    shape.blocks = (shape.blocks + kCluster - 1) / kCluster * kCluster;
    plan_poll(plan, inputs, element, "cluster", shape);
}

// poll_hints: `keep_bytes` of the input are to stay in L2; 0: no policy.
inline void plan_hints(Plan& plan, const Inputs& inputs, Element element, const Shape& shape,
                       std::uint64_t keep_bytes) {
    Buffer<void> in;
    const Sum sum = add_input(plan, inputs, element, in);
    const auto out = plan.scratch<float>("out", 1);
    const auto slots = plan.kept<std::uint64_t>("slots", std::max(shape.blocks - 1, 1u));
    plan.launch("poll_hints", arguments(element, shape, keep_bytes ? ", true" : ", false"), {shape.blocks},
                {shape.block}, in, out, slots, count_of(inputs), static_cast<long long>(keep_bytes / 16));
    expect_sum(plan, out, sum, inputs, element, shape, joining_of(shape, shape.blocks));
}

inline void plan_best(Plan& plan, const Inputs& inputs, Element element) {
    const Choice best = best_choice(inputs.n, element, inputs.block, inputs.machine);
    if (best.one_turn) plan_one_turn(plan, inputs, element);
    else if (best.hints) plan_hints(plan, inputs, element, best.shape, best.keep_bytes);
    else plan_poll(plan, inputs, element, "poll", best.shape);
}

}  // namespace at_the_limit
