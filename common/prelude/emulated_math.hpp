// The device functions CUDA adds to C's <math.h>, as far as reductions use them. Those that round are IEEE here and on
// the GPU; nothing is contracted.
#pragma once

template <class A, class B>
struct LanewiseCommon {
    using type = decltype(true ? A() : B());
};

// CUDA's min and max exist for mixed integer and floating types; NaN loses against a number, as in fminf and fmaxf.
template <class A, class B>
LANEWISE_WORD typename LanewiseCommon<A, B>::type min(A a, B b) {
    using T = typename LanewiseCommon<A, B>::type;
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    if (x != x) return y;
    return y < x ? y : x;
}

template <class A, class B>
LANEWISE_WORD typename LanewiseCommon<A, B>::type max(A a, B b) {
    using T = typename LanewiseCommon<A, B>::type;
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    if (x != x) return y;
    return x < y ? y : x;
}

LANEWISE_WORD int __float_as_int(float v) { return lanewise_emulated::value_of<int>(lanewise_emulated::bits_of(v)); }
LANEWISE_WORD unsigned __float_as_uint(float v) {
    return lanewise_emulated::value_of<unsigned>(lanewise_emulated::bits_of(v));
}
LANEWISE_WORD float __int_as_float(int v) { return lanewise_emulated::value_of<float>(lanewise_emulated::bits_of(v)); }
LANEWISE_WORD float __uint_as_float(unsigned v) {
    return lanewise_emulated::value_of<float>(lanewise_emulated::bits_of(v));
}
LANEWISE_WORD long long __double_as_longlong(double v) {
    return lanewise_emulated::value_of<long long>(lanewise_emulated::bits_of(v));
}
LANEWISE_WORD double __longlong_as_double(long long v) {
    return lanewise_emulated::value_of<double>(lanewise_emulated::bits_of(v));
}

LANEWISE_WORD float __fadd_rn(float a, float b) { return a + b; }
LANEWISE_WORD float __fmul_rn(float a, float b) { return a * b; }
LANEWISE_WORD float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }

LANEWISE_WORD int __popc(unsigned v) { return __builtin_popcount(v); }
LANEWISE_WORD int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
LANEWISE_WORD int __ffs(int v) { return __builtin_ffs(v); }
LANEWISE_WORD int __ffsll(long long v) { return __builtin_ffsll(v); }
LANEWISE_WORD int __clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
LANEWISE_WORD int __clzll(long long v) { return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64; }
LANEWISE_WORD unsigned __brev(unsigned v) {
    unsigned r = 0;
    for (int i = 0; i < 32; ++i) r |= (v >> i & 1u) << (31 - i);
    return r;
}

template <class T>
LANEWISE_WORD T __ldg(const T* pointer) {
    return *pointer;
}
