// CUDA's SIMD intrinsics (__vadd4, __vabsdiffu2, __viaddmax_s16x2, …): one register holds two values of 16 bits
// or four of 8. Included where a kernel file names one of them. Source: CUDA Math API, "SIMD Intrinsics".
#pragma once
#if !defined(__CUDACC__) || defined(LANEWISE_EMULATED)

#include "common/prelude/emulated/emulated.hpp"

namespace lanewise_emulated {

template <class T>
LANEWISE_UNHOOKED constexpr int part_of(unsigned value, int i) {
    return static_cast<T>(value >> i * 8 * static_cast<int>(sizeof(T)));
}

template <class T>
LANEWISE_UNHOOKED constexpr unsigned as_part(int value, int i) {
    return unsigned{static_cast<std::make_unsigned_t<T>>(value)} << i * 8 * static_cast<int>(sizeof(T));
}

// f of each pair of parts; of three.
template <class T, class F>
LANEWISE_UNHOOKED constexpr unsigned each_part(unsigned a, unsigned b, F f) {
    unsigned result = 0;
    for (int i = 0; i < 4 / static_cast<int>(sizeof(T)); ++i)
        result |= as_part<T>(f(part_of<T>(a, i), part_of<T>(b, i)), i);
    return result;
}

template <class T, class F>
LANEWISE_UNHOOKED constexpr unsigned sum_of_parts(unsigned a, unsigned b, F f) {
    int sum = 0;
    for (int i = 0; i < 4 / static_cast<int>(sizeof(T)); ++i) sum += f(part_of<T>(a, i), part_of<T>(b, i));
    return static_cast<unsigned>(sum);
}

template <class T>
LANEWISE_UNHOOKED constexpr int saturated(int value) {
    constexpr int kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
    return value < kLeast ? kLeast : value > kMost ? kMost : value;
}

// The instruction rounds a half up, away from zero only where the sum is positive (PTX ISA, vavrg2).
LANEWISE_UNHOOKED constexpr int rounded_average(int x, int y) { return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1; }

}  // namespace lanewise_emulated

#define LANEWISE_VIDEO_OF(name, parts, type, value)                                                 \
    LANEWISE_INTRINSIC unsigned name##parts(unsigned a, unsigned b) {                               \
        using T [[maybe_unused]] = type;                                                            \
        return lanewise_emulated::each_part<type>(a, b, [](int x, int y) { return value; });        \
    }
#define LANEWISE_VIDEO(name, sign, value)                    \
    LANEWISE_VIDEO_OF(name, 2, sign short, value)            \
    LANEWISE_VIDEO_OF(name, 4, sign char, value)
LANEWISE_VIDEO(__vadd, unsigned, x + y)
LANEWISE_VIDEO(__vsub, unsigned, x - y)
LANEWISE_VIDEO(__vaddss, signed, lanewise_emulated::saturated<T>(x + y))
LANEWISE_VIDEO(__vsubss, signed, lanewise_emulated::saturated<T>(x - y))
LANEWISE_VIDEO(__vaddus, unsigned, lanewise_emulated::saturated<T>(x + y))
LANEWISE_VIDEO(__vsubus, unsigned, lanewise_emulated::saturated<T>(x - y))
LANEWISE_VIDEO(__vabsdiffs, signed, x > y ? x - y : y - x)
LANEWISE_VIDEO(__vabsdiffu, unsigned, x > y ? x - y : y - x)
LANEWISE_VIDEO(__vavgs, signed, lanewise_emulated::rounded_average(x, y))
LANEWISE_VIDEO(__vavgu, unsigned, lanewise_emulated::rounded_average(x, y))
LANEWISE_VIDEO(__vhaddu, unsigned, (x + y) >> 1)
LANEWISE_VIDEO(__vmaxs, signed, x > y ? x : y)
LANEWISE_VIDEO(__vmaxu, unsigned, x > y ? x : y)
LANEWISE_VIDEO(__vmins, signed, x < y ? x : y)
LANEWISE_VIDEO(__vminu, unsigned, x < y ? x : y)
// All bits of a part, or 1, where it holds.
#define LANEWISE_COMPARE(suffix, sign, holds)             \
    LANEWISE_VIDEO(__vcmp##suffix, sign, holds ? -1 : 0)  \
    LANEWISE_VIDEO(__vset##suffix, sign, holds ? 1 : 0)
LANEWISE_COMPARE(eq, unsigned, x == y)
LANEWISE_COMPARE(ne, unsigned, x != y)
LANEWISE_COMPARE(ges, signed, x >= y)
LANEWISE_COMPARE(geu, unsigned, x >= y)
LANEWISE_COMPARE(gts, signed, x > y)
LANEWISE_COMPARE(gtu, unsigned, x > y)
LANEWISE_COMPARE(les, signed, x <= y)
LANEWISE_COMPARE(leu, unsigned, x <= y)
LANEWISE_COMPARE(lts, signed, x < y)
LANEWISE_COMPARE(ltu, unsigned, x < y)
#undef LANEWISE_COMPARE
#undef LANEWISE_VIDEO
#undef LANEWISE_VIDEO_OF

// Of one argument; and sums over the parts.
#define LANEWISE_VIDEO(parts, type, unsigned_type)                                                                    \
    LANEWISE_INTRINSIC unsigned __vabs##parts(unsigned a) {                                                           \
        return lanewise_emulated::each_part<type>(a, a, [](int x, int) { return x < 0 ? -x : x; });                   \
    }                                                                                                                 \
    LANEWISE_INTRINSIC unsigned __vabsss##parts(unsigned a) {                                                         \
        return lanewise_emulated::each_part<type>(                                                                    \
            a, a, [](int x, int) { return lanewise_emulated::saturated<type>(x < 0 ? -x : x); });                     \
    }                                                                                                                 \
    LANEWISE_INTRINSIC unsigned __vneg##parts(unsigned a) {                                                           \
        return lanewise_emulated::each_part<type>(a, a, [](int x, int) { return -x; });                               \
    }                                                                                                                 \
    LANEWISE_INTRINSIC unsigned __vnegss##parts(unsigned a) {                                                         \
        return lanewise_emulated::each_part<type>(a, a,                                                               \
                                                  [](int x, int) { return lanewise_emulated::saturated<type>(-x); }); \
    }                                                                                                                 \
    LANEWISE_INTRINSIC unsigned __vsads##parts(unsigned a, unsigned b) {                                              \
        return lanewise_emulated::sum_of_parts<type>(a, b, [](int x, int y) { return x > y ? x - y : y - x; });       \
    }                                                                                                                 \
    LANEWISE_INTRINSIC unsigned __vsadu##parts(unsigned a, unsigned b) {                                              \
        return lanewise_emulated::sum_of_parts<unsigned_type>(a, b,                                                   \
                                                              [](int x, int y) { return x > y ? x - y : y - x; });    \
    }
