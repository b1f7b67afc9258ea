// The device functions CUDA adds to C's <math.h>: numbers. Nothing is contracted, here or (-fmad=false) on the GPU.
//
// Exact: IEEE 754 and CUDA's definitions leave one result only
//   + - * / sqrt fma of float and double, and the forms _rn _rz _ru _rd of them; conversions with a rounding;
//   min, max, integer functions, bit casts; the arithmetic and conversions of the types of one and two bytes.
//   Exceptions: atomicAdd of a float in the GPU's global memory takes subnormal numbers for zero; fminf and fmaxf of 0
//   and -0 are the host library's choice, where the GPU takes -0 for the lower.
// Within a tolerance: here what the host's library gives, or (__expf and the like, rsqrtf, …) the value rounded once
// from double; there what the table "Mathematical Functions" of the CUDA C++ Programming Guide allows, in ulp of the
// result:
//   rsqrtf, the exponentials, logarithms, sines and their like, erff and its like, powf, cbrtf, hypotf, normcdff;
//   and with wider bounds __fdividef, __expf, __exp10f, __logf, __log2f, __log10f, __sinf, __cosf, __tanf, __powf.
// hexp, hlog, hsqrt, … and double functions: rounded once from double, or the host library's; no bound is given here.
#pragma once

#include "common/prelude/emulated/emulated_integers.hpp"
#include "common/prelude/emulated/rounded_math.hpp"

#define LANEWISE_SUFFIXED(make)                   \
    make(rn, lanewise_emulated::Round::nearest)   \
    make(rz, lanewise_emulated::Round::zero)      \
    make(rd, lanewise_emulated::Round::down)      \
    make(ru, lanewise_emulated::Round::up)

#define LANEWISE_ARITHMETIC(suffix, round)                                                                             \
    LANEWISE_INTRINSIC float __fadd_##suffix(float a, float b) { return lanewise_emulated::add_rounded(a, b, round); } \
    LANEWISE_INTRINSIC float __fsub_##suffix(float a, float b) {                                                       \
        return lanewise_emulated::add_rounded(a, -b, round);                                                           \
    }                                                                                                                  \
    LANEWISE_INTRINSIC float __fmul_##suffix(float a, float b) { return lanewise_emulated::mul_rounded(a, b, round); } \
    LANEWISE_INTRINSIC float __fdiv_##suffix(float a, float b) { return lanewise_emulated::div_rounded(a, b, round); } \
    LANEWISE_INTRINSIC float __frcp_##suffix(float a) { return lanewise_emulated::div_rounded(1.0f, a, round); }       \
    LANEWISE_INTRINSIC float __fsqrt_##suffix(float a) { return lanewise_emulated::sqrt_rounded(a, round); }           \
    LANEWISE_INTRINSIC float __fmaf_##suffix(float a, float b, float c) {                                              \
        return lanewise_emulated::fma_rounded(a, b, c, round);                                                         \
    }                                                                                                                  \
    LANEWISE_INTRINSIC double __dadd_##suffix(double a, double b) {                                                    \
        return lanewise_emulated::add_rounded(a, b, round);                                                            \
    }                                                                                                                  \
    LANEWISE_INTRINSIC double __dsub_##suffix(double a, double b) {                                                    \
        return lanewise_emulated::add_rounded(a, -b, round);                                                           \
    }                                                                                                                  \
    LANEWISE_INTRINSIC double __dmul_##suffix(double a, double b) {                                                    \
        return lanewise_emulated::mul_rounded(a, b, round);                                                            \
    }                                                                                                                  \
    LANEWISE_INTRINSIC double __ddiv_##suffix(double a, double b) {                                                    \
        return lanewise_emulated::div_rounded(a, b, round);                                                            \
    }                                                                                                                  \
    LANEWISE_INTRINSIC double __drcp_##suffix(double a) { return lanewise_emulated::div_rounded(1.0, a, round); }      \
    LANEWISE_INTRINSIC double __dsqrt_##suffix(double a) { return lanewise_emulated::sqrt_rounded(a, round); }         \
    LANEWISE_INTRINSIC double __fma_##suffix(double a, double b, double c) {                                           \
        return lanewise_emulated::fma_rounded(a, b, c, round);                                                         \
    }
LANEWISE_SUFFIXED(LANEWISE_ARITHMETIC)
#undef LANEWISE_ARITHMETIC
LANEWISE_INTRINSIC float __frsqrt_rn(float a) { return lanewise_emulated::rsqrt_rounded(a); }

