// The emulator's arithmetic of small floats compared with the toolkit's own host functions, where there is a toolkit.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include "common/prelude/emulated/small_floats.hpp"

namespace lanewise_emulated {
namespace {

unsigned bits_of(__half h) { return static_cast<__half_raw>(h).x; }
unsigned bits_of(__nv_bfloat16 h) { return static_cast<__nv_bfloat16_raw>(h).x; }
template <class T>
T from_bits(unsigned bits) {
    T value;
    const auto code = static_cast<unsigned short>(bits);
    std::memcpy(static_cast<void*>(&value), &code, sizeof(value));
    return value;
}

TEST(Toolkit, ConvertsEveryCodeTheSame) {
    for (unsigned code = 0; code < 0x10000; ++code) {
        const float half = __half2float(from_bits<__half>(code)),
                    brain = __bfloat162float(from_bits<__nv_bfloat16>(code));
        const double ours = small_value<Small::f16>(code), our_brain = small_value<Small::bf16>(code);
        ASSERT_TRUE(std::isnan(half) ? std::isnan(ours) : static_cast<double>(half) == ours) << code;
        ASSERT_TRUE(std::isnan(brain) ? std::isnan(our_brain) : static_cast<double>(brain) == our_brain) << code;
        for (const auto kind : {__NV_E4M3, __NV_E5M2})
            for (const auto saturate : {__NV_SATFINITE, __NV_NOSAT}) {
                const __half_raw raw{static_cast<unsigned short>(code)};
                const unsigned expected = __nv_cvt_halfraw_to_fp8(raw, saturate, kind);
                const bool clamp = saturate == __NV_SATFINITE;
                ASSERT_EQ(kind == __NV_E4M3 ? small_saturated<Small::e4m3>(ours, clamp)
                                            : small_saturated<Small::e5m2>(ours, clamp),
                          expected)
                    << code;
            }
    }
    for (unsigned code = 0; code < 0x100; ++code)
        for (const auto kind : {__NV_E4M3, __NV_E5M2}) {
            const __half_raw raw = __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), kind);
            const double theirs = small_value<Small::f16>(raw.x);
            const double ours = kind == __NV_E4M3 ? small_value<Small::e4m3>(code) : small_value<Small::e5m2>(code);
            ASSERT_TRUE(std::isnan(theirs) ? std::isnan(ours) : theirs == ours) << code;
        }
}

TEST(Toolkit, RoundsFloatsTheSame) {
    std::mt19937 random(1);
    for (int i = 0; i < 2000000; ++i) {
        auto bits = static_cast<std::uint32_t>(random());
        if (i % 2)
            bits = (bits & 0x807fffffu) | static_cast<std::uint32_t>(100 + random() % 50) << 23;  // where halves are
        const float v = std::bit_cast<float>(bits);
        const auto wide = static_cast<double>(v);
        ASSERT_EQ(bits_of(__float2half_rn(v)), small_bits<Small::f16>(wide)) << v;
        ASSERT_EQ(bits_of(__float2half_rz(v)), small_bits<Small::f16>(wide, Round::zero)) << v;
        ASSERT_EQ(bits_of(__float2half_rd(v)), small_bits<Small::f16>(wide, Round::down)) << v;
        ASSERT_EQ(bits_of(__float2half_ru(v)), small_bits<Small::f16>(wide, Round::up)) << v;
        ASSERT_EQ(bits_of(__double2half(wide * 1.0000001)), small_bits<Small::f16>(wide * 1.0000001)) << v;
        ASSERT_EQ(bits_of(__float2bfloat16_rn(v)), small_bits<Small::bf16>(wide)) << v;
        ASSERT_EQ(bits_of(__float2bfloat16_rz(v)), small_bits<Small::bf16>(wide, Round::zero)) << v;
        ASSERT_EQ(bits_of(__float2bfloat16_rd(v)), small_bits<Small::bf16>(wide, Round::down)) << v;
        ASSERT_EQ(bits_of(__float2bfloat16_ru(v)), small_bits<Small::bf16>(wide, Round::up)) << v;
        ASSERT_EQ(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E4M3), small_saturated<Small::e4m3>(wide, true)) << v;
        ASSERT_EQ(__nv_cvt_float_to_fp8(v, __NV_NOSAT, __NV_E4M3), small_saturated<Small::e4m3>(wide, false)) << v;
        ASSERT_EQ(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E5M2), small_saturated<Small::e5m2>(wide, true)) << v;
        ASSERT_EQ(__nv_cvt_float_to_fp8(v, __NV_NOSAT, __NV_E5M2), small_saturated<Small::e5m2>(wide, false)) << v;
    }
}

