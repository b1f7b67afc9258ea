// The device functions of whole numbers, and min and max of all. All exact.
#pragma once

// NaN loses against a number, and -0 is below 0.
template <class T>
LANEWISE_INTRINSIC T lanewise_min(T x, T y) {
    if (x != x) return y;
    if constexpr (std::is_floating_point_v<T>)
        if (x == y) return __builtin_signbit(y) ? y : x;
    return y < x ? y : x;
}

template <class T>
LANEWISE_INTRINSIC T lanewise_max(T x, T y) {
    if (x != x) return y;
    if constexpr (std::is_floating_point_v<T>)
        if (x == y) return __builtin_signbit(x) ? y : x;
    return x < y ? y : x;
}

// No templates, as CUDA's are none: under `using namespace std` they are preferred to the library's.
#define LANEWISE_EXTREMA(T)                                           \
    LANEWISE_INTRINSIC T min(T a, T b) { return lanewise_min<T>(a, b); }   \
    LANEWISE_INTRINSIC T max(T a, T b) { return lanewise_max<T>(a, b); }
LANEWISE_EXTREMA(int)
LANEWISE_EXTREMA(unsigned)
LANEWISE_EXTREMA(long)
LANEWISE_EXTREMA(unsigned long)
LANEWISE_EXTREMA(long long)
LANEWISE_EXTREMA(unsigned long long)
LANEWISE_EXTREMA(float)
LANEWISE_EXTREMA(double)
#undef LANEWISE_EXTREMA

// Of two types: the one that C would compare them in.
template <class A, class B>
    requires(std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && !std::is_same_v<A, B>)
LANEWISE_INTRINSIC auto min(A a, B b) {
    return lanewise_min<decltype(true ? a : b)>(a, b);
}
template <class A, class B>
    requires(std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && !std::is_same_v<A, B>)
LANEWISE_INTRINSIC auto max(A a, B b) {
    return lanewise_max<decltype(true ? a : b)>(a, b);
}

LANEWISE_INTRINSIC unsigned umin(unsigned a, unsigned b) { return min(a, b); }
LANEWISE_INTRINSIC unsigned umax(unsigned a, unsigned b) { return max(a, b); }
LANEWISE_INTRINSIC long long llmin(long long a, long long b) { return min(a, b); }
LANEWISE_INTRINSIC long long llmax(long long a, long long b) { return max(a, b); }
LANEWISE_INTRINSIC unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
LANEWISE_INTRINSIC unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

LANEWISE_INTRINSIC int __popc(unsigned v) { return __builtin_popcount(v); }
LANEWISE_INTRINSIC int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
LANEWISE_INTRINSIC int __ffs(int v) { return __builtin_ffs(v); }
LANEWISE_INTRINSIC int __ffsll(long long v) { return __builtin_ffsll(v); }
LANEWISE_INTRINSIC int __clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
LANEWISE_INTRINSIC int __clzll(long long v) { return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64; }
LANEWISE_INTRINSIC unsigned long long __brevll(unsigned long long v) {
    unsigned long long r = 0;
    for (int i = 0; i < 64; ++i) r |= (v >> i & 1u) << (63 - i);
    return r;
}
LANEWISE_INTRINSIC unsigned __brev(unsigned v) { return static_cast<unsigned>(__brevll(v) >> 32); }

// Four bytes out of the eight of b:a, each chosen by the lower three bits of a nibble of `selector`.
LANEWISE_INTRINSIC unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) result |= static_cast<unsigned>(bytes >> (selector >> 4 * i & 7u) * 8 & 0xffu) << 8 * i;
    return result;
}

