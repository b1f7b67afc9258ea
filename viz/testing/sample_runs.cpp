#include "viz/testing/sample_runs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "common/base/error.hpp"
#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::viz::samples {

using trace::Op;

std::shared_ptr<const run::Run> run_of(trace::Trace trace, const std::string& variant) {
    auto run = std::make_shared<run::Run>();
    run->trace = std::move(trace);
    run->trace.header.lesson = "05_samples";
    run->trace.header.variant = variant;
    std::uint32_t warps = 1;
    std::uint32_t blocks = 1;
    for (const trace::Record& record : run->trace.records) {
        warps = std::max(warps, record.warp + 1);
        blocks = std::max(blocks, record.block + 1);
    }
    run->trace.header.launches = {{variant, {blocks, 1, 1}, {32 * warps, 1, 1}, 0}};
    run->steps = steps::build_steps(run->trace);
    run->origin = "emulator · ascending";
    return run;
}

std::shared_ptr<const run::Run> warp_xor() {
    return run_of(steps::testing::warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1}), "warp_sum_xor");
}

std::shared_ptr<const run::Run> warp_down() {
    return run_of(steps::testing::warp_tree(Op::shfl_down, {16, 8, 4, 2, 1}), "warp_sum_down");
}

std::shared_ptr<const run::Run> two_level() { return run_of(steps::testing::two_level(), "block_sum_two_level"); }

std::shared_ptr<const run::Run> shared_tree() { return run_of(steps::testing::shared_tree(256), "block_sum_shared"); }

std::shared_ptr<const run::Run> undefined_half() {
    trace::testing::TraceBuilder made;
    const auto in = made.array("in", trace::Space::global, 32);
    made.statement(3, trace::Effect::replace, "value");
    made.statement(5, trace::Effect::join, "value");
    auto warp = made.warp(0, 0);
    warp.load(3, in, [](int lane) { return lane; }, [](int lane) { return static_cast<float>(lane) * 1000.5f; });
    warp.shuffle_sum(5, Op::shfl_down, 16, trace::kWarpSize, 0x0000ffffu);
    warp.ballot(7, [](int lane) { return lane % 2 == 1; });
    warp.sync_warp(8);
    return run_of(std::move(made.trace), "half_mask");
}

std::shared_ptr<const run::Run> joined_blocks() {
    trace::testing::TraceBuilder made;
    const auto in = made.array("in", trace::Space::global, 256);
    const auto out = made.array("out", trace::Space::global, 1);
    made.statement(3, trace::Effect::replace, "value");
    made.statement(5, trace::Effect::join, "value");
    const auto value = [](std::uint32_t block, int lane) {
        return 0.37f * static_cast<float>(32 * static_cast<int>(block) + lane) + 0.1f;
    };
    const std::uint32_t order[] = {3, 0, 6, 1, 7, 2, 5, 4};
    float found[8]{}, held = 0;
    for (const std::uint32_t block : order) {
        trace::testing::TraceBuilder scratch;   // what the block's warp ends with
        auto warp = scratch.warp(0, 0);
        for (int lane = 0; lane < 32; ++lane) warp.values[static_cast<std::size_t>(lane)] = value(block, lane);
        for (int mask = 16; mask > 0; mask /= 2) warp.shuffle_sum(5, Op::shfl_xor, mask);
        found[block] = held;
        held += warp.values[0];
    }
    made.trace.header.blocks.clear();
    for (const std::uint32_t block : {0u, 1u, 2u, 3u, 5u, 7u}) {
        made.trace.header.blocks.push_back(block);
        auto warp = made.warp(block, 0);
        warp.load(
            3, in, [&](int lane) { return static_cast<std::int64_t>(32 * block) + lane; },
            [&](int lane) { return value(block, lane); });
        for (int mask = 16; mask > 0; mask /= 2) warp.shuffle_sum(5, Op::shfl_xor, mask);
        warp.atomic_add(7, out, 0, found[block], 1);
    }
    made.trace.outputs = {{"out", Element::f32, 1, {to_bits(held)}}};
    const auto near = [&](int off) {
        return std::vector<trace::Output>{{"out", Element::f32, 1, {to_bits(held) + static_cast<std::uint64_t>(off)}}};
    };
    made.trace.reruns = {{"descending", near(1)}, {"seed 1", near(0)}, {"seed 2", near(1)}, {"seed 3", near(2)}};
    return run_of(std::move(made.trace), "joined_blocks");
}

