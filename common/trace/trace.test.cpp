#include "common/trace/trace.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "common/trace/trace_builder.testing.hpp"

namespace lanewise::trace {
namespace {

using testing::TraceBuilder;

// Of four arrays, the shared one of whole numbers that is named.
TEST(ShowAsFloats, ChangesTheNamedSharedArraysOfWholeNumbersAlone) {
    TraceBuilder made;
    const auto array = [&](const char* name, Space space, Element element) {
        const std::uint32_t number = made.array(name, space, 64);
        made.trace.arrays[number].element = element;
        return number;
    };
    const std::uint32_t arrays[] = {
        array("in", Space::global, Element::u32), array("kept", Space::shared, Element::u32),
        array("counts", Space::shared, Element::u32), array("halves", Space::shared, Element::f16)};
    auto warp = made.warp(0, 0);
    for (const std::uint32_t number : arrays) {
        warp.store(1, number, [](int lane) { return lane; });
        warp.last().type = made.trace.arrays[number].element;
    }
    show_as_floats(made.trace, {"in", "kept", "halves"});
    const std::vector<Element> elements = {Element::u32, Element::f32, Element::u32, Element::f16};
    ASSERT_EQ(made.trace.records.size(), elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
        EXPECT_EQ(made.trace.arrays[i].element, elements[i]) << made.trace.arrays[i].name;
        EXPECT_EQ(made.trace.records[i].type, elements[i]) << made.trace.arrays[i].name;
    }
}

}  // namespace
}  // namespace lanewise::trace
