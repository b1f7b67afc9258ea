#include "common/rounding/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace lanewise::rounding {
namespace {

ExactSum sum_of(const std::vector<double>& values) {
    ExactSum sum;
    for (const double value : values) sum.add(value);
    return sum;
}

TEST(ExactSum, NothingIsLostHoweverFarApartTheValuesAre) {
    const double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
    ExactSum sum = sum_of({huge, tiny, 1.0, -huge, 0.1, -1.0});
    sum.add(-0.1);
    EXPECT_EQ(sum.to_double(), tiny);
    EXPECT_FALSE(sum.is_negative());
    sum.add(-tiny, 3);
    EXPECT_EQ(sum.to_double(), -2 * tiny);
    EXPECT_TRUE(sum.is_negative());
    sum.add(2 * tiny);
    EXPECT_TRUE(sum.is_zero());
}

TEST(ExactSum, TheOrderDoesNotMatterAndEachWayOfCountingIsTheSame) {
    std::mt19937_64 random(7);
    std::vector<double> values;
    for (int i = 0; i < 300; ++i)
        values.push_back(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                                    static_cast<int>(random() % 200) - 160));
    const ExactSum forward = sum_of(values);
    std::reverse(values.begin(), values.end());
    EXPECT_EQ(forward.decimal(400), sum_of(values).decimal(400));
    ExactSum often, once;
    often.add(values[0], 1'000'003);
    for (int i = 0; i < 1'000'003; ++i) once.add(values[0]);
    EXPECT_EQ(often.decimal(100), once.decimal(100));
    ExactSum joined = sum_of({values[0], values[1]});
    joined.add(sum_of({values[2]}));
    EXPECT_EQ(joined.decimal(100), sum_of({values[2], values[0], values[1]}).decimal(100));
    ExactSum nothing = forward;
    ExactSum less = forward;
    less.negate();
    nothing.add(less);
    EXPECT_TRUE(nothing.is_zero());
}

TEST(ExactSum, RoundsOnceToNearestEvenInEachFormat) {
    // A tie in f16 that a sum in steps would break the wrong way: 2048 + 1 + 2^-40.
    EXPECT_EQ(element_to_double(Element::f16, sum_of({2048, 1}).rounded_to(Element::f16)), 2048);
    EXPECT_EQ(element_to_double(Element::f16, sum_of({2048, 1, 0x1p-40}).rounded_to(Element::f16)), 2050);
    EXPECT_EQ(element_to_double(Element::f16, sum_of({2050, 1}).rounded_to(Element::f16)), 2052);
    EXPECT_EQ(element_to_double(Element::bf16, sum_of({-256, -1, -0x1p-90}).rounded_to(Element::bf16)), -258);
    // Just over half of the last bit, by less than a double can add to it.
    EXPECT_EQ(from_bits<float>(sum_of({1, 0x1p-24, 0x1p-80}).rounded_to(Element::f32)), 1 + 0x1p-23f);
    EXPECT_EQ(from_bits<float>(sum_of({1, 0x1p-24}).rounded_to(Element::f32)), 1.0f);
    // Below the smallest normal numbers, and beyond the largest.
    EXPECT_EQ(sum_of({0x1p-25, 0x1p-60}).rounded_to(Element::f16), 1u);
    EXPECT_EQ(sum_of({0x1p-25}).rounded_to(Element::f16), 0u);
    EXPECT_EQ(element_to_double(Element::f16, sum_of({65519}).rounded_to(Element::f16)), 65504);
    EXPECT_TRUE(std::isinf(element_to_double(Element::f16, sum_of({65520}).rounded_to(Element::f16))));
    EXPECT_EQ(element_to_double(Element::e4m3, sum_of({400, 100}).rounded_to(Element::e4m3)), 448);
}

