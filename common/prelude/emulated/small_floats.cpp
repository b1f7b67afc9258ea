#include "common/prelude/emulated/small_floats.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace lanewise_emulated {
namespace {

constexpr int kDoubleFraction = 52;
constexpr std::uint64_t kDoubleImplicit = std::uint64_t{1} << kDoubleFraction;

struct Layout {
    int fraction;            // bits
    int exponent;            // bits
    unsigned largest;        // code of the largest finite number
    unsigned infinity;       // 0: there is none
    unsigned nan;            // the one that arithmetic makes
    constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
    constexpr int least() const { return 1 - bias(); }       // exponent of the smallest normal number
    constexpr unsigned sign() const { return 1u << (fraction + exponent); }
};

template <Small kFormat>
constexpr Layout layout() {
    switch (kFormat) {
        case Small::f16: return {10, 5, 0x7bff, 0x7c00, 0x7fff};
        case Small::bf16: return {7, 8, 0x7f7f, 0x7f80, 0x7fff};
        case Small::e4m3: return {3, 4, 0x7e, 0, 0x7f};
        case Small::e5m2: return {2, 5, 0x7b, 0x7c, 0x7f};
    }
}

bool goes_up(Round round, bool negative, bool odd, std::uint64_t rest, std::uint64_t half) {
    switch (round) {
        case Round::nearest: return rest > half || (rest == half && odd);
        case Round::zero: return false;
        case Round::down: return negative && rest != 0;
        case Round::up: return !negative && rest != 0;
    }
    return false;
}

// The code of a finite number's magnitude, rounded; may lie beyond Layout::largest. A carry out of the fraction walks
// into the exponent, which is what rounding up to the next power of two means.
template <Small kFormat>
std::uint64_t magnitude_code(double value, Round round) {
    constexpr Layout kLayout = layout<kFormat>();
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int field = static_cast<int>(bits >> kDoubleFraction & 0x7ff);
    const std::uint64_t fraction = bits & (kDoubleImplicit - 1);
    if (field == 0 && fraction == 0) return 0;
    const int exponent = field ? field - 1023 : -1022;
    const std::uint64_t whole = field ? fraction | kDoubleImplicit : fraction;
    const int below = exponent < kLayout.least() ? kLayout.least() - exponent : 0;
    const int shift = std::min(kDoubleFraction - kLayout.fraction + below, 62);  // 62: less than half of anything
    std::uint64_t code = whole >> shift;
    if (!below) code += static_cast<std::uint64_t>(exponent - kLayout.least()) << kLayout.fraction;
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t rest = whole & (half * 2 - 1);
    return code + goes_up(round, std::signbit(value), code & 1, rest, half);
}

double next_to_odd(double value, double error) {
    if (error == 0 || !std::isfinite(value)) return value;
    auto bits = std::bit_cast<std::uint64_t>(value);
    if (bits & 1) return value;
    bits += (error > 0) == (value > 0) ? 1u : ~std::uint64_t{0};
    return std::bit_cast<double>(bits);
}

// a + b rounded to odd: what is cut off leaves its mark in the last bit, so that rounding the sum again to fewer bits
// gives what rounding the exact sum once would have (Boldo and Melquiond, 2008).
double sum_to_odd(double a, double b) {
    const double sum = a + b;
    const double b_part = sum - a, a_part = sum - b_part;
    return next_to_odd(sum, (a - a_part) + (b - b_part));
}

template <Small kFormat>
bool is_nan(unsigned bits) {
    constexpr Layout kLayout = layout<kFormat>();
    return (bits & (kLayout.sign() - 1)) > (kLayout.infinity ? kLayout.infinity : kLayout.largest);
}

// -0 is below +0; a NaN loses against a number, or wins (`nan_wins`).
template <Small kFormat>
unsigned extremum(unsigned a, unsigned b, bool largest, bool nan_wins) {
    constexpr Layout kLayout = layout<kFormat>();
    const bool a_nan = is_nan<kFormat>(a), b_nan = is_nan<kFormat>(b);
    if (a_nan || b_nan) return nan_wins || (a_nan && b_nan) ? kLayout.nan : a_nan ? b : a;
    const auto place = [](unsigned bits) {
        constexpr unsigned kSign = layout<kFormat>().sign();
        const int magnitude = static_cast<int>(bits & (kSign - 1));
        return bits & kSign ? -1 - magnitude : magnitude;
    };
    return (place(a) > place(b)) == largest ? a : b;
}

double rounded(double value, Round round) {
    switch (round) {
        case Round::nearest: return std::nearbyint(value);
        case Round::zero: return std::trunc(value);
        case Round::down: return std::floor(value);
        case Round::up: return std::ceil(value);
    }
    return value;
}

}  // namespace

