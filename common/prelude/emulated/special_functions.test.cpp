// The functions on several values in 32 bits, against loops over the values; the special functions, against their
// definitions in long double.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "common/prelude/emulated/emulated_special.hpp"
#include "common/prelude/emulated/emulated_video.hpp"

namespace {

using Wide = long long;

template <class T>
Wide part(unsigned whole, int i) {
    return static_cast<T>(whole >> (i * 8 * static_cast<int>(sizeof(T))));
}

// `calculate` gives the exact number, of which the part keeps its lower bits.
template <class T, class F>
unsigned expected(unsigned a, unsigned b, F calculate) {
    unsigned result = 0;
    constexpr int kBits = 8 * sizeof(T);
    for (int i = 0; i < 32 / kBits; ++i) {
        const Wide value = calculate(part<T>(a, i), part<T>(b, i));
        result |= (static_cast<unsigned>(value) & ((1u << kBits) - 1)) << (i * kBits);
    }
    return result;
}

template <class T>
Wide clamped(Wide v) {
    return std::min<Wide>(std::max<Wide>(v, std::numeric_limits<T>::min()), std::numeric_limits<T>::max());
}

TEST(SimdIntrinsics, EachPartIsCalculatedByItself) {
    std::mt19937 random(3);
    for (int round = 0; round < 2000; ++round) {
        auto a = static_cast<unsigned>(random()), b = static_cast<unsigned>(random());
        if (round % 4 == 0) a = (round & 4) != 0 ? 0x80008000u : 0x80ff7f00u;
        if (round % 7 == 0) b = a;
#define BOTH(name, sign, calculation)                                                         \
    ASSERT_EQ(name##2(a, b), (expected<sign short>(a, b,                                      \
                                                   [](Wide x, Wide y) {                       \
                                                       using T [[maybe_unused]] = sign short; \
                                                       return calculation;                    \
                                                   })))                                       \
        << #name;                                                                             \
    ASSERT_EQ(name##4(a, b), (expected<sign char>(a, b,                                       \
                                                  [](Wide x, Wide y) {                        \
                                                      using T [[maybe_unused]] = sign char;   \
                                                      return calculation;                     \
                                                  })))                                        \
        << #name;
        BOTH(__vadd, unsigned, x + y)
        BOTH(__vsub, unsigned, x - y)
        BOTH(__vaddss, signed, clamped<T>(x + y))
        BOTH(__vsubss, signed, clamped<T>(x - y))
        BOTH(__vaddus, unsigned, clamped<T>(x + y))
        BOTH(__vsubus, unsigned, clamped<T>(x - y))
        BOTH(__vabsdiffs, signed, std::abs(x - y))
        BOTH(__vabsdiffu, unsigned, std::abs(x - y))
        BOTH(__vavgu, unsigned, (x + y + 1) / 2)
        BOTH(__vhaddu, unsigned, (x + y) / 2)
        BOTH(__vmaxs, signed, std::max(x, y))
        BOTH(__vminu, unsigned, std::min(x, y))
        BOTH(__vcmpgts, signed, x > y ? -1 : 0)
        BOTH(__vcmpleu, unsigned, x <= y ? -1 : 0)
        BOTH(__vseteq, unsigned, x == y ? 1 : 0)
        BOTH(__vsetlts, signed, x < y ? 1 : 0)
#undef BOTH
        ASSERT_EQ(__vabs2(a), (expected<short>(a, a, [](Wide x, Wide) { return std::abs(x); })));
        ASSERT_EQ(__vabsss4(a),
                  (expected<signed char>(a, a, [](Wide x, Wide) { return std::min<Wide>(std::abs(x), 127); })));
        ASSERT_EQ(__vnegss2(a), (expected<short>(a, a, [](Wide x, Wide) { return std::min<Wide>(-x, 32767); })));
        Wide differences = 0;
        for (int i = 0; i < 4; ++i) differences += std::abs(part<unsigned char>(a, i) - part<unsigned char>(b, i));
        ASSERT_EQ(__vsadu4(a, b), differences);
        ASSERT_EQ(__viaddmax_s16x2_relu(a, b, 0xffff0001u), __vmaxs2(__vmaxs2(__vadd2(a, b), 0xffff0001u), 0));
        bool upper = false, lower = false;
        ASSERT_EQ(__vibmin_u16x2(a, b, &upper, &lower), __vminu2(a, b));
        ASSERT_EQ(upper, a >> 16 <= b >> 16);
        ASSERT_EQ(lower, (a & 0xffff) <= (b & 0xffff));
    }
    // Halves of 1, -2, 3 and -3: a half is rounded up, or down where the sum is negative (PTX ISA, vavrg4).
    EXPECT_EQ(__vavgs4(0x00ff01feu, 0x01ff02ffu), 0x01ff02feu);
    EXPECT_EQ(__viaddmax_s32(std::numeric_limits<int>::max(), 1, 5), 5);
}

