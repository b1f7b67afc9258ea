// Operations that C++ leaves open give what a GPU gives. The models follow the PTX ISA manual (cvt, shl, shr); what it
// leaves open, division by zero, are values that an H200 gave with nvcc 13.
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/conformance/emulator/run_case.hpp"

namespace lanewise::generated {
launch::KernelSet emulator_meaning();
}

namespace lanewise::emu {
namespace {

using testing::bytes_as;
using testing::kOrders;

launch::Outcome run(const launch::Plan& plan, bool record) {
    static const launch::KernelSet set = generated::emulator_meaning();
    return testing::run_of(set, plan, kOrders[0], record, 1);
}

// "In float-to-integer conversions, depending upon conversion types, NaN input results in following value: Zero if
// source is not .f64 and destination is not .s64, .u64. Otherwise 1 << (BitWidth(dst) - 1)." Narrower types are what is
// left of 32 bits.
template <class To, class From>
To converted_by_gpu(From v) {
    using Wide =
        std::conditional_t<(sizeof(To) > 4), To, std::conditional_t<std::is_signed_v<To>, std::int32_t, std::uint32_t>>;
    constexpr int kBits = 8 * sizeof(Wide);
    if (std::isnan(v)) {
        if (kBits == 32 && sizeof(From) == 4) return 0;
        return static_cast<To>(static_cast<Wide>(std::uint64_t{1} << (kBits - 1)));
    }
    const long double least = std::is_signed_v<Wide> ? -std::ldexp(1.0L, kBits - 1) : 0.0L;
    const long double most = std::ldexp(1.0L, std::is_signed_v<Wide> ? kBits - 1 : kBits) - 1.0L;
    const long double whole = std::trunc(static_cast<long double>(v));
    return static_cast<To>(static_cast<Wide>(std::fmin(std::fmax(whole, least), most)));
}

template <class From>
std::vector<From> values() {
    std::vector<From> in = {0,   -0.0f, 1,    -1,    0.5f,  -0.5f, 127.9f, 128,   255,
                            256, 300,   -300, 32767, 40000, 65536, 70000,  -70000};
    using Limits = std::numeric_limits<From>;
    for (const double edge : {31.0, 32.0, 63.0, 64.0})
        for (const double sign : {1.0, -1.0})
            for (const From v : {static_cast<From>(sign * std::exp2(edge))})
                for (const From next : {std::nextafter(v, From{0}), v, std::nextafter(v, v * 2)}) in.push_back(next);
    for (const From v :
         {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::lowest(),
          Limits::denorm_min(), static_cast<From>(1e10), static_cast<From>(-1e10), static_cast<From>(1e20)})
        in.push_back(v);
    return in;
}

template <class From, class To>
void convert(const std::string& arguments) {
    const std::vector<From> in = values<From>();
    for (const bool record : {false, true}) {
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<To>("out", 3 * in.size());
        plan.launch("convert", arguments, {1}, {static_cast<unsigned>(in.size())}, a, b);
        const auto out = bytes_as<To>(run(plan, record).buffers[1]);
        for (std::size_t i = 0; i < in.size(); ++i)
            for (int way = 0; way < 3; ++way) {
                if (way == 2 && !std::isfinite(in[i] + in[i])) continue;
                ASSERT_EQ(out[3 * i + way], (converted_by_gpu<To>(in[i])))
                    << arguments << ": " << in[i] << ", way " << way;
            }
    }
}

TEST(Meaning, FloatingValuesBecomeTheNearestWholeNumber) {
    convert<float, signed char>("float, signed char");
    convert<float, unsigned char>("float, unsigned char");
    convert<float, short>("float, short");
    convert<float, unsigned short>("float, unsigned short");
    convert<float, int>("float, int");
    convert<float, unsigned>("float, unsigned");
    convert<float, long long>("float, long long");
    convert<float, unsigned long long>("float, unsigned long long");
    convert<double, signed char>("double, signed char");
    convert<double, unsigned char>("double, unsigned char");
    convert<double, short>("double, short");
    convert<double, unsigned short>("double, unsigned short");
    convert<double, int>("double, int");
    convert<double, unsigned>("double, unsigned");
    convert<double, long long>("double, long long");
    convert<double, unsigned long long>("double, unsigned long long");
}

TEST(Meaning, ImplicitConversionsAreConversionsToo) {
    const std::vector<float> in = values<float>();
    for (const bool record : {false, true}) {
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.output<int>("out", 8 * in.size());
        plan.launch("convert_silently", "", {1}, {static_cast<unsigned>(in.size())}, a, b);
        const auto out = bytes_as<int>(run(plan, record).buffers[1]);
        for (std::size_t i = 0; i < in.size(); ++i) {
            for (const int way : {0, 1, 2, 4, 5, 6})
                ASSERT_EQ(out[8 * i + way], converted_by_gpu<int>(in[i])) << in[i] << ", way " << way;
            ASSERT_EQ(out[8 * i + 3], converted_by_gpu<int>(1.0f + in[i])) << in[i];
            ASSERT_EQ(out[8 * i + 7], converted_by_gpu<unsigned char>(in[i])) << in[i];
        }
    }
}

// "Shift amounts greater than the register width N are clamped to N"; the amount is a .u32.
template <class T>
T shifted_by_gpu(T value, std::uint32_t amount, bool left) {
    using Register = decltype(value + value);
    auto bits = static_cast<Register>(value);
    for (std::uint32_t k = 0; k < std::min<std::uint32_t>(amount, 8 * sizeof(Register)); ++k) {
        using Bits = std::make_unsigned_t<Register>;
        if (left) bits = static_cast<Register>(static_cast<Bits>(bits) * 2u);
        else bits = bits < 0 ? -((-(bits + 1)) / 2) - 1 : bits / 2;
    }
    return static_cast<T>(bits);
}

template <class T, class Amount>
void shift(const std::string& arguments) {
    std::vector<T> in;
    std::vector<Amount> by;
    for (const long long value : {0ll, 5ll, -5ll, 0x85ll, 0x7fffffffll, 0x80000005ll, -0x7fffffffffffffffll})
        for (const long long amount :
             {0ll, 1ll, 7ll, 31ll, 32ll, 33ll, 63ll, 64ll, 255ll, -1ll, 1ll << 32, (1ll << 32) + 3}) {
            in.push_back(static_cast<T>(value));
            by.push_back(static_cast<Amount>(amount));
        }
    for (const bool record : {false, true}) {
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.input("by", by);
        const auto c = plan.output<T>("out", 4 * in.size());
        plan.launch("shift", arguments, {1}, {static_cast<unsigned>(in.size())}, a, b, c);
        const auto out = bytes_as<T>(run(plan, record).buffers[2]);
        for (std::size_t i = 0; i < in.size(); ++i)
            for (int way = 0; way < 4; ++way)
                ASSERT_EQ(out[4 * i + way], shifted_by_gpu(in[i], static_cast<std::uint32_t>(by[i]), way % 2 == 0))
                    << arguments << ": " << +in[i] << " by " << +by[i] << ", way " << way;
    }
}

template <class T>
void shift_by_all(const std::string& type) {
    shift<T, int>(type + ", int");
    shift<T, long long>(type + ", long long");
    shift<T, unsigned char>(type + ", unsigned char");
}

TEST(Meaning, ShiftsEndAtTheWidth) {
    shift_by_all<signed char>("signed char");
    shift_by_all<unsigned char>("unsigned char");
    shift_by_all<short>("short");
    shift_by_all<int>("int");
    shift_by_all<unsigned>("unsigned");
    shift_by_all<long long>("long long");
    shift_by_all<unsigned long long>("unsigned long long");
}

template <class T>
struct Division {
    T a, b, quotient, rest;
};

template <class T>
void divide(const std::string& type, const std::vector<Division<T>>& seen_on_h200) {
    std::vector<Division<T>> all = seen_on_h200;
    std::mt19937_64 random(5);
    for (int i = 0; i < 40; ++i) {
        const T a = static_cast<T>(random()), b = static_cast<T>(static_cast<T>(random() >> random() % 60) | 2);
        all.push_back({a, b, static_cast<T>(a / b), static_cast<T>(a % b)});
    }
    std::vector<T> in, by;
    for (const Division<T>& division : all) {
        in.push_back(division.a);
        by.push_back(division.b);
    }
    for (const bool record : {false, true}) {
        launch::Plan plan;
        const auto a = plan.input("in", in);
        const auto b = plan.input("by", by);
        const auto c = plan.output<T>("out", 4 * in.size());
        plan.launch("divide", type, {1}, {static_cast<unsigned>(in.size())}, a, b, c);
        const auto out = bytes_as<T>(run(plan, record).buffers[2]);
        for (std::size_t i = 0; i < in.size(); ++i)
            for (int way = 0; way < 4; ++way)
                ASSERT_EQ(out[4 * i + way], way % 2 == 0 ? all[i].quotient : all[i].rest)
                    << type << ": " << +in[i] << " by " << +by[i] << ", way " << way;
    }
}

TEST(Meaning, DivisionsByZeroEndInNoTrap) {
    constexpr int kLeast = std::numeric_limits<int>::min();
    constexpr long long kLeastLong = std::numeric_limits<long long>::min();
    divide<signed char>("signed char", {{7, 0, -1, 7}, {-128, -1, -128, 0}});
    divide<unsigned char>("unsigned char", {{7, 0, 0xff, 7}});
    divide<short>("short", {{7, 0, -1, 7}, {-7, 0, -1, -7}, {-32768, -1, -32768, 0}});
    divide<unsigned short>("unsigned short", {{7, 0, 0xffff, 7}});
    divide<int>("int",
                {{7, 0, -1, 7}, {-7, 0, -1, -7}, {0, 0, -1, 0}, {kLeast, -1, kLeast, 0}, {kLeast, 0, -1, kLeast}});
    divide<unsigned>("unsigned", {{7, 0, 0xffffffffu, 7}, {0, 0, 0xffffffffu, 0}, {~0u, 0, ~0u, ~0u}});
    divide<long long>("long long", {{7, 0, 0xffffffffll, 7}, {-7, 0, -1, -7}, {0, 0, 0xffffffffll, 0},
                                    {kLeastLong, -1, kLeastLong, 0}, {1ll << 40, 0, -1, 1ll << 40},
                                    {-(1ll << 40), 0, -1, -(1ll << 40)}});
    divide<unsigned long long>("unsigned long long", {{7, 0, 0xffffffffull, 7}, {0, 0, 0xffffffffull, 0},
                                                      {1ull << 40, 0, ~0ull, 1ull << 40}, {~0ull, 0, ~0ull, ~0ull}});
}

}  // namespace
}  // namespace lanewise::emu
