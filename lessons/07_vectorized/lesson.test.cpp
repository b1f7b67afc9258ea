#include "common/lesson/lesson.testing.hpp"
#include "common/steps/memory_cost.hpp"
#include "common/steps/steps.hpp"
#include "lessons/07_vectorized/case.hpp"

namespace {

using namespace lanewise;
using namespace lanewise::lesson::testing;

trace::Trace traced(const std::string& variant) {
    return *run(plan_of(variant, inputs_of(variant)), "ascending", true).trace;
}

bool is_input_load(const trace::Trace& trace, const trace::Record& record) {
    return record.op == trace::Op::load && trace.arrays[record.array].name == "in";
}

// What the requests of whole warps have in common.
struct Requests {
    std::size_t count = 0;
    int elements = 0;          // of each lane
    std::size_t sectors = 0;   // of each request
    std::uint32_t useful = 0;  // bytes of each request
};

Requests whole_requests(const std::string& variant) {
    const trace::Trace trace = traced(variant);
    Requests requests;
    for (const auto& record : trace.records) {
        if (!is_input_load(trace, record) || record.active != 0xffffffffu) continue;
        const std::size_t sectors = steps::sectors_of(trace, record).size();
        const std::uint32_t useful = steps::useful_bytes(trace, record);
        if (requests.count++ == 0) {
            requests.elements = record.elements;
            requests.sectors = sectors;
            requests.useful = useful;
        }
        EXPECT_EQ(record.elements, requests.elements) << variant;
        EXPECT_EQ(sectors, requests.sectors) << variant;
        EXPECT_EQ(useful, requests.useful) << variant;
    }
    return requests;
}

void expect_requests(const std::string& variant, int elements, std::size_t sectors, std::uint32_t useful) {
    const Requests requests = whole_requests(variant);
    EXPECT_EQ(requests.elements, elements) << variant;
    EXPECT_EQ(requests.sectors, sectors) << variant;
    EXPECT_EQ(requests.useful, useful) << variant;
}

TEST(Vectorized, SectorsForEachRequest) {
    expect_requests("grid_stride_f32", 1, 4, 128);
    expect_requests("grid_stride_f32x2", 2, 8, 256);
    expect_requests("grid_stride_f32x4", 4, 16, 512);
    expect_requests("grid_stride_f32_unroll_1", 1, 4, 128);
    expect_requests("grid_stride_f32_unroll_4", 1, 4, 128);
    expect_requests("grid_stride_f32x4_unroll_1", 4, 16, 512);
    expect_requests("f32_offset_one", 1, 5, 128);     // 160 bytes moved for 128
    expect_requests("f32x4_offset_one", 4, 17, 512);  // its packs begin at in[4]: a multiple of 16 bytes, not of 32
}

// All of the input's loads, whole or not: 4059 values are 126 whole requests of 32 and one of 27; packs of four leave
// three values, packs of two one.
TEST(Vectorized, FewerRequests) {
    const auto requests = [](const std::string& variant) {
        const trace::Trace trace = traced(variant);
        std::size_t count = 0;
        for (const auto& record : trace.records) count += is_input_load(trace, record);
        return count;
    };
    EXPECT_EQ(requests("grid_stride_f32"), 127u);
    EXPECT_EQ(requests("grid_stride_f32_unroll_1"), 127u);
    EXPECT_EQ(requests("grid_stride_f32_unroll_4"), 127u);
    EXPECT_EQ(requests("grid_stride_f32x4_unroll_1"), 32u + 1u);
    EXPECT_EQ(requests("grid_stride_f32x2"), 64u + 1u);
    EXPECT_EQ(requests("grid_stride_f32x4"), 32u + 1u);
    EXPECT_EQ(requests("f32x4_offset_one"), 1u + 32u);  // three before, 1014 packs, nothing left
}

// A float4 lies at a multiple of 16 bytes wherever the values begin; what comes before and after goes one by one.
TEST(Vectorized, PacksAreAligned) {
    for (const char* variant : {"grid_stride_f32x4", "f32x4_offset_one"}) {
        const trace::Trace trace = traced(variant);
        for (const auto& record : trace.records) {
            if (!is_input_load(trace, record)) continue;
            for (int lane = 0; lane < trace::kWarpSize; ++lane) {
                if ((record.active >> lane & 1u) == 0) continue;
                EXPECT_EQ(record.element_index[lane] % record.elements, 0) << variant;
            }
        }
    }
}

// Every beginning and every number of values left over.
TEST(Vectorized, AnyBeginningAndAnyEnd) {
    struct Width {
        const char* kernel;
        const char* variant;
    };
    for (const auto& [kernel, variant] : {Width{"grid_stride_f32", "grid_stride_f32"},
                                          {"grid_stride_f32x2", "grid_stride_f32x2"},
                                          {"grid_stride_f32x4", "grid_stride_f32x4"}})
        for (int first = 0; first < 6; ++first)
            for (const std::uint64_t n : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 2047u, 2048u, 2049u, 2050u, 2051u}) {
                lesson::Inputs inputs = inputs_of(variant);
                inputs.n = n;
                inputs.kind = "ramp1";
                launch::Plan plan;
                vectorized::plan_runs(plan, inputs, kernel, first);
                expect_verified(plan, run(plan),
                                std::string(kernel) + " from " + std::to_string(first) + ", n " + std::to_string(n));
            }
}

// Every value is in the total, once, and in[0] is not where the values begin at in[1].
TEST(Vectorized, NothingIsLeftOut) {
    for (const char* variant :
         {"grid_stride_f32", "grid_stride_f32x2", "grid_stride_f32x4", "f32_offset_one", "f32x4_offset_one"}) {
        const trace::Trace trace = traced(variant);
        const auto steps = steps::build_steps(trace);
        const std::size_t first = std::string(variant).ends_with("offset_one") ? 1 : 0;
        ASSERT_EQ(steps.input_count, 4059u + first) << variant;
        std::vector<int> times(steps.input_count), expected(steps.input_count, 1);
        if (first) expected[0] = 0;
        for (const auto& part : steps.steps.back().warps) {
            const auto& held = steps.provenances.at(part.lanes[0].inputs_before);
            EXPECT_FALSE(held.counted_twice()) << variant;
            for (std::size_t i = 0; i < times.size(); ++i) times[i] += held.holds(i);
        }
        EXPECT_EQ(times, expected) << variant;
    }
}

// A quarter of the threads, but as many blocks, and so as many atomics.
TEST(Vectorized, OnePackAThreadSavesNoAtomic) {
    const auto one_value = plan_of("one_value_f32", inputs_of("one_value_f32")).launches.at(0);
    const auto one_pack = plan_of("one_pack_f32x4", inputs_of("one_pack_f32x4")).launches.at(0);
    EXPECT_EQ(one_pack.grid.x, one_value.grid.x);
    EXPECT_EQ(one_pack.block.x * 4, one_value.block.x);
    expect_requests("one_value_f32", 1, 4, 128);
    expect_requests("one_pack_f32x4", 4, 16, 512);
}

TEST(Vectorized, AMillionValues) {
    for (const char* variant : {"grid_stride_f32", "grid_stride_f32x2", "grid_stride_f32x4", "f32x4_offset_one"}) {
        lesson::Inputs inputs = inputs_of(variant);
        inputs.n = (1u << 20) + 5;
        inputs.kind = "random";
        const auto plan = plan_of(variant, inputs);
        expect_verified(plan, run(plan), variant);
    }
}

}  // namespace
