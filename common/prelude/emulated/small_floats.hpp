// Arithmetic of the floating types of one and two bytes, bit by bit as the GPU does it. The doors only: the work is
// done in small_floats.cpp, out of reach of the memory hooks that a traced copy is compiled with.
#pragma once

#include <cstdint>

namespace lanewise_emulated {

// f16: IEEE binary16. bf16: the upper half of an f32. e4m3: no infinity, one NaN a sign, largest 448. e5m2: the upper
// half of an f16. (OCP 8-bit Floating Point Specification, 1.0.)
enum class Small : std::uint8_t { f16, bf16, e4m3, e5m2 };
enum class Round : std::uint8_t { nearest, zero, down, up };  // nearest: ties to even

// The value of a code, exactly; of a NaN some quiet NaN.
template <Small kFormat>
double small_value(unsigned bits);

// `value` rounded once. Too large a value becomes infinity or the largest number, as IEEE 754 says for the rounding;
// every NaN becomes the one that the GPU makes (0x7fff; 0x7f of e4m3 and e5m2).
template <Small kFormat>
unsigned small_bits(double value, Round round = Round::nearest);

// The same from an integer, which may need more bits than a double has.
template <Small kFormat>
unsigned small_from_signed(long long value, Round round);
template <Small kFormat>
unsigned small_from_unsigned(unsigned long long value, Round round);

// To eight bits: rounds to nearest even; what lies beyond becomes the largest number (`saturate`), else infinity or
// NaN.
template <Small kFormat>
unsigned small_saturated(double value, bool saturate);

enum class SmallBinary : std::uint8_t { add, sub, mul, div, min, max, min_nan, max_nan };
enum class SmallUnary : std::uint8_t {
    negate, absolute, sqrt, rsqrt, reciprocal, exp, exp2, exp10, log, log2, log10, sin, cos, tanh, trunc, ceil, floor,
    rint,
};

// All correctly rounded (the elementary functions as far as the host's double is right, which a half cannot show).
template <Small kFormat>
unsigned small_binary(SmallBinary operation, unsigned a, unsigned b);
template <Small kFormat>
unsigned small_fma(unsigned a, unsigned b, unsigned c);
template <Small kFormat>
unsigned small_unary(SmallUnary operation, unsigned a);

// A floating value as an integer of `bytes` bytes, saturated. NaN is 0, but of 64-bit integers, and where the source is
// a double, the highest bit alone (PTX ISA, cvt).
long long to_signed(double value, Round round, int bytes, bool from_double = false);
unsigned long long to_unsigned(double value, Round round, int bytes, bool from_double = false);

}  // namespace lanewise_emulated
