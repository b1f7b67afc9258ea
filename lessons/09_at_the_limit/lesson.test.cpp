#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "common/gpu/gpu_backend.hpp"
#include "common/gpu/device.hpp"
#include "common/launch/arrival_order.hpp"
#include "common/lesson/lesson.testing.hpp"
#include "common/runner/recordings.hpp"
#include "common/steps/testing/pairs.testing.hpp"
#include "common/trace/diff.hpp"
#include "lessons/09_at_the_limit/case.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using at_the_limit::Shape;

const std::vector<std::uint32_t> kAllBlocks = {0, 1, 2, 3};
constexpr Element kFormats[] = {Element::f32, Element::f16, Element::bf16};

bool is_emulated(const lesson::Variant& variant) {
    return !lesson::gpu_only_kernel(plan_of(variant.name, inputs_of(variant.name)), kernels());
}

trace::Trace traced(const std::string& variant, const launch::Order& order = {}) {
    return *run(plan_of(variant, inputs_of(variant)), order, true, kAllBlocks).trace;
}

// Block barriers of each recorded block, by what its first warp passed.
std::vector<int> barriers(const std::string& variant, const launch::Order& order = {}) {
    std::vector<int> count(kAllBlocks.size());
    for (const auto& record : traced(variant, order).records)
        count.at(record.block) += record.op == trace::Op::sync_block && record.warp == 0;
    return count;
}

std::uint32_t bits_of_out(const launch::Plan& plan, const launch::Outcome& outcome) {
    return static_cast<std::uint32_t>(to_bits(buffer(plan, outcome, "out").at(0)));
}

TEST(AtTheLimit, FilesIncludeTheSameFunctions) {
    for (const char* file : {"kernels.cuh", "kernels_sm80.cuh", "kernels_sm90.cuh"})
        EXPECT_NE(runner::read_text(the_lesson().kernel_path(file)).find("#include \"sums.cuh\"\n"), std::string::npos)
            << file;
}

TEST(AtTheLimit, BarriersOfEachRoute) {
    EXPECT_EQ(barriers("one_wave_4_f32"), (std::vector<int>{1, 1, 1, 1}));
    EXPECT_EQ(barriers("last_block_fences_f32"), (std::vector<int>{2, 2, 2, 3}));
    EXPECT_EQ(barriers("last_block_fences_f32", {launch::Order::Kind::descending, 0, {}}),
              (std::vector<int>{3, 2, 2, 2}));
    EXPECT_EQ(barriers("poll_f32"), (std::vector<int>{1, 1, 1, 2}));
    EXPECT_EQ(barriers("poll_warps_f32"), (std::vector<int>{0, 0, 0, 1}));
}

// A block's sum takes five shuffles in each of four warps and two over the warp sums; the block that finishes adds the
// blocks' sums in the same way. In a comparison the k-th rounds are together, whatever happens between the two
// sums.
TEST(AtTheLimit, RoutesGoRoundByRound) {
    const auto last = traced("last_block_fences_f32"), poll = traced("poll_f32"), wave = traced("one_wave_4_f32");
    const auto a = steps::build_steps(last), b = steps::build_steps(poll), c = steps::build_steps(wave);
    const std::string block_sum = "16=16 8=8 4=4 2=2 1=1 2=2 1=1";
    EXPECT_EQ(steps::testing::paired_rounds(a, b), block_sum + " " + block_sum);
    EXPECT_EQ(steps::testing::paired_rounds(c, a), block_sum);
    EXPECT_EQ(steps::testing::paired_rounds(c, b), block_sum);
    // What the blocks leave for others, and how they join.
    EXPECT_EQ(steps::testing::beside(a, "store partials", b), "store slots");
    EXPECT_EQ(steps::testing::beside(a, "fence device", b), "-|-");
    EXPECT_EQ(steps::testing::beside(c, "atomic out", a), "atomic inc ticket");
    EXPECT_EQ(steps::testing::beside(a, "store out", b), "store out");
}

