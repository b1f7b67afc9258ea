#include "viz/views/sample_runs.hpp"

#include "common/base/error.hpp"
#include "common/steps/programs.testing.hpp"

namespace lanewise::viz::samples {

using trace::Op;

std::shared_ptr<const lesson::Run> run_of(trace::Trace trace, const std::string& variant) {
    auto run = std::make_shared<lesson::Run>();
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

std::shared_ptr<const lesson::Run> warp_xor() {
    return run_of(steps::testing::warp_tree(Op::shfl_xor, {16, 8, 4, 2, 1}), "warp_sum_xor");
}

std::shared_ptr<const lesson::Run> warp_down() {
    return run_of(steps::testing::warp_tree(Op::shfl_down, {16, 8, 4, 2, 1}), "warp_sum_down");
}

std::shared_ptr<const lesson::Run> two_level() { return run_of(steps::testing::two_level(), "block_sum_two_level"); }

std::shared_ptr<const lesson::Run> shared_tree() { return run_of(steps::testing::shared_tree(256), "block_sum_shared"); }

std::shared_ptr<const lesson::Run> undefined_half() {
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

lesson::Presentation presentation() {
    lesson::Presentation shown;
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
    for (const lesson::VariantInfo& variant : shown.variants) shown.all_variants.push_back(variant.name);
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
    shown.run = [](const std::string& variant) -> std::shared_ptr<const lesson::Run> {
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
