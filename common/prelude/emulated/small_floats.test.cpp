// The arithmetic of one- and two-byte floats against the definition of the formats, in exact integers.
#include "common/prelude/emulated/small_floats.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace lanewise_emulated {
namespace {

// A format as its standard gives it, apart from the code under test.
struct Format {
    Small small;
    int fraction, exponent;
    bool has_infinity;
    int codes() const { return 1 << (1 + fraction + exponent); }
    int bias() const { return (1 << (exponent - 1)) - 1; }
};
constexpr Format kF16{Small::f16, 10, 5, true};
constexpr Format kBf16{Small::bf16, 7, 8, true};
constexpr Format kE4m3{Small::e4m3, 3, 4, false};
constexpr Format kE5m2{Small::e5m2, 2, 5, true};

// sign * (fraction bits of it) * 2^(exponent - bias - fraction bits); NaN and infinity where the exponent is all ones,
// of e4m3 only the last code is NaN.
double defined_value(const Format& format, unsigned code) {
    const unsigned fraction = code & ((1u << format.fraction) - 1);
    const unsigned exponent = code >> format.fraction & ((1u << format.exponent) - 1);
    const double sign = code >> (format.fraction + format.exponent) ? -1 : 1;
    const unsigned last = (1u << format.exponent) - 1;
    if (exponent == last && format.has_infinity)
        return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
    if (exponent == last && fraction + 1 == 1u << format.fraction) return std::numeric_limits<double>::quiet_NaN();
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - format.bias() - format.fraction);
    return sign *
           std::ldexp(fraction + (1u << format.fraction), static_cast<int>(exponent) - format.bias() - format.fraction);
}

// All finite values of a format in order, and beyond the largest what would come next were there a larger exponent.
struct Line {
    std::vector<double> values;   // of codes 0, 1, 2, … without sign
    explicit Line(const Format& format) {
        for (int code = 0; code < format.codes() / 2; ++code) {
            const double value = defined_value(format, static_cast<unsigned>(code));
            if (!std::isfinite(value)) break;
            values.push_back(value);
        }
        const double last = values.back(), step = last - values[values.size() - 2];
        values.push_back(last + step);
    }
};

struct Random {
    std::mt19937 engine;
    explicit Random(unsigned seed) : engine(seed) {}
    unsigned operator()() { return static_cast<unsigned>(engine()); }
};

// The nearest code by search: no bit of the arithmetic under test. Beyond the largest: `beyond`.
unsigned searched(const Format& format, const Line& line, long double value, Round round, unsigned beyond) {
    const bool negative = std::signbit(value);
    const long double size = std::fabs(value);
    const unsigned sign = negative ? static_cast<unsigned>(format.codes() / 2) : 0;
    const auto largest = static_cast<unsigned>(line.values.size() - 2);
    if (negative && (round == Round::up || round == Round::down)) round = round == Round::up ? Round::down : Round::up;
    unsigned low = 0;
    if (size >= line.values.back()) {
        low = largest + 1;
    } else {
        unsigned high = largest + 1;
        while (high - low > 1) {
            const unsigned middle = (low + high) / 2;
            (line.values[middle] <= size ? low : high) = middle;
        }
        const long double below = size - line.values[low], above = line.values[high] - size;
        if (below > 0 &&
            (round == Round::up || (round == Round::nearest && (above < below || (above == below && low % 2)))))
            low = high;
    }
    if (low > largest) return sign | (round == Round::zero || round == Round::down ? largest : beyond);
    return sign | low;
}

template <Small kSmall>
void expect_definition(const Format& format) {
    for (int code = 0; code < format.codes(); ++code) {
        const auto bits = static_cast<unsigned>(code);
        const double value = defined_value(format, bits);
        if (std::isnan(value)) {
            EXPECT_TRUE(std::isnan(small_value<kSmall>(bits))) << code;
            continue;
        }
        ASSERT_EQ(small_value<kSmall>(bits), value) << code;
        ASSERT_EQ(std::signbit(small_value<kSmall>(bits)), std::signbit(value)) << code;
        for (const Round round : {Round::nearest, Round::zero, Round::up, Round::down})
            ASSERT_EQ(small_bits<kSmall>(value, round), bits) << code;
    }
}