// Neither a fence nor an atomic where one block polls.
TEST(AtTheLimit, PollingNeedsNoOrder) {
    const auto ordering = [](const std::string& variant) {
        int count = 0;
        for (const auto& record : traced(variant).records)
            count += record.op == trace::Op::fence || record.op == trace::Op::atomic_inc ||
                     record.op == trace::Op::atomic_add;
        return count;
    };
    EXPECT_EQ(ordering("poll_f32"), 0);
    EXPECT_EQ(ordering("poll_warps_f32"), 0);
    EXPECT_EQ(ordering("best_f32"), 0);
    EXPECT_EQ(ordering("last_block_fences_f32"), 3 * 4);
}

// As many loads of 16 bytes as the variant says, from one line: none waits for another.
TEST(AtTheLimit, LoadsInFlight) {
    for (const auto& [variant, loads] :
         {std::pair{"one_wave_2_f32", 2}, {"one_wave_4_f32", 4}, {"one_wave_8_f32", 8}}) {
        const auto trace = traced(variant);
        int lines = 0;
        std::map<int, int> packs_at;   // requests of the first warp, by line
        for (const auto& record : trace.records)
            if (record.block == 0 && record.warp == 1 && record.op == trace::Op::load && record.elements == 4)
                lines += packs_at[record.line]++ == 0;
        EXPECT_EQ(lines, 1) << variant;
        EXPECT_EQ(packs_at.begin()->second, loads) << variant;
    }
}

// Every value is in one of the sums that the atomics add, once.
TEST(AtTheLimit, NothingIsLeftOut) {
    for (const char* variant : {"one_wave_4_f32", "one_wave_8_f32"}) {
        const auto steps = steps::build_steps(traced(variant));
        std::vector<int> times(steps.input_count);
        for (const auto& part : steps.steps.back().warps) {
            const auto& held = steps.provenances.at(part.lanes[0].inputs_before);
            EXPECT_FALSE(held.counted_twice() || held.unknown) << variant;
            for (std::size_t i = 0; i < times.size(); ++i) times[i] += held.holds(i);
        }
        EXPECT_EQ(times, std::vector<int>(8155, 1)) << variant;
    }
}

TEST(AtTheLimit, AnyBeginningAndAnyEnd) {
    for (const char* route : {"atomic_turn", "one_block", "last_block_fences", "poll", "poll_warps", "best"})
        for (const Element element : kFormats)
            for (std::uint32_t offset = 0; offset < 9; ++offset)
                for (const std::uint64_t n : {1u, 2u, 3u, 7u, 8u, 9u, 16u, 23u, 2047u, 4099u}) {
                    const std::string variant = std::string(route) + "_" + std::string(element_name(element));
                    lesson::Inputs inputs = inputs_of(variant);
                    inputs.n = n;
                    inputs.offset = offset;
                    const auto plan = plan_of(variant, inputs);
                    expect_verified(plan, run(plan),
                                    variant + " from " + std::to_string(offset) + ", n " + std::to_string(n));
                }
}

TEST(AtTheLimit, OneAndSixtyOneApart) {
    for (std::uint64_t n = 1; n <= 4097; n += 61)
        for (const char* variant : {"poll_f32", "poll_f16", "poll_bf16", "last_block_fences_f16", "poll_warps_bf16"}) {
            lesson::Inputs inputs = inputs_of(variant);
            inputs.n = n;
            inputs.seed = n;
            const auto plan = plan_of(variant, inputs);
            expect_verified(plan, run(plan), variant + std::string(", n ") + std::to_string(n));
        }
}

// One not-a-number among the values is in the sum, wherever it stands.
TEST(AtTheLimit, NotANumberStaysOne) {
    for (const std::uint64_t at : {0u, 1u, 4095u, 8154u}) {
        auto plan = plan_of("poll_f32", inputs_of("poll_f32"));
        const float nan = std::numeric_limits<float>::quiet_NaN();
        std::memcpy(plan.buffers[0].contents.data() + at * sizeof nan, &nan, sizeof nan);
        EXPECT_TRUE(std::isnan(buffer(plan, run(plan), "out").at(0))) << at;
    }
}

