// Device functions that few kernels call: inverses of erf and of the normal distribution, norms, Bessel functions, and
// what an address points to. Included where a kernel file names one of them. Source: CUDA Math API and the Programming
// Guide's "Address Space Predicate Functions".
#pragma once
#if !defined(__CUDACC__) || defined(LANEWISE_EMULATED)

#include "common/prelude/emulated/emulated.hpp"

#define LANEWISE_SPECIAL(function)                                                                       \
    LANEWISE_INTRINSIC float function##f(float x) {                                                      \
        return lanewise_emulated::elementary(lanewise_emulated::Elementary::function, x);                \
    }                                                                                                    \
    LANEWISE_INTRINSIC float function(float x) { return function##f(x); }                                \
    LANEWISE_INTRINSIC double function(double x) {                                                       \
        return lanewise_emulated::elementary(lanewise_emulated::Elementary::function, x);                \
    }
LANEWISE_SPECIAL(erfinv)
LANEWISE_SPECIAL(erfcinv)
LANEWISE_SPECIAL(normcdfinv)
LANEWISE_SPECIAL(cyl_bessel_i0)
LANEWISE_SPECIAL(cyl_bessel_i1)
#undef LANEWISE_SPECIAL

LANEWISE_INTRINSIC double rhypot(double x, double y) { return 1 / hypot(x, y); }
LANEWISE_INTRINSIC float rhypot(float x, float y) { return rhypotf(x, y); }
// hypot neither overflows nor underflows where the result does not.
LANEWISE_INTRINSIC double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
LANEWISE_INTRINSIC double norm4d(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }
LANEWISE_INTRINSIC double rnorm3d(double a, double b, double c) { return 1 / norm3d(a, b, c); }
LANEWISE_INTRINSIC double rnorm4d(double a, double b, double c, double d) { return 1 / norm4d(a, b, c, d); }
LANEWISE_INTRINSIC float norm4df(float a, float b, float c, float d) {
    return static_cast<float>(
        norm4d(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c), static_cast<double>(d)));
}
LANEWISE_INTRINSIC float rnorm4df(float a, float b, float c, float d) {
    return static_cast<float>(
        rnorm4d(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c), static_cast<double>(d)));
}
LANEWISE_INLINE double norm(int count, const double* values) {
    double result = 0;
    for (int i = 0; i < count; ++i) result = hypot(result, values[i]);
    return result;
}
LANEWISE_INLINE float normf(int count, const float* values) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    return static_cast<float>(sqrt(sum));
}
LANEWISE_INLINE double rnorm(int count, const double* values) { return 1 / norm(count, values); }
LANEWISE_INLINE float rnormf(int count, const float* values) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    return static_cast<float>(1 / sqrt(sum));
}

LANEWISE_INLINE void sincospi(double x, double* sine, double* cosine) { *sine = sinpi(x), *cosine = cospi(x); }
LANEWISE_INLINE void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
LANEWISE_INLINE void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }

// The bit of `mask` that is number |offset| of those set, from bit `base` on: up, or down where the offset is negative.
// 0: bit `base` itself. All ones where there is none (PTX ISA, fns).
LANEWISE_INTRINSIC unsigned __fns(unsigned mask, unsigned base, int offset) {
    if (base > 31) return ~0u;
    if (offset == 0) return mask >> base & 1 ? base : ~0u;
    int left = offset > 0 ? offset : -offset;
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += offset > 0 ? 1 : -1)
        if ((mask >> at & 1) != 0 && --left == 0) return static_cast<unsigned>(at);
    return ~0u;
}

namespace lanewise_emulated {
enum class Space : int { global, shared, local };
// What an address of the lane that runs points to: __constant__ and __device__ variables count as global.
Space space_of(const void* address);
}  // namespace lanewise_emulated
LANEWISE_INTRINSIC unsigned __isGlobal(const void* address) {
    return lanewise_emulated::space_of(address) == lanewise_emulated::Space::global;
}
LANEWISE_INTRINSIC unsigned __isShared(const void* address) {
    return lanewise_emulated::space_of(address) == lanewise_emulated::Space::shared;
}
LANEWISE_INTRINSIC unsigned __isLocal(const void* address) {
    return lanewise_emulated::space_of(address) == lanewise_emulated::Space::local;
}

// Counters and marks for a profiler, and a debugger's stop: nothing here.
LANEWISE_INTRINSIC void __prof_trigger(int) {}
LANEWISE_INTRINSIC void __brkpt() {}
// Launches follow one another here: what one waits for is done.
LANEWISE_INTRINSIC void cudaGridDependencySynchronize() {}
LANEWISE_INTRINSIC void cudaTriggerProgrammaticLaunchCompletion() {}

#endif
