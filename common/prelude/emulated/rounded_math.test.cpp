// Directed rounding against neighbours distinguished in long double; the elementary functions against long double.
#include "common/prelude/emulated/rounded_math.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace lanewise_emulated {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Is `result` the exact value (`exact`, which a long double holds) rounded as asked?
void expect_rounded(float result, long double exact, Round round) {
    const long double value = result;
    switch (round) {
        case Round::down:
            ASSERT_LE(value, exact);
            ASSERT_GT(static_cast<long double>(std::nextafter(result, kInfinity)), exact);
            break;
        case Round::up:
            ASSERT_GE(value, exact);
            ASSERT_LT(static_cast<long double>(std::nextafter(result, -kInfinity)), exact);
            break;
        case Round::zero:
            ASSERT_LE(std::fabs(value), std::fabs(exact));
            ASSERT_GT(static_cast<long double>(std::nextafter(std::fabs(result), kInfinity)), std::fabs(exact));
            break;
        case Round::nearest: ASSERT_EQ(result, static_cast<float>(exact)); break;
    }
}

constexpr Round kRounds[] = {Round::nearest, Round::zero, Round::down, Round::up};

// Of 24 bits and an exponent within 2^±10: sums and products are exact in a long double's 64 bits.
float some_float(std::mt19937& random) {
    const auto whole = static_cast<float>(static_cast<int>(random() % 0x1000000u) - 0x800000);
    return std::ldexp(whole, static_cast<int>(random() % 20) - 33);
}

TEST(RoundedMath, SumsProductsAndFusedOnesAreTheExactOnesRoundedOnce) {
    std::mt19937 random(3);
    for (int i = 0; i < 100000; ++i) {
        const float a = some_float(random), b = some_float(random), c = some_float(random);
        const auto x = static_cast<long double>(a), y = static_cast<long double>(b), z = static_cast<long double>(c);
        for (const Round round : kRounds) {
            expect_rounded(add_rounded(a, b, round), x + y, round);
            expect_rounded(mul_rounded(a, b, round), x * y, round);
            if (std::fabs(std::log2(std::fabs(x * y) + 1e-30L) - std::log2(std::fabs(z) + 1e-30L)) < 12)
                expect_rounded(fma_rounded(a, b, c, round), x * y + z, round);
        }
    }
}

// Rounded down and up are neighbours about the quotient, known by the sign of what is left over.
TEST(RoundedMath, QuotientsAndRootsLieBetweenTheirNeighbours) {
    std::mt19937 random(4);
    for (int i = 0; i < 100000; ++i) {
        const float a = some_float(random), b = some_float(random);
        if (b == 0) continue;
        const auto x = static_cast<long double>(a), y = static_cast<long double>(b);
        const float low = div_rounded(a, b, Round::down), high = div_rounded(a, b, Round::up);
        const long double below = (x - low * y) * (b < 0 ? -1 : 1), above = (high * y - x) * (b < 0 ? -1 : 1);
        ASSERT_GE(below, 0);
        ASSERT_GE(above, 0);
        ASSERT_TRUE(low == high ? below == 0 : std::nextafter(low, kInfinity) == high);
        ASSERT_EQ(div_rounded(a, b, Round::zero), (a < 0) != (b < 0) ? high : low);
        const float root_low = sqrt_rounded(std::fabs(a), Round::down),
                    root_high = sqrt_rounded(std::fabs(a), Round::up);
        ASSERT_LE(static_cast<long double>(root_low) * root_low, std::fabs(x));
        ASSERT_GE(static_cast<long double>(root_high) * root_high, std::fabs(x));
        ASSERT_TRUE(root_low == root_high || std::nextafter(root_low, kInfinity) == root_high);
    }
    EXPECT_EQ(div_rounded(1.0f, 0.0f, Round::down), kInfinity);
    EXPECT_EQ(add_rounded(3e38f, 3e38f, Round::zero), std::numeric_limits<float>::max());
    EXPECT_TRUE(std::signbit(add_rounded(1.0f, -1.0f, Round::down)));  // IEEE 754: -0 when rounding down
    EXPECT_EQ(add_rounded(1.0, std::ldexp(1.0, -60), Round::up), std::nextafter(1.0, 2.0));
    EXPECT_EQ(fma_rounded(1.0, 1.0, std::ldexp(1.0, -60), Round::down), 1.0);
}

TEST(RoundedMath, WholeNumbersBecomeFloats) {
    EXPECT_EQ(to_float(16777217ll, Round::nearest), 16777216.0f);
    EXPECT_EQ(to_float(16777217ll, Round::up), 16777218.0f);
    EXPECT_EQ(to_float(-16777217ll, Round::up), -16777216.0f);
    EXPECT_EQ(to_float(~0ull, Round::zero), std::nextafter(0x1p64f, 0.0f));
    EXPECT_EQ(to_float(~0ull, Round::nearest), 0x1p64f);
    EXPECT_EQ(to_float((1ull << 63) + (1ull << 39) + 1, Round::nearest), 0x1p63f + 0x1p40f);  // above the tie
    EXPECT_EQ(to_double((1ull << 63) + 1, Round::down), 0x1p63);
    EXPECT_EQ(to_double(9007199254740993ll, Round::nearest), 9007199254740992.0);
    EXPECT_EQ(to_float(1e300, Round::down), std::numeric_limits<float>::max());
}

TEST(RoundedMath, ElementaryFunctionsAreWithinHalfAnUlpAndABit) {
    std::mt19937 random(5);
    const auto near = [](float got, long double exact) {
        const auto step = static_cast<long double>(std::nextafter(std::fabs(got), kInfinity)) - std::fabs(got);
        EXPECT_LE(std::fabs(got - exact), 0.5001L * step) << got;
    };
    for (int i = 0; i < 20000; ++i) {
        const float x = some_float(random);
        if (std::fabs(x) < 80) near(elementary(Elementary::exp, x), std::exp(static_cast<long double>(x)));
        if (x > 0) {
            near(elementary(Elementary::log, x), std::log(static_cast<long double>(x)));
            near(elementary(Elementary::rsqrt, x), 1 / std::sqrt(static_cast<long double>(x)));
            EXPECT_EQ(elementary(Elementary::rsqrt, x), rsqrt_rounded(x));
        }
        near(elementary(Elementary::cos, x), std::cos(static_cast<long double>(x)));
    }
    EXPECT_EQ(elementary(Elementary::sinpi, 0.5f), 1.0f);
    EXPECT_EQ(elementary(Elementary::sinpi, -1.5f), 1.0f);
    EXPECT_EQ(elementary(Elementary::sinpi, 3.0f), 0.0f);
    EXPECT_EQ(elementary(Elementary::cospi, 1.0f), -1.0f);
    EXPECT_EQ(elementary(Elementary::cospi, 2.5f), 0.0f);
    EXPECT_FLOAT_EQ(elementary(Elementary::cospi, 1.0f / 3), 0.5f);
    EXPECT_FLOAT_EQ(elementary(Elementary::sinpi, 5.0f / 6), 0.5f);
    EXPECT_FLOAT_EQ(elementary(Elementary::normcdf, 0.0f), 0.5f);
    EXPECT_FLOAT_EQ(elementary(Elementary::erfcx, 2.0f), 0.25539568f);
    EXPECT_FLOAT_EQ(elementary(Elementary::erfcx, 30.0f), 0.018795889f);
    EXPECT_EQ(elementary(Elementary::rsqrt, 0.0f), kInfinity);
    EXPECT_EQ(power(2.0f, 10.0f), 1024.0f);
}

}  // namespace
}  // namespace lanewise_emulated
