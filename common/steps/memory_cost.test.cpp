#include "common/steps/memory_cost.hpp"

#include <gtest/gtest.h>

#include "common/steps/testing/programs.testing.hpp"

namespace lanewise::steps {
namespace {

using namespace testing;

// One access of 32 lanes to an array of `element`.
struct OneAccess {
    TraceBuilder made;
    explicit OneAccess(Element element, Space space = Space::shared, int elements = 1,
                       const std::function<std::int64_t(int)>& at = [](int lane) { return lane; },
                       std::uint32_t active = kAllLanes) {
        made.trace.arrays.push_back({"a", space, element, 1u << 16});
        auto warp = made.warp(0, 0);
        trace::Record& record = warp.add(Op::load, 3, active);
        record.type = element;
        record.elements = elements;
        for (int lane = 0; lane < 32; ++lane) record.element_index[static_cast<std::size_t>(lane)] = at(lane);
    }
    const trace::Record& record() const { return made.trace.records[0]; }
    std::vector<std::int64_t> sectors() const { return sectors_of(made.trace, record()); }
    std::uint32_t bytes() const { return useful_bytes(made.trace, record()); }
    BankUse banks() const { return banks_of(made.trace, record()); }
};

TEST(MemoryCost, SectorsOfAWarp) {
    EXPECT_EQ(OneAccess(Element::f32, Space::global).sectors(), (std::vector<std::int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(OneAccess(Element::f32, Space::global).bytes(), 128u);
    // Shifted by one element the warp touches one more.
    EXPECT_EQ(OneAccess(Element::f32, Space::global, 1, [](int lane) { return lane + 1; }).sectors().size(), 5u);
    // A stride of eight floats: a sector for each lane, four useful bytes in each.
    const OneAccess strided(Element::f32, Space::global, 1, [](int lane) { return 8 * lane; });
    EXPECT_EQ(strided.sectors().size(), 32u);
    EXPECT_EQ(strided.bytes(), 128u);
    // float4: 16 sectors, all used.
    const OneAccess wide(Element::f32, Space::global, 4, [](int lane) { return 4 * lane; });
    EXPECT_EQ(wide.sectors().size(), 16u);
    EXPECT_EQ(wide.bytes(), 512u);
    // All the same word.
    const OneAccess same(Element::f32, Space::global, 1, [](int) { return 100; });
    EXPECT_EQ(same.sectors(), (std::vector<std::int64_t>{12}));
    EXPECT_EQ(same.bytes(), 4u);
    EXPECT_EQ(OneAccess(Element::f16, Space::global).sectors().size(), 2u);
    EXPECT_EQ(OneAccess(Element::f64, Space::global).sectors().size(), 8u);
    // Overlapping vectors: eight elements from each even place.
    const OneAccess overlapping(Element::f16, Space::global, 8, [](int lane) { return 2 * lane; });
    EXPECT_EQ(overlapping.bytes(), 2u * (62 + 8));
    EXPECT_EQ(OneAccess(Element::f32, Space::global, 1, [](int lane) { return lane; }, 0x3).bytes(), 8u);
    // Below its array.
    EXPECT_EQ(OneAccess(Element::f32, Space::global, 1, [](int lane) { return lane - 1; }).sectors().front(), -1);
}

TEST(MemoryCost, BanksOfAWarp) {
    EXPECT_EQ(OneAccess(Element::f32).banks().wavefronts, 1);
    EXPECT_EQ(OneAccess(Element::f32).banks().turns, 1);
    for (const int stride : {2, 4, 8, 16, 32}) {
        const BankUse use = OneAccess(Element::f32, Space::shared, 1, [&](int lane) { return stride * lane; }).banks();
        EXPECT_EQ(use.wavefronts, stride);
        EXPECT_EQ(use.words[0], stride);
        EXPECT_EQ(use.words[1], 0);
    }
    EXPECT_EQ(OneAccess(Element::f32, Space::shared, 1, [](int lane) { return 33 * lane; }).banks().wavefronts, 1);
    EXPECT_EQ(OneAccess(Element::f32, Space::shared, 1, [](int lane) { return 3 * lane; }).banks().wavefronts, 1);
    // The same word is no conflict; two lanes in one word of halves are none either.
    EXPECT_EQ(OneAccess(Element::f32, Space::shared, 1, [](int) { return 7; }).banks().wavefronts, 1);
    EXPECT_EQ(OneAccess(Element::f16).banks().wavefronts, 1);
    EXPECT_EQ(OneAccess(Element::f16).banks().words[15], 1);
    EXPECT_EQ(OneAccess(Element::f16).banks().words[16], 0);
}

TEST(MemoryCost, WideWordsTakeTurns) {
    const BankUse doubles = OneAccess(Element::f64).banks();
    EXPECT_EQ(doubles.turns, 2);
    EXPECT_EQ(doubles.wavefronts, 2);
    EXPECT_EQ(OneAccess(Element::f64, Space::shared, 1, [](int lane) { return 2 * lane; }).banks().wavefronts, 4);
    const BankUse wide = OneAccess(Element::f32, Space::shared, 4, [](int lane) { return 4 * lane; }).banks();
    EXPECT_EQ(wide.turns, 4);
    EXPECT_EQ(wide.wavefronts, 4);
    EXPECT_EQ(OneAccess(Element::f32, Space::shared, 4, [](int lane) { return 4 * lane; }, 0xff).banks().turns, 1);
    EXPECT_EQ(OneAccess(
                  Element::f32, Space::shared, 4, [](int lane) { return 32 * lane; }, 0xff)
                  .banks()
                  .wavefronts,
              8);
}

}  // namespace
}  // namespace lanewise::steps
