// What C++ leaves open and a GPU does not: shifts by the width or more, division by zero, floating values that no
// integer holds. The emulated copies call these where an operand may be such a one. Sources: the PTX ISA manual (shl,
// shr, cvt); for what it leaves open (division by zero), what nvcc 13's code gave on an H200.
#pragma once

#include <limits>

namespace lanewise_emulated {

// Called for each integer division by zero, and for each remainder.
void divided_by_zero(int line);

template <class T>
inline constexpr bool is_whole = std::is_integral_v<T> || (std::is_enum_v<T> && std::is_convertible_v<T, long long>);

// shl, shr: the amount is an unsigned number of 32 bits; from the width on, nothing is left but copies of the sign.
template <class A, class B>
LANEWISE_INLINE constexpr auto shifted_left(A a, B b) -> decltype(a << b) {
    if constexpr (is_whole<A> && is_whole<B>) {
        using R = decltype(a << b);
        const auto by = static_cast<std::uint32_t>(b);
        return by < sizeof(R) * 8 ? static_cast<R>(static_cast<std::make_unsigned_t<R>>(a) << by) : R{0};
    } else {
        return a << b;
    }
}

template <class A, class B>
LANEWISE_INLINE constexpr auto shifted_right(A a, B b) -> decltype(a >> b) {
    if constexpr (is_whole<A> && is_whole<B>) {
        using R = decltype(a >> b);
        const auto by = static_cast<std::uint32_t>(b);
        constexpr std::uint32_t kWidth = sizeof(R) * 8;
        if (by < kWidth) return static_cast<R>(a) >> by;
        return std::is_signed_v<R> ? static_cast<R>(static_cast<R>(a) >> (kWidth - 1)) : R{0};
    } else {
        return a >> b;
    }
}

// By zero: all bits are ones. With 64 bits, only the lower 32 where the upper half of the dividend is zero: nvcc then
// divides 32 bits.
template <class A, class B>
LANEWISE_INLINE constexpr auto divided(A a, B b, int line) -> decltype(a / b) {
    using R = decltype(a / b);
    if constexpr (std::is_integral_v<R>) {
        const R x = static_cast<R>(a), y = static_cast<R>(b);
        using U = std::make_unsigned_t<R>;
        if (y == 0) [[unlikely]] {
            divided_by_zero(line);
            if (sizeof(R) == 8 && static_cast<U>(x) <= 0xffffffffu) return static_cast<R>(0xffffffffu);
            return static_cast<R>(~U{0});
        }
        if constexpr (std::is_signed_v<R>)
            if (y == -1) return static_cast<R>(U{0} - static_cast<U>(x));  // the least number stays what it is
        return x / y;
    } else {
        return a / b;
    }
}

// By zero: the dividend.
template <class A, class B>
LANEWISE_INLINE constexpr auto remaining(A a, B b, int line) -> decltype(a % b) {
    using R = decltype(a % b);
    if constexpr (std::is_integral_v<R>) {
        const R x = static_cast<R>(a), y = static_cast<R>(b);
        if (y == 0) [[unlikely]] {
            divided_by_zero(line);
            return x;
        }
        if constexpr (std::is_signed_v<R>)
            if (y == -1) return 0;
        return x % y;
    } else {
        return a % b;
    }
}

// cvt.rzi: what is too large or too small becomes the nearest number there is; NaN becomes 0, but with a double or 64
// bits the number with only its upper bit set. Types of one and two bytes take the lower bits of a conversion to 32.
template <class To, class From>
LANEWISE_INLINE constexpr To whole_number(From v) {
    using Wide = std::conditional_t<(sizeof(To) >= 4), To, std::conditional_t<std::is_signed_v<To>, int, unsigned>>;
    using Limits = std::numeric_limits<Wide>;
    constexpr From kAbove = static_cast<From>(std::uint64_t{1} << (Limits::digits - 1)) * From{2};
    Wide result = 0;
    if (v != v) {
        if (sizeof(From) == 8 || sizeof(Wide) == 8)
            result = static_cast<Wide>(std::make_unsigned_t<Wide>{1} << (sizeof(Wide) * 8 - 1));
    } else if (v >= kAbove) {
        result = Limits::max();
    } else if (v <= (std::is_signed_v<Wide> ? -kAbove : From{0})) {
        result = Limits::min();
    } else {
        result = static_cast<Wide>(v);
    }
    return static_cast<To>(result);
}

// The operand of a conversion to `To`: a floating value that becomes an integer is converted here; all others are left
// to the conversion itself.
template <class To, class From>
LANEWISE_INLINE constexpr auto converted(From v) {
    using Target = std::remove_cvref_t<To>;
    if constexpr (std::is_integral_v<Target> && !std::is_same_v<Target, bool> && std::is_floating_point_v<From>)
        return whole_number<Target>(v);
    else
        return v;
}

}  // namespace lanewise_emulated
