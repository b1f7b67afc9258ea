// CUDA's own types and functions on random numbers, against the exact models of common/prelude (held to the formats'
// definitions there) and C's arithmetic: on the emulator and on a GPU.
#include <bit>
#include <cfenv>
#include <cmath>

#include "common/conformance/types/types.hpp"

namespace lanewise::conformance {
namespace {

class Types : public Sweep {
protected:
    // Any code; every other triple of alike size, so that sums round; now and then special ones.
    std::vector<Bits> codes(std::size_t count) {
        std::vector<Bits> made(count);
        const Bits special[] = {0, 0x8000, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7e00, 0xffff, 1, 0x8001, 0x3c00, 0x3f80};
        for (std::size_t i = 0; i < count; ++i) {
            made[i] = static_cast<Bits>(random_());
            if (i % 6 > 2 && i % 3) made[i] = static_cast<Bits>((made[i] & 0x83ff) | (made[i - 1] & 0x7c00));
            if (below(16) == 0) made[i] = special[below(12)];
        }
        return made;
    }
    // Any bits, or of moderate size, or next to a whole number or a half.
    std::vector<float> floats(std::size_t count) {
        std::vector<float> made(count);
        for (float& v : made) {
            switch (below(4)) {
                case 0: v = std::bit_cast<float>(static_cast<std::uint32_t>(random_())); break;
                case 1: v = static_cast<float>(between(-70000, 70000)) / 2; break;
                case 2: v = std::ldexp(static_cast<float>(between(-4096, 4096)) + 0.5f, between(-40, 10)); break;
                default: v = value<float>();
            }
        }
        return made;
    }

    // `count` triples, a multiple of kThreads.
    template <Small kFormat>
    void arithmetic(const std::string& type, std::uint32_t count = kAll) {
        const std::vector<Bits> in = codes(std::size_t{3} * count);
        Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<Bits>("out", std::size_t{12} * count);
        const auto c = plan.output<std::uint32_t>("holds", count);
        plan.launch("arithmetic", type, {count / kThreads}, {kThreads}, a, b, c);
        const auto outcome = run(plan, kernels());
        const auto out = bytes_as<Bits>(outcome.buffers[1]);
        const auto holds = bytes_as<std::uint32_t>(outcome.buffers[2]);
        constexpr SmallBinary kFour[] = {SmallBinary::add, SmallBinary::sub, SmallBinary::mul, SmallBinary::div};
        constexpr SmallBinary kExtrema[] = {SmallBinary::max, SmallBinary::min, SmallBinary::max_nan,
                                            SmallBinary::min_nan};
        for (std::size_t i = 0; i < count; ++i) {
            const Bits x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
            const auto same = [&](std::size_t at, unsigned expected) {
                const bool nan = std::isnan(to_double<kFormat>(static_cast<Bits>(expected)));
                if (nan)
                    ASSERT_TRUE(std::isnan(to_double<kFormat>(out[12 * i + at])))
                        << at << ": " << x << " " << y << " " << z;
                else ASSERT_EQ(out[12 * i + at], expected) << at << ": " << x << " " << y << " " << z;
            };
            for (std::size_t k = 0; k < 4; ++k) same(k, lanewise_emulated::small_binary<kFormat>(kFour[k], x, y));
            same(4, lanewise_emulated::small_fma<kFormat>(x, y, z));
            for (std::size_t k = 0; k < 4; ++k)
                same(5 + k, lanewise_emulated::small_binary<kFormat>(kExtrema[k], x, y));
            same(9, lanewise_emulated::small_unary<kFormat>(SmallUnary::absolute, x));
            same(10, lanewise_emulated::small_binary<kFormat>(SmallBinary::add, z, x));
            const double sum =
                to_double<kFormat>(static_cast<Bits>(lanewise_emulated::small_binary<kFormat>(SmallBinary::add, x, y)));
            ASSERT_EQ(to_double<kFormat>(out[12 * i + 11]), sum > 0 ? std::min(sum, 1.0) : 0.0);
            const double p = to_double<kFormat>(x), q = to_double<kFormat>(y);
            const bool ordered = !std::isnan(p) && !std::isnan(q);
            const unsigned expected = (p == q) | (p != q) << 1 | (p < q) << 2 | (p <= q) << 3 | (p > q) << 4 |
                                      (p >= q) << 5 | (p < q || !ordered) << 6 | (p == q || !ordered) << 7 |
                                      std::isnan(p) << 8 | (ordered && p != q) << 9;
            ASSERT_EQ(holds[i], expected) << x << " " << y;
        }
    }

