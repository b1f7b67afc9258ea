// The kernels that give one sum of all values, by what distinguishes them: plans, bounds, references, variants and
// tests are made from this list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "common/base/element.hpp"
#include "common/lesson/references.hpp"

namespace number_formats {

using lanewise::Element;
using lanewise::lesson::gamma;
using lanewise::lesson::rounds_of;

// Half the distance from 1 to the next number: the most that one rounding adds to a relative error. 0: exact.
inline double unit_roundoff(Element element) {
    if (!lanewise::is_float(element)) return 0;
    double u = 0.5;
    for (int bit = lanewise::float_layout(element).fraction_bits; bit > 0; --bit) u /= 2;
    return u;
}

// The largest finite number.
inline double largest(Element element) {
    switch (element) {
        case Element::f16: return 65504;
        case Element::bf16: return 0x1.fep127;
        default: return 0x1.fffffep127;
    }
}

struct Kernel {
    const char* name;      // after "block_all_reduce_sum_"
    const char* title;     // for a tab
    Element in;
    std::uint32_t wide;    // values a load
    Element pair;          // in which the values of one load are added
    Element accumulator;   // in which the thread's other values and the warp's are added
    Element second;        // in which the warp sums are added
    bool runs = false;     // a grid-stride loop: any number of blocks
    const char* against = "";
    const char* summary;