// What a launch keeps is as it found it: a second launch over the same buffers gives the same.
TEST(AtTheLimit, LaunchesFollowEachOther) {
    for (const char* variant : {"last_block_fences_f32", "poll_f32", "poll_warps_f32", "best_f16"}) {
        auto plan = plan_of(variant, inputs_of(variant));
        const auto once = run(plan);
        for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
            if (plan.buffers[b].role != launch::BufferRole::kept) continue;
            EXPECT_EQ(std::count(once.buffers[b].begin(), once.buffers[b].end(), std::byte{0}),
                      std::ssize(once.buffers[b]))
                << variant << " leaves something in " << plan.buffers[b].name;
        }
        for (int i = 0; i < 3; ++i) plan.launches.push_back(plan.launches[0]);
        EXPECT_EQ(bits_of_out(plan, run(plan)), bits_of_out(plan, once)) << variant;
    }
}

// The block that finishes adds by place: the same bits in every order. Atomics add in the order they come.
TEST(AtTheLimit, SameBitsWhicheverBlockIsLast) {
    const auto bits_in_orders = [](const char* variant) {
        const auto plan = plan_of(variant, inputs_of(variant));
        std::set<std::uint32_t> bits;
        for (const char* order : {"ascending", "descending", "1", "2", "3"})
            bits.insert(bits_of_out(plan, run(plan, order)));
        return bits.size();
    };
    EXPECT_EQ(bits_in_orders("last_block_fences_f32"), 1u);
    EXPECT_EQ(bits_in_orders("last_block_fences_bf16"), 1u);
    EXPECT_GT(bits_in_orders("atomic_turn_f32"), 1u);
}

// The tickets of a trace show in which order the blocks came, and the emulator does the same in that order.
TEST(AtTheLimit, TicketsShowTheOrder) {
    const auto plan = plan_of("last_block_fences_f32", inputs_of("last_block_fences_f32"));
    for (const char* name : {"descending", "3", "5"}) {
        const auto there = *run(plan, launch::Order::parse(name), true, kAllBlocks).trace;
        const auto order = launch::arrival_order(there);
        ASSERT_EQ(order.kind, launch::Order::Kind::listed) << name;
        const auto here = *run(plan, order, true, kAllBlocks).trace;
        const auto difference = trace::diff(there, here);
        EXPECT_TRUE(difference.equal) << name << ": " << difference.sentence;
        const bool another_finishes = order.blocks.back() != 3;
        EXPECT_EQ(trace::diff(there, traced("last_block_fences_f32")).equal, !another_finishes) << name;
    }
    EXPECT_EQ(launch::arrival_order(traced("poll_f32")).kind, launch::Order::Kind::ascending);
}

void expect_best(Element element, std::uint64_t n, const lesson::Machine& machine, bool hints, bool keeps,
                 const Shape& shape) {
    const auto best = at_the_limit::best_choice(n, element, at_the_limit::best_block(n, element), machine);
    EXPECT_EQ(best.hints, hints) << n;
    EXPECT_EQ(best.keep_bytes > 0, keeps) << n;
    EXPECT_EQ(best.shape.block, shape.block) << n;
    EXPECT_EQ(best.shape.loads, shape.loads) << n;
    EXPECT_EQ(best.shape.blocks, shape.blocks) << n;
    // There is an instance for it.
    const std::string more = !best.hints ? "" : best.keep_bytes ? ", true" : ", false";
    const char* kernel = best.one_turn ? "one_turn" : hints ? "poll_hints" : "poll";
    EXPECT_NO_THROW(kernels().find(kernel, at_the_limit::arguments(element, best.shape, more)));
}