template <Small kFormat>
double small_value(unsigned bits) {
    constexpr Layout kLayout = layout<kFormat>();
    const unsigned magnitude = bits & (kLayout.sign() - 1);
    const unsigned field = magnitude >> kLayout.fraction;
    double value;
    if (is_nan<kFormat>(bits)) {
        value = std::numeric_limits<double>::quiet_NaN();
    } else if (magnitude == kLayout.infinity && kLayout.infinity) {
        value = std::numeric_limits<double>::infinity();
    } else if (field == 0) {
        constexpr auto kUnit = static_cast<std::uint64_t>(1023 + kLayout.least() - kLayout.fraction) << kDoubleFraction;
        value = magnitude * std::bit_cast<double>(kUnit);
    } else {
        const std::uint64_t fraction = magnitude & ((1u << kLayout.fraction) - 1);
        value = std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<int>(field) - kLayout.bias() + 1023)
                                          << kDoubleFraction |
                                      fraction << (kDoubleFraction - kLayout.fraction));
    }
    return bits & kLayout.sign() ? -value : value;
}

template <Small kFormat>
unsigned small_bits(double value, Round round) {
    constexpr Layout kLayout = layout<kFormat>();
    if (std::isnan(value)) return kLayout.nan;
    const bool negative = std::signbit(value);
    const unsigned sign = negative ? kLayout.sign() : 0;
    constexpr unsigned kBeyond = kLayout.infinity ? kLayout.infinity : kLayout.nan;
    if (std::isinf(value)) return sign | kBeyond;
    const std::uint64_t code = magnitude_code<kFormat>(value, round);
    if (code <= kLayout.largest) return sign | static_cast<unsigned>(code);
    const bool stays = round == Round::zero || (round == Round::down && !negative) || (round == Round::up && negative);
    return sign | (stays ? kLayout.largest : kBeyond);
}

template <Small kFormat>
unsigned small_from_unsigned(unsigned long long value, Round round) {
    // More than 53 bits: the last eleven are represented by one bit, odd where they held anything.
    if (value >> 53) value = (value & ~0x7ffull) | (value & 0x7ff ? 0x800ull : 0);
    return small_bits<kFormat>(static_cast<double>(value), round);
}

template <Small kFormat>
unsigned small_from_signed(long long value, Round round) {
    if (value >= 0) return small_from_unsigned<kFormat>(static_cast<unsigned long long>(value), round);
    const Round mirrored = round == Round::up ? Round::down : round == Round::down ? Round::up : round;
    return layout<kFormat>().sign() |
           small_from_unsigned<kFormat>(0 - static_cast<unsigned long long>(value), mirrored);
}

template <Small kFormat>
unsigned small_saturated(double value, bool saturate) {
    constexpr Layout kLayout = layout<kFormat>();
    const unsigned bits = small_bits<kFormat>(value);
    if (!saturate || std::isnan(value) || (bits & (kLayout.sign() - 1)) <= kLayout.largest) return bits;
    return (bits & kLayout.sign()) | kLayout.largest;
}