TEST(SmallFloats, EveryCodeIsWhatTheFormatSays) {
    expect_definition<Small::f16>(kF16);
    expect_definition<Small::bf16>(kBf16);
    expect_definition<Small::e4m3>(kE4m3);
    expect_definition<Small::e5m2>(kE5m2);
    EXPECT_EQ(small_value<Small::e4m3>(0x7e), 448);
    EXPECT_EQ(small_value<Small::e5m2>(0x7b), 57344);
    EXPECT_EQ(small_value<Small::f16>(0x7bff), 65504);
}

constexpr Round kRounds[] = {Round::nearest, Round::zero, Round::down, Round::up};

// Every code, half way to the next, and a little to each side of both, in each rounding.
template <Small kSmall>
void expect_rounding(const Format& format, unsigned beyond) {
    const Line line(format);
    for (std::size_t code = 0; code + 1 < line.values.size(); ++code) {
        const double here = line.values[code], next = line.values[code + 1], middle = here + (next - here) / 2;
        for (const double at : {here, std::nextafter(here, next), std::nextafter(middle, here), middle,
                                std::nextafter(middle, next), std::nextafter(next, here)})
            for (const double value : {at, -at})
                for (const Round round : kRounds)
                    ASSERT_EQ(small_bits<kSmall>(value, round), searched(format, line, value, round, beyond))
                        << value << " round " << static_cast<int>(round);
    }
}

TEST(SmallFloats, RoundToTheCodeThatASearchFinds) {
    expect_rounding<Small::f16>(kF16, 0x7c00);
    expect_rounding<Small::bf16>(kBf16, 0x7f80);
    expect_rounding<Small::e4m3>(kE4m3, 0x7f);
    expect_rounding<Small::e5m2>(kE5m2, 0x7c);
    EXPECT_EQ(small_bits<Small::f16>(1e30, Round::zero), 0x7bffu);
    EXPECT_EQ(small_bits<Small::f16>(-1e30, Round::up), 0xfbffu);
    EXPECT_EQ(small_bits<Small::f16>(1e-300, Round::up), 1u);
    EXPECT_EQ(small_bits<Small::f16>(5e-324, Round::up), 1u);
    EXPECT_EQ(small_bits<Small::f16>(-5e-324, Round::up), 0x8000u);
    EXPECT_EQ(small_bits<Small::f16>(std::nan("")), 0x7fffu);
    EXPECT_EQ(small_bits<Small::bf16>(-std::numeric_limits<double>::infinity(), Round::zero), 0xff80u);
}

TEST(SmallFloats, EightBitsSaturateOrOverflow) {
    EXPECT_EQ(small_saturated<Small::e4m3>(464, true), 0x7eu);
    EXPECT_EQ(small_saturated<Small::e4m3>(464, false), 0x7eu);   // a tie: 448 is even
    EXPECT_EQ(small_saturated<Small::e4m3>(465, false), 0x7fu);
    EXPECT_EQ(small_saturated<Small::e4m3>(465, true), 0x7eu);
    EXPECT_EQ(small_saturated<Small::e4m3>(-1e300, true), 0xfeu);
    EXPECT_EQ(small_saturated<Small::e5m2>(1e300, true), 0x7bu);
    EXPECT_EQ(small_saturated<Small::e5m2>(61440, false), 0x7cu);
    EXPECT_EQ(small_saturated<Small::e5m2>(-std::numeric_limits<double>::infinity(), true), 0xfbu);
    EXPECT_EQ(small_saturated<Small::e4m3>(std::nan(""), true), 0x7fu);
}