TEST(BitsOfAMask, AreFoundByNumber) {
    EXPECT_EQ(__fns(0b10110u, 0, 1), 1u);
    EXPECT_EQ(__fns(0b10110u, 0, 3), 4u);
    EXPECT_EQ(__fns(0b10110u, 2, 1), 2u);
    EXPECT_EQ(__fns(0b10110u, 3, -1), 2u);
    EXPECT_EQ(__fns(0b10110u, 3, -2), 1u);
    EXPECT_EQ(__fns(0b10110u, 2, 0), 2u);
    EXPECT_EQ(__fns(0b10110u, 3, 0), ~0u);
    EXPECT_EQ(__fns(0b10110u, 0, 4), ~0u);
    EXPECT_EQ(__fns(0x80000000u, 31, 1), 31u);
}

// What a function gives, put through its inverse, is what it was given: as closely as the inverse can show.
TEST(SpecialFunctions, AreTheInversesOfTheirs) {
    for (double y = -0.999; y < 1; y += 0.0137) {
        const double x = erfinv(y);
        const double slope = 2 / std::sqrt(M_PI) * std::exp(-x * x);
        EXPECT_LE(std::abs(static_cast<double>(std::erf(static_cast<long double>(x)) - y)),
                  4e-16 + 4e-16 * std::abs(x * slope))
            << y;
    }
    for (const double y : {1e-300, 1e-100, 1e-17, 1e-8, 0.01, 0.3, 1.0, 1.7, 1.9999})
        EXPECT_NEAR(static_cast<double>(std::erfc(static_cast<long double>(erfcinv(y)))) / y, 1, 1e-12) << y;
    for (const double p : {1e-200, 1e-9, 0.025, 0.5, 0.975})
        EXPECT_NEAR(static_cast<double>(std::erfc(-static_cast<long double>(normcdfinv(p)) / std::sqrt(2.0L)) / 2) / p,
                    1, 1e-12)
            << p;
    for (const double small : {1e-300, 1e-20, 1e-6})
        EXPECT_NEAR(erfinv(small) / (small * std::sqrt(M_PI) / 2), 1, 1e-11);
    EXPECT_EQ(erfinv(1.0), HUGE_VAL);
    EXPECT_EQ(erfinv(-1.0), -HUGE_VAL);
    EXPECT_TRUE(std::isnan(erfinv(1.5)) && std::isnan(erfcinv(-0.1)));
    EXPECT_EQ(erfcinv(0.0), HUGE_VAL);
    EXPECT_EQ(normcdfinv(0.0), -HUGE_VAL);
    EXPECT_FLOAT_EQ(erfinvf(0.5f), 0.476936276f);      // NIST, Digital Library of Mathematical Functions, 7.17
    EXPECT_FLOAT_EQ(normcdfinvf(0.975f), 1.95996398f);
}

TEST(SpecialFunctions, BesselAndNorms) {
    // I0 and I1 by their power series.
    for (const double x : {-3.0, -0.5, 0.0, 1.0, 2.5, 7.0}) {
        long double term = 1, i0 = 0, i1 = 0;
        for (int k = 0; k < 60; ++k) {
            i0 += term;
            i1 += term * static_cast<long double>(x) / (2 * (k + 1));
            term *= static_cast<long double>(x) * x / (4.0L * (k + 1) * (k + 1));
        }
        EXPECT_NEAR(cyl_bessel_i0(x) / static_cast<double>(i0), 1, 1e-13) << x;
        EXPECT_NEAR(cyl_bessel_i1(x), static_cast<double>(i1), 1e-13 * std::abs(static_cast<double>(i0))) << x;
    }
    const double values[] = {2, 3, 6, 0};
    EXPECT_DOUBLE_EQ(norm(3, values), 7);
    EXPECT_DOUBLE_EQ(norm3d(2e200, 3e200, 6e200), 7e200);
    EXPECT_DOUBLE_EQ(rnorm4d(2, 3, 6, 0), 1.0 / 7);
    EXPECT_FLOAT_EQ(norm4df(1, 1, 1, 1), 2);
    EXPECT_DOUBLE_EQ(rhypot(3.0, 4.0), 0.2);
    float sine = 0, cosine = 0;
    sincospi(0.5f, &sine, &cosine);
    EXPECT_EQ(sine, 1);
    EXPECT_EQ(cosine, 0);
}

}  // namespace
