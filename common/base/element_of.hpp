// The types a lane can hold, by name. Light: every kernel is compiled with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace lanewise {

enum class Element : std::uint8_t { u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64, e4m3, e5m2 };
inline constexpr int kElementCount = 14;

// The Element of a C++ arithmetic type.
template <class T>
constexpr Element element_of() {
    if constexpr (std::is_same_v<T, float>) return Element::f32;
    else if constexpr (std::is_same_v<T, double>) return Element::f64;
    else {
        static_assert(std::is_integral_v<T>, "a lane holds an arithmetic value");
        constexpr bool is_signed = std::is_signed_v<T>;
        if constexpr (sizeof(T) == 1) return is_signed ? Element::i8 : Element::u8;
        else if constexpr (sizeof(T) == 2) return is_signed ? Element::i16 : Element::u16;
        else if constexpr (sizeof(T) == 4) return is_signed ? Element::i32 : Element::u32;
        else return is_signed ? Element::i64 : Element::u64;
    }
}

// The element that an array of a type without one of its own (a struct) is shown as.
constexpr Element unsigned_of(std::size_t bytes) {
    return bytes % 4 == 0 ? Element::u32 : bytes % 2 == 0 ? Element::u16 : Element::u8;
}

}  // namespace lanewise
