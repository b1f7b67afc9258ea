// CUDA's floating types of two bytes. Every function on them becomes part of the kernel's code (LANEWISE_INLINE), so
// that its loads and stores are the kernel's; the arithmetic itself is done out of line on their bits.
#pragma once

#include "common/prelude/emulated/small_floats.hpp"

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };

#define LANEWISE_MEMBER __attribute__((always_inline)) inline
#define LANEWISE_INTEGERS(make)                                                                                   \
    make(signed char, signed) make(short, signed) make(int, signed) make(long, signed) make(long long, signed)    \
    make(unsigned char, unsigned) make(unsigned short, unsigned) make(unsigned, unsigned)                         \
    make(unsigned long, unsigned) make(unsigned long long, unsigned)

#define LANEWISE_FROM_INTEGER(T, sign)                                                                            \
    LANEWISE_MEMBER LANEWISE_SCALAR(T v)                                                                          \
        : __x(static_cast<unsigned short>(                                                                        \
              lanewise_emulated::small_from_##sign<kFormat>(v, lanewise_emulated::Round::nearest))) {}
#define LANEWISE_TO_INTEGER(T, sign)                                                                              \
    LANEWISE_MEMBER operator T() const {                                                                          \
        return static_cast<T>(lanewise_emulated::to_##sign(value(), lanewise_emulated::Round::zero, sizeof(T)));  \
    }

// One of the types: the same members for both. `kFormat` says which arithmetic is its own.
#define LANEWISE_SCALAR __half
#define LANEWISE_OTHER __nv_bfloat16
#define LANEWISE_PAIR __half2
#define LANEWISE_RAW __half_raw
#define LANEWISE_PAIR_RAW __half2_raw
#define LANEWISE_FORMAT f16
struct __nv_bfloat16;
#include "common/prelude/emulated/emulated_half_types.inc"
#define LANEWISE_SCALAR __nv_bfloat16
#define LANEWISE_OTHER __half
#define LANEWISE_PAIR __nv_bfloat162
#define LANEWISE_RAW __nv_bfloat16_raw
#define LANEWISE_PAIR_RAW __nv_bfloat162_raw
#define LANEWISE_FORMAT bf16
#include "common/prelude/emulated/emulated_half_types.inc"
LANEWISE_MEMBER __half::__half(__nv_bfloat16 v) : __half(v.value()) {}
LANEWISE_MEMBER __nv_bfloat16::__nv_bfloat16(__half v) : __nv_bfloat16(v.value()) {}

using half = __half;
using half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

template <>
struct lanewise_emulated::Named<__half> {
    static constexpr bool known = true;
    static constexpr Element array = Element::f16, value = Element::f16;
};
template <>
struct lanewise_emulated::Named<__nv_bfloat16> {
    static constexpr bool known = true;
    static constexpr Element array = Element::bf16, value = Element::bf16;
};
template <>
struct lanewise_emulated::Named<__half2> {
    static constexpr bool known = true;
    static constexpr Element array = Element::f16, value = Element::u32;
};
template <>
struct lanewise_emulated::Named<__nv_bfloat162> {
    static constexpr bool known = true;
    static constexpr Element array = Element::bf16, value = Element::u32;
};

// And the functions, under the names of either: __float2half_rn and __float2bfloat16_rn are one text.
#define LANEWISE_SCALAR __half
#define LANEWISE_PAIR __half2
#define LANEWISE_REPEATED __half2half2
#define LANEWISE_PAIR_OF(before, after) before##half2##after
#define LANEWISE_NAME(before, after) before##half##after
#include "common/prelude/emulated/emulated_half_functions.inc"
#define LANEWISE_SCALAR __nv_bfloat16
#define LANEWISE_PAIR __nv_bfloat162
#define LANEWISE_REPEATED __bfloat162bfloat162
#define LANEWISE_PAIR_OF(before, after) before##bfloat162##after
#define LANEWISE_NAME(before, after) before##bfloat16##after
#include "common/prelude/emulated/emulated_half_functions.inc"
#undef LANEWISE_FROM_INTEGER
#undef LANEWISE_TO_INTEGER

// Numbers that cuda_fp16.h and cuda_bf16.h name.
#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
