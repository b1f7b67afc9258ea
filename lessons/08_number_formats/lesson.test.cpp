#include <algorithm>
#include <cmath>
#include <limits>

#include "common/gpu/gpu_backend.hpp"
#include "common/gpu/device.hpp"
#include "common/lesson/lesson.testing.hpp"
#include "common/runner/recordings.hpp"
#include "common/rounding/rounding.hpp"
#include "common/steps/testing/pairs.testing.hpp"
#include "common/trace/io.hpp"
#include "lessons/08_number_formats/case.hpp"
#include "lessons/08_number_formats/results.testing.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using namespace number_formats;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> values(const Kernel& kernel, const std::string& kind, std::uint64_t n) {
    lesson::Inputs inputs;
    inputs.kind = kind;
    inputs.n = n;
    inputs.seed = n;
    return values_of(inputs, kernel.in);
}

// 512 threads with a value each beside 64 with eight: as many rounds in a warp, then 4 against 1 over the warp sums.
TEST(NumberFormats, NarrowLoadsBesideWideOnesGoRoundByRound) {
    const auto traced = [](const char* variant) {
        return *run(emulator(), plan_of(variant, inputs_of(variant)), "ascending", true).trace;
    };
    const trace::Trace narrow = traced("block_all_reduce_sum_f32_f32"),
                       wide = traced("block_all_reduce_sum_f16x8_pack_f32");
    EXPECT_EQ(steps::testing::places({steps::build_steps(narrow), steps::build_steps(wide)}),
              "load in | load in x8\n"
              "xor 16 | xor 16\n"
              "xor 8 | xor 8\n"
              "xor 4 | xor 4\n"
              "xor 2 | xor 2\n"
              "xor 1 | xor 1\n"
              "store warp_sums | store warp_sums\n"
              "barrier | barrier\n"
              "load warp_sums | load warp_sums\n"
              "xor 8 | xor 1\n"
              "xor 4 | -\n"
              "xor 2 | -\n"
              "xor 1 | -\n"
              "atomic out | atomic out\n");
}

double total_of(const launch::Plan& plan, const launch::Outcome& outcome) {
    return launch::verify(plan, outcome).at(0).value;
}

// The kernel's sum of these values, held to the plan's expectation.
double sum_of(const Kernel& kernel, const std::vector<double>& of, std::uint32_t block = 512, std::uint32_t offset = 0,
              const std::string& order = "ascending") {
    launch::Plan plan;
    plan_total(plan, kernel, of, block, offset);
    const auto outcome = run(emulator(), plan, order);
    const std::string what = kernel.full_name() + " n " + std::to_string(of.size()) + " block " +
                             std::to_string(block) + " offset " + std::to_string(offset) + " " + order;
    for (const auto& finding : outcome.findings) ADD_FAILURE() << what << ": " << finding.sentence;
    expect_verified(plan, outcome, what);
    return total_of(plan, outcome);
}
double sum_of(const char* kernel, const std::vector<double>& of, std::uint32_t block = 512, std::uint32_t offset = 0) {
    return sum_of(kernel_named(kernel), of, block, offset);
}

void expect_same(double value, double expected, const std::string& what) {
    EXPECT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected)))
        << what << ": " << value << ", not " << expected;
}

// Every kernel, every remainder, aligned or not: within its bound in any order, and in ascending order bit by bit what
// the same additions give one by one on the CPU.
TEST(NumberFormats, EverySizeAgainstDoubleAndAgainstTheSameAdditions) {
    const char* const orders[] = {"ascending", "descending", "7"};
    for (const Kernel& kernel : kKernels)
        for (const char* kind : {"random", "small", "cancel"}) {
            std::size_t turn = 0;
            for (std::uint64_t n = 1; n <= 4097; n += 61, ++turn) {
                const auto of = values(kernel, kind, n);
                const std::uint32_t block = 256, offset = turn % 2;
                const double value = sum_of(kernel, of, block, offset, orders[turn % 3]);
                if (turn % 3 != 0) continue;
                expect_same(
                    value, rehearse(kernel, Shape(kernel, n, block, offset), of),
                    kernel.full_name() + " " + kind + " n " + std::to_string(n) + " offset " + std::to_string(offset));
            }
        }
}

