#include <bit>
#include <cmath>

#include "common/lesson/lesson.testing.hpp"
#include "common/lesson/provenance.testing.hpp"
#include "lessons/12_dot_product/case.hpp"
#include "lessons/on_a_gpu.testing.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using namespace dot_product;

// The variant's result on these inputs, held to the plan's expectation.
double result_of(const std::string& variant, const lesson::Inputs& inputs, const std::string& order = "ascending") {
    const auto plan = plan_of(variant, inputs);
    const auto outcome = run(emulator(), plan, order);
    const std::string what = variant + " " + inputs.kind + " n " + std::to_string(inputs.n) + " offset " +
                             std::to_string(inputs.offset) + " " + order;
    for (const auto& finding : outcome.findings) ADD_FAILURE() << what << ": " << finding.sentence;
    expect_verified(plan, outcome, what);
    return static_cast<double>(buffer(plan, outcome, "out")[0]);
}

TEST(DotProduct, AnySizeBeginningAndInput) {
    for (const auto& variant : the_lesson().variants())
        for (std::uint64_t n = 1; is_emulated(variant) && n <= 4100; n += 241)
            for (const char* kind : {"random", "mean", "huge", "cancel", "ramp1"}) {
                lesson::Inputs inputs = inputs_of(variant.name);
                inputs.n = n;
                inputs.kind = kind;
                inputs.offset = static_cast<std::uint32_t>(n / 2 % 4);
                result_of(variant.name, inputs, n % 4 == 1 ? "descending" : "7");
            }
}

TEST(DotProduct, SmallAndOddSizesOnAGpu) { expect_small_and_odd_sizes_are_right_on_a_gpu(); }

// 0² + 1² + … + 31², by hand: 31 * 32 * 63 / 6.
TEST(DotProduct, ARampWithItself) {
    for (const char* variant : {"dot_product_f32_f32", "dot_product_f16x8_pack_f32", "dot_product_best_bf16"}) {
        lesson::Inputs inputs = inputs_of(variant);
        inputs.kind = "ramp";
        inputs.n = 32;
        EXPECT_EQ(result_of(variant, inputs), 10416) << variant;
    }
}

// Products of halves are exact in f32 and not in f16: 3 * 0.333984375 is 1.001953125, and f16 has 1.0009765625 and
// 1.001953125 there; of 1.0009765625 squared, 1.00195407867431640625, it has not.
TEST(DotProduct, ARoundedProductIsAnotherSum) {
    lesson::Inputs inputs = inputs_of("dot_product_f16_f32");
    inputs.n = 4096;
    const double widened = result_of("dot_product_f16_f32", inputs);
    const double product_in_f16 = result_of("dot_product_f16_f32_rounded", inputs);
    const double exact = dot_of(inputs, Element::f16).sum;
    EXPECT_GT(std::abs(product_in_f16 - exact), 10 * std::abs(widened - exact));
    EXPECT_EQ(rounded(Element::f16, 1.0009765625 * 1.0009765625), 1.001953125);
}

// 300 * 300 is beyond 65504: infinite in f16, and no trouble in f32.
TEST(DotProduct, AProductBeyondTheRangeOfF16) {
    lesson::Inputs inputs = inputs_of("dot_product_f16_f32");
    inputs.kind = "values";
    inputs.n = 64;
    inputs.file = std::make_shared<const std::vector<double>>(64, 300.0);
    EXPECT_EQ(result_of("dot_product_f16_f32", inputs), 64 * 90000.0);
    EXPECT_TRUE(std::isinf(result_of("dot_product_f16_f32_rounded", inputs)));
}

TEST(DotProduct, InfinitiesAndNans) {
    for (const auto& variant : the_lesson().variants()) {
        if (!is_emulated(variant)) continue;
        lesson::Inputs inputs = inputs_of(variant.name);
        inputs.kind = "values";
        inputs.n = 100;
        std::vector<double> values(100, 1.0);
        values[37] = std::nan("");
        inputs.file = std::make_shared<const std::vector<double>>(values);
        EXPECT_TRUE(std::isnan(result_of(variant.name, inputs))) << variant.name;
        values[37] = -std::numeric_limits<double>::infinity();
        inputs.file = std::make_shared<const std::vector<double>>(values);
        EXPECT_EQ(result_of(variant.name, inputs), std::numeric_limits<double>::infinity()) << variant.name;
    }
}