// hi:lo shifted, the upper (l) or lower (r) 32 bits of it; the shift is taken modulo 32, or (c) at most 32.
LANEWISE_INTRINSIC unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
    return static_cast<unsigned>((static_cast<unsigned long long>(hi) << 32 | lo) << (shift & 31u) >> 32);
}
LANEWISE_INTRINSIC unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
    return static_cast<unsigned>((static_cast<unsigned long long>(hi) << 32 | lo) >> (shift & 31u));
}
LANEWISE_INTRINSIC unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned shift) {
    return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
LANEWISE_INTRINSIC unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned shift) {
    return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

// The low 32 bits of the product of the lowest 24 bits of each.
LANEWISE_INTRINSIC int __mul24(int a, int b) {
    const long long x = static_cast<int>(static_cast<unsigned>(a) << 8) >> 8;
    const long long y = static_cast<int>(static_cast<unsigned>(b) << 8) >> 8;
    return static_cast<int>(x * y);
}
LANEWISE_INTRINSIC unsigned __umul24(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(a & 0xffffffu) * (b & 0xffffffu));
}
LANEWISE_INTRINSIC int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
LANEWISE_INTRINSIC unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
LANEWISE_INTRINSIC long long __mul64hi(long long a, long long b) {
    return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
LANEWISE_INTRINSIC unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

// |a - b| + c
LANEWISE_INTRINSIC unsigned __sad(int a, int b, unsigned c) {
    return (a > b ? static_cast<unsigned>(a) - static_cast<unsigned>(b)
                  : static_cast<unsigned>(b) - static_cast<unsigned>(a)) +
           c;
}
LANEWISE_INTRINSIC unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }

// (a + b) / 2 without overflow, rounded down; with r, up.
LANEWISE_INTRINSIC int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
LANEWISE_INTRINSIC int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
LANEWISE_INTRINSIC unsigned __uhadd(unsigned a, unsigned b) {
    return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
LANEWISE_INTRINSIC unsigned __urhadd(unsigned a, unsigned b) {
    return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

// c plus the dot product of four bytes with four (dp4a), of two shorts of a with the low or high two bytes of b (dp2a).
// Sums wrap around, as the instruction's do.
template <class T, class Whole>
LANEWISE_INTRINSIC unsigned lanewise_part(Whole whole, int at) {
    return static_cast<unsigned>(static_cast<T>(static_cast<unsigned>(whole) >> at * 8 * static_cast<int>(sizeof(T))));
}
#define LANEWISE_DOT(full_type, byte_type, short_type)                                                            \
    LANEWISE_INTRINSIC full_type __dp4a(full_type a, full_type b, full_type c) {                                       \
        unsigned sum = static_cast<unsigned>(c);                                                                  \
        for (int i = 0; i < 4; ++i) sum += lanewise_part<byte_type>(a, i) * lanewise_part<byte_type>(b, i);       \
        return static_cast<full_type>(sum);                                                                       \
    }                                                                                                             \
    LANEWISE_INTRINSIC full_type __dp2a_lo(full_type a, full_type b, full_type c) {                                    \
        unsigned sum = static_cast<unsigned>(c);                                                                  \
        for (int i = 0; i < 2; ++i) sum += lanewise_part<short_type>(a, i) * lanewise_part<byte_type>(b, i);      \
        return static_cast<full_type>(sum);                                                                       \
    }                                                                                                             \
    LANEWISE_INTRINSIC full_type __dp2a_hi(full_type a, full_type b, full_type c) {                                    \
        unsigned sum = static_cast<unsigned>(c);                                                                  \
        for (int i = 0; i < 2; ++i) sum += lanewise_part<short_type>(a, i) * lanewise_part<byte_type>(b, i + 2);  \
        return static_cast<full_type>(sum);                                                                       \
    }
LANEWISE_DOT(int, signed char, short)
LANEWISE_DOT(unsigned, unsigned char, unsigned short)
#undef LANEWISE_DOT
// Vectors of bytes and shorts do as well.
#define LANEWISE_DOT(intrinsic, vector_a, vector_b, type)                                                              \
    LANEWISE_INLINE type intrinsic(vector_a a, vector_b b, type c) {                                                   \
        return intrinsic(__builtin_bit_cast(type, a), __builtin_bit_cast(type, b), c);                                 \
    }
LANEWISE_DOT(__dp4a, char4, char4, int)
LANEWISE_DOT(__dp4a, uchar4, uchar4, unsigned)
LANEWISE_DOT(__dp2a_lo, short2, char4, int)
LANEWISE_DOT(__dp2a_lo, ushort2, uchar4, unsigned)
LANEWISE_DOT(__dp2a_hi, short2, char4, int)
LANEWISE_DOT(__dp2a_hi, ushort2, uchar4, unsigned)
#undef LANEWISE_DOT
