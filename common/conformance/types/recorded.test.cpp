// What the emulator's recordings show of CUDA's types: elements, order, lines, values.
#include "common/conformance/types/types.hpp"

namespace lanewise::conformance {
namespace {

// A buffer of halves as the host knows it: the codes, shown as `element`.
template <class T>
auto small_input(Plan& plan, const std::string& name, const std::vector<T>& codes, Element element) {
    const auto buffer = plan.input(name, codes);
    plan.buffers[buffer.index].element = element;
    return buffer;
}

struct Recorded : ::testing::Test {
    launch::Outcome run(const Plan& plan) {
        launch::Request request;
        request.record = true;
        auto outcome = emu::make_emulator()->run(plan, kernels(), request);
        for (const auto& finding : outcome.findings) ADD_FAILURE() << finding.sentence;
        return outcome;
    }
    // Records of one kind on an array: "load tile f16 x1 @213", in the order of the trace.
    static std::vector<std::string> accesses(const trace::Trace& trace) {
        std::vector<std::string> texts;
        for (const auto& record : trace.records)
            if (trace::is_access(record.op) || trace::is_atomic(record.op)) {
                EXPECT_GT(record.line, 0);
                texts.push_back(std::string(op_name(record.op)) + " " + trace.arrays[record.array].name + " " +
                               std::string(element_name(record.type)) + "x" + std::to_string(record.elements));
            }
        return texts;
    }
};

std::vector<Bits> counting_halves(std::size_t count) {
    std::vector<Bits> codes;
    for (std::size_t i = 0; i < count; ++i) codes.push_back(of_double<Small::f16>(static_cast<double>(i)));
    return codes;
}

TEST_F(Recorded, HalvesThatGoFromMemoryIntoCallsAndBack) {
    Plan plan;
    const auto in = small_input(plan, "in", counting_halves(32), Element::f16);
    const auto out = small_input(plan, "out", std::vector<Bits>(32), Element::f16);
    const auto pairs = small_input(plan, "pairs", counting_halves(64), Element::f16);
    const auto sums = plan.output<float>("sums", 32);
    plan.launch("half_memory", "", {1}, {32}, in, out, pairs, sums);
    const auto outcome = run(plan);
    for (std::size_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(to_double<Small::f16>(bytes_as<Bits>(outcome.buffers[1])[lane]),
                  2.0 * static_cast<double>(31 - lane) + static_cast<double>(lane));
        EXPECT_EQ(bytes_as<float>(outcome.buffers[3])[lane], static_cast<float>(4 * lane + 1));
    }
    EXPECT_EQ(accesses(*outcome.trace),
              (std::vector<std::string>{"load in f16x1", "store tile f16x1", "load tile f16x1", "store out f16x1",
                                        "load pairs f16x2", "store sums f32x1", "load out f16x1", "load in f16x1",
                                        "store out f16x1"}));
}

// Each load is reported in the statement that it is in, however many functions it is handed to there.
TEST_F(Recorded, AHalfThatALoopHandsOnIsLoadedWhereItStands) {
    Plan plan;
    const auto in = small_input(plan, "in", counting_halves(96), Element::f16);
    const auto out = plan.output<float>("out", 32);
    plan.launch("half_loops", "", {1}, {32}, in, out);
    const auto outcome = run(plan);
    EXPECT_EQ(bytes_as<float>(outcome.buffers[1])[3], 4.0f * (3 + 35 + 67));
    std::string targets;
    for (const auto& record : outcome.trace->records) {
        if (record.op != trace::Op::load) continue;
        std::string target = "line " + std::to_string(record.line);
        for (const auto& statement : outcome.trace->header.statements)
            if (statement.line <= record.line && record.line <= statement.last_line) target = statement.target;
        targets += " " + target;
    }
    EXPECT_EQ(targets, " widened widened widened twice twice twice plain plain plain");
}

TEST_F(Recorded, APackIsOneAccessOfSixteenBytes) {
    Plan plan;
    const auto in = small_input(plan, "in", counting_halves(256), Element::f16);
    const auto out = plan.output<float>("out", 32);
    plan.launch("pack_memory", "", {1}, {32}, in, out);
    const auto outcome = run(plan);
    EXPECT_EQ(bytes_as<float>(outcome.buffers[1])[3], 8 * 24 + 28 + 24);
    EXPECT_EQ(accesses(*outcome.trace),
              (std::vector<std::string>{"load in f16x8", "load in f16x8", "store out f32x1"}));
}

// GCC announces a struct's copy as a store and then a load, before either happens: both in order, with what was stored.
TEST_F(Recorded, CopiesOfStructsAreALoadAndThenAStore) {
    std::vector<float> numbers(256);
    for (std::size_t i = 0; i < 256; ++i) numbers[i] = static_cast<float>(i) + 0.5f;
    Plan plan;
    const auto in = plan.input("in", numbers);
    const auto out = plan.output<float>("out", 128);
    const auto from = plan.input("from", numbers);
    const auto to = plan.output<float>("to", 256);
    const auto sum = plan.input("sum", numbers);
    plan.launch("copies", "", {1}, {32}, in, out, from, to, sum);
    const auto outcome = run(plan);
    std::vector<std::string> expected{"load in f32x4",   "store out f32x4", "load from f32x4",
                                      "load from f32x4", "store to f32x4",  "store to f32x4"};
    for (int i = 0; i < 3; ++i)
        for (const char* access : {"load sum f32x1", "load sum f32x1", "store sum f32x1"}) expected.push_back(access);
    EXPECT_EQ(accesses(*outcome.trace), expected);
    for (const auto& record : outcome.trace->records) {
        const std::string& name = outcome.trace->arrays[record.array].name;
        if (name == "sum") continue;
        for (std::size_t lane = 0; lane < 32; ++lane)
            for (int k = 0; k < 4; ++k)
                EXPECT_EQ(from_bits<float>(trace::element_at(record.value[lane], Element::f32, k)),
                          numbers[static_cast<std::size_t>(record.element_index[lane] + k)]) << name;
    }
    const auto sums = bytes_as<float>(outcome.buffers[4]);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(sums[i + 64], numbers[i + 64] + numbers[i + 96]);
}

TEST_F(Recorded, VectorsInMemoryAndInCalls) {
    Plan plan;
    std::vector<float> numbers(128);
    for (std::size_t i = 0; i < 128; ++i) numbers[i] = static_cast<float>(i);
    const auto in = plan.input("in", numbers);
    const auto sums = plan.output<float>("sums", 32);
    const auto out = plan.output<float>("out", 128);
    const auto bytes = plan.output<std::uint8_t>("bytes", 128);
    plan.launch("vector_memory", "", {1}, {32}, in, sums, out, bytes);
    const auto outcome = run(plan);
    EXPECT_EQ(bytes_as<float>(outcome.buffers[1])[3], 12 + 13 + 14 + 15 + 13 + 2);
    EXPECT_EQ(bytes_as<float>(outcome.buffers[2]), numbers);
    EXPECT_EQ(bytes_as<std::uint8_t>(outcome.buffers[3])[4 * 7], 7);
    EXPECT_EQ(accesses(*outcome.trace),
              (std::vector<std::string>{"load in f32x4", "store sums f32x1", "store out f32x4", "store bytes u8x4",
                                        "store pairs i32x2", "load in f32x4", "load pairs i32x1", "load sums f32x1",
                                        "store sums f32x1", "load in f32x4", "store out f32x4"}));
}

TEST_F(Recorded, AShuffleOfHalvesHasTheirType) {
    for (const bool half : {true, false}) {
        const Element element = half ? Element::f16 : Element::bf16;
        std::vector<Bits> codes;
        for (int i = 0; i < 32; ++i) codes.push_back(static_cast<Bits>(element_from_double(element, i)));
        Plan plan;
        const auto in = small_input(plan, "in", codes, element);
        const auto out = small_input(plan, "out", std::vector<Bits>(1), element);
        plan.launch("half_tree", half ? "__half" : "__nv_bfloat16", {1}, {32}, in, out);
        const auto outcome = run(plan);
        EXPECT_EQ(element_to_double(element, bytes_as<Bits>(outcome.buffers[1])[0]), 496);
        int shuffles = 0;
        for (const auto& record : outcome.trace->records) {
            if (!trace::is_shuffle(record.op)) continue;
            ++shuffles;
            EXPECT_EQ(record.type, element);
            EXPECT_EQ(record.has_after, ~0u);
            for (std::size_t lane = 0; lane < 32; ++lane)
                EXPECT_EQ(element_to_double(element, record.after[lane]),
                          element_to_double(element, record.before[lane]) +
                              element_to_double(element, record.received[lane]));
        }
        EXPECT_EQ(shuffles, 5);
        EXPECT_EQ(accesses(*outcome.trace).back(), half ? "atomic_add out f16x1" : "atomic_add out bf16x1");
    }
}

TEST_F(Recorded, AnAtomicOnAPairShowsBothElements) {
    Plan plan;
    const auto pairs = small_input(
        plan, "pairs", std::vector<Bits>{of_double<Small::f16>(8), of_double<Small::f16>(16)}, Element::f16);
    const auto brains = small_input(plan, "brains", std::vector<Bits>(2), Element::bf16);
    const auto lock = plan.input("lock", std::vector<std::uint16_t>{0, 0});
    plan.launch("vector_atomics", "", {1}, {32}, pairs, brains, lock);
    const auto outcome = run(plan);
    // The shared pair is 0.5 + 32 and 0.5 + 0 + … + 31, added 32 times to 8 and 16 (the second rounds on its way).
    const auto first = bytes_as<Bits>(outcome.buffers[0]);
    EXPECT_EQ(to_double<Small::f16>(first[0]), 8 + 32 * 32.5);
    EXPECT_NEAR(to_double<Small::f16>(first[1]), 16 + 32 * 496.5, 32 * 8);
    EXPECT_EQ(to_double<Small::bf16>(bytes_as<Bits>(outcome.buffers[1])[1]), -32);
    EXPECT_EQ(bytes_as<std::uint16_t>(outcome.buffers[2]), (std::vector<std::uint16_t>{32, 0}));
    bool found = false;
    for (const auto& record : outcome.trace->records) {
        if (record.op != trace::Op::atomic_add || outcome.trace->arrays[record.array].name != "sum") continue;
        found = true;
        EXPECT_EQ(record.type, Element::f16);
        EXPECT_EQ(record.elements, 2);
        for (int lane = 0; lane < 32; ++lane) {
            const auto at = static_cast<std::size_t>(lane);
            EXPECT_EQ(element_to_double(Element::f16, trace::element_at(record.value[at], Element::f16, 0)), 1);
            EXPECT_EQ(element_to_double(Element::f16, trace::element_at(record.value[at], Element::f16, 1)), lane);
            EXPECT_EQ(element_to_double(Element::f16, record.received[at] & 0xffff), 0.5 + lane);
        }
    }
    EXPECT_TRUE(found);
}

}  // namespace
}  // namespace lanewise::conformance