    std::string full_name() const { return std::string("block_all_reduce_sum_") + name; }
    // Runs of 16-byte loads in few blocks: what is timed is the loads.
    bool streams() const { return runs && wide > 1; }
    // Of a block of `block` values; of a run, `block` counts threads.
    std::uint32_t threads(std::uint32_t block) const { return runs ? block : std::max(1u, block / wide); }
};

inline constexpr Element f32 = Element::f32, f16 = Element::f16, bf16 = Element::bf16, i8 = Element::i8,
                         i32 = Element::i32;
inline constexpr Element e4m3 = Element::e4m3, e5m2 = Element::e5m2;

inline constexpr Kernel kKernels[] = {
    {"f32_f32", "f32", f32, 1, f32, f32, f32, false, "", "f32 in f32: what the others are compared with"},
    {"f32x1_f32", "f32x1", f32, 1, f32, f32, f32, true, "f32_f32", "one value a turn of a grid-stride loop"},
    {"f32x4_f32", "f32x4", f32, 4, f32, f32, f32, false, "f32_f32", "four values a load, a quarter of the threads"},
    {"f16_f16", "f16 in f16", f16, 1, f16, f16, f32, false, "f16_f32", "the warp adds in f16, the block in f32"},
    {"f16_f32", "f16 in f32", f16, 1, f32, f32, f32, false, "f32_f32", "widened first, exactly"},
    {"f16x2_f16", "f16x2 in f16", f16, 2, f16, f16, f32, false, "f16_f16",
     "a pair a load, all in f16 but the warp sums"},
    {"f16x2_f32", "pair in f16", f16, 2, f16, f32, f32, false, "f16x2_f32_widened",
     "the pair is added in f16, then widened"},
    {"f16x2_f32_widened", "pair in f32", f16, 2, f32, f32, f32, false, "f16_f32", "the pair is widened, then added"},
    {"f16x8_pack_f16", "f16x8 in f16", f16, 8, f16, f16, f32, false, "f16x8_pack_f32",
     "16 bytes a load, one by one in f16"},
    {"f16x8_pack_f32", "f16x8 in f32", f16, 8, f32, f32, f32, false, "f16_f32", "16 bytes a load, one by one in f32"},
    {"f16x1_f16", "run in f16", f16, 1, f16, f16, f32, true, "f16x1_f32",
     "one block, long runs: after 2048 turns the sum stops growing"},
    {"f16x1_f32", "run in f32", f16, 1, f32, f32, f32, true, "f16_f32", "one block, long runs, in f32"},
    {"bf16_bf16", "bf16 in bf16", bf16, 1, bf16, bf16, bf16, false, "bf16_f32", "bf16 throughout, the warp sums too"},
    {"bf16_f32", "bf16 in f32", bf16, 1, f32, f32, f32, false, "f32_f32", "widened first, exactly"},
    {"bf16x2_bf16", "bf16x2 in bf16", bf16, 2, bf16, bf16, bf16, false, "bf16_bf16", "a pair a load, bf16 throughout"},
    {"bf16x2_f32", "pair in bf16", bf16, 2, bf16, f32, f32, false, "bf16x2_f32_widened",
     "the pair is added in bf16, then widened"},
    {"bf16x2_f32_widened", "bf16 pair, f32", bf16, 2, f32, f32, f32, false, "bf16_f32",
     "the pair is widened, then added"},
    {"bf16x8_pack_bf16", "bf16x8 in bf16", bf16, 8, bf16, bf16, bf16, false, "bf16x8_pack_f32",
     "16 bytes a load, one by one in bf16"},
    {"bf16x8_pack_f32", "bf16x8 in f32", bf16, 8, f32, f32, f32, false, "bf16_f32",
     "16 bytes a load, one by one in f32"},
    {"bf16x1_bf16", "run in bf16", bf16, 1, bf16, bf16, bf16, true, "f16x1_f16", "one block, long runs: it stops soon"},
    {"fp8_e4m3_f16", "e4m3 in f16", e4m3, 1, f16, f16, f16, false, "f16_f16", "up to 448; f16 throughout"},
    {"fp8_e5m2_f16", "e5m2 in f16", e5m2, 1, f16, f16, f16, false, "fp8_e4m3_f16", "up to 57344, a bit less precise"},
    {"fp8_e4m3x16_pack_f16", "e4m3x16 in f16", e4m3, 16, f16, f16, f16, false, "fp8_e4m3_f16", "sixteen values a load"},
    {"fp8_e5m2x16_pack_f16", "e5m2x16 in f16", e5m2, 16, f16, f16, f16, false, "fp8_e5m2_f16", "sixteen values a load"},
    {"i8_i32", "i8 in i32", i8, 1, i32, i32, i32, false, "f32_f32", "exact"},
    {"i8x16_pack_i32", "i8x16 in i32", i8, 16, i32, i32, i32, false, "i8_i32", "sixteen values a load, exact"},
    {"f32x4_runs_f32", "f32x4 runs", f32, 4, f32, f32, f32, true, "f32x4_f32", "few blocks: 4 bytes a value decide"},
    {"f16x8_pack_runs_f32", "f16x8 runs", f16, 8, f32, f32, f32, true, "f32x4_runs_f32",
     "few blocks: 2 bytes a value decide"},
    {"bf16x8_pack_runs_f32", "bf16x8 runs", bf16, 8, f32, f32, f32, true, "f32x4_runs_f32",
     "few blocks: 2 bytes a value decide"},
    {"fp8_e4m3x16_pack_runs_f32", "e4m3x16 runs", e4m3, 16, f32, f32, f32, true, "f32x4_runs_f32",
     "few blocks: 1 byte a value decides"},
    {"i8x16_pack_runs_i32", "i8x16 runs", i8, 16, i32, i32, i32, true, "f32x4_runs_f32",
     "few blocks: 1 byte a value decides"},
};

inline const Kernel& kernel_named(const std::string& name) {
    return *std::find_if(std::begin(kKernels), std::end(kKernels), [&](const Kernel& k) { return name == k.name; });
}

// How n values that begin `offset` elements into an aligned buffer fall to blocks, threads and loads.
struct Shape {
    std::uint32_t blocks = 1, threads = 1;
    std::uint64_t n = 0, head = 0, packs = 0, tail = 0;
    std::uint64_t turns = 1;   // of a grid-stride loop, a load each

