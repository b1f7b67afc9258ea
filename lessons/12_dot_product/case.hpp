// What the kernels of this lesson are run on and what they must give: used by the lesson and by its test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "common/launch/plan.hpp"
#include "common/lesson/inputs.hpp"
#include "common/lesson/references.hpp"
#include "common/lesson/rows.hpp"

namespace dot_product {

using lanewise::Element;
using lanewise::launch::Block;
using lanewise::launch::Buffer;
using lanewise::launch::Grid;
using lanewise::launch::Plan;
using lanewise::lesson::gamma;
using lanewise::lesson::Inputs;
using lanewise::lesson::rounds_of;

// ---- The two streams -------------------------------------------------------------------------------------------

// What b holds: of the kinds with random values those of the next seed, else a's own.
inline Inputs second_of(const Inputs& inputs) {
    Inputs second = inputs;
    ++second.seed;
    return second;
}

// The sum of the products in double, and of their magnitudes.
struct Dot {
    double sum = 0;
    double magnitude = 0;
    double largest = 0;  // |product|
};

inline double rounded(Element element, double value) {
    if (element == Element::f32) return static_cast<double>(static_cast<float>(value));
    return lanewise::element_to_double(element, lanewise::element_from_double(element, value));
}

inline Dot dot_of(const std::vector<double>& a, const std::vector<double>& b) {
    Dot dot;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double product = a[i] * b[i];
        dot.sum += product;
        dot.magnitude += std::abs(product);
        dot.largest = std::fmax(dot.largest, std::abs(product));
    }
    return dot;
}

// Of all n values as the type has them, in pieces and by all cores: n may be 2^28. In double the products of floats are
// rounded, to 2^-53, and so are the sums: far below any bound here.
inline Dot dot_of(const Inputs& inputs, Element element) {
    constexpr std::uint64_t kPiece = 1u << 18;
    const Inputs second = second_of(inputs);
    const std::uint64_t pieces = (inputs.n + kPiece - 1) / kPiece;
    std::vector<Dot> dots(pieces);
    const auto work = [&](std::uint64_t begin, std::uint64_t step) {
        for (std::uint64_t piece = begin; piece < pieces; piece += step) {
            const std::uint64_t first = piece * kPiece, count = std::min(kPiece, inputs.n - first);
            std::vector<double> a = inputs.part(first, count), b = second.part(first, count);
            for (double& value : a) value = rounded(element, value);
            for (double& value : b) value = rounded(element, value);
            dots[piece] = dot_of(a, b);
        }
    };
    const std::uint64_t threads = std::min<std::uint64_t>(std::max(1u, std::thread::hardware_concurrency()), pieces);
    std::vector<std::thread> others;
    for (std::uint64_t t = 1; t < threads; ++t) others.emplace_back(work, t, threads);
    work(0, threads);
    for (std::thread& other : others) other.join();
    Dot all;
    for (const Dot& dot : dots) {
        all.sum += dot.sum;
        all.magnitude += dot.magnitude;
        all.largest = std::fmax(all.largest, dot.largest);
    }
    return all;
}

// ---- What comes out --------------------------------------------------------------------------------------------

// How a kernel adds.
struct Adds {
    double roundings = 0;          // on the longest path of a product
    bool rounds_products = false;  // in f16, before they are widened
};

// Where a product or a sum leaves its range, or a value is not finite, IEEE arithmetic has it: the sum in double of
// what the kernel adds, each product rounded to its type.
inline double beyond_range(const std::vector<double>& a, const std::vector<double>& b, bool rounds_products) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += rounds_products ? rounded(Element::f16, a[i] * b[i]) : a[i] * b[i];
    return rounded(Element::f32, sum);
}

inline std::vector<double> values_of(const Inputs& inputs, Element element) {
    std::vector<double> values = inputs.part(0, inputs.n);
    for (double& value : values) value = rounded(element, value);
    return values;
}