TEST(AtTheLimit, TheBestIsShapedBySizeAndMachine) {
    const lesson::Machine h200{132, 2048, 90, std::uint64_t{60} << 20}, emulator,
        turing{40, 1024, 75, std::uint64_t{4} << 20};
    expect_best(Element::f32, 1u << 20, h200, true, false, {512, 2, 132});
    expect_best(Element::f32, 1u << 22, h200, true, false, {1024, 2, 132});
    expect_best(Element::f32, 1u << 24, h200, true, true, {1024, 2, 264});
    expect_best(Element::f16, 1u << 24, h200, true, true, {1024, 2, 264});
    expect_best(Element::bf16, (std::uint64_t{1} << 31) + 5, h200, true, true, {512, 4, 264});
    expect_best(Element::f32, 1u << 22, emulator, false, false, {1024, 2, 264});
    expect_best(Element::bf16, 1u << 22, turing, false, false, {512, 4, 80});
    expect_best(Element::f32, 16385, h200, false, false, {128, 4, 9});
    // Up to 64 KB: one turn of one block, whatever the machine.
    for (const lesson::Machine& machine : {h200, emulator, turing})
        for (const auto& [n, block] : {std::pair{1u, 128u}, {2048u, 128u}, {2049u, 256u}, {4096u, 256u}, {8155u, 512u}, {16384u, 1024u}}) {
            expect_best(Element::f32, n, machine, false, false, {block, 4, 1});
            EXPECT_TRUE(at_the_limit::best_choice(n, Element::f32, block, machine).one_turn) << n;
        }
    EXPECT_EQ(at_the_limit::kept_bytes(h200), std::uint64_t{44} << 20);
}

// The variants that the GPU here can run and that add by place, with their plans: a misaligned million values.
std::vector<std::pair<std::string, launch::Plan>> plans_for_the_gpu() {
    std::vector<std::pair<std::string, launch::Plan>> plans;
    for (const auto& variant : the_lesson().variants()) {
        if (variant.reruns > 0) continue;
        lesson::Inputs inputs = inputs_of(variant.name);
        inputs.n = 1000003;
        inputs.offset = 1;
        inputs.block = variant.block_for(inputs.n);
        inputs.machine.architecture = gpu::architecture();
        auto plan = plan_of(variant.name, inputs);
        const auto* kernel = lesson::gpu_only_kernel(plan, kernels());
        if (kernel && (!kernel->gpu_plain || !launch::why_not_on(*kernel, gpu::architecture()).empty())) continue;
        plans.emplace_back(variant.name, std::move(plan));
    }
    EXPECT_FALSE(plans.empty());
    return plans;
}

TEST(AtTheLimit, AHundredRunsOnAGpu) {
    std::string why;
    if (!gpu::available(&why)) GTEST_SKIP() << why;
    const auto machine = gpu::make_gpu_backend();
    for (const auto& [name, plan] : plans_for_the_gpu()) {
        const auto first = machine->run(plan, kernels(), {});
        expect_verified(plan, first, name);
        for (int i = 1; i < 100; ++i)
            ASSERT_EQ(bits_of_out(plan, machine->run(plan, kernels(), {})), bits_of_out(plan, first))
                << name << " run " << i;
    }
}

// As a timed replay does: launch after launch over the same buffers, with nothing zeroed between.
TEST(AtTheLimit, LaunchesFollowEachOtherOnAGpu) {
    std::string why;
    if (!gpu::available(&why)) GTEST_SKIP() << why;
    const auto machine = gpu::make_gpu_backend();
    for (auto& [name, plan] : plans_for_the_gpu()) {
        const auto once = bits_of_out(plan, machine->run(plan, kernels(), {}));
        for (int i = 0; i < 20; ++i) plan.launches.push_back(plan.launches[0]);
        EXPECT_EQ(bits_of_out(plan, machine->run(plan, kernels(), {})), once) << name;
    }
}

TEST(AtTheLimit, EmulatesEveryRouteWithoutPtx) {
    int emulated = 0;
    for (const auto& variant : the_lesson().variants()) emulated += is_emulated(variant);
    EXPECT_EQ(emulated, 10 * 3);
}

}  // namespace
