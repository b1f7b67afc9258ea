#include <random>

#include "common/gpu/device.hpp"
#include "common/gpu/gpu_backend.hpp"
#include "common/lesson/lesson.testing.hpp"
#include "common/scene/permutation.hpp"
#include "common/steps/steps.hpp"
#include "lessons/10_shuffle_explorer/case.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;
using lesson::testing::run;   // not the namespace
using lesson::ControlValue;
using shuffle_explorer::kTypes;

// The source lane as the PTX ISA manual defines shfl.sync, section "Semantics", written from it line by line; c is what
// CUDA's headers pass for a width: a segment mask from bit 8 on, and a clamp, 0 for up and 31 for the others.
int ptx_source(const std::string& mode, int lane, int b, int width) {
    const unsigned c = ((32u - static_cast<unsigned>(width)) << 8) | (mode == "up" ? 0u : 0x1fu);
    const int bval = b & 0x1f, cval = static_cast<int>(c & 0x1f), segmask = static_cast<int>(c >> 8 & 0x1f);
    const int max_lane = (lane & segmask) | (cval & ~segmask & 0x1f);
    const int min_lane = lane & segmask;
    int j = 0;
    bool pval = false;
    if (mode == "up") j = lane - bval, pval = j >= max_lane;
    if (mode == "down") j = lane + bval, pval = j <= max_lane;
    if (mode == "xor") j = lane ^ bval, pval = j <= max_lane;
    if (mode == "idx") j = min_lane | (bval & ~segmask & 0x1f), pval = j <= max_lane;
    return pval ? j : lane;  // "copy from own lane"
}

lesson::Inputs with(const std::string& variant, const std::vector<ControlValue>& changed) {
    lesson::Inputs inputs = inputs_of(variant);
    std::vector<ControlValue> values = inputs.controls.values();
    for (const auto& [name, text] : changed)
        for (auto& [known, value] : values)
            if (known == name) value = text;
    inputs.controls = lesson::ChosenControls(values);
    return inputs;
}

// What the lanes hold after the shuffle that was chosen; the inputs are 0 to 31.
std::vector<int> after(const std::vector<ControlValue>& changed) {
    const auto plan = plan_of("shuffle", with("shuffle", changed));
    return buffer<int>(plan, run(plan), "out");
}

// Each op, width, argument from -40 to 40 and type, with masks at random, against the manual.
void expect_as_ptx_defines(launch::Backend& machine) {
    std::mt19937 random(7);
    std::size_t undefined = 0, defined = 0;
    for (const auto& type : kTypes)
        for (const char* op : {"idx", "up", "down", "xor"})
            for (const int width : {1, 2, 4, 8, 16, 32})
                for (int arg = -40; arg <= 40; ++arg) {
                    const auto mask = static_cast<std::uint32_t>(random() | random());
                    shuffle_explorer::Shuffle shuffle{op, {}, width, arg % 4 == 0 ? 0xffffffffu : mask, type.name};
                    shuffle.arg.fill(arg);
                    launch::Plan plan;
                    shuffle_explorer::plan_shuffle(plan, inputs_of("shuffle"), shuffle);
                    const auto outcome = run(machine, plan);
                    const auto& in = plan.buffers[0].contents;
                    const auto& out = outcome.buffers[2];
                    const std::size_t bytes = in.size() / 32;
                    ASSERT_EQ(in.size(), out.size());
                    for (std::size_t lane = 0; lane < 32; ++lane) {
                        const bool named = shuffle.mask >> lane & 1u;
                        const int own = static_cast<int>(lane), source = named ? ptx_source(op, own, arg, width) : own;
                        if (named && !(shuffle.mask >> source & 1u)) {
                            ++undefined;
                            continue;
                        }
                        ++defined;
                        ASSERT_EQ(0, std::memcmp(&out[lane * bytes], &in[static_cast<std::size_t>(source) * bytes], bytes))
                            << type.name << ' ' << op << " width " << width << " arg " << arg << " mask " << std::hex
                            << shuffle.mask << std::dec << " lane " << lane;
                    }
                    expect_verified(plan, outcome, op);
                }
    EXPECT_GT(undefined, 10000u);
    EXPECT_GT(defined, 300000u);
}

TEST(Shuffle, ReadsTheLaneThatPtxDefines) { expect_as_ptx_defines(*emu::make_emulator()); }

TEST(Shuffle, ReadsTheLaneThatPtxDefinesOnAGpu) {
    std::string why;
    if (!gpu::available(&why)) GTEST_SKIP() << why;
    expect_as_ptx_defines(*gpu::make_gpu_backend());
}