TEST(NumberFormats, AnyBeginningAndAnyEnd) {
    for (const Kernel& kernel : kKernels)
        for (std::uint32_t offset = 0; offset <= kernel.wide && kernel.wide > 1; ++offset)
            for (const std::uint64_t n : {1u, 2u, 3u, 7u, 15u, 17u, 33u, 256u, 257u, 271u}) {
                const auto of = values(kernel, "random", n);
                expect_same(sum_of(kernel, of, 256, offset), rehearse(kernel, Shape(kernel, n, 256, offset), of),
                            kernel.full_name() + " n " + std::to_string(n) + " offset " + std::to_string(offset));
            }
}

TEST(NumberFormats, AMillionValues) {
    for (const char* name : {"f32x1_f32", "f16x8_pack_f16", "bf16x2_bf16", "fp8_e4m3x16_pack_f16", "i8x16_pack_i32"})
        sum_of(name, values(kernel_named(name), "random", (1u << 20) + 5), 1024, 1);
}

// The same loads and blocks for all formats of a size: over many values one wave of 512 blocks, one atomic each.
TEST(NumberFormats, StreamsAreFewBlocks) {
    for (const Kernel& kernel : kKernels) {
        if (!kernel.streams()) continue;
        EXPECT_EQ(kernel.wide * static_cast<std::uint32_t>(element_size(kernel.in)), 16u) << kernel.name;
        const Shape large(kernel, std::uint64_t{1} << 26, 512, 0);
        EXPECT_EQ(large.blocks, 512u) << kernel.name;
        EXPECT_EQ(large.threads, 512u) << kernel.name;
        EXPECT_EQ(large.turns, (std::uint64_t{1} << 26) / kernel.wide / (512 * 512)) << kernel.name;
    }
}

// ---- Infinity and NaN ------------------------------------------------------------------------------------------

TEST(NumberFormats, NansAndInfinitiesPropagate) {
    for (const Kernel& kernel : kKernels) {
        if (!is_float(kernel.in)) continue;
        const bool has_infinity = kernel.in == f32 || kernel.in == f16 || kernel.in == bf16;   // an fp8 input saturates
        for (const std::uint64_t n : {1u, 97u, 1030u})
            for (const std::uint64_t at : {std::uint64_t{0}, n / 2, n - 1}) {
                auto of = values(kernel, "random", n);
                of[at] = kNan;
                EXPECT_TRUE(std::isnan(sum_of(kernel, of, 512, 1))) << kernel.name;
                if (!has_infinity) continue;
                of[at] = -kInfinity;
                EXPECT_EQ(sum_of(kernel, of, 512, 1), -kInfinity) << kernel.name;
                if (n == 1) continue;
                of[(at + 1) % n] = kInfinity;
                EXPECT_TRUE(std::isnan(sum_of(kernel, of, 512, 1))) << kernel.name;
            }
    }
}

TEST(NumberFormats, SmallFormatsSaturateWhenTheyAreMade) {
    EXPECT_EQ(rounded(e4m3, 1000), 448);
    EXPECT_EQ(rounded(e4m3, -kInfinity), -448);
    EXPECT_EQ(rounded(e5m2, 1e6), 57344);
    EXPECT_EQ(rounded(i8, -1000), -128);
    lesson::Inputs inputs;
    inputs.kind = "ramp";
    inputs.n = 1000;
    for (const char* name : {"fp8_e4m3_f16", "fp8_e4m3x16_pack_f16"}) {
        const auto of = values_of(inputs, e4m3);
        EXPECT_EQ(of.back(), 448);
        EXPECT_EQ(sum_of(name, of), kInfinity);   // 448 by 552 is more than the 65504 that f16 reaches
        EXPECT_EQ(sum_of(name, std::vector<double>(4, 448)), 1792);
    }
}

TEST(NumberFormats, AnF16SumOverflowsWhereAnF32SumDoesNot) {
    const std::vector<double> of(512, 4096);
    for (const char* name : {"f16_f16", "f16x2_f16", "f16x8_pack_f16"}) EXPECT_EQ(sum_of(name, of), kInfinity) << name;
    for (const char* name :
         {"f16_f32", "f16x2_f32", "f16x2_f32_widened", "f16x8_pack_f32", "bf16_bf16", "bf16x8_pack_f32"})
        EXPECT_EQ(sum_of(name, of), 512 * 4096) << name;
    // With 32768 the first addition of two is already infinite; only widening first helps.
    const std::vector<double> larger(512, 32768);
    EXPECT_EQ(sum_of("f16x2_f32", larger), kInfinity);
    EXPECT_EQ(sum_of("f16x2_f32_widened", larger), 512 * 32768.0);
}

