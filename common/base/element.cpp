#include "common/base/element.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/short_number.hpp"

namespace lanewise {
namespace {

struct Name {
    Element element;
    std::string_view name;
    int size;
};

constexpr std::array<Name, kElementCount> kNames = {{
    {Element::u8, "u8", 1},   {Element::i8, "i8", 1},   {Element::u16, "u16", 2}, {Element::i16, "i16", 2},
    {Element::u32, "u32", 4}, {Element::i32, "i32", 4}, {Element::u64, "u64", 8}, {Element::i64, "i64", 8},
    {Element::f16, "f16", 2}, {Element::bf16, "bf16", 2}, {Element::f32, "f32", 4}, {Element::f64, "f64", 8},
    {Element::e4m3, "e4m3", 1}, {Element::e5m2, "e5m2", 1},
}};

const Name& entry(Element element) { return kNames.at(static_cast<std::size_t>(element)); }

// The layout of a float of 16 or 8 bits. e4m3 has no infinities: its last exponent is one like any other, and only the
// largest fraction in it is NaN (OCP 8-bit Floating Point Specification, 5.1).
struct Small {
    int mantissa_bits;
    int exponent_bits;
    bool infinities = true;
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    std::uint64_t infinity() const { return std::uint64_t((1 << exponent_bits) - 1) << mantissa_bits; }
    std::uint64_t sign() const { return std::uint64_t{1} << (mantissa_bits + exponent_bits); }
};
constexpr Small kF16{10, 5};
constexpr Small kBf16{7, 8};
constexpr Small kE4m3{3, 4, false};
constexpr Small kE5m2{2, 5};
constexpr std::uint64_t kE4m3Nan = 0x7f;
constexpr std::uint64_t kE4m3Largest = 0x7e;  // 448
constexpr std::uint64_t kE5m2Largest = 0x7b;  // 57344

// A double's own fields. Shifting them takes some 40 % of the time of ldexp() and ilogb(), and inputs have
// millions of values.
constexpr int kDoubleFraction = 52, kDoubleBias = 1023;
constexpr std::uint64_t kDoubleOne = std::uint64_t{1} << kDoubleFraction;

double power_of_two(int exponent) {
    return from_bits<double>(static_cast<std::uint64_t>(exponent + kDoubleBias) << kDoubleFraction);
}

double small_to_double(Small format, std::uint64_t bits) {
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << format.mantissa_bits) - 1);
    const int exponent = static_cast<int>((bits & format.infinity()) >> format.mantissa_bits);
    double magnitude = 0;
    if (!format.infinities && (bits & ~format.sign()) == kE4m3Nan) return std::numeric_limits<double>::quiet_NaN();
    if (format.infinities && (bits & format.infinity()) == format.infinity()) {
        magnitude = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    } else if (exponent == 0) {
        magnitude = static_cast<double>(fraction) * power_of_two(1 - format.bias() - format.mantissa_bits);
    } else {
        magnitude =
            from_bits<double>(fraction << (kDoubleFraction - format.mantissa_bits) |
                              static_cast<std::uint64_t>(exponent - format.bias() + kDoubleBias) << kDoubleFraction);
    }
    return bits & format.sign() ? -magnitude : magnitude;
}

// Of a finite number, to nearest even, whether or not the format reaches so far. Straight from the double, so that
// nothing is rounded twice. A carry out of the fraction walks into the exponent, which is what rounding up to the next
// power of two, or to infinity, means.
[[gnu::always_inline]] inline std::uint64_t magnitude_from_double(Small format, double value) {
    const std::uint64_t bits = to_bits(value) & (~std::uint64_t{0} >> 1);
    const int exponent = static_cast<int>(bits >> kDoubleFraction) - kDoubleBias;
    const int least = 1 - format.bias();
    const int below = std::max(least - exponent, 0);
    // Less than half of the smallest number, as are the doubles' own subnormals.
    if (below > format.mantissa_bits + 1) return 0;
    const std::uint64_t whole = (bits & (kDoubleOne - 1)) | kDoubleOne;
    const int shift = kDoubleFraction - format.mantissa_bits + below;
    const std::uint64_t kept = whole >> shift, rest = whole & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t above = below > 0 ? 0 : static_cast<std::uint64_t>(exponent - least) << format.mantissa_bits;
    return above + kept + (rest > half || (rest == half && (kept & 1)) ? 1 : 0);
}