inline void expect_dot(Plan& plan, Buffer<float> out, const Inputs& inputs, Element element, const Adds& adds) {
    const Dot dot = dot_of(inputs, element);
    // A magnitude that a sum in float holds, and products that the kernel's type does.
    const double most = adds.rounds_products ? 65504 : 0x1p126;
    if (!(dot.largest <= most && dot.magnitude < 0x1p126)) {
        const double value =
            beyond_range(values_of(inputs, element), values_of(second_of(inputs), element), adds.rounds_products);
        if (!std::isfinite(value)) {
            plan.expect(out, {value}, 0, "a product or a sum leaves the range of its type: what IEEE arithmetic gives");
            return;
        }
    }
    double bound = gamma(adds.roundings) * dot.magnitude;
    std::string reason = "k * 2^-24 * sum|a b|, k roundings";
    if (adds.rounds_products) {
        bound += (0x1p-11 * dot.magnitude + 0x1p-25 * static_cast<double>(inputs.n)) * (1 + gamma(adds.roundings));
        reason = "(2^-11 + k * 2^-24) * sum|a b| + n * 2^-25, k roundings";
    }
    // Below the least float a product or an addition costs half a step.
    bound += 0x1p-149 * static_cast<double>(inputs.n);
    plan.expect(out, {dot.sum}, bound, reason);
}

// ---- Plans -----------------------------------------------------------------------------------------------------

inline std::string type_of(Element element) {
    return element == Element::f16 ? "__half" : element == Element::bf16 ? "__nv_bfloat16" : "float";
}

inline std::uint64_t bytes_of(std::uint64_t n, Element element) {
    return n * static_cast<std::uint64_t>(lanewise::element_size(element));
}

struct Streams {
    Buffer<void> a, b;
};
// `b_offset`: elements in front of b's values, where they are not as many as in front of a's.
inline Streams add_streams(Plan& plan, const Inputs& inputs, Element element, std::uint32_t b_offset) {
    Inputs second = second_of(inputs);
    second.offset = inputs.offset + b_offset;
    plan.bytes_moved = 2 * bytes_of(inputs.n, element) + sizeof(float);
    const auto a = lanewise::lesson::add_rows(plan, "a", inputs, element);
    return {a, lanewise::lesson::add_rows(plan, "b", second, element)};
}

// As many blocks as run at once, or a multiple of them, or as many as have something to do.
inline std::uint32_t blocks_for(const Inputs& inputs, std::uint64_t values_a_block, std::uint32_t waves = 1) {
    const auto& machine = inputs.machine;
    const std::uint64_t wave =
        std::uint64_t{machine.multiprocessors} * std::max(1u, machine.threads_per_multiprocessor / inputs.block);
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>((inputs.n + values_a_block - 1) / values_a_block, 1, waves * wave));
}

// Products that one thread adds at most, by loads of `pack` values, and what it adds before and behind the packs.
inline double products_of(const Inputs& inputs, std::uint64_t pack, std::uint64_t threads, std::uint64_t loads) {
    const std::uint64_t packs = (inputs.n + pack - 1) / pack;
    return static_cast<double>(((packs + threads - 1) / threads + loads) * pack + 2);
}

inline double depth_of(std::uint32_t block) { return 5 + rounds_of((block + 31) / 32); }

// One atomic for each block. Streams that do not begin alike are taken value by value, as one value a turn is.
inline void plan_atomic(Plan& plan, const Inputs& inputs, Element element, const std::string& kernel,
                        std::uint64_t pack, std::uint32_t b_offset = 0) {
    const Streams in = add_streams(plan, inputs, element, b_offset);
    const auto out = plan.total<float>("out", 1);
    const std::uint32_t blocks = blocks_for(inputs, std::uint64_t{inputs.block} * pack);
    const bool rounds = kernel == "dot_product_rounded_f16";
    const std::string block = std::to_string(inputs.block);
    plan.launch(kernel, rounds ? block : type_of(element) + ", " + block, Grid{blocks}, Block{inputs.block}, in.a, in.b,
                out, static_cast<long long>(inputs.n));
    const std::uint64_t threads = std::uint64_t{blocks} * inputs.block;
    const double products = std::max(products_of(inputs, pack, threads, 1), products_of(inputs, 1, threads, 1));
    expect_dot(plan, out, inputs, element, {products + depth_of(inputs.block) + blocks, rounds});
}