// The record of the run says the same, and which lanes are undefined; so does the matrix that is printed.
TEST(Shuffle, IsRecordedAndDrawnAsPtxDefinesIt) {
    std::mt19937 random(8);
    for (const char* op : {"idx", "up", "down", "xor"})
        for (const int width : {1, 2, 4, 8, 16, 32})
            for (int turn = 0; turn < 20; ++turn) {
                const std::uint32_t mask = turn % 2 == 0 ? 0xffffffffu : static_cast<std::uint32_t>(random());
                shuffle_explorer::Shuffle shuffle{op, {}, width, mask, "int"};
                for (auto& arg : shuffle.arg) arg = static_cast<int>(random() % 81) - 40;
                if (shuffle.mask == 0) continue;
                launch::Plan plan;
                shuffle_explorer::plan_shuffle(plan, inputs_of("shuffle"), shuffle);
                const auto trace = *run(plan, "ascending", true).trace;
                const auto steps = steps::build_steps(trace);
                std::size_t shuffles = 0;
                for (std::size_t k = 0; k < steps.size(); ++k) {
                    const auto rows = scene::permutation_of(steps, k, {0, 0, 0});
                    if (rows.empty()) continue;
                    ++shuffles;
                    ASSERT_EQ(rows.size(), 32u);
                    for (int lane = 0; lane < 32; ++lane) {
                        const auto at = static_cast<std::size_t>(lane);
                        if (!(shuffle.mask >> lane & 1u)) {
                            EXPECT_EQ(rows[at].kind, scene::LaneSource::inactive);
                            continue;
                        }
                        const int source = ptx_source(op, lane, shuffle.arg[at], width);
                        const bool inactive = !(shuffle.mask >> source & 1u);
                        EXPECT_EQ(rows[at].kind == scene::LaneSource::undefined, inactive) << op << lane;
                        EXPECT_EQ(rows[at].source, source) << op << ' ' << lane << " arg " << shuffle.arg[at];
                        // What the bits say is where the record went.
                        const std::string& bits = rows[at].bits;
                        if (const auto equals = bits.find("= ");
                            equals != std::string::npos && bits.find('>') > bits.size())
                            EXPECT_EQ(std::stoi(bits.substr(equals + 2), nullptr, 2), source) << bits;
                        else EXPECT_EQ(source, lane) << bits;
                    }
                }
                EXPECT_EQ(shuffles, 1u);
            }
}

std::vector<int> xor_of(int mask) { return after({{"op", "xor"}, {"arg", std::to_string(mask)}}); }

// The outputs that published notes print, of inputs 0 to 31.
TEST(Shuffle, GivesThePublishedOutputs) {
    const std::vector<std::pair<int, std::vector<int>>> beginnings = {
        {2, {2, 3, 0, 1, 6, 7, 4, 5}},
        {4, {4, 5, 6, 7, 0, 1, 2, 3}},
        {5, {5, 4, 7, 6, 1, 0, 3, 2, 13, 12, 15, 14, 9, 8}},
        {3, {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}},
        {7, {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8}}};
    for (const auto& [mask, beginning] : beginnings) {
        const auto held = xor_of(mask);
        EXPECT_EQ(std::vector<int>(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(beginning.size())),
                  beginning)
            << "xor " << mask;
    }
    const auto further = after({{"op", "idx"}, {"arg", "lane + 2"}});
    for (int lane = 0; lane < 32; ++lane)
        EXPECT_EQ(further[static_cast<std::size_t>(lane)], lane < 30 ? lane + 2 : lane - 30);
    for (const auto& [tree, first, step] :
         {std::tuple{"tree_xor", 496, 0}, {"tree_down", 496, 16}, {"tree_up", 0, 16}}) {
        const auto plan = plan_of(tree, inputs_of(tree));
        const auto held = buffer<int>(plan, run(plan), "out");
        for (int lane = 0; lane < 32; ++lane)
            EXPECT_EQ(held[static_cast<std::size_t>(lane)], first + step * lane) << tree << lane;
    }
}

