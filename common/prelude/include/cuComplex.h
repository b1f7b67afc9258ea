// Stands in for the toolkit's header: complex numbers, written from its documentation.
#pragma once

#include "common/prelude/emulated/emulated.hpp"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = float2;

#define LANEWISE_COMPLEX(T, scalar, f)                                                                                   \
    LANEWISE_INLINE T make_##T(scalar x, scalar y) { return {x, y}; }                                                    \
    LANEWISE_INLINE scalar cuCreal##f(T a) { return a.x; }                                                               \
    LANEWISE_INLINE scalar cuCimag##f(T a) { return a.y; }                                                               \
    LANEWISE_INLINE T cuConj##f(T a) { return {a.x, -a.y}; }                                                             \
    LANEWISE_INLINE T cuCadd##f(T a, T b) { return {a.x + b.x, a.y + b.y}; }                                             \
    LANEWISE_INLINE T cuCsub##f(T a, T b) { return {a.x - b.x, a.y - b.y}; }                                             \
    LANEWISE_INLINE T cuCmul##f(T a, T b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }                     \
    LANEWISE_INLINE T cuCfma##f(T a, T b, T c) { return cuCadd##f(cuCmul##f(a, b), c); }                                 \
    LANEWISE_INLINE scalar cuCabs##f(T a) { return hypot##f(a.x, a.y); }                                                 \
    LANEWISE_INLINE T cuCdiv##f(T a, T b) { /* scaled, so that no square overflows */                                    \
        const scalar size = fabs##f(b.x) + fabs##f(b.y), x = b.x / size, y = b.y / size, by = x * x + y * y;             \
        const scalar re = a.x / size, im = a.y / size;                                                                   \
        return {(re * x + im * y) / by, (im * x - re * y) / by};                                                         \
    }
LANEWISE_COMPLEX(cuFloatComplex, float, f)
LANEWISE_COMPLEX(cuDoubleComplex, double, )
#undef LANEWISE_COMPLEX
LANEWISE_INLINE cuComplex make_cuComplex(float x, float y) { return {x, y}; }
LANEWISE_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {double{a.x}, double{a.y}}; }
LANEWISE_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
    return {static_cast<float>(a.x), static_cast<float>(a.y)};
}