// A sum beyond an int wraps, as two's complement does.
TEST(NumberFormats, IntegersAreExact) {
    for (const char* name : {"i8_i32", "i8x16_pack_i32"}) {
        EXPECT_EQ(sum_of(name, std::vector<double>(4097, -128)), -128 * 4097);
        EXPECT_EQ(sum_of(name, std::vector<double>(4097, 127), 1024, 3), 127 * 4097);
    }
    EXPECT_EQ(added(i32, 2147483647, 1), -2147483648.0);
}

// ---- What an accumulator loses ---------------------------------------------------------------------------------

// Equal values of 2^-9: a lane's sum in f16 is exact up to 2048 of them. The next is half of the distance to the next
// number, the tie goes to the even one, and from there on nothing is added any more. bf16 is there after 256.
TEST(NumberFormats, TheMomentASumStopsGrowing) {
    const auto total = [](const char* name, std::uint64_t turns) {
        return sum_of(name, std::vector<double>(32 * turns, 0x1p-9), 32);
    };
    EXPECT_EQ(total("f16x1_f16", 2047), 32 * 2047 * 0x1p-9);
    EXPECT_EQ(total("f16x1_f16", 2048), 32 * 4);
    EXPECT_EQ(total("f16x1_f16", 2049), 32 * 4);
    EXPECT_EQ(total("f16x1_f16", 4096), 32 * 4);
    EXPECT_EQ(total("f16x1_f32", 4096), 32 * 8);
    EXPECT_EQ(total("bf16x1_bf16", 255), 32 * 255 * 0x1p-9);
    EXPECT_EQ(total("bf16x1_bf16", 256), 32 * 0.5);
    EXPECT_EQ(total("bf16x1_bf16", 257), 32 * 0.5);
    EXPECT_EQ(total("bf16x1_bf16", 4096), 32 * 0.5);
}

// The same by what is recorded: turn 256 is the last that the default run's lanes take anything from.
TEST(NumberFormats, TheDefaultRunGoesOnPastThatMoment) {
    const char* name = "block_all_reduce_sum_bf16x1_bf16";
    const auto trace = *run(plan_of(name, inputs_of(name)), "ascending", true).trace;
    std::size_t turns = 0;
    for (const auto& record : trace.records)
        turns += record.op == trace::Op::load && trace.arrays[record.array].name == "in";
    EXPECT_EQ(turns, 260u);
    for (const auto& record : trace.records)
        if (trace::is_shuffle(record.op)) {
            EXPECT_EQ(element_to_double(record.type, record.before[5]), 0.5);   // not 260 * 2^-9
            break;
        }
}

// Published figures of one and the same sum differ as 233.10 and 233.28 do: which is added first, and in what.
TEST(NumberFormats, ThePairAddedFirstIsAnotherSum) {
    for (const std::string format : {"f16", "bf16"}) {
        const Kernel& pair = kernel_named(format + "x2_f32");
        const Kernel& widened = kernel_named(format + "x2_f32_widened");
        const auto of = values(pair, "random", 4096);
        const double exact = lanewise::lesson::sums_of(of, of.size()).sum;
        const double first = sum_of(pair, of), second = sum_of(widened, of);
        EXPECT_NE(first, second) << format;
        EXPECT_GT(std::abs(first - exact), 100 * std::abs(second - exact)) << format;
        EXPECT_EQ(sum_of(kernel_named(format + "_f32"), of), second) << format;   // these sums are exact in f32
    }
}

// f16_f16 adds its warp sums in f32, and so ends between two numbers of f16; bf16 and fp8 stay in their accumulator.
TEST(NumberFormats, TheSecondStageHasATypeOfItsOwn) {
    const auto total = [](const Kernel& kernel) { return sum_of(kernel, values(kernel, "random", 512)); };
    for (const Kernel& kernel : kKernels) {
        if (kernel.second == i32 || kernel.second == f32) continue;
        EXPECT_EQ(total(kernel), rounded(kernel.second, total(kernel))) << kernel.name;
    }
    EXPECT_NE(total(kernel_named("f16_f16")), rounded(f16, total(kernel_named("f16_f16"))));
}