// What the text says, each as a run.
TEST(Shuffle, ShowsTheFactsOfTheText) {
    // xor is its own inverse.
    for (const int mask : {1, 5, 6, 21, 31}) {
        lesson::Inputs again = with("shuffle", {{"arg", std::to_string(mask)}});
        const auto once = xor_of(mask);
        again.kind = lesson::kTypedInput;
        again.file = std::make_shared<const std::vector<double>>(once.begin(), once.end());
        const auto plan = plan_of("shuffle", again);
        EXPECT_EQ(buffer<int>(plan, run(plan), "out"), after({{"op", "idx"}, {"arg", "lane"}})) << mask;
    }
    EXPECT_EQ(xor_of(16), after({{"op", "idx"}, {"arg", "(lane + 16) % 32"}}));
    EXPECT_NE(xor_of(8), after({{"op", "idx"}, {"arg", "(lane + 8) % 32"}}));
    // An even mask does not always swap neighbouring groups: of 6, pairs keep their order and move.
    auto six = xor_of(6);
    six.resize(8);
    EXPECT_EQ(six, (std::vector<int>{6, 7, 4, 5, 2, 3, 0, 1}));
    // The argument counts modulo 32.
    EXPECT_EQ(after({{"op", "down"}, {"arg", "32"}}), after({{"op", "idx"}, {"arg", "lane"}}));
    EXPECT_EQ(after({{"op", "down"}, {"arg", "33"}}), after({{"op", "down"}, {"arg", "1"}}));
    // Below 32 lanes, xor reaches an earlier group and never a later one.
    const auto reach = after({{"op", "xor"}, {"arg", "8"}, {"width", "8"}});
    for (int lane = 0; lane < 32; ++lane)
        EXPECT_EQ(reach[static_cast<std::size_t>(lane)], lane / 8 % 2 == 1 ? lane - 8 : lane) << lane;
    // idx broadcasts in each half; up and down leave the lanes at their edge alone.
    const auto halves = after({{"op", "idx"}, {"arg", "3"}, {"width", "16"}});
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(halves[static_cast<std::size_t>(lane)], lane < 16 ? 3 : 19);
    EXPECT_EQ(after({{"op", "up"}, {"arg", "2"}})[1], 1);
    EXPECT_EQ(after({{"op", "down"}, {"arg", "2"}})[30], 30);
    // Lanes that the mask does not name keep what they held.
    EXPECT_EQ(after({{"arg", "1"}, {"mask", "0xff"}})[9], 9);
}

// An inactive source is a finding, drawn so; the lanes that read none are still held to the reference.
TEST(Shuffle, AnInactiveSourceIsUndefined) {
    const auto plan = plan_of("shuffle", with("shuffle", {{"op", "down"}, {"arg", "4"}, {"mask", "0xff"}}));
    const auto outcome = run(plan, "ascending", true);
    ASSERT_EQ(outcome.findings.size(), 1u);
    EXPECT_EQ(outcome.findings[0].kind, "inactive_source");
    EXPECT_EQ(outcome.findings[0].lanes, 0xf0u);
    expect_verified(plan, outcome, "down 4, mask 0xff");
}

TEST(Shuffle, PairsAndLongValuesTravelWhole) {
    lesson::Inputs inputs = with("shuffle", {{"op", "xor"}, {"arg", "31"}, {"type", "half2"}});
    auto plan = plan_of("shuffle", inputs);
    const auto pairs = buffer<std::uint32_t>(plan, run(plan), "out");
    for (int lane = 0; lane < 32; ++lane) {
        const double low = element_to_double(Element::f16, pairs[static_cast<std::size_t>(lane)] & 0xffffu);
        const double high = element_to_double(Element::f16, pairs[static_cast<std::size_t>(lane)] >> 16);
        EXPECT_EQ(low, 31 - lane);
        EXPECT_EQ(high, lane - 31);
    }
    inputs = with("shuffle", {{"op", "down"}, {"arg", "1"}, {"type", "longlong"}});
    inputs.kind = lesson::kTypedInput;
    std::vector<double> values(32);
    for (int lane = 0; lane < 32; ++lane) values[static_cast<std::size_t>(lane)] = 0x1p40 * lane + lane;
    inputs.file = std::make_shared<const std::vector<double>>(values);
    plan = plan_of("shuffle", inputs);
    EXPECT_EQ(buffer<std::int64_t>(plan, run(plan), "out")[4], 5 * ((std::int64_t{1} << 40) + 1));
}

TEST(Programs, PrefixSumTransposeAndSegments) {
    auto plan = plan_of("prefix_sum", inputs_of("prefix_sum"));
    const auto sums = buffer<int>(plan, run(plan), "out");
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(sums[static_cast<std::size_t>(lane)], lane * (lane + 1) / 2);
    plan = plan_of("transpose", inputs_of("transpose"));
    const auto turned = buffer<int>(plan, run(plan), "out");
    EXPECT_EQ(std::vector<int>(turned.begin(), turned.begin() + 8), (std::vector<int>{0, 4, 8, 12, 1, 5, 9, 13}));
    EXPECT_EQ(turned[127], 127);
    plan = plan_of("segmented_sums", inputs_of("segmented_sums"));
    const auto segments = buffer<int>(plan, run(plan), "out");
    for (const int group : {0, 1, 2, 3}) EXPECT_EQ(segments[static_cast<std::size_t>(group) * 8], 28 + 64 * group);
}

}  // namespace