std::shared_ptr<const run::Run> grid_stride() {
    constexpr int kThreads = 128, kTurns = 64;
    trace::testing::TraceBuilder made;
    const auto in = made.array("in", trace::Space::global, kThreads * kTurns);
    const auto tree = made.array("tree", trace::Space::shared, kThreads);
    made.statement(3, trace::Effect::join, "sum");
    made.statement(4, trace::Effect::replace, "tree[thread]", true);
    made.statement(7, trace::Effect::join, "tree[thread]", true);
    std::vector<float> words(kThreads);
    std::vector<trace::testing::WarpBuilder> warps;
    for (std::uint32_t w = 0; w < kThreads / 32; ++w) {
        auto warp = made.warp(0, w);
        std::array<float, 32> sums{};
        for (int turn = 0; turn < kTurns; ++turn) {
            const int first = turn * kThreads + static_cast<int>(w) * 32;
            warp.load(
                3, in, [&](int lane) { return first + lane; },
                [&](int lane) { return static_cast<float>((first + lane) % 7); });
            for (std::size_t lane = 0; lane < 32; ++lane) sums[lane] += warp.values[lane];
        }
        for (std::size_t lane = 0; lane < 32; ++lane) warp.values[lane] = words[w * 32 + lane] = sums[lane];
        warp.store(4, tree, [&](int lane) { return static_cast<std::int64_t>(w * 32) + lane; });
        warp.barrier(5);
        warps.push_back(warp);
    }
    for (int offset = kThreads / 2; offset > 0; offset /= 2) {
        const std::vector<float> before = words;
        for (std::size_t w = 0; w < warps.size(); ++w) {
            const int first = static_cast<int>(w) * 32;
            const int lanes = std::clamp(offset - first, 0, 32);
            const std::uint32_t active = lanes == 32 ? ~0u : (1u << lanes) - 1;
            const auto own = [&](int lane) { return first + lane; };
            const auto at = [&](int i) { return before[static_cast<std::size_t>(i)]; };
            if (active) {
                warps[w].load(7, tree, own, [&](int lane) { return at(own(lane)); }, active);
                warps[w].load(
                    7, tree, [&](int lane) { return own(lane) + offset; },
                    [&](int lane) { return at(own(lane) + offset); }, active);
                for (int lane = 0; lane < lanes; ++lane) {
                    const auto i = static_cast<std::size_t>(own(lane));
                    warps[w].values[static_cast<std::size_t>(lane)] = words[i] =
                        before[i] + before[i + static_cast<std::size_t>(offset)];
                }
                warps[w].store(7, tree, own, active);
            }
            warps[w].barrier(8);
        }
    }
    return run_of(std::move(made.trace), "grid_stride");
}