// 32768 among values below 1: in f16 its lane takes in nothing that is not at least 16.
TEST(NumberFormats, OneHugeValue) {
    for (const char* name : {"f16_f16", "f16x2_f16"}) {
        const auto of = values(kernel_named(name), "huge", 512);
        const double exact = lanewise::lesson::sums_of(of, of.size()).sum;
        EXPECT_GT(std::abs(sum_of(name, of) - exact), 1) << name;
    }
    const auto of = values(kernel_named("f16_f32"), "huge", 512);
    EXPECT_LT(std::abs(sum_of("f16_f32", of) - lanewise::lesson::sums_of(of, of.size()).sum), 0.1);
}

TEST(NumberFormats, ABoundSaysWhenItPromisesNothing) {
    launch::Plan promises, does_not;
    const Kernel& kernel = kernel_named("bf16_bf16");
    plan_total(promises, kernel, values(kernel, "small", 512), 512, 0);
    plan_total(does_not, kernel, values(kernel, "cancel", 512), 512, 0);
    EXPECT_EQ(promises.expectations.at(0).bound_reason, "(9 * 2^-8) * sum|x|");
    EXPECT_NE(does_not.expectations.at(0).bound_reason.find("promises no digit"), std::string::npos);
    launch::Plan mixed;
    plan_total(mixed, kernel_named("f16x8_pack_f16"), values(kernel_named("f16x8_pack_f16"), "random", 1025), 512, 0);
    // 7 + 1 for the tail + 5, then 1 + 2.
    EXPECT_EQ(mixed.expectations.at(0).bound_reason.substr(0, 33), "(13 * 2^-11 + 3 * 2^-24) * sum|x|");
}

// ---- Loads and threads -----------------------------------------------------------------------------------------

// 512 values are 512 threads, or one warp: the bytes and the requests each takes.
TEST(NumberFormats, LoadsOfSixteenBytes) {
    struct Expected {
        const char* kernel;
        int elements;
        std::size_t requests;
    };
    for (const auto& [name, elements, requests] : {Expected{"f32_f32", 1, 16}, {"f32x4_f32", 4, 4}, {"f16x2_f32", 2, 8},
                                                   {"f16x8_pack_f16", 8, 2}, {"fp8_e4m3x16_pack_f16", 16, 1},
                                                   {"i8x16_pack_i32", 16, 1}}) {
        const std::string variant = kernel_named(name).full_name();
        const auto trace = *run(plan_of(variant, inputs_of(variant)), "ascending", true).trace;
        std::size_t count = 0;
        for (const auto& record : trace.records) {
            if (record.op != trace::Op::load || trace.arrays[record.array].name != "in") continue;
            EXPECT_EQ(record.elements, elements) << name;
            ++count;
        }
        EXPECT_EQ(count, requests) << name;
    }
}

// ---- The functions of a warp and of a block --------------------------------------------------------------------

TEST(NumberFormats, WarpAndBlockFunctionsTakeAnySizeAndBeginning) {
    for (const auto& variant : the_lesson().variants()) {
        if (variant.name.rfind("block_all", 0) == 0) continue;
        for (std::uint64_t n = 1; n <= 4097; n += 241)
            for (const char* kind : {"random", "ramp1", "cancel", "huge", "mean"}) {
                lesson::Inputs inputs = inputs_of(variant.name);
                inputs.n = n;
                inputs.kind = kind;
                inputs.offset = static_cast<std::uint32_t>(n % 3);
                const auto plan = plan_of(variant.name, inputs);
                expect_verified(plan, run(emulator(), plan, n % 2 ? "descending" : "7"),
                                variant.name + " " + kind + " n " + std::to_string(n));
            }
    }
}

// Where a block's sum leaves the range of f32 it is infinite; its neighbour's is not.
TEST(NumberFormats, ABlockSumOverflows) {
    std::vector<double> of(192, 1);
    std::fill_n(of.begin() + 64, 64, 0x1.8p127);
    launch::Plan plan;
    plan_block(plan, of, 64, 0, false);
    const auto outcome = run(plan);
    expect_verified(plan, outcome, "sum");
    const auto out = buffer(plan, outcome, "out");
    EXPECT_EQ(out[63], 64);
    EXPECT_EQ(out[64], std::numeric_limits<float>::infinity());
    EXPECT_EQ(out[128], 64);
}