#define LANEWISE_CONVERSIONS(suffix, round)                                                                         \
    LANEWISE_INTRINSIC int __float2int_##suffix(float v) {                                                          \
        return static_cast<int>(lanewise_emulated::to_signed(v, round, 4));                                         \
    }                                                                                                               \
    LANEWISE_INTRINSIC unsigned __float2uint_##suffix(float v) {                                                    \
        return static_cast<unsigned>(lanewise_emulated::to_unsigned(v, round, 4));                                  \
    }                                                                                                               \
    LANEWISE_INTRINSIC long long __float2ll_##suffix(float v) { return lanewise_emulated::to_signed(v, round, 8); } \
    LANEWISE_INTRINSIC unsigned long long __float2ull_##suffix(float v) {                                           \
        return lanewise_emulated::to_unsigned(v, round, 8);                                                         \
    }                                                                                                               \
    LANEWISE_INTRINSIC int __double2int_##suffix(double v) {                                                        \
        return static_cast<int>(lanewise_emulated::to_signed(v, round, 4, true));                                   \
    }                                                                                                               \
    LANEWISE_INTRINSIC unsigned __double2uint_##suffix(double v) {                                                  \
        return static_cast<unsigned>(lanewise_emulated::to_unsigned(v, round, 4, true));                            \
    }                                                                                                               \
    LANEWISE_INTRINSIC long long __double2ll_##suffix(double v) {                                                   \
        return lanewise_emulated::to_signed(v, round, 8, true);                                                     \
    }                                                                                                               \
    LANEWISE_INTRINSIC unsigned long long __double2ull_##suffix(double v) {                                         \
        return lanewise_emulated::to_unsigned(v, round, 8, true);                                                   \
    }                                                                                                               \
    LANEWISE_INTRINSIC float __double2float_##suffix(double v) { return lanewise_emulated::to_float(v, round); }    \
    LANEWISE_INTRINSIC float __int2float_##suffix(int v) {                                                          \
        return lanewise_emulated::to_float(static_cast<long long>(v), round);                                       \
    }                                                                                                               \
    LANEWISE_INTRINSIC float __uint2float_##suffix(unsigned v) {                                                    \
        return lanewise_emulated::to_float(static_cast<long long>(v), round);                                       \
    }                                                                                                               \
    LANEWISE_INTRINSIC float __ll2float_##suffix(long long v) { return lanewise_emulated::to_float(v, round); }     \
    LANEWISE_INTRINSIC float __ull2float_##suffix(unsigned long long v) {                                           \
        return lanewise_emulated::to_float(v, round);                                                               \
    }                                                                                                               \
    LANEWISE_INTRINSIC double __ll2double_##suffix(long long v) { return lanewise_emulated::to_double(v, round); }  \
    LANEWISE_INTRINSIC double __ull2double_##suffix(unsigned long long v) {                                         \
        return lanewise_emulated::to_double(v, round);                                                              \
    }
LANEWISE_SUFFIXED(LANEWISE_CONVERSIONS)
#undef LANEWISE_CONVERSIONS
LANEWISE_INTRINSIC double __int2double_rn(int v) { return v; }
LANEWISE_INTRINSIC double __uint2double_rn(unsigned v) { return v; }

LANEWISE_INTRINSIC int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
LANEWISE_INTRINSIC unsigned __float_as_uint(float v) { return __builtin_bit_cast(unsigned, v); }
LANEWISE_INTRINSIC float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
LANEWISE_INTRINSIC float __uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }
LANEWISE_INTRINSIC long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
LANEWISE_INTRINSIC double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }
LANEWISE_INTRINSIC int __double2hiint(double v) { return static_cast<int>(__double_as_longlong(v) >> 32); }
LANEWISE_INTRINSIC int __double2loint(double v) { return static_cast<int>(__double_as_longlong(v)); }
LANEWISE_INTRINSIC double __hiloint2double(int hi, int lo) {
    return __longlong_as_double(static_cast<long long>(hi) << 32 | static_cast<unsigned>(lo));
}

// `function` of one argument under its names for float; and, where CUDA has it, for double (both then overloaded).
#define LANEWISE_FLOAT(intrinsic, function)                                               \
    LANEWISE_INTRINSIC float intrinsic(float x) {                                         \
        return lanewise_emulated::elementary(lanewise_emulated::Elementary::function, x); \
    }
#define LANEWISE_DOUBLE(intrinsic, function)                                              \
    LANEWISE_INTRINSIC double intrinsic(double x) {                                       \
        return lanewise_emulated::elementary(lanewise_emulated::Elementary::function, x); \
    }