std::shared_ptr<const run::Run> collectives() {
    trace::testing::TraceBuilder made;
    const auto in = made.array("in", trace::Space::global, 32);
    const auto bins = made.array("bins", trace::Space::shared, 4);
    made.trace.arrays[bins].element = Element::u32;
    made.trace.arrays[in].element = Element::u32;
    made.statement(3, trace::Effect::replace, "value");
    made.statement(4, trace::Effect::replace, "total");
    auto warp = made.warp(0, 0);
    const auto number = [](std::size_t lane) { return static_cast<std::uint64_t>(lane * 5 % 4 + lane / 20); };
    const auto each = [&](const std::function<void(trace::Record&, std::size_t)>& act) {
        trace::Record& record = warp.last();
        for (std::size_t lane = 0; lane < 32; ++lane)
            if (record.active >> lane & 1u) act(record, lane);
    };
    const auto add = [&](Op op, int line, std::uint32_t active = ~0u) -> trace::Record& {
        trace::Record& record = warp.add(op, line, active);
        record.type = Element::u32;
        record.mask = active;
        return record;
    };
    add(Op::load, 3).array = in;
    each([&](trace::Record& record, std::size_t lane) {
        record.element_index[lane] = static_cast<std::int64_t>(lane);
        record.value[lane] = {number(lane), 0};
    });
    std::uint64_t total = 0;
    for (std::size_t lane = 0; lane < 32; ++lane) total += number(lane);
    add(Op::reduce_add, 4).has_after = ~0u;
    each([&](trace::Record& record, std::size_t lane) {
        record.before[lane] = number(lane);
        record.received[lane] = record.after[lane] = total;
        record.effect[lane] = trace::Effect::replace;
    });
    add(Op::vote_match_any, 5);
    each([&](trace::Record& record, std::size_t lane) {
        record.before[lane] = number(lane);
        for (std::size_t other = 0; other < 32; ++other)
            record.received[lane] |= std::uint64_t{number(other) == number(lane)} << other;
    });
    add(Op::vote_match_all, 6);
    each([&](trace::Record& record, std::size_t lane) { record.before[lane] = number(lane); });
    warp.ballot(7, [&](int lane) { return number(static_cast<std::size_t>(lane)) > 1; });
    add(Op::active_mask, 8, 0x00ff00ffu);
    each([](trace::Record& record, std::size_t lane) { record.received[lane] = 0x00ff00ffu; });
    add(Op::fence, 9);
    each([](trace::Record& record, std::size_t lane) { record.arg[lane] = 1; });
    add(Op::sync_block_count, 10);
    each([&](trace::Record& record, std::size_t lane) {
        record.arg[lane] = number(lane) > 1;
        for (std::size_t other = 0; other < 32; ++other) record.received[lane] += number(other) > 1;
    });
    std::uint64_t held[4]{};
    add(Op::atomic_add, 11).array = bins;
    each([&](trace::Record& record, std::size_t lane) {
        const std::size_t bin = number(lane) % 4;
        record.element_index[lane] = static_cast<std::int64_t>(bin);
        record.value[lane] = {lane + 1, 0};
        record.received[lane] = held[bin];
        held[bin] += lane + 1;
    });
    std::uint64_t ticket = 0;
    add(Op::atomic_inc, 12, 0xffu).array = bins;
    each([&](trace::Record& record, std::size_t lane) {
        record.element_index[lane] = 3;
        record.value[lane] = {9999, 0};
        record.received[lane] = held[3] + ticket++;
    });
    return run_of(std::move(made.trace), "collectives");
}

namespace {

std::shared_ptr<const run::Run> sum_of_half(bool wrong) {
    trace::testing::TraceBuilder made;
    const auto in = made.array("in", trace::Space::global, 32);
    made.statement(3, trace::Effect::replace, "value");
    made.statement(5, trace::Effect::join, "value");
    auto warp = made.warp(0, 0);
    warp.load(3, in, [](int lane) { return lane; }, [](int lane) { return static_cast<float>(lane) + 1; });
    for (int offset = 16; offset > 0; offset /= 2) {
        const std::uint32_t active = wrong ? (1u << offset) - 1 : ~0u;
        warp.shuffle_sum(5, Op::shfl_down, offset, 32, active);
    }
    const double got = static_cast<double>(warp.values[0]);
    if (wrong) {
        made.trace.findings.push_back(
            {"mask_without_caller", "half_sum", 5, 0, 0, 0xffff0000u, 5,
             "the mask names lanes 16-31, which never come to this shuffle: what they offer is undefined. "
             "Let all lanes of the mask call it, and choose afterwards who uses the result."});
    }
    auto run = std::make_shared<run::Run>(*run_of(std::move(made.trace), wrong ? "half_sum" : "full_sum"));
    run->steps = steps::build_steps(run->trace);   // they point into the trace, which was copied
    run->results = {
        {"out", Element::f32, 1, false, got, 528, std::abs(got - 528), 1e-3, std::abs(got - 528) < 1e-3, ""}};
    return run;
}

}  // namespace