// fmaxf passes a NaN over; a sum does not.
TEST(NumberFormats, ANanInABlock) {
    std::vector<double> of(96, -2.0);
    of[40] = kNan;
    of[70] = -1;
    for (const bool largest_value : {false, true}) {
        launch::Plan plan;
        plan_block(plan, of, 32, 0, largest_value);
        const auto outcome = run(plan);
        expect_verified(plan, outcome, largest_value ? "largest" : "sum");
        const auto out = buffer(plan, outcome, "out");
        EXPECT_EQ(out[0], largest_value ? -2 : -64);
        EXPECT_EQ(std::isnan(out[32]), !largest_value);
        EXPECT_EQ(out[64], largest_value ? -1 : -63);
    }
}

// ---- The rounding lens -----------------------------------------------------------------------------------------

struct Looked {
    steps::Steps steps;
    rounding::RoundingLens lens;
};

// The lens on one run; `trace` keeps its records.
Looked look_at(const std::string& variant, const lesson::Inputs& inputs, trace::Trace& trace) {
    trace = *run(emulator(), plan_of(variant, inputs), "ascending", true).trace;
    Looked looked{steps::build_steps(trace), {}};
    looked.lens = rounding::build_rounding(looked.steps);
    return looked;
}

TEST(NumberFormats, TheLensDescribesEverySumOfEveryKernel) {
    for (const auto& variant : the_lesson().variants()) {
        if (variant.name == "block_reduce_max_f32") continue;   // no sum
        std::uint32_t offset = 0;
        for (const char* kind : {"random", "small", "huge"}) {
            lesson::Inputs inputs = inputs_of(variant.name);
            inputs.kind = kind;
            inputs.offset = offset++ % 2;
            trace::Trace trace;
            const Looked looked = look_at(variant.name, inputs, trace);
            EXPECT_EQ(looked.lens.why_not, "") << variant.name << " " << kind;
            EXPECT_EQ(looked.lens.unknown, 0u) << variant.name << " " << kind << " offset " << inputs.offset;
        }
    }
}

// 131072 values over one warp: 4096 a lane, of which it takes in 2048.
TEST(NumberFormats, TheLensFollowsARunPastTheMomentThatItStops) {
    const char* name = "block_all_reduce_sum_f16x1_f16";
    lesson::Inputs inputs = inputs_of(name);
    inputs.n = 1u << 17;
    trace::Trace trace;
    const Looked looked = look_at(name, inputs, trace);
    ASSERT_EQ(looked.lens.why_not, "");
    const rounding::RoundingLoss loss = rounding::rounding_loss(looked.lens);
    ASSERT_NE(loss.stopped, lanewise::Sum::kNone);
    const lanewise::Sum& stopped = looked.lens.sum(loss.stopped);
    EXPECT_EQ(stopped.step, 2048u);
    EXPECT_EQ(rounding::describe_addition(looked.lens, loss.stopped), "4 + 0.001953125 = 4.001953125, in f16 4");
    EXPECT_EQ(loss.stops, 32u * (4096 - 2048));
    const lanewise::Sum& total = looked.lens.sums.back();
    EXPECT_EQ(total.count, 1u << 17);
    EXPECT_EQ(total.exact_value, 256);
    EXPECT_EQ(element_to_double(total.type, total.bits), 128);
}

// ---- The same bits everywhere ----------------------------------------------------------------------------------

TEST(NumberFormats, EveryVariantGivesTheBitsThatItGaveBefore) { expect_known(emulator()); }

TEST(NumberFormats, EveryVariantGivesTheSameBitsOnAGpu) {
    std::string why;
    if (!gpu::available(&why)) GTEST_SKIP() << why;
    expect_known(*gpu::make_gpu_backend());
}

// Those of the defaults are what an H200 gave.
TEST(NumberFormats, TheBitsAreThoseOfTheRecordings) {
    for (const Known& known : kKnown) {
        const auto path = runner::find_recording(the_lesson(), std::string(known.variant) + ".ndjson");
        if (path.empty()) GTEST_SKIP() << "nothing has been recorded under " << the_lesson().recordings();
        const auto trace = trace::load(path);
        ASSERT_EQ(trace.header.source.kind, trace::SourceKind::gpu) << path;
        ASSERT_EQ(trace.outputs.size(), 1u) << path;
        const trace::Output& out = trace.outputs[0];
        if (out.count > out.values.size()) continue;   // only the first are kept
        std::vector<std::byte> bytes;
        for (const std::uint64_t value : out.values)
            for (int byte = 0; byte < element_size(out.element); ++byte)
                bytes.push_back(static_cast<std::byte>(value >> 8 * byte));
        EXPECT_EQ(bits_text(bytes), known.results[0]) << known.variant;
    }
}

}  // namespace
