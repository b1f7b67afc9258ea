#include "common/base/element.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/base/short_number.hpp"

namespace lanewise {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Element, NamesReadBack) {
    for (int i = 0; i < kElementCount; ++i) {
        const Element element = static_cast<Element>(i);
        EXPECT_EQ(element_from_name(element_name(element)), element);
    }
    try {
        element_from_name("f31");
        FAIL() << "an unknown name was taken";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("\"f31\""), std::string::npos);
    }
}

TEST(Element, EverySixteenBitFloatReadsBack) {
    for (const Element element : {Element::f16, Element::bf16}) {
        for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
            const double value = element_to_double(element, bits);
            const std::uint64_t back = element_from_double(element, value);
            ASSERT_TRUE(same_value(element, bits, back)) << element_name(element) << " " << bits << " " << back;
            if (!std::isfinite(value)) continue;
            ASSERT_EQ(element_from_double(element, std::stod(format_element(element, bits))), bits) << bits;
        }
    }
}

TEST(Element, EveryEightBitFloatReadsBack) {
    for (const Element element : {Element::e4m3, Element::e5m2})
        for (std::uint64_t bits = 0; bits < 0x100; ++bits) {
            const double value = element_to_double(element, bits);
            if (std::isinf(value)) continue;  // saturates
            ASSERT_TRUE(same_value(element, bits, element_from_double(element, value)))
                << element_name(element) << bits;
            if (std::isnan(value)) continue;
            ASSERT_EQ(element_from_double(element, std::stod(format_element(element, bits))), bits) << bits;
        }
    EXPECT_EQ(element_to_double(Element::e4m3, 0x7e), 448);
    EXPECT_TRUE(std::isnan(element_to_double(Element::e4m3, 0xff)));
    EXPECT_EQ(element_to_double(Element::e4m3, 0x01), 0x1p-9);
    EXPECT_EQ(element_to_double(Element::e5m2, 0x7b), 57344);
    EXPECT_EQ(element_to_double(Element::e5m2, 0x7c), kInfinity);
    EXPECT_EQ(element_to_double(Element::e5m2, 0x01), 0x1p-16);
    EXPECT_EQ(element_from_double(Element::e4m3, 1e9), 0x7eu);
    EXPECT_EQ(element_from_double(Element::e4m3, -kInfinity), 0xfeu);
    EXPECT_EQ(element_from_double(Element::e5m2, kInfinity), 0x7bu);
    EXPECT_EQ(element_from_double(Element::e4m3, 17), element_from_double(Element::e4m3, 16));  // a tie goes to even
    EXPECT_EQ(element_from_double(Element::e4m3, 19), element_from_double(Element::e4m3, 20));
    EXPECT_EQ(element_from_double(Element::e4m3, 0x1p-10), 0u);
}

TEST(Element, HalfRoundsToNearestEven) {
    EXPECT_EQ(element_from_double(Element::f16, 2049), element_from_double(Element::f16, 2048));
    EXPECT_EQ(element_from_double(Element::f16, 2051), element_from_double(Element::f16, 2052));
    EXPECT_EQ(element_from_double(Element::f16, 65504), 0x7bffu);
    EXPECT_EQ(element_from_double(Element::f16, 65519.99), 0x7bffu);
    EXPECT_EQ(element_from_double(Element::f16, 65520), 0x7c00u);
    EXPECT_EQ(element_from_double(Element::f16, std::ldexp(1, -24)), 1u);
    EXPECT_EQ(element_from_double(Element::f16, std::ldexp(1, -25)), 0u);           // a tie goes to even
    EXPECT_EQ(element_from_double(Element::f16, std::ldexp(1.0001, -25)), 1u);
    EXPECT_EQ(element_from_double(Element::f16, std::ldexp(1.9999999, -15)), 0x0400u);  // subnormal rounds to normal
    // Through a float this would round twice: 1 + 2^-11 + 2^-30 is above the tie.
    EXPECT_EQ(element_from_double(Element::f16, 1 + std::ldexp(1, -11) + std::ldexp(1, -30)), 0x3c01u);
    EXPECT_EQ(element_from_double(Element::bf16, 256 + 1), element_from_double(Element::bf16, 256));
    EXPECT_EQ(element_from_double(Element::bf16, -1e39), 0xff80u);
}

TEST(Element, IntegersSaturateAndRoundToEven) {
    EXPECT_EQ(element_from_double(Element::i8, -1000), 0x80u);
    EXPECT_EQ(element_from_double(Element::u8, 2.5), 2u);
    EXPECT_EQ(element_from_double(Element::u8, 3.5), 4u);
    EXPECT_EQ(element_from_double(Element::u32, -3), 0u);
    EXPECT_EQ(element_from_double(Element::i64, 1e300), 0x7fffffffffffffffu);
    EXPECT_EQ(element_from_double(Element::u64, 1e300), ~std::uint64_t{0});
    EXPECT_EQ(element_to_double(Element::i16, 0xffff), -1);
}

TEST(Element, ShownAsAPersonReadsIt) {
    EXPECT_EQ(format_element(Element::f32, to_bits(26.0f)), "26");
    EXPECT_EQ(format_element(Element::f32, to_bits(0.1f)), "0.1");
    EXPECT_EQ(format_element(Element::f32, to_bits(100000.0f)), "100000");
    EXPECT_EQ(format_element(Element::f64, to_bits(-kInfinity)), "-inf");
    EXPECT_EQ(format_element(Element::f32, to_bits(-0.0f)), "-0");
    EXPECT_EQ(format_element(Element::f32, 0x7fc00000), "nan");
    EXPECT_EQ(format_element(Element::f32, 0xffc00000), "nan");
    EXPECT_EQ(format_element(Element::i32, 0xffffffff), "-1");
    EXPECT_EQ(format_element(Element::u32, 0xffffffff), "4294967295");
    EXPECT_EQ(format_element(Element::f16, 0x7bff), "65504");
    EXPECT_EQ(format_bits(Element::f32, to_bits(26.0f)), "41d00000");
    EXPECT_EQ(format_bits(Element::u8, 5), "05");
}

TEST(Element, NarrowFormsFit) {
    EXPECT_EQ(format_element(Element::i32, 1234567, 5), "1.2M…");
    EXPECT_EQ(format_element(Element::f32, to_bits(0.333333f), 5), "0.33…");
    EXPECT_EQ(format_element(Element::f32, to_bits(123456.7f), 6), "123k…");
    for (const float value : {3.14159265f, -2.7182818e-12f, 1.0e30f, 0.00012345f, -99999.9f, 16777216.0f})
        EXPECT_LE(count_signs(format_element(Element::f32, to_bits(value), 6)), 6) << value;
}

TEST(Element, NansAreEqualWhateverTheirPayload) {
    EXPECT_TRUE(same_value(Element::f32, 0x7fc00000, 0xffc00001));
    EXPECT_FALSE(same_value(Element::u32, 0x7fc00000, 0xffc00001));
    EXPECT_FALSE(same_value(Element::f32, to_bits(0.0f), to_bits(-0.0f)));
    EXPECT_TRUE(same_value(Element::f16, 0x7e00, 0x7e01));
}

}  // namespace
}  // namespace lanewise