[[gnu::always_inline]] inline std::uint64_t small_from_double(Small format, double value) {
    const std::uint64_t sign = std::signbit(value) ? format.sign() : 0;
    if (std::isnan(value)) return sign | format.infinity() | (std::uint64_t{1} << (format.mantissa_bits - 1));
    if (std::isinf(value)) return sign | format.infinity();
    return sign | std::min(magnitude_from_double(format, value), format.infinity());
}

// To the nearest value that there is; beyond the largest there is nothing nearer.
std::uint64_t fp8_from_double(Element element, double value) {
    const bool is_e4m3 = element == Element::e4m3;
    const Small format = is_e4m3 ? kE4m3 : kE5m2;
    const std::uint64_t largest = is_e4m3 ? kE4m3Largest : kE5m2Largest;
    const std::uint64_t sign = std::signbit(value) ? format.sign() : 0;
    if (std::isnan(value)) return kE4m3Nan;  // both formats have this NaN
    if (std::isinf(value)) return sign | largest;
    return sign | std::min(magnitude_from_double(format, value), largest);
}

bool is_signed_integer(Element element) {
    return element == Element::i8 || element == Element::i16 || element == Element::i32 || element == Element::i64;
}

std::uint64_t low_bytes(std::uint64_t bits, int size) {
    return size == 8 ? bits : bits & ((std::uint64_t{1} << (size * 8)) - 1);
}

std::int64_t to_signed(Element element, std::uint64_t bits) {
    const int shift = 64 - element_size(element) * 8;
    return static_cast<std::int64_t>(bits << shift) >> shift;
}

template <class T>
std::uint64_t saturate(double value) {
    if (std::isnan(value)) return 0;
    const double rounded = std::nearbyint(value);
    constexpr double kLowest = static_cast<double>(std::numeric_limits<T>::min());
    constexpr double kHighest = static_cast<double>(std::numeric_limits<T>::max());  // 2^63, 2^64 for 64 bits
    if (rounded <= kLowest) return to_bits(std::numeric_limits<T>::min());
    if (rounded >= kHighest) return to_bits(std::numeric_limits<T>::max());
    return to_bits(static_cast<T>(rounded));
}

// "1.2e+06" -> "1.2e6", "1e-05" -> "1e-5"
std::string short_exponent(std::string text) {
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return text;
    std::size_t digits = e + 1;
    std::string sign;
    if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) {
        if (text[digits] == '-') sign = "-";
        ++digits;
    }
    while (digits + 1 < text.size() && text[digits] == '0') ++digits;
    return text.substr(0, e + 1) + sign + text.substr(digits);
}

// The fewest decimal digits that a 16-bit float reads back from. Whole numbers are written out (65504, not 65500).
std::string format_small(Element element, std::uint64_t bits) {
    const double value = element_to_double(element, bits);
    if (std::isfinite(value) && value == std::trunc(value) && std::fabs(value) < 1e6) return fmt::format("{}", value);
    for (int digits = 1; digits < 9; ++digits) {
        const std::string text = fmt::format("{:.{}g}", value, digits);
        const double back = std::strtod(text.c_str(), nullptr);
        if (element_from_double(element, back) == bits) return fmt::format("{}", back);
    }
    return fmt::format("{}", value);
}

std::string format_whole(Element element, std::uint64_t bits) {
    if (is_float(element) && std::isnan(element_to_double(element, bits))) return "nan";  // its sign means nothing
    switch (element) {
        case Element::f32: return fmt::format("{}", from_bits<float>(bits));
        case Element::f64: return fmt::format("{}", from_bits<double>(bits));
        case Element::f16:
        case Element::bf16:
        case Element::e4m3:
        case Element::e5m2: return format_small(element, bits);
        default:
            return is_signed_integer(element) ? fmt::format("{}", to_signed(element, bits)) : fmt::format("{}", bits);
    }
}

}  // namespace