std::shared_ptr<const run::Run> right_sum() { return sum_of_half(false); }
std::shared_ptr<const run::Run> wrong_sum() { return sum_of_half(true); }

std::shared_ptr<const run::Run> teaching_warps() {
    trace::testing::TraceBuilder made;
    const auto in = made.array("in", trace::Space::global, 16);
    made.trace.header.warp_size = 8;
    made.statement(3, trace::Effect::replace, "value");
    made.statement(5, trace::Effect::join, "value");
    for (std::uint32_t number = 0; number < 2; ++number) {
        auto warp = made.warp(0, number);
        const int first = static_cast<int>(number) * 8;
        warp.load(
            3, in, [&](int lane) { return first + lane; }, [&](int lane) { return static_cast<float>(first + lane); },
            0xffu);
        for (int mask = 4; mask > 0; mask /= 2) warp.shuffle_sum(5, Op::shfl_xor, mask, 8, 0xffu);
    }
    auto run = std::make_shared<run::Run>(*run_of(std::move(made.trace), "teaching"));
    run->trace.header.launches.front().block = {16, 1, 1};
    run->steps = steps::build_steps(run->trace);
    return run;
}

run::Presentation presentation() {
    run::Presentation shown;
    shown.lesson = "05_samples";
    shown.title = "Samples";
    shown.text = "# The butterfly\n\nEvery lane adds the value of the lane whose number differs in **one bit**.\n\n"
                 "## Look\n\n- Point at lane 5.\n- Its partner is `5 xor 8 = 13`.\n\nGo to [step 3](step:3) or to "
                 "[down](variant:warp_sum_down).\n";
    shown.kernel_file = "kernels.cuh";
    shown.source = "// One value a lane; every lane gets the sum.\n__device__ float warp_sum_xor(const float* in) {\n"
                   "    float value = in[threadIdx.x];\n    for (int mask = 16; mask > 0; mask >>= 1)\n"
                   "        value += __shfl_xor_sync(0xffffffff, value, mask);\n    return value;\n}\n"
                   "// The rest of the file stands here so that there is something to scroll.\n\n\n\n\n\n\n";
    shown.variants = {{"warp_sum_xor", "xor", "every lane ends with the sum", false},
                      {"warp_sum_down", "down", "lane 0 ends with the sum", false},
                      {"block_sum_two_level", "two-level", "every warp first, then the warp sums", false},
                      {"block_sum_shared", "shared tree", "a tree in shared memory", false},
                      {"half_mask", "half mask", "asks lanes that take no part", true}};
    for (const run::VariantInfo& variant : shown.variants) shown.all_variants.push_back(variant.name);
    shown.timings.gpu = "NVIDIA H200";
    shown.timings.date = "2026-11-21";
    shown.timings.recorded = true;
    const double times[] = {2.1, 2.0, 3.5, 6.25};
    for (std::size_t i = 0; i < 4; ++i) {
        timing::Timing row;
        row.variant = shown.variants[i].name;
        row.n = 512;
        row.median_us = times[i];
        row.low_us = times[i] * 0.97;
        row.high_us = times[i] * 1.06;
        row.samples = 100;
        row.bytes = 2052;
        shown.timings.rows.push_back(row);
    }
    shown.services.run = [](const std::string& variant) -> std::shared_ptr<const run::Run> {
        if (variant == "warp_sum_xor") return warp_xor();
        if (variant == "warp_sum_down") return warp_down();
        if (variant == "block_sum_two_level") return two_level();
        if (variant == "block_sum_shared") return shared_tree();
        if (variant == "half_mask") return undefined_half();
        throw Error("There is no variant \"" + variant + "\".");
    };
    return shown;
}

}  // namespace lanewise::viz::samples
