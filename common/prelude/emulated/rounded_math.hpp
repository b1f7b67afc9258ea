// float and double arithmetic rounded as asked, and the device functions that the host's <math.h> lacks. The doors
// only: the work is done in rounded_math.cpp, out of reach of the memory hooks that a traced copy is compiled with.
#pragma once

#include "common/prelude/emulated/small_floats.hpp"

namespace lanewise_emulated {

// T is float or double. Exactly rounded (IEEE 754), whatever the direction.
template <class T>
T add_rounded(T a, T b, Round round);
template <class T>
T mul_rounded(T a, T b, Round round);
template <class T>
T div_rounded(T a, T b, Round round);
template <class T>
T fma_rounded(T a, T b, T c, Round round);
template <class T>
T sqrt_rounded(T a, Round round);

float to_float(double value, Round round);
float to_float(long long value, Round round);
float to_float(unsigned long long value, Round round);
double to_double(long long value, Round round);
double to_double(unsigned long long value, Round round);

// One of the elementary functions: computed in double and rounded to float once, which is right to the last bit but for
// about one argument in 2^29.
enum class Elementary : std::uint8_t {
    exp, exp10, log, log2, log10, sin, cos, tan, rsqrt, rcbrt, sinpi, cospi, normcdf, erfcx,
    erfinv, erfcinv, normcdfinv, cyl_bessel_i0, cyl_bessel_i1,
};
float elementary(Elementary function, float x);
double elementary(Elementary function, double x);   // as good as the host's library
float power(float x, float y);

// 1 / sqrt(x), rounded to nearest even.
float rsqrt_rounded(float x);

}  // namespace lanewise_emulated