bool is_float(Element element) {
    return element == Element::f16 || element == Element::bf16 || element == Element::f32 || element == Element::f64 ||
           element == Element::e4m3 || element == Element::e5m2;
}

FloatLayout float_layout(Element element) {
    switch (element) {
        case Element::f16: return {kF16.exponent_bits, kF16.mantissa_bits};
        case Element::bf16: return {kBf16.exponent_bits, kBf16.mantissa_bits};
        case Element::e4m3: return {kE4m3.exponent_bits, kE4m3.mantissa_bits};
        case Element::e5m2: return {kE5m2.exponent_bits, kE5m2.mantissa_bits};
        case Element::f32: return {8, 23};
        case Element::f64: return {11, 52};
        default: throw Error(fmt::format("{} is no floating-point format.", element_name(element)));
    }
}

int element_size(Element element) { return entry(element).size; }

std::string_view element_name(Element element) { return entry(element).name; }

Element element_from_name(std::string_view name) {
    for (const Name& known : kNames)
        if (known.name == name) return known.element;
    std::string names;
    for (const Name& known : kNames) names += (names.empty() ? "" : ", ") + std::string(known.name);
    throw Error(fmt::format("There is no element type \"{}\"; there are {}.", name, names));
}

double element_to_double(Element element, std::uint64_t bits) {
    bits = low_bytes(bits, element_size(element));
    switch (element) {
        case Element::f16: return small_to_double(kF16, bits);
        case Element::bf16: return small_to_double(kBf16, bits);
        case Element::e4m3: return small_to_double(kE4m3, bits);
        case Element::e5m2: return small_to_double(kE5m2, bits);
        case Element::f32: return static_cast<double>(from_bits<float>(bits));
        case Element::f64: return from_bits<double>(bits);
        default:
            return is_signed_integer(element) ? static_cast<double>(to_signed(element, bits))
                                              : static_cast<double>(bits);
    }
}

std::uint64_t element_from_double(Element element, double value) {
    switch (element) {
        case Element::u8: return saturate<std::uint8_t>(value);
        case Element::i8: return saturate<std::int8_t>(value);
        case Element::u16: return saturate<std::uint16_t>(value);
        case Element::i16: return saturate<std::int16_t>(value);
        case Element::u32: return saturate<std::uint32_t>(value);
        case Element::i32: return saturate<std::int32_t>(value);
        case Element::u64: return saturate<std::uint64_t>(value);
        case Element::i64: return saturate<std::int64_t>(value);
        case Element::f16: return small_from_double(kF16, value);
        case Element::bf16: return small_from_double(kBf16, value);
        case Element::f32: return to_bits(static_cast<float>(value));
        case Element::f64: return to_bits(value);
        case Element::e4m3:
        case Element::e5m2: return fp8_from_double(element, value);
    }
    return 0;
}

std::string format_element(Element element, std::uint64_t bits, int max_chars) {
    bits = low_bytes(bits, element_size(element));
    const std::string best = format_whole(element, bits);
    const auto fits = [max_chars](std::string_view text) { return count_signs(text) <= max_chars; };
    if (max_chars <= 0 || fits(best)) return best;
    return short_number(short_exponent(best), fits);
}

std::string format_bits(Element element, std::uint64_t bits) {
    const int size = element_size(element);
    return fmt::format("{:0{}x}", low_bytes(bits, size), size * 2);
}

bool same_value(Element element, std::uint64_t a, std::uint64_t b) {
    const int size = element_size(element);
    if (low_bytes(a, size) == low_bytes(b, size)) return true;
    return is_float(element) && std::isnan(element_to_double(element, a)) && std::isnan(element_to_double(element, b));
}

}  // namespace lanewise
