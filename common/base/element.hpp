// The types a lane can hold, and how their bits are read, written and shown. Every value in Lanewise travels as
// bits in the low end of a uint64_t, so that nothing is rounded on its way from a register to the screen.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "common/base/element_of.hpp"

namespace lanewise {

// One of the floating-point formats?
bool is_float(Element element);

// How a floating-point element lays out its bits, below the sign: e4m3 is {4, 3}. Throws Error for an integer.
struct FloatLayout {
    int exponent_bits = 0;
    int fraction_bits = 0;
};
FloatLayout float_layout(Element element);

// Bytes of one element.
int element_size(Element element);

// The name used in traces and on the screen: "f32", "i64", …
std::string_view element_name(Element element);

// The element with that name. Throws Error naming it when there is none.
Element element_from_name(std::string_view name);

// The value as a double: exact for all but 64-bit integers beyond 2^53.
double element_to_double(Element element, std::uint64_t bits);

// The bits of `value` rounded to `element` (to nearest even; integers and the eight-bit floats saturate, the latter as
// CUDA's conversions to fp8 do, so that an infinity becomes their largest value).
std::uint64_t element_from_double(Element element, double value);

// The value as a person reads it, the shortest form that reads back the same: "26", "0.1", "-inf", "nan".
// `max_chars` > 0 asks for a form of so many signs: where need be its first digits and "…" ("1.2M…", short_number.hpp).
std::string format_element(Element element, std::uint64_t bits, int max_chars = 0);

// The bits as hex digits, two for each byte, without "0x": "41d00000".
std::string format_bits(Element element, std::uint64_t bits);

// Equal as the comparison of traces means it: the same bits, or both NaN whatever their payload.
bool same_value(Element element, std::uint64_t a, std::uint64_t b);

// The bits of a C++ value of at most eight bytes.
template <class T>
std::uint64_t to_bits(const T& value) {
    static_assert(sizeof(T) <= 8);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
T from_bits(std::uint64_t bits) {
    static_assert(sizeof(T) <= 8);
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

}  // namespace lanewise