// Sums, products and a * b + c of halves fit 128 bits exactly: an integer model that rounds once.
constexpr int kPoint = 50;  // binary places: a product of two halves has 48
unsigned from_fixed(__int128 value, const Format& format, const Line& line, bool negative_zero) {
    if (value == 0) return negative_zero ? 0x8000u : 0u;
    const bool negative = value < 0;
    const unsigned __int128 size =
        negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
    const auto fixed = [](double v) { return static_cast<unsigned __int128>(std::ldexp(v, kPoint)); };
    const auto largest = static_cast<unsigned>(line.values.size() - 2);
    unsigned low = largest + 1;
    if (size < fixed(line.values.back())) {
        unsigned high = low;
        for (low = 0; high - low > 1;) {
            const unsigned middle = (low + high) / 2;
            (fixed(line.values[middle]) <= size ? low : high) = middle;
        }
        const auto below = size - fixed(line.values[low]), above = fixed(line.values[high]) - size;
        if (above < below || (above == below && low % 2)) low = high;
    }
    return (negative ? static_cast<unsigned>(format.codes() / 2) : 0) | (low > largest ? largest + 1 : low);
}

__int128 to_fixed(double value, int places) { return static_cast<__int128>(std::ldexp(value, places)); }

TEST(SmallFloats, HalfArithmeticIsTheExactResultRoundedOnce) {
    const Line line(kF16);
    Random random(20261121);
    for (int i = 0; i < 300000; ++i) {
        unsigned a = random() & 0xffff, b = random() & 0xffff, c = random() & 0xffff;
        // Every other time numbers of alike size, so that their sums round.
        if (i % 2) b = (a & 0x7c00) ^ (b & 0x8fff), c = (c & 0x83ff) | (a & 0x7c00);
        const double x = small_value<Small::f16>(a), y = small_value<Small::f16>(b), z = small_value<Small::f16>(c);
        if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) continue;
        const __int128 sum = to_fixed(x, kPoint) + to_fixed(y, kPoint), product = to_fixed(x, 25) * to_fixed(y, 25);
        const bool both_negative = std::signbit(x) && std::signbit(y),
                   one_negative = std::signbit(x) != std::signbit(y);
        ASSERT_EQ(small_binary<Small::f16>(SmallBinary::add, a, b), from_fixed(sum, kF16, line, both_negative))
            << x << " + " << y;
        ASSERT_EQ(small_binary<Small::f16>(SmallBinary::sub, a, b ^ 0x8000),
                  small_binary<Small::f16>(SmallBinary::add, a, b));
        ASSERT_EQ(small_binary<Small::f16>(SmallBinary::mul, a, b),
                  product ? from_fixed(product, kF16, line, false) : one_negative ? 0x8000u : 0u) << x << " * " << y;
        const bool negative_zero = product == 0 && one_negative && std::signbit(z);
        const __int128 whole = product + to_fixed(z, kPoint);
        ASSERT_EQ(small_fma<Small::f16>(a, b, c), from_fixed(whole, kF16, line, negative_zero))
            << x << " * " << y << " + " << z;
    }
}

// The product is a tie, and a third number, too small for a float (a double, of bf16) to see beside it, decides.
TEST(SmallFloats, FusedMultiplyAddRoundsOnce) {
    const auto half = [](double v) { return small_bits<Small::f16>(v); };
    const unsigned three = half(3 * 4096), above_one = half(1 + std::ldexp(1, -10));   // 12288 + 12: ulp 8
    EXPECT_EQ(small_fma<Small::f16>(three, above_one, half(0)), half(12288 + 16));     // to even
    EXPECT_EQ(small_fma<Small::f16>(three, above_one, half(std::ldexp(1, -24))), half(12288 + 16));
    EXPECT_EQ(small_fma<Small::f16>(three, above_one, half(-std::ldexp(1, -24))), half(12288 + 8));
    const auto bf16 = [](double v) { return small_bits<Small::bf16>(v); };
    const unsigned next = bf16(1 + std::ldexp(1, -7));                                 // 3 * it = 3 + 1.5 ulp
    EXPECT_EQ(small_fma<Small::bf16>(bf16(3), next, bf16(0)), bf16(3 + std::ldexp(1, -5)));
    EXPECT_EQ(small_fma<Small::bf16>(bf16(3), next, bf16(std::ldexp(1, -100))), bf16(3 + std::ldexp(1, -5)));
    EXPECT_EQ(small_fma<Small::bf16>(bf16(3), next, bf16(-std::ldexp(1, -100))), bf16(3 + std::ldexp(1, -6)));
    EXPECT_EQ(small_fma<Small::bf16>(bf16(-3), next, bf16(std::ldexp(1, -100))), bf16(-3 - std::ldexp(1, -6)));
    EXPECT_EQ(small_fma<Small::f16>(0x7c00, half(0), half(1)), 0x7fffu);               // infinity times 0
}