    Shape(const Kernel& kernel, std::uint64_t values, std::uint32_t block, std::uint32_t offset)
        : threads(kernel.threads(block)), n(values) {
        if (kernel.runs) {
            // f32: the grid of the previous lesson. Narrower: one block, so that runs are long. Streams: four loads a
            // thread, up to the blocks of 512 threads that an H200 holds at once.
            const std::uint64_t most = kernel.streams() ? 512 : kernel.in == f32 ? 1024 : 1;
            const std::uint64_t of_block = std::uint64_t{block} * (kernel.streams() ? 4 * kernel.wide : 16);
            blocks = static_cast<std::uint32_t>(std::clamp((n + of_block - 1) / of_block, std::uint64_t{1}, most));
        } else {
            blocks = static_cast<std::uint32_t>((n + block - 1) / block);
        }
        head = std::min<std::uint64_t>((kernel.wide - offset % kernel.wide) % kernel.wide, n);
        packs = (n - head) / kernel.wide;
        tail = n - head - packs * kernel.wide;
        const std::uint64_t stride = std::uint64_t{blocks} * threads;
        if (kernel.runs) turns = std::max<std::uint64_t>(1, (packs + stride - 1) / stride);
    }

    std::uint32_t lanes() const { return std::min(threads, 32u); }
    std::uint32_t warps() const { return (threads + 31) / 32; }
};

// What the contract in kernels.cuh says of the relative error, and where it comes from.
struct Bound {
    double relative = 0;
    std::string reason;   // "(12 * 2^-11 + 1 * 2^-24) * sum|x|", to first order
};

// Gathers the additions of a kernel, stage by stage. Values added one after another err by k u at most, whatever k
// (Rump, Error estimation of floating-point summation and dot product, BIT 52, 2012); those of a tree by gamma.
class BoundBuilder {
public:
    void in_turn(std::uint64_t additions, Element element) {
        factor_ *= 1 + static_cast<double>(additions) * unit_roundoff(element);
        count(additions, element);
    }
    void in_a_tree(std::uint64_t rounds, Element element) {
        factor_ *= 1 + gamma(static_cast<double>(rounds), unit_roundoff(element));
        count(rounds, element);
    }

    Bound bound() const {
        std::string terms;
        for (const auto& [additions, element] : counts_)
            terms += (terms.empty() ? "(" : " + ") + std::to_string(additions) + " * 2^-" +
                     std::to_string(lanewise::float_layout(element).fraction_bits + 1);
        return {factor_ - 1, terms.empty() ? "nothing is rounded" : terms + ") * sum|x|"};
    }

private:
    void count(std::uint64_t additions, Element element) {
        if (additions == 0 || unit_roundoff(element) == 0) return;
        const auto same =
            std::find_if(counts_.begin(), counts_.end(), [&](const auto& c) { return c.second == element; });
        if (same == counts_.end()) counts_.emplace_back(additions, element);
        else same->first += additions;
    }

    double factor_ = 1;
    std::vector<std::pair<std::uint64_t, Element>> counts_;
};

inline Bound bound_of(const Kernel& kernel, const Shape& shape) {
    BoundBuilder builder;
    const std::uint64_t ends = (shape.head > 0) + (shape.tail > 0);
    if (kernel.wide == 4) {
        builder.in_a_tree(2, kernel.pair);   // two and two
        builder.in_turn(shape.turns - 1 + ends, kernel.accumulator);
    } else {
        builder.in_turn(shape.turns * kernel.wide - 1, kernel.pair);
        builder.in_turn(ends, kernel.accumulator);
    }
    builder.in_a_tree(static_cast<std::uint64_t>(rounds_of(shape.lanes())), kernel.accumulator);
    builder.in_a_tree(static_cast<std::uint64_t>(rounds_of(shape.warps())), kernel.second);
    builder.in_turn(shape.blocks - 1, kernel.in == i8 ? i32 : f32);
    return builder.bound();
}

}  // namespace number_formats