template <Small kFormat>
unsigned small_binary(SmallBinary operation, unsigned a, unsigned b) {
    const double x = small_value<kFormat>(a), y = small_value<kFormat>(b);
    switch (operation) {
        case SmallBinary::add: return small_bits<kFormat>(sum_to_odd(x, y));
        case SmallBinary::sub: return small_bits<kFormat>(sum_to_odd(x, -y));
        case SmallBinary::mul: return small_bits<kFormat>(x * y);  // exact: at most 22 bits
        // 53 bits are more than twice 11 and two: rounding the quotient twice cannot differ (Figueroa, 1995).
        case SmallBinary::div: return small_bits<kFormat>(x / y);
        case SmallBinary::min: return extremum<kFormat>(a, b, false, false);
        case SmallBinary::max: return extremum<kFormat>(a, b, true, false);
        case SmallBinary::min_nan: return extremum<kFormat>(a, b, false, true);
        case SmallBinary::max_nan: return extremum<kFormat>(a, b, true, true);
    }
    return 0;
}

template <Small kFormat>
unsigned small_fma(unsigned a, unsigned b, unsigned c) {
    return small_bits<kFormat>(sum_to_odd(small_value<kFormat>(a) * small_value<kFormat>(b), small_value<kFormat>(c)));
}

template <Small kFormat>
unsigned small_unary(SmallUnary operation, unsigned a) {
    constexpr Layout kLayout = layout<kFormat>();
    if (is_nan<kFormat>(a)) return kLayout.nan;
    const double x = small_value<kFormat>(a);
    double y = 0;
    switch (operation) {
        case SmallUnary::negate: return a ^ kLayout.sign();
        case SmallUnary::absolute: return a & (kLayout.sign() - 1);
        case SmallUnary::sqrt: y = std::sqrt(x); break;
        case SmallUnary::rsqrt: y = 1 / std::sqrt(x); break;
        case SmallUnary::reciprocal: y = 1 / x; break;
        case SmallUnary::exp: y = std::exp(x); break;
        case SmallUnary::exp2: y = std::exp2(x); break;
        case SmallUnary::exp10: y = std::pow(10.0, x); break;
        case SmallUnary::log: y = std::log(x); break;
        case SmallUnary::log2: y = std::log2(x); break;
        case SmallUnary::log10: y = std::log10(x); break;
        case SmallUnary::sin: y = std::sin(x); break;
        case SmallUnary::cos: y = std::cos(x); break;
        case SmallUnary::tanh: y = std::tanh(x); break;
        case SmallUnary::trunc: y = std::trunc(x); break;
        case SmallUnary::ceil: y = std::ceil(x); break;
        case SmallUnary::floor: y = std::floor(x); break;
        case SmallUnary::rint: y = std::nearbyint(x); break;
    }
    return small_bits<kFormat>(y);
}

long long to_signed(double value, Round round, int bytes, bool from_double) {
    const int bits = bytes * 8;
    const auto least = static_cast<long long>(~std::uint64_t{0} << (bits - 1));
    if (std::isnan(value)) return from_double || bytes == 8 ? least : 0;
    const double whole = rounded(value, round);
    const double limit = std::ldexp(1.0, bits - 1);
    if (whole >= limit) return ~least;
    return whole < -limit ? least : static_cast<long long>(whole);
}

unsigned long long to_unsigned(double value, Round round, int bytes, bool from_double) {
    const int bits = bytes * 8;
    if (std::isnan(value)) return from_double || bytes == 8 ? 1ull << (bits - 1) : 0;
    const double whole = rounded(value, round);
    if (whole >= std::ldexp(1.0, bits)) return ~0ull >> (64 - bits);
    return whole <= 0 ? 0 : static_cast<unsigned long long>(whole);
}

#define LANEWISE_SMALL(format)                                                        \
    template double small_value<Small::format>(unsigned);                             \
    template unsigned small_bits<Small::format>(double, Round);                       \
    template unsigned small_from_signed<Small::format>(long long, Round);             \
    template unsigned small_from_unsigned<Small::format>(unsigned long long, Round);  \
    template unsigned small_saturated<Small::format>(double, bool);                   \
    template unsigned small_binary<Small::format>(SmallBinary, unsigned, unsigned);   \
    template unsigned small_fma<Small::format>(unsigned, unsigned, unsigned);         \
    template unsigned small_unary<Small::format>(SmallUnary, unsigned);
LANEWISE_SMALL(f16)
LANEWISE_SMALL(bf16)
LANEWISE_SMALL(e4m3)
LANEWISE_SMALL(e5m2)
#undef LANEWISE_SMALL

}  // namespace lanewise_emulated