LANEWISE_VIDEO(2, short, unsigned short)
LANEWISE_VIDEO(4, signed char, unsigned char)
#undef LANEWISE_VIDEO

// Those for dynamic programming: max or min of a sum, of three, and not below zero.
#define LANEWISE_WHOLE(type, suffix, add, max2, min2)                                                          \
    LANEWISE_INTRINSIC type __viaddmax_##suffix(type a, type b, type c) { return max2(add(a, b), c); }         \
    LANEWISE_INTRINSIC type __viaddmin_##suffix(type a, type b, type c) { return min2(add(a, b), c); }         \
    LANEWISE_INTRINSIC type __vimax3_##suffix(type a, type b, type c) { return max2(max2(a, b), c); }          \
    LANEWISE_INTRINSIC type __vimin3_##suffix(type a, type b, type c) { return min2(min2(a, b), c); }
#define LANEWISE_RELU(type, suffix, add, max2, min2)                                                      \
    LANEWISE_INTRINSIC type __vimax_##suffix##_relu(type a, type b) { return max2(max2(a, b), type{0}); } \
    LANEWISE_INTRINSIC type __vimin_##suffix##_relu(type a, type b) { return max2(min2(a, b), type{0}); } \
    LANEWISE_INTRINSIC type __viaddmax_##suffix##_relu(type a, type b, type c) {                          \
        return max2(max2(add(a, b), c), type{0});                                                         \
    }                                                                                                     \
    LANEWISE_INTRINSIC type __viaddmin_##suffix##_relu(type a, type b, type c) {                          \
        return max2(min2(add(a, b), c), type{0});                                                         \
    }                                                                                                     \
    LANEWISE_INTRINSIC type __vimax3_##suffix##_relu(type a, type b, type c) {                            \
        return max2(max2(max2(a, b), c), type{0});                                                        \
    }                                                                                                     \
    LANEWISE_INTRINSIC type __vimin3_##suffix##_relu(type a, type b, type c) {                            \
        return max2(min2(min2(a, b), c), type{0});                                                        \
    }
LANEWISE_INTRINSIC int lanewise_add(int a, int b) {
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
LANEWISE_INTRINSIC unsigned lanewise_add(unsigned a, unsigned b) { return a + b; }
LANEWISE_WHOLE(int, s32, lanewise_add, max, min)
LANEWISE_WHOLE(unsigned, u32, lanewise_add, max, min)
LANEWISE_WHOLE(unsigned, s16x2, __vadd2, __vmaxs2, __vmins2)
LANEWISE_WHOLE(unsigned, u16x2, __vadd2, __vmaxu2, __vminu2)
LANEWISE_RELU(int, s32, lanewise_add, max, min)
LANEWISE_RELU(unsigned, s16x2, __vadd2, __vmaxs2, __vmins2)
#undef LANEWISE_WHOLE
#undef LANEWISE_RELU

// These say which of the two it was: the first where they are equal.
#define LANEWISE_WHICH(type, suffix)                                                                                \
    LANEWISE_INLINE type __vibmax_##suffix(type a, type b, bool* first) { return *first = a >= b, a >= b ? a : b; } \
    LANEWISE_INLINE type __vibmin_##suffix(type a, type b, bool* first) { return *first = a <= b, a <= b ? a : b; }
LANEWISE_WHICH(int, s32)
LANEWISE_WHICH(unsigned, u32)
#undef LANEWISE_WHICH
#define LANEWISE_WHICH(type, suffix, max2, min2)                                                   \
    LANEWISE_INLINE unsigned __vibmax_##suffix(unsigned a, unsigned b, bool* upper, bool* lower) { \
        *upper = static_cast<type>(a >> 16) >= static_cast<type>(b >> 16),                         \
        *lower = static_cast<type>(a) >= static_cast<type>(b);                                     \
        return max2(a, b);                                                                         \
    }                                                                                              \
    LANEWISE_INLINE unsigned __vibmin_##suffix(unsigned a, unsigned b, bool* upper, bool* lower) { \
        *upper = static_cast<type>(a >> 16) <= static_cast<type>(b >> 16),                         \
        *lower = static_cast<type>(a) <= static_cast<type>(b);                                     \
        return min2(a, b);                                                                         \
    }
LANEWISE_WHICH(short, s16x2, __vmaxs2, __vmins2)
LANEWISE_WHICH(unsigned short, u16x2, __vmaxu2, __vminu2)
#undef LANEWISE_WHICH

#endif