    template <Small kFormat>
    void pairs(const std::string& type) {
        const std::vector<Bits> in = codes(4 * kAll);
        Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<Bits>("out", 8 * kAll);
        const auto c = plan.output<std::uint32_t>("masks", kAll);
        plan.launch("pair_arithmetic", type, {kBlocks}, {kThreads}, a, b, c);
        const auto outcome = run(plan, kernels());
        const auto out = bytes_as<Bits>(outcome.buffers[1]);
        const auto masks = bytes_as<std::uint32_t>(outcome.buffers[2]);
        for (std::size_t i = 0; i < kAll; ++i) {
            unsigned mask = 0;
            for (std::size_t half = 0; half < 2; ++half) {
                const Bits x = in[4 * i + half], y = in[4 * i + 2 + half];
                const auto same = [&](std::size_t at, unsigned expected) {
                    const double value = to_double<kFormat>(static_cast<Bits>(expected));
                    const double got = to_double<kFormat>(out[8 * i + at]);
                    ASSERT_TRUE(std::isnan(value) ? std::isnan(got) : out[8 * i + at] == expected) << at;
                };
                same(half, lanewise_emulated::small_binary<kFormat>(SmallBinary::add, x, y));
                same(2 + half, lanewise_emulated::small_fma<kFormat>(x, y, x));
                same(4 + half, lanewise_emulated::small_binary<kFormat>(SmallBinary::max, x, y));
                same(7 - half, lanewise_emulated::small_binary<kFormat>(SmallBinary::mul, x, y));
                if (to_double<kFormat>(x) < to_double<kFormat>(y)) mask |= 0xffffu << 16 * half;
            }
            ASSERT_EQ(masks[i], mask);
        }
    }