TEST(SmallFloats, Bf16ArithmeticIsTheLongDoubleResultRoundedOnce) {
    const Line line(kBf16);
    Random random(7);
    for (int i = 0; i < 200000; ++i) {
        // Exponents within 24 of each other: every sum and product is exact in a long double's 64 bits.
        const unsigned a = (random() & 0x807fu) | (127 - 12 + random() % 24) << 7;
        const unsigned b = (random() & 0x807fu) | (127 - 12 + random() % 24) << 7;
        const unsigned c = (random() & 0x807fu) | (127 - 12 + random() % 24) << 7;
        const long double x = small_value<Small::bf16>(a), y = small_value<Small::bf16>(b),
                          z = small_value<Small::bf16>(c);
        const auto rounded = [&](long double v) {
            return v == 0 ? 0u : searched(kBf16, line, v, Round::nearest, 0x7f80);
        };
        ASSERT_EQ(small_binary<Small::bf16>(SmallBinary::add, a, b), rounded(x + y));
        ASSERT_EQ(small_binary<Small::bf16>(SmallBinary::mul, a, b), rounded(x * y));
        ASSERT_EQ(small_fma<Small::bf16>(a, b, c), rounded(x * y + z));
    }
}

// q is the rounded quotient when no neighbour is nearer: |a - q b| against |a - q' b|, exactly.
template <Small kSmall>
void expect_division(const Format& format, unsigned exponents) {
    Random random(11);
    const unsigned infinity = ((1u << format.exponent) - 1) << format.fraction;
    for (int i = 0; i < 200000; ++i) {
        const unsigned a = random() % infinity, b = random() % infinity;
        if (b == 0 || (exponents && (a >> format.fraction) > exponents + (b >> format.fraction))) continue;
        const unsigned q = small_binary<kSmall>(SmallBinary::div, a, b);
        if (q >= infinity) continue;
        const long double x = small_value<kSmall>(a), y = small_value<kSmall>(b);
        const auto error = [&](unsigned code) {
            return std::fabs(std::fma(-static_cast<long double>(small_value<kSmall>(code)), y, x));
        };
        const long double here = error(q);
        if (q + 1 < infinity) {
            const long double above = error(q + 1);
            ASSERT_TRUE(here < above || (here == above && q % 2 == 0)) << a << " / " << b;
        }
        if (q > 0) {
            const long double below = error(q - 1);
            ASSERT_TRUE(here < below || (here == below && q % 2 == 0)) << a << " / " << b;
        }
    }
}

TEST(SmallFloats, QuotientsAreTheNearest) {
    expect_division<Small::f16>(kF16, 0);
    expect_division<Small::bf16>(kBf16, 0);
}

TEST(SmallFloats, MinAndMaxKnowZerosAndNans) {
    const auto max = [](unsigned a, unsigned b) { return small_binary<Small::f16>(SmallBinary::max, a, b); };
    const auto min = [](unsigned a, unsigned b) { return small_binary<Small::f16>(SmallBinary::min, a, b); };
    EXPECT_EQ(max(0x8000, 0), 0u);
    EXPECT_EQ(max(0, 0x8000), 0u);
    EXPECT_EQ(min(0, 0x8000), 0x8000u);
    EXPECT_EQ(min(0xfc00, 0x3c00), 0xfc00u);
    EXPECT_EQ(max(0xbc00, 0xc000), 0xbc00u);
    EXPECT_EQ(max(0x7e01, 0x3c00), 0x3c00u);
    EXPECT_EQ(max(0xfe01, 0x7e00), 0x7fffu);
    EXPECT_EQ(small_binary<Small::f16>(SmallBinary::max_nan, 0x7e01, 0x3c00), 0x7fffu);
    EXPECT_EQ(small_binary<Small::bf16>(SmallBinary::min_nan, 0x3f80, 0xffff), 0x7fffu);
}