// The bytes of both streams are the same however they are loaded; the requests are not.
TEST(DotProduct, RequestsOfBothStreams) {
    const auto requests = [](const std::string& variant) {
        lesson::Inputs inputs = inputs_of(variant);
        inputs.n = 1024;
        const auto outcome = run(emulator(), plan_of(variant, inputs), "ascending", true);
        std::size_t count = 0;
        for (const auto& record : outcome.trace->records)
            count += record.op == trace::Op::load && (outcome.trace->arrays[record.array].name == "a" ||
                                                      outcome.trace->arrays[record.array].name == "b");
        return count;
    };
    // 1024 values by two blocks of 64 threads hold 4 or 16 in turn; of the default grid two blocks are recorded.
    EXPECT_EQ(requests("dot_product_f32x4_f32"), 2u * 2 * 2 * 1);
    EXPECT_EQ(requests("dot_product_f16x8_pack_f32"), 2u * 2 * 2);
    EXPECT_GT(requests("dot_product_f32x4_misaligned"), requests("dot_product_f32x4_f32"));
}

TEST(DotProduct, TheBestFollowsTheGpuAndTheLength) {
    const auto launch_of = [](const std::string& variant, std::uint64_t n, std::uint32_t architecture,
                              std::uint32_t multiprocessors = 132) {
        lesson::Inputs inputs = inputs_of(variant);
        inputs.n = n;
        inputs.kind = "small";   // made fastest; no value is looked at
        inputs.machine.multiprocessors = multiprocessors;
        inputs.block = the_lesson().find(variant).block_for(n);
        inputs.machine.architecture = architecture;
        return plan_of(variant, inputs).launches.front();
    };
    const auto keep_of = [](const launch::LaunchSpec& launch) {
        long long keep = -1;
        std::memcpy(&keep, launch.values.back().value.data(), sizeof(keep));
        return keep;
    };
    const auto told = launch_of("dot_product_best_f32", 1u << 16, 90);
    EXPECT_EQ(told.kernel, "dot_product_told");
    EXPECT_EQ(told.arguments, "float, 256, 1, false");
    EXPECT_EQ(told.grid.x, 64u);   // 256 threads of four values each
    EXPECT_TRUE(told.overlaps);
    EXPECT_EQ(launch_of("dot_product_best_f16", 1u << 22, 90).arguments, "__half, 256, 1, false");
    EXPECT_EQ(launch_of("dot_product_best_f32", (1u << 10) - 1, 90).kernel, "dot_product_last_block");
    EXPECT_EQ(launch_of("dot_product_best_f32", 1u << 10, 90).kernel, "dot_product_told");
    // Of more than L2 holds, more loads, and as many blocks as take them in one turn: 512 threads of 32 values each, up to
    // 16 times as many blocks as run at once. L2 is to keep as many packs of each stream as fill half of it.
    EXPECT_EQ(launch_of("dot_product_best_f16", 1u << 23, 90).arguments, "__half, 512, 1, false");
    const auto large = launch_of("dot_product_best_f16", 1u << 24, 90);
    EXPECT_EQ(large.arguments, "__half, 512, 4, true");
    EXPECT_EQ(large.grid.x, 1024u);
    EXPECT_EQ(keep_of(large), (30 << 20) / 2 / 16);   // of 60 MB
    EXPECT_EQ(keep_of(told), 0);
    EXPECT_EQ(launch_of("dot_product_best_f16", 1u << 24, 90, 8).grid.x, 8u * 4 * 16);
    EXPECT_EQ(launch_of("dot_product_told_f16", 1u << 24, 90).arguments, "__half, 512, 4, false");
    const auto last_block = launch_of("dot_product_best_f32", 1u << 24, 80);
    EXPECT_EQ(last_block.kernel, "dot_product_last_block");
    EXPECT_EQ(last_block.arguments, "float, 512, 4");
    EXPECT_FALSE(last_block.overlaps);
}

// Lanes of the last block that take no partial sum hold 0, and nothing of what they read before.
TEST(DotProduct, TheLastBlockCountsNoInputTwice) {
    for (const char* variant : {"dot_product_last_block_f32", "dot_product_last_block_f16"})
        expect_no_input_counted_twice(variant);
}

TEST(DotProduct, TheBestGivesTheSameBitsInEveryOrder) {
    for (const char* variant : {"dot_product_best_f32", "dot_product_best_f16", "dot_product_best_bf16"}) {
        lesson::Inputs inputs = inputs_of(variant);
        inputs.n = 20001;
        const double first = result_of(variant, inputs);
        for (const char* order : {"descending", "3"}) EXPECT_EQ(result_of(variant, inputs, order), first) << variant;
    }
}

}  // namespace