// One block adds the sums of all. `loads` packs of each stream are in flight.
inline void expect_joined(Plan& plan, Buffer<float> out, const Inputs& inputs, Element element, std::uint32_t blocks,
                          std::uint32_t loads) {
    const std::uint64_t pack = 16 / static_cast<std::uint64_t>(lanewise::element_size(element));
    const double joining = std::ceil(double{1} * blocks / inputs.block) + depth_of(inputs.block);
    const double products = products_of(inputs, pack, std::uint64_t{blocks} * inputs.block, loads);
    expect_dot(plan, out, inputs, element, {products + depth_of(inputs.block) + joining, false});
}

// The last block finishes. `loads` packs of each stream are in flight.
inline void plan_last_block(Plan& plan, const Inputs& inputs, Element element, std::uint32_t loads) {
    const std::uint64_t pack = 16 / static_cast<std::uint64_t>(lanewise::element_size(element));
    const Streams in = add_streams(plan, inputs, element, 0);
    const std::uint32_t blocks = blocks_for(inputs, std::uint64_t{inputs.block} * pack * loads);
    const auto out = plan.scratch<float>("out", 1);
    const auto partials = plan.scratch<float>("partials", blocks);
    const auto ticket = plan.kept<unsigned>("ticket", 1);
    plan.launch("dot_product_last_block",
                type_of(element) + ", " + std::to_string(inputs.block) + ", " + std::to_string(loads), Grid{blocks},
                Block{inputs.block}, in.a, in.b, out, partials, ticket, static_cast<long long>(inputs.n));
    expect_joined(plan, out, inputs, element, blocks, loads);
}

inline std::uint64_t bytes_read(const Inputs& inputs, Element element) {
    return 2 * inputs.n * static_cast<std::uint64_t>(lanewise::element_size(element));
}

// Does dot_product_told take the streams in one turn, by as many blocks as that needs? It does where they outgrow L2; its
// instances for that have blocks of 512.
inline bool is_told_in_one_turn(const Inputs& inputs, Element element) {
    return inputs.block == 512 && bytes_read(inputs, element) > inputs.machine.l2_bytes;
}

// Of dot_product_told: packs of each stream that a thread has under way, and how many times as many blocks as run at
// once there are at most.
struct ToldShape {
    std::uint32_t loads = 1, waves = 1;
};
// In one turn 134 and 268 MB of halves take 27.9 and 57.6 us on an H200 (with what L2 keeps), and by twice as many blocks
// as run at once 28.8 and 58.8. Sixteen times as many at most, for the last block waits for each of them.
inline ToldShape told_shape(const Inputs& inputs, Element element) {
    return is_told_in_one_turn(inputs, element) ? ToldShape{4, 16} : ToldShape{};
}

// Half of L2, for both streams: of 12 to 40 MB on an H200, 28 did best at 67 and 134 MB, and at 268 MB it was within
// 1 % of the best.
inline std::uint64_t kept_bytes(const Inputs& inputs) { return inputs.machine.l2_bytes / 2; }

// Each block tells its sum and the launch in one word; `keeps`: of streams that outgrow L2, it is told what to keep.
// GPUs of sm_90 and later.
inline void plan_told(Plan& plan, const Inputs& inputs, Element element, bool keeps) {
    const std::uint64_t pack = 16 / static_cast<std::uint64_t>(lanewise::element_size(element));
    const Streams in = add_streams(plan, inputs, element, 0);
    const ToldShape shape = told_shape(inputs, element);
    const std::uint32_t blocks =
        blocks_for(inputs, std::uint64_t{inputs.block} * pack * shape.loads, shape.waves);
    const auto out = plan.scratch<float>("out", 1);
    const auto told = plan.kept<unsigned long long>("told", blocks);
    const auto launches = plan.kept<unsigned>("launches", 1);
    const bool kept = keeps && is_told_in_one_turn(inputs, element);
    const std::uint64_t keep = kept ? kept_bytes(inputs) / 16 / 2 : 0;
    plan.launch("dot_product_told",
                type_of(element) + ", " + std::to_string(inputs.block) + ", " + std::to_string(shape.loads) +
                    (kept ? ", true" : ", false"),
                Grid{blocks}, Block{inputs.block}, in.a, in.b, out, told, launches, static_cast<long long>(inputs.n),
                static_cast<long long>(keep));
    plan.launches.back().overlaps = true;
    expect_joined(plan, out, inputs, element, blocks, shape.loads);
}

}  // namespace dot_product
