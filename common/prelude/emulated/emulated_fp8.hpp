// CUDA's floating types of one byte. Conversions only, as on the GPU: to nearest even, what lies beyond the largest
// number becomes that number where nothing else is asked for.
#pragma once

#include "common/prelude/emulated/small_floats.hpp"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

LANEWISE_INLINE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t kind) {
    const bool clamp = saturate == __NV_SATFINITE;
    return static_cast<__nv_fp8_storage_t>(
        kind == __NV_E4M3 ? lanewise_emulated::small_saturated<lanewise_emulated::Small::e4m3>(v, clamp)
                          : lanewise_emulated::small_saturated<lanewise_emulated::Small::e5m2>(v, clamp));
}
LANEWISE_INLINE __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturate,
                                                               __nv_fp8_interpretation_t kind) {
    return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_double_to_fp8(v.x, saturate, kind) |
                                             __nv_cvt_double_to_fp8(v.y, saturate, kind) << 8);
}
LANEWISE_INLINE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double_to_fp8(static_cast<double>(v), saturate, kind);
}
LANEWISE_INLINE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturate,
                                                              __nv_fp8_interpretation_t kind) {
    return __nv_cvt_double2_to_fp8x2({static_cast<double>(v.x), static_cast<double>(v.y)}, saturate, kind);
}
#define LANEWISE_FROM_RAW(intrinsic, pair_name, type, raw, pair_raw)                                                   \
    LANEWISE_INLINE __nv_fp8_storage_t intrinsic(raw v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {  \
        return __nv_cvt_double_to_fp8(type(v).value(), saturate, kind);                                           \
    }                                                                                                             \
    LANEWISE_INLINE __nv_fp8x2_storage_t pair_name(pair_raw v, __nv_saturation_t saturate,                        \
                                                   __nv_fp8_interpretation_t kind) {                              \
        return __nv_cvt_double2_to_fp8x2({type(raw{v.x}).value(), type(raw{v.y}).value()}, saturate, kind);       \
    }
LANEWISE_FROM_RAW(__nv_cvt_halfraw_to_fp8, __nv_cvt_halfraw2_to_fp8x2, __half, __half_raw, __half2_raw)
LANEWISE_FROM_RAW(__nv_cvt_bfloat16raw_to_fp8, __nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat16, __nv_bfloat16_raw,
                  __nv_bfloat162_raw)
#undef LANEWISE_FROM_RAW

// Every code of either kind is a half exactly.
LANEWISE_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t code, __nv_fp8_interpretation_t kind) {
    return __half(kind == __NV_E4M3 ? lanewise_emulated::small_value<lanewise_emulated::Small::e4m3>(code)
                                    : lanewise_emulated::small_value<lanewise_emulated::Small::e5m2>(code));
}
LANEWISE_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t codes, __nv_fp8_interpretation_t kind) {
    return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(codes & 0xff), kind).x,
            __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(codes >> 8), kind).x};
}

#define LANEWISE_FP8_FROM(T, sign) \
    LANEWISE_MEMBER explicit LANEWISE_CALLED(T v) : LANEWISE_CALLED(static_cast<double>(v)) {}
#define LANEWISE_FP8_TO(T, sign)                                                                                  \
    LANEWISE_MEMBER explicit operator T() const {                                                                 \
        return static_cast<T>(lanewise_emulated::to_##sign(value(), lanewise_emulated::Round::zero, sizeof(T)));  \
    }
// A 64-bit integer rounded to double first cannot land on another code: it is far beyond the largest by then.
#define LANEWISE_FP8(name, name_x2, name_x4, kind)                                                                \
    struct alignas(1) name {                                                                                      \
        __nv_fp8_storage_t __x;                                                                                   \
        name() = default;                                                                                         \
        LANEWISE_MEMBER explicit name(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind)) {}         \
        LANEWISE_MEMBER explicit name(float v) : name(static_cast<double>(v)) {}                                  \
        LANEWISE_MEMBER explicit name(__half v) : name(v.value()) {}                                              \
        LANEWISE_MEMBER explicit name(__nv_bfloat16 v) : name(v.value()) {}                                       \
        LANEWISE_INTEGERS(LANEWISE_FP8_FROM)                                                                      \
        LANEWISE_MEMBER double value() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)).value(); }       \
        LANEWISE_MEMBER explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, kind); }           \
        LANEWISE_MEMBER explicit operator __nv_bfloat16() const { return value(); }                               \
        LANEWISE_MEMBER explicit operator float() const { return static_cast<float>(value()); }                   \
        LANEWISE_MEMBER explicit operator double() const { return value(); }                                      \
        LANEWISE_MEMBER explicit operator bool() const { return (__x & 0x7fu) != 0; }                             \
        LANEWISE_INTEGERS(LANEWISE_FP8_TO)                                                                        \
        LANEWISE_MEMBER explicit operator char() const { return static_cast<char>(static_cast<signed char>(*this)); } \
    };                                                                                                            \
    struct alignas(2) name_x2 {                                                                                   \
        __nv_fp8x2_storage_t __x;                                                                                 \
        name_x2() = default;                                                                                      \
        LANEWISE_MEMBER explicit name_x2(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind)) {}  \
        LANEWISE_MEMBER explicit name_x2(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}    \
        LANEWISE_MEMBER explicit name_x2(__half2 v) : name_x2(double2{v.x.value(), v.y.value()}) {}               \
        LANEWISE_MEMBER explicit name_x2(__nv_bfloat162 v) : name_x2(double2{v.x.value(), v.y.value()}) {}        \
        LANEWISE_MEMBER explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, kind); }       \
        LANEWISE_MEMBER explicit operator float2() const { return __half22float2(static_cast<__half2>(*this)); }  \
    };                                                                                                            \
    struct alignas(4) name_x4 {                                                                                   \
        __nv_fp8x4_storage_t __x;                                                                                 \
        name_x4() = default;                                                                                      \
        LANEWISE_MEMBER explicit name_x4(double4 v)                                                               \
            : __x(static_cast<__nv_fp8x4_storage_t>(name_x2(double2{v.x, v.y}).__x) |                             \
                  static_cast<__nv_fp8x4_storage_t>(name_x2(double2{v.z, v.w}).__x) << 16) {}                     \
        LANEWISE_MEMBER explicit name_x4(float4 v)                                                                \
            : name_x4(double4{static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z),       \
                              static_cast<double>(v.w)}) {}                                                       \
        LANEWISE_MEMBER explicit name_x4(__half2 low, __half2 high)                                               \
            : name_x4(double4{low.x.value(), low.y.value(), high.x.value(), high.y.value()}) {}                   \
        LANEWISE_MEMBER explicit name_x4(__nv_bfloat162 low, __nv_bfloat162 high)                                 \
            : name_x4(double4{low.x.value(), low.y.value(), high.x.value(), high.y.value()}) {}                   \
        LANEWISE_MEMBER explicit operator float4() const {                                                        \
            name_x2 low, high;                                                                                    \
            low.__x = static_cast<__nv_fp8x2_storage_t>(__x);                                                     \
            high.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);                                              \
            const float2 a = static_cast<float2>(low), b = static_cast<float2>(high);                             \
            return {a.x, a.y, b.x, b.y};                                                                          \
        }                                                                                                         \
    };
#define LANEWISE_CALLED __nv_fp8_e4m3
LANEWISE_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
#undef LANEWISE_CALLED
#define LANEWISE_CALLED __nv_fp8_e5m2
LANEWISE_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef LANEWISE_CALLED
#undef LANEWISE_FP8
#undef LANEWISE_FP8_FROM
#undef LANEWISE_FP8_TO