    template <Small kFormat>
    void conversions(const std::string& kernel, bool is_half) {
        const std::vector<float> in = floats(kAll);
        Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<Bits>("out", 8 * kAll);
        const auto c = plan.output<int>("ints", 8 * kAll);
        const auto d = plan.output<float>("back", 2 * kAll);
        plan.launch(kernel, "", {kBlocks}, {kThreads}, a, b, c, d);
        const auto outcome = run(plan, kernels());
        const auto out = bytes_as<Bits>(outcome.buffers[1]);
        const auto ints = bytes_as<int>(outcome.buffers[2]);
        const auto back = bytes_as<float>(outcome.buffers[3]);
        for (std::size_t i = 0; i < kAll; ++i) {
            const double v = static_cast<double>(in[i]);
            const int whole = std::bit_cast<int>(in[i]), first = is_half ? whole >> 12 : whole;
            const long long wide = is_half ? whole : whole * 3000000001ll;
            const Bits expected[] = {
                of_double<kFormat>(v),
                of_double<kFormat>(v, Round::zero),
                of_double<kFormat>(v, Round::down),
                of_double<kFormat>(v, Round::up),
                of_double<kFormat>(v * 1.0000001),
                of_double<kFormat>(first),
                of_double<kFormat>(first, Round::down),
                static_cast<Bits>(lanewise_emulated::small_from_signed<kFormat>(wide, Round::zero))};
            for (std::size_t k = 0; k < 8; ++k) ASSERT_EQ(out[8 * i + k], expected[k]) << k << ": " << in[i];
            const double h = to_double<kFormat>(expected[0]);
            using lanewise_emulated::to_signed;
            const long long numbers[] = {to_signed(h, Round::nearest, 4),
                                         to_signed(h, Round::zero, 4),
                                         to_signed(h, Round::down, 4),
                                         to_signed(h, Round::up, 4),
                                         to_signed(h, Round::nearest, 2),
                                         static_cast<long long>(lanewise_emulated::to_unsigned(h, Round::zero, 2)),
                                         to_signed(h, Round::zero, 4),
                                         expected[0]};
            for (std::size_t k = 0; k < 8; ++k) ASSERT_EQ(ints[8 * i + k], numbers[k]) << k << ": " << h;
            if (std::isnan(h)) continue;
            ASSERT_EQ(static_cast<double>(back[2 * i]), h);
            ASSERT_EQ(static_cast<double>(back[2 * i + 1]), -h);
        }
    }
};

TEST_P(Types, HalfArithmetic) { arithmetic<Small::f16>("__half"); }
TEST_P(Types, Bfloat16Arithmetic) { arithmetic<Small::bf16>("__nv_bfloat16"); }
TEST_P(Types, PairsOfHalves) { pairs<Small::f16>("__half2"); }
TEST_P(Types, PairsOfBfloat16s) { pairs<Small::bf16>("__nv_bfloat162"); }
TEST_P(Types, HalfConversions) { conversions<Small::f16>("half_conversions", true); }
TEST_P(Types, Bfloat16Conversions) { conversions<Small::bf16>("bfloat16_conversions", false); }

TEST_P(Types, Fp8Conversions) {
    const std::vector<float> in = floats(kAll);
    Plan plan;
    const auto a = plan.input("in", in);
    const auto b = plan.output<std::uint8_t>("out", 8 * kAll);
    const auto c = plan.output<float>("back", 2 * kAll);
    plan.launch("fp8_conversions", "", {kBlocks}, {kThreads}, a, b, c);
    const auto outcome = run(plan, kernels());
    const auto out = bytes_as<std::uint8_t>(outcome.buffers[1]);
    const auto back = bytes_as<float>(outcome.buffers[2]);
    const auto e4m3 = [](double v, bool clamp) { return lanewise_emulated::small_saturated<Small::e4m3>(v, clamp); };
    const auto e5m2 = [](double v, bool clamp) { return lanewise_emulated::small_saturated<Small::e5m2>(v, clamp); };
    for (std::size_t i = 0; i < kAll; ++i) {
        if (std::isnan(in[i])) continue;
        const double v = static_cast<double>(in[i]);
        const double h = to_double<Small::f16>(of_double<Small::f16>(v)),
                     brain = to_double<Small::bf16>(of_double<Small::bf16>(v));
        const unsigned expected[] = {
            e4m3(v, true),
            e4m3(v, false),
            e5m2(v, true),
            e5m2(v, false),
            e4m3(h, true),
            e5m2(brain, true),
            e4m3(static_cast<double>(in[i] * 2), true),
            e5m2(to_double<Small::f16>(of_double<Small::f16>(static_cast<double>(in[i] * 4))), true)};
        for (std::size_t k = 0; k < 8; ++k) ASSERT_EQ(out[8 * i + k], expected[k]) << k << ": " << in[i];
        ASSERT_EQ(static_cast<double>(back[2 * i]), lanewise_emulated::small_value<Small::e4m3>(expected[0]));
        ASSERT_EQ(static_cast<double>(back[2 * i + 1]), lanewise_emulated::small_value<Small::e5m2>(expected[2]));
    }
}

// The same operation by the host's processor under the same rounding.
template <class Operation>
float under(int mode, Operation operation) {
    std::fesetround(mode);
    volatile float result = operation();
    std::fesetround(FE_TONEAREST);
    return result;
}

TEST_P(Types, FloatsInEveryRounding) {
    const std::vector<float> in = floats(3 * kAll);
    Plan plan;
    const auto a = plan.input("in", in);
    const auto b = plan.output<float>("out", 24 * kAll);
    plan.launch("float_intrinsics", "", {kBlocks}, {kThreads}, a, b);
    const auto out = bytes_as<float>(run(plan, kernels()).buffers[1]);
    for (std::size_t i = 0; i < kAll; ++i) {
        volatile float x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
        const auto bits = std::bit_cast<std::uint32_t>(in[3 * i]);
        volatile int whole = static_cast<int>(bits);
        volatile std::uint32_t natural = bits;
        const auto saturated = x > 0 ? x < 1 ? float(x) : 1.0f : 0.0f;
        volatile double wide = static_cast<double>(x) * static_cast<double>(y);
        const float expected[] = {
            x + y,
            under(FE_TOWARDZERO, [&] { return x + y; }),
            under(FE_DOWNWARD, [&] { return x + y; }),
            under(FE_UPWARD, [&] { return x + y; }),
            under(FE_TOWARDZERO, [&] { return x * y; }),
            under(FE_UPWARD, [&] { return x * y; }),
            std::fma(x, y, z),
            under(FE_DOWNWARD, [&] { return std::fma(float(x), float(y), float(z)); }),
            x / y,
            under(FE_UPWARD, [&] { return x / y; }),
            under(FE_TOWARDZERO, [&] { volatile float one = 1; return one / y; }),
            std::sqrt(std::fabs(x)),
            under(FE_DOWNWARD, [&] { return std::sqrt(std::fabs(float(x))); }),
            under(FE_DOWNWARD, [&] { return x - y; }),
            saturated,
            std::isnan(x) ? float(y) : std::isnan(y) ? float(x) : std::min<float>(float(x), float(y)),
            std::isnan(x) ? float(y) : std::isnan(y) ? float(x) : std::max<float>(float(x), float(y)),
            under(FE_DOWNWARD, [&] { return static_cast<float>(wide); }),
            under(FE_TOWARDZERO, [&] { return static_cast<float>(whole); }),
            under(FE_UPWARD, [&] { return static_cast<float>(natural); }),
            static_cast<float>(bits * 4294967311ull),
            static_cast<float>(1 / std::sqrt(static_cast<long double>(std::fabs(x)))),
        };
        for (std::size_t k = 0; k < std::size(expected); ++k) {
            const float got = out[24 * i + k];
            if (std::isnan(expected[k])) ASSERT_TRUE(std::isnan(got)) << k << ": " << x << ", " << y << ", " << z;
            else if (k == 15 || k == 16) ASSERT_EQ(got, expected[k]);  // zeros of either sign
            else
                ASSERT_EQ(to_bits(got), to_bits(expected[k]))
                    << k << ": " << x << ", " << y << ", " << z << " got " << got;
        }
        ASSERT_TRUE(out[24 * i + 22] <= 0 ||
                    std::isnan(out[24 * i + 22]));  // rounded to zero less rounded up; of doubles
    }
}

TEST_P(Types, FloatsToWholeNumbers) {
    std::vector<float> in = floats(kAll);
    const float special[] = {std::nanf(""), INFINITY, -INFINITY, 2147483648.0f, -2147483648.0f,
                             4294967296.0f, 0x1p63f,  -0x1p63f,  0x1p64f,       -0.5f};
    std::copy(std::begin(special), std::end(special), in.begin());
    Plan plan;
    const auto a = plan.input("in", in);
    const auto b = plan.output<std::int64_t>("out", 8 * kAll);
    plan.launch("float_to_integer", "", {kBlocks}, {kThreads}, a, b);
    const auto out = bytes_as<std::int64_t>(run(plan, kernels()).buffers[1]);
    // Clamped in long double, which holds all of these exactly; NaN as the PTX manual's cvt says.
    const auto clamped = [](float v, long double whole, long double low, long double high, std::uint64_t nan) {
        if (std::isnan(v)) return static_cast<std::int64_t>(nan);
        if (whole > 0x1p63L) return static_cast<std::int64_t>(static_cast<std::uint64_t>(std::min(whole, high)));
        return static_cast<std::int64_t>(
            std::max(low, std::min(whole, high)) >= 0x1p63L
                ? static_cast<std::uint64_t>(std::min(whole, high))
                : static_cast<std::uint64_t>(static_cast<std::int64_t>(std::max(low, std::min(whole, high)))));
    };
    constexpr long double kIntLow = -0x1p31L, kIntHigh = 0x1p31L - 1, kUintHigh = 0x1p32L - 1, kLongHigh = 0x1p63L - 1,
                          kUlongHigh = 0x1p64L - 1;
    constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
    for (std::size_t i = 0; i < kAll; ++i) {
        const float v = in[i];
        const auto x = static_cast<long double>(v);
        const std::int64_t expected[] = {
            clamped(v, std::nearbyint(x), kIntLow, kIntHigh, 0),
            clamped(v, std::floor(x), kIntLow, kIntHigh, 0),
            clamped(v, std::ceil(x), 0, kUintHigh, 0),
            clamped(v, std::trunc(x), -0x1p63L, kLongHigh, kTop),
            clamped(v, std::nearbyint(x), 0, kUlongHigh, kTop),
            clamped(v, std::ceil(x), kIntLow, kIntHigh, static_cast<std::uint64_t>(std::int64_t{-2147483647} - 1)),
            clamped(v, std::nearbyint(x), 0, kUintHigh, std::uint64_t{1} << 31),
            clamped(v, std::floor(x), -0x1p63L, kLongHigh, kTop),
        };
        for (std::size_t k = 0; k < 8; ++k) ASSERT_EQ(out[8 * i + k], expected[k]) << k << ": " << v;
    }
}

TEST_P(Types, WholeNumbers) {
    std::vector<std::uint32_t> in = values<std::uint32_t>(3 * kAll);
    in[0] = in[1] = in[2] = 0;
    Plan plan;
    const auto p = plan.input("in", in);
    const auto q = plan.output<std::uint32_t>("out", 32 * kAll);
    plan.launch("integer_intrinsics", "", {kBlocks}, {kThreads}, p, q);
    const auto out = bytes_as<std::uint32_t>(run(plan, kernels()).buffers[1]);
    using Wide = __int128;
    for (std::size_t i = 0; i < kAll; ++i) {
        const std::uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
        const auto ia = static_cast<std::int32_t>(a), ib = static_cast<std::int32_t>(b);
        const std::uint64_t wide = std::uint64_t{a} << 32 | b, reversed = std::uint64_t{b} << 32 | a;
        std::uint32_t mirrored = 0, wide_mirrored = 0, permuted = 0;
        for (int k = 0; k < 32; ++k) {
            if (a >> k & 1) mirrored |= 1u << (31 - k);
            if (b >> k & 1) wide_mirrored |= 1u << (31 - k);
        }
        std::uint8_t bytes[8];
        for (int k = 0; k < 8; ++k) bytes[k] = static_cast<std::uint8_t>(reversed >> 8 * k);
        for (int k = 0; k < 4; ++k) permuted |= std::uint32_t{bytes[c >> 4 * k & 7]} << 8 * k;
        const auto byte = [](std::uint32_t v, int k) { return static_cast<int>(static_cast<std::int8_t>(v >> 8 * k)); };
        const auto ubyte = [](std::uint32_t v, int k) { return v >> 8 * k & 0xff; };
        const auto int16 = [](std::uint32_t v, int k) {
            return static_cast<int>(static_cast<std::int16_t>(v >> 16 * k));
        };
        std::uint32_t dot = c, udot = c;
        for (int k = 0; k < 4; ++k)
            dot += static_cast<std::uint32_t>(byte(a, k) * byte(b, k)), udot += ubyte(a, k) * ubyte(b, k);
        const std::uint32_t low_dot =
            c + static_cast<std::uint32_t>(int16(a, 0) * byte(b, 0) + int16(a, 1) * byte(b, 1));
        const std::uint32_t high_dot = c + (a & 0xffff) * ubyte(b, 2) + (a >> 16) * ubyte(b, 3);
        const auto low24 = [](std::int32_t v) {
            return static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(v) << 8) >> 8);
        };
        const auto signed_wide = static_cast<std::int64_t>(wide);
        const Wide triple = static_cast<Wide>(signed_wide) * static_cast<std::int64_t>(wide * 3);
        const std::int64_t difference = std::int64_t{ia} - ib, sum = std::int64_t{ia} + ib;
        const std::uint64_t usum = std::uint64_t{a} + b;
        const std::uint32_t turn = c & 31, capped = std::min(c % 64, 32u);
        const std::uint32_t expected[] = {
            static_cast<std::uint32_t>(std::popcount(a)),
            static_cast<std::uint32_t>(std::popcount(wide)),
            static_cast<std::uint32_t>(std::countl_zero(a)),
            static_cast<std::uint32_t>(std::countl_zero(wide)),
            a ? static_cast<std::uint32_t>(std::countr_zero(a)) + 1 : 0,
            wide ? static_cast<std::uint32_t>(std::countr_zero(wide)) + 1 : 0,
            mirrored,
            wide_mirrored,
            permuted,
            static_cast<std::uint32_t>(reversed << turn >> 32),
            static_cast<std::uint32_t>(reversed >> turn),
            static_cast<std::uint32_t>(static_cast<unsigned __int128>(reversed) << capped >> 32),
            static_cast<std::uint32_t>(reversed >> capped),
            static_cast<std::uint32_t>(low24(ia) * low24(ib)),
            static_cast<std::uint32_t>(std::uint64_t{a & 0xffffff} * (b & 0xffffff)),
            static_cast<std::uint32_t>(std::int64_t{ia} * ib >> 32),
            static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32),
            static_cast<std::uint32_t>(static_cast<std::int64_t>(triple >> 64) >> 7),
            static_cast<std::uint32_t>(static_cast<unsigned __int128>(wide) * wide >> 64),
            static_cast<std::uint32_t>(std::abs(difference)) + c,
            (a > b ? a - b : b - a) + c,
            static_cast<std::uint32_t>(sum >> 1),
            static_cast<std::uint32_t>((sum + 1) >> 1),
            static_cast<std::uint32_t>(usum / 2),
            static_cast<std::uint32_t>((usum + 1) / 2),
            dot,
            udot,
            low_dot,
            high_dot,
            std::min(a, b),
            static_cast<std::uint32_t>(std::max(ia, ib)),
            static_cast<std::uint32_t>(std::abs(ia / 2) + 1 * byte(a, 0) - 2 * byte(b, 0) + 15 - 24 + 7)};
        for (std::size_t k = 0; k < 32; ++k)
            ASSERT_EQ(out[32 * i + k], expected[k]) << k << ": " << a << ", " << b << ", " << c;
    }
}

LANEWISE_SWEEP(Types);

// The emulator's arithmetic is the model itself; a GPU is asked ten million times.
class TenMillion : public Types {
protected:
    template <Small kFormat>
    void triples(const std::string& type) {
        for (int part = 0; part < 10 && !HasFatalFailure(); ++part) arithmetic<kFormat>(type, kThreads * 15625);
    }
};
TEST_P(TenMillion, Halves) { triples<Small::f16>("__half"); }
TEST_P(TenMillion, Bfloat16s) { triples<Small::bf16>("__nv_bfloat16"); }
INSTANTIATE_TEST_SUITE_P(Gpu, TenMillion, ::testing::Values(Where{true, false}), where_name);

}  // namespace
}  // namespace lanewise::conformance