// What differs between ours and theirs for a pair of codes; empty: nothing.
template <class T, Small kFormat>
std::string difference(unsigned a, unsigned b) {
    const T x = from_bits<T>(a), y = from_bits<T>(b);
    struct Result {
        SmallBinary operation;
        const char* name;
        unsigned theirs;
    };
    for (const Result& result : {Result{SmallBinary::add, "+", bits_of(__hadd(x, y))},
                                 {SmallBinary::sub, "-", bits_of(__hsub(x, y))},
                                 {SmallBinary::mul, "*", bits_of(__hmul(x, y))},
                                 {SmallBinary::div, "/", bits_of(__hdiv(x, y))},
                                 {SmallBinary::max, "max", bits_of(__hmax(x, y))},
                                 {SmallBinary::min_nan, "min_nan", bits_of(__hmin_nan(x, y))}}) {
        const unsigned ours = small_binary<kFormat>(result.operation, a, b);
        if (ours == result.theirs ||
            (std::isnan(small_value<kFormat>(ours)) && std::isnan(small_value<kFormat>(result.theirs))))
            continue;
        return std::to_string(a) + " " + result.name + " " + std::to_string(b) + ": " + std::to_string(ours) +
               ", not " + std::to_string(result.theirs);
    }
    const double p = small_value<kFormat>(a), q = small_value<kFormat>(b);
    const bool same = (p < q) == __hlt(x, y) && (p <= q) == __hle(x, y) && (p > q) == __hgt(x, y) &&
                      (p >= q) == __hge(x, y) && (p == q) == __heq(x, y) && (p != q) == __hneu(x, y);
    return same ? "" : std::to_string(a) + " beside " + std::to_string(b) + " is in another order";
}

// Ten million pairs, half of them of one size, so that sums round; shared out among the processor's cores.
template <class T, Small kFormat>
void expect_same_arithmetic() {
    constexpr std::size_t kPairs = 10'000'000;
    const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::string> found(threads);
    std::vector<std::size_t> tried(threads);
    {
        std::vector<std::jthread> workers;
        for (std::size_t worker = 0; worker < threads; ++worker)
            workers.emplace_back([&, worker] {
                std::mt19937 random(static_cast<unsigned>(2 + worker));
                for (std::size_t i = worker; i < kPairs && found[worker].empty(); i += threads) {
                    const auto both = static_cast<std::uint32_t>(random());
                    const unsigned a = both & 0xffff,
                                   b = tried[worker] % 2 ? both >> 16 : (a & 0x7c00) ^ (both >> 16 & 0x83ff);
                    found[worker] = difference<T, kFormat>(a, b);
                    ++tried[worker];
                }
            });
    }
    for (const std::string& each : found) EXPECT_EQ(each, "");
    EXPECT_EQ(std::accumulate(tried.begin(), tried.end(), std::size_t{0}), kPairs);
}

TEST(Toolkit, HalvesComputeTheSame) { expect_same_arithmetic<__half, Small::f16>(); }
TEST(Toolkit, Bfloat16sComputeTheSame) { expect_same_arithmetic<__nv_bfloat16, Small::bf16>(); }

TEST(Toolkit, WholeNumbersConvertTheSame) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 500000; ++i) {
        const auto wide = static_cast<long long>(random() >> random() % 64);
        const auto narrow = static_cast<int>(wide);
        ASSERT_EQ(bits_of(__int2half_rn(narrow)), small_from_signed<Small::f16>(narrow, Round::nearest)) << narrow;
        ASSERT_EQ(bits_of(__int2half_rd(narrow)), small_from_signed<Small::f16>(narrow, Round::down)) << narrow;
        ASSERT_EQ(bits_of(__int2bfloat16_rn(narrow)), small_from_signed<Small::bf16>(narrow, Round::nearest)) << narrow;
        ASSERT_EQ(bits_of(__ll2bfloat16_rn(wide)), small_from_signed<Small::bf16>(wide, Round::nearest)) << wide;
        const unsigned code = static_cast<unsigned>(random()) & 0xffff;
        const __half h = from_bits<__half>(code);
        ASSERT_EQ(__half2int_rz(h), to_signed(small_value<Small::f16>(code), Round::zero, 4)) << code;
        ASSERT_EQ(__half2ushort_rz(h), to_unsigned(small_value<Small::f16>(code), Round::zero, 2)) << code;
        ASSERT_EQ(__half2ll_rz(h), to_signed(small_value<Small::f16>(code), Round::zero, 8)) << code;
    }
}

}  // namespace
}  // namespace lanewise_emulated
