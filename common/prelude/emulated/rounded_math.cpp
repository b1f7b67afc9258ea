#include "common/prelude/emulated/rounded_math.hpp"

#include <cfenv>
#include <cmath>

namespace lanewise_emulated {
namespace {

// The rounding of the calling OS thread, for as long as this lives. A lane never yields in here.
class Rounding {
public:
    explicit Rounding(Round round) {
        constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
        std::fesetround(kModes[static_cast<int>(round)]);
    }
    ~Rounding() { std::fesetround(FE_TONEAREST); }
    Rounding(const Rounding&) = delete;
    Rounding& operator=(const Rounding&) = delete;
};

// volatile keeps the compiler from moving the arithmetic out of the rounding's reach.
template <class T, class Operation, class... A>
T rounded_by(Round round, Operation operation, A... arguments) {
    const Rounding rounding(round);
    volatile T result = operation(static_cast<volatile A&>(arguments)...);
    return result;
}

// The x with erfc(x) = y, 0 < y <= 1: Newton's steps with Halley's correction from a start that is right to a few per
// cent, for erfc itself or, where it is small, for its logarithm.
double inverse_erfc(double y) {
    constexpr double kTwoOverRootPi = 1.12837916709551257390;
    double x = y > 0.5 ? (1 - y) / kTwoOverRootPi : std::sqrt(-std::log(y * std::sqrt(-std::log(y) + 1)));
    for (int i = 0; i < 8; ++i) {
        const double error = std::erfc(x) - y;
        const double step = error / (-kTwoOverRootPi * std::exp(-x * x));
        const double next = x - step / (1 + x * step);
        if (next == x) break;
        x = next;
    }
    return x;
}

double erfc_inverse(double y) {
    if (!(y >= 0 && y <= 2)) return std::nan("");
    if (y == 0 || y == 2) return y == 0 ? HUGE_VAL : -HUGE_VAL;
    return y <= 1 ? inverse_erfc(y) : -inverse_erfc(2 - y);
}

// Near zero 1 - |y| loses digits: there a step with erf itself follows.
double erf_inverse(double y) {
    if (!(std::fabs(y) <= 1)) return std::nan("");
    if (y == 0) return y;
    double x = std::copysign(std::fabs(y) == 1 ? HUGE_VAL : inverse_erfc(1 - std::fabs(y)), y);
    for (int i = 0; i < 2 && std::fabs(y) < 0.5; ++i) {
        if (x == 0) x = y * 0.88622692545275801365;
        x -= (std::erf(x) - y) / (1.12837916709551257390 * std::exp(-x * x));
    }
    return x;
}

double by_library(Elementary function, double x) {
    constexpr double kPi = 3.14159265358979323846;
    switch (function) {
        case Elementary::exp: return std::exp(x);
        case Elementary::exp10: return std::pow(10.0, x);
        case Elementary::log: return std::log(x);
        case Elementary::log2: return std::log2(x);
        case Elementary::log10: return std::log10(x);
        case Elementary::sin: return std::sin(x);
        case Elementary::cos: return std::cos(x);
        case Elementary::tan: return std::tan(x);
        case Elementary::rsqrt: return 1 / std::sqrt(x);
        case Elementary::rcbrt: return 1 / std::cbrt(x);
        // The argument is brought into [-1, 1] first, exactly; multiples of one half come out exactly.
        case Elementary::sinpi: {
            const double turn = std::remainder(x, 2.0);
            if (turn == 0 || std::fabs(turn) == 1) return std::copysign(0.0, x);
            if (std::fabs(turn) > 0.5) return std::sin(kPi * (std::copysign(1.0, turn) - turn));
            return std::sin(kPi * turn);
        }
        case Elementary::cospi: {
            const double turn = std::fabs(std::remainder(x, 2.0));
            if (turn == 0.5) return 0;
            if (turn > 0.25 && turn < 0.75) return std::sin(kPi * (0.5 - turn));
            return turn >= 0.75 ? -std::cos(kPi * (1 - turn)) : std::cos(kPi * turn);
        }
        case Elementary::normcdf: return 0.5 * std::erfc(-x / 1.41421356237309504880);
        case Elementary::erfinv: return erf_inverse(x);
        case Elementary::erfcinv: return erfc_inverse(x);
        case Elementary::normcdfinv: return -1.41421356237309504880 * erfc_inverse(2 * x);
        case Elementary::cyl_bessel_i0: return std::cyl_bessel_i(0.0, std::fabs(x));
        case Elementary::cyl_bessel_i1: return std::copysign(std::cyl_bessel_i(1.0, std::fabs(x)), x);
        case Elementary::erfcx: {
            if (x < 20) return std::exp(x * x) * std::erfc(x);
            // The asymptotic series: beyond 20 its fifth term is below 1e-12.
            const double inverse = 1 / (2 * x * x);
            return (1 - inverse * (1 - 3 * inverse * (1 - 5 * inverse * (1 - 7 * inverse)))) / (x * std::sqrt(kPi));
        }
    }
    return 0;
}

}  // namespace

template <class T>
T add_rounded(T a, T b, Round round) {
    return rounded_by<T>(round, [](T x, T y) { return x + y; }, a, b);
}
template <class T>
T mul_rounded(T a, T b, Round round) {
    return rounded_by<T>(round, [](T x, T y) { return x * y; }, a, b);
}
template <class T>
T div_rounded(T a, T b, Round round) {
    return rounded_by<T>(round, [](T x, T y) { return x / y; }, a, b);
}
template <class T>
T fma_rounded(T a, T b, T c, Round round) {
    return rounded_by<T>(round, [](T x, T y, T z) { return std::fma(x, y, z); }, a, b, c);
}
template <class T>
T sqrt_rounded(T a, Round round) {
    return rounded_by<T>(round, [](T x) { return std::sqrt(x); }, a);
}

#define LANEWISE_ROUNDED(T)                         \
    template T add_rounded<T>(T, T, Round);         \
    template T mul_rounded<T>(T, T, Round);         \
    template T div_rounded<T>(T, T, Round);         \
    template T fma_rounded<T>(T, T, T, Round);      \
    template T sqrt_rounded<T>(T, Round);
LANEWISE_ROUNDED(float)
LANEWISE_ROUNDED(double)
#undef LANEWISE_ROUNDED

float to_float(double value, Round round) {
    return rounded_by<float>(round, [](double x) { return static_cast<float>(x); }, value);
}
float to_float(long long value, Round round) {
    return rounded_by<float>(round, [](long long x) { return static_cast<float>(x); }, value);
}
double to_double(long long value, Round round) {
    return rounded_by<double>(round, [](long long x) { return static_cast<double>(x); }, value);
}
// Above 2^63 the processor has no conversion: half of the value, its last bit kept, is converted and doubled.
float to_float(unsigned long long value, Round round) {
    if (value >> 63) return 2 * to_float(static_cast<long long>(value >> 1 | (value & 1)), round);
    return to_float(static_cast<long long>(value), round);
}
double to_double(unsigned long long value, Round round) {
    if (value >> 63) return 2 * to_double(static_cast<long long>(value >> 1 | (value & 1)), round);
    return to_double(static_cast<long long>(value), round);
}

float elementary(Elementary function, float x) {
    return static_cast<float>(by_library(function, static_cast<double>(x)));
}
double elementary(Elementary function, double x) { return by_library(function, x); }

float power(float x, float y) { return static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y))); }

float rsqrt_rounded(float x) { return static_cast<float>(1 / std::sqrt(static_cast<long double>(x))); }

}  // namespace lanewise_emulated