LANEWISE_FLOAT(lanewise_expf, exp)
LANEWISE_FLOAT(lanewise_exp10f, exp10)
LANEWISE_FLOAT(lanewise_logf, log)
LANEWISE_FLOAT(lanewise_log2f, log2)
LANEWISE_FLOAT(lanewise_log10f, log10)
LANEWISE_FLOAT(lanewise_sinf, sin)
LANEWISE_FLOAT(lanewise_cosf, cos)
LANEWISE_FLOAT(lanewise_tanf, tan)
LANEWISE_FLOAT(rsqrtf, rsqrt)
LANEWISE_FLOAT(rsqrt, rsqrt)
LANEWISE_DOUBLE(rsqrt, rsqrt)
LANEWISE_FLOAT(rcbrtf, rcbrt)
LANEWISE_FLOAT(rcbrt, rcbrt)
LANEWISE_DOUBLE(rcbrt, rcbrt)
LANEWISE_FLOAT(sinpif, sinpi)
LANEWISE_FLOAT(sinpi, sinpi)
LANEWISE_DOUBLE(sinpi, sinpi)
LANEWISE_FLOAT(cospif, cospi)
LANEWISE_FLOAT(cospi, cospi)
LANEWISE_DOUBLE(cospi, cospi)
LANEWISE_FLOAT(normcdff, normcdf)
LANEWISE_FLOAT(normcdf, normcdf)
LANEWISE_DOUBLE(normcdf, normcdf)
LANEWISE_FLOAT(erfcxf, erfcx)
LANEWISE_FLOAT(erfcx, erfcx)
LANEWISE_DOUBLE(erfcx, erfcx)
#undef LANEWISE_FLOAT
#undef LANEWISE_DOUBLE
// The host's <math.h> has declared these names for itself.
#define __expf lanewise_expf
#define __exp10f lanewise_exp10f
#define __logf lanewise_logf
#define __log2f lanewise_log2f
#define __log10f lanewise_log10f
#define __sinf lanewise_sinf
#define __cosf lanewise_cosf
#define __tanf lanewise_tanf
#define __powf lanewise_powf
#define __sincosf lanewise_sincosf
LANEWISE_INTRINSIC float lanewise_powf(float x, float y) { return lanewise_emulated::power(x, y); }
LANEWISE_INLINE void lanewise_sincosf(float x, float* sine, float* cosine) {
    *sine = lanewise_sinf(x), *cosine = lanewise_cosf(x);
}
LANEWISE_INLINE void sincospif(float x, float* sine, float* cosine) { *sine = sinpif(x), *cosine = cospif(x); }
LANEWISE_INTRINSIC float rhypotf(float x, float y) { return 1 / hypotf(x, y); }
LANEWISE_INTRINSIC float norm3df(float a, float b, float c) {
    return static_cast<float>(sqrt(double{a} * a + double{b} * b + double{c} * c));
}
LANEWISE_INTRINSIC float rnorm3df(float a, float b, float c) {
    return static_cast<float>(1 / sqrt(double{a} * a + double{b} * b + double{c} * c));
}
// Beyond 2^126 the GPU's reciprocal is 0: the quotient is 0, or NaN of an infinity.
LANEWISE_INTRINSIC float __fdividef(float x, float y) {
    const float size = fabsf(y);
    if (size > 0x1p126f && size <= FLT_MAX) return x * copysignf(0.0f, y);
    return x / y;
}
LANEWISE_INTRINSIC float fdividef(float x, float y) { return x / y; }
LANEWISE_INTRINSIC double fdivide(double x, double y) { return x / y; }
LANEWISE_INTRINSIC float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1.0f : 0.0f; }  // NaN becomes 0

// Loads and stores with a cache hint, which are none here: ordinary ones, announced on the kernel's line. For
// the types that CUDA has them for: scalars, vectors of two and four up to 16 bytes, halves.
namespace lanewise_emulated {
template <class T>
constexpr bool has_cached_access() {
    if constexpr (is_one_value<T>) return !__is_same(T, bool);
    else if constexpr (std::is_void_v<typename Members<T>::type>) return false;
    else {
        constexpr auto kMembers = sizeof(T) / sizeof(typename Members<T>::type);
        return sizeof(T) <= 16 && (kMembers == 2 || kMembers == 4);
    }
}
}  // namespace lanewise_emulated

#define LANEWISE_LOAD(intrinsic)                                     \
    template <class T>                                          \
        requires(lanewise_emulated::has_cached_access<T>())     \
    LANEWISE_INLINE T intrinsic(const T* address) {                  \
        return *address;                                        \
    }
LANEWISE_LOAD(__ldg)
LANEWISE_LOAD(__ldca)
LANEWISE_LOAD(__ldcg)
LANEWISE_LOAD(__ldcs)
LANEWISE_LOAD(__ldlu)
LANEWISE_LOAD(__ldcv)
#undef LANEWISE_LOAD
#define LANEWISE_STORE(intrinsic)                                                          \
    template <class T>                                                                \
        requires(lanewise_emulated::has_cached_access<T>())                           \
    LANEWISE_INLINE void intrinsic(T* address, std::type_identity_t<T> value) {            \
        *address = value;                                                             \
    }
LANEWISE_STORE(__stwb)
LANEWISE_STORE(__stcg)
LANEWISE_STORE(__stcs)
LANEWISE_STORE(__stwt)
#undef LANEWISE_STORE