TEST(ExactSum, AgreesWithTheProcessorOnSumsOfTwo) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 20000; ++i) {
        const auto a = from_bits<float>(random() & 0xffffffffu),
                   b = from_bits<float>((random() & 0x07ffffffu) + (to_bits(a) & 0xf8000000u));
        const double c = from_bits<double>(random()),
                     d = from_bits<double>((random() >> 12) + (to_bits(c) & 0xfff0000000000000u));
        ExactSum small = sum_of({static_cast<double>(a), static_cast<double>(b)});
        ASSERT_TRUE(same_value(Element::f32, small.rounded_to(Element::f32), to_bits(a + b)) || a + b == 0)
            << a << " + " << b;
        ASSERT_TRUE(same_value(Element::f64, sum_of({c, d}).rounded_to(Element::f64), to_bits(c + d)) || c + d == 0)
            << c << " + " << d;
    }
}

TEST(ExactSum, WholeNumbersAreTakenWhole) {
    ExactSum sum;
    sum.add(Element::u64, ~std::uint64_t{0});
    sum.add(Element::u64, ~std::uint64_t{0});
    EXPECT_EQ(sum.decimal(40), "36893488147419103230");
    EXPECT_EQ(sum.rounded_to(Element::u64), ~std::uint64_t{0} - 1);
    ExactSum negative;
    negative.add(Element::i64, std::uint64_t{1} << 63);
    negative.add(Element::i8, 0xff);
    EXPECT_EQ(negative.decimal(40), "-9223372036854775809");
    EXPECT_EQ(negative.rounded_to(Element::i32), 0xffffffffu);
}

TEST(ExactSum, IsWrittenInAllItsDigitsOrAsManyAsAskedFor) {
    EXPECT_EQ(sum_of({}).decimal(10), "0");
    EXPECT_EQ(sum_of({0.5}).decimal(10), "0.5");
    EXPECT_EQ(sum_of({-26}).decimal(10), "-26");
    EXPECT_EQ(sum_of({static_cast<double>(0.1f)}).decimal(40), "0.100000001490116119384765625");
    EXPECT_EQ(sum_of({static_cast<double>(0.1f)}).decimal(6), "0.100000…");
    EXPECT_EQ(sum_of({0x1p-1074}).decimal(3), "0." + std::string(323, '0') + "494…");
    EXPECT_EQ(sum_of({1e9, 0x1p-9}).decimal(30), "1000000000.001953125");
    EXPECT_EQ(sum_of({123456, 0.75}).decimal(3), "123456…");
    EXPECT_EQ(sum_of({0x1p100}).decimal(5), "1267650600228229401496703205376");
}

TEST(ExactSum, InfinitiesAndNansJoinAsIeeeSays) {
    const double infinity = std::numeric_limits<double>::infinity();
    ExactSum sum = sum_of({1, infinity});
    EXPECT_EQ(sum.to_double(), infinity);
    EXPECT_EQ(sum.decimal(9), "inf");
    sum.negate();
    EXPECT_EQ(sum.to_double(), -infinity);
    sum.add(infinity);
    EXPECT_TRUE(std::isnan(sum.to_double()));
    EXPECT_TRUE(std::isnan(sum_of({std::nan(""), infinity}).to_double()));
}

TEST(UlpOf, IsTheDistanceToTheNextNumber) {
    EXPECT_EQ(ulp_of(Element::f32, 1), 0x1p-23);
    EXPECT_EQ(ulp_of(Element::f16, 2048), 2);
    EXPECT_EQ(ulp_of(Element::f16, -2047), 1);
    EXPECT_EQ(ulp_of(Element::bf16, 256), 2);
    EXPECT_EQ(ulp_of(Element::f16, 0), 0x1p-24);
    EXPECT_EQ(ulp_of(Element::f16, 1e9), 32);   // that of the largest numbers
    EXPECT_EQ(ulp_of(Element::e4m3, 448), 32);
    EXPECT_EQ(ulp_of(Element::i32, 12345), 1);
}

}  // namespace
}  // namespace lanewise::rounding