TEST(SmallFloats, WholeNumbersOf64BitsRoundOnce) {
    // 2^62 + 2^54 + 1 is above a tie of bf16 by one part in 2^62.
    EXPECT_EQ(small_from_signed<Small::bf16>((1ll << 62) + (1ll << 54) + 1, Round::nearest),
              small_bits<Small::bf16>(std::ldexp(129, 55)));
    EXPECT_EQ(small_from_signed<Small::bf16>((1ll << 62) + (1ll << 54), Round::nearest),
              small_bits<Small::bf16>(std::ldexp(128, 55)));
    EXPECT_EQ(small_from_signed<Small::bf16>(-((1ll << 62) + 1), Round::down),
              small_bits<Small::bf16>(-std::ldexp(129, 55)));
    EXPECT_EQ(small_from_signed<Small::bf16>(-((1ll << 62) + 1), Round::up),
              small_bits<Small::bf16>(-std::ldexp(128, 55)));
    EXPECT_EQ(small_from_unsigned<Small::f16>(~0ull, Round::nearest), 0x7c00u);
    EXPECT_EQ(small_from_unsigned<Small::f16>(~0ull, Round::zero), 0x7bffu);
    EXPECT_EQ(small_from_signed<Small::f16>(-2049, Round::nearest), small_bits<Small::f16>(-2048));
    EXPECT_EQ(small_from_signed<Small::f16>(std::numeric_limits<long long>::min(), Round::nearest), 0xfc00u);
    EXPECT_EQ(small_from_signed<Small::f16>(0, Round::down), 0u);
}

TEST(SmallFloats, ToWholeNumbersAsTheGpuConverts) {
    EXPECT_EQ(to_signed(2.5, Round::nearest, 4), 2);
    EXPECT_EQ(to_signed(-2.5, Round::down, 4), -3);
    EXPECT_EQ(to_signed(-2.5, Round::zero, 4), -2);
    EXPECT_EQ(to_signed(-2.5, Round::up, 4), -2);
    EXPECT_EQ(to_signed(1e20, Round::zero, 4), 2147483647);
    EXPECT_EQ(to_signed(-1e20, Round::zero, 2), -32768);
    EXPECT_EQ(to_signed(std::nan(""), Round::zero, 4), 0);
    EXPECT_EQ(to_signed(std::nan(""), Round::zero, 4, true), -2147483648ll);
    EXPECT_EQ(to_signed(std::nan(""), Round::zero, 8), std::numeric_limits<long long>::min());
    EXPECT_EQ(to_signed(std::ldexp(1, 63), Round::zero, 8), std::numeric_limits<long long>::max());
    EXPECT_EQ(to_unsigned(-0.75, Round::nearest, 4), 0u);
    EXPECT_EQ(to_unsigned(1e30, Round::nearest, 8), ~0ull);
    EXPECT_EQ(to_unsigned(4294967295.5, Round::zero, 4), 4294967295u);
    EXPECT_EQ(to_unsigned(300, Round::zero, 1), 255u);
    EXPECT_EQ(to_unsigned(std::nan(""), Round::zero, 8), 1ull << 63);
}

TEST(SmallFloats, ElementaryFunctions) {
    const auto of = [](SmallUnary f, double x) {
        return small_value<Small::f16>(small_unary<Small::f16>(f, small_bits<Small::f16>(x)));
    };
    EXPECT_EQ(of(SmallUnary::sqrt, 2), small_value<Small::f16>(small_bits<Small::f16>(std::sqrt(2))));
    EXPECT_EQ(of(SmallUnary::exp2, 10), 1024);
    EXPECT_EQ(of(SmallUnary::exp, 12), std::numeric_limits<double>::infinity());
    EXPECT_EQ(of(SmallUnary::log, 0), -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(of(SmallUnary::log, -1)));
    EXPECT_EQ(of(SmallUnary::rint, 2.5), 2);
    EXPECT_EQ(of(SmallUnary::ceil, -0.25), 0);
    EXPECT_TRUE(std::signbit(of(SmallUnary::ceil, -0.25)));
    EXPECT_EQ(small_unary<Small::f16>(SmallUnary::negate, 0), 0x8000u);
    EXPECT_EQ(small_unary<Small::bf16>(SmallUnary::absolute, 0xffc1), 0x7fffu);
}

}  // namespace
}  // namespace lanewise_emulated
