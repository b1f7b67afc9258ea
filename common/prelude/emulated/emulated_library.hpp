// For a library of kernels that is compiled while the program runs: what its kernels take.
#pragma once

#include "common/launch/library_exports.hpp"
#include "common/prelude/emulated/emulated_traced.hpp"

namespace lanewise_emulated {

template <class T>
const char* name_of_type() {
    return __PRETTY_FUNCTION__;
}

// The Element that memory of T is shown as; -1 for structures and void.
template <class T>
constexpr int entry_element() {
    if constexpr (std::is_void_v<T> || std::is_function_v<T>) return -1;
    else if constexpr (std::is_pointer_v<T>) return static_cast<int>(Element::u64);
    else if constexpr (std::is_enum_v<T>) return static_cast<int>(lanewise::element_of<std::underlying_type_t<T>>());
    else if constexpr (std::is_same_v<T, bool>) return static_cast<int>(Element::u8);
    else if constexpr (std::is_same_v<T, __nv_fp8_e4m3>) return static_cast<int>(Element::e4m3);
    else if constexpr (std::is_same_v<T, __nv_fp8_e5m2>) return static_cast<int>(Element::e5m2);
    else if constexpr (Named<T>::known || std::is_arithmetic_v<T>) return static_cast<int>(shown_as<T>());
    else if constexpr (!std::is_void_v<typename Members<T>::type>) return static_cast<int>(shown_as<T>());
    else return -1;
}

template <class T>
constexpr std::uint32_t entry_bytes() {
    if constexpr (std::is_void_v<T> || std::is_function_v<T>) return 0;
    else return sizeof(T);
}

template <class T>
lanewise::prelude::RawType describe() {
    using Pointee = std::remove_pointer_t<T>;
    using Entry = std::remove_cv_t<std::remove_all_extents_t<Pointee>>;
    return {name_of_type<T>(),
            sizeof(T),
            std::is_pointer_v<T>,
            !std::is_const_v<Pointee>,
            std::is_class_v<Entry> && entry_element<Entry>() < 0,
            entry_element<Entry>(),
            entry_bytes<Entry>()};
}

// Memory that a structure's pointer is to point to, of the type that it turns out to have there.
inline lanewise::prelude::RawType memory_types[lanewise::prelude::kMostMemory];
template <unsigned kNumber>
struct Memory {
    static_assert(kNumber < lanewise::prelude::kMostMemory, "structures may have 256 pointers to memory in all");
    template <class T>
    LANEWISE_UNHOOKED operator T*() const {
        memory_types[kNumber] = describe<T*>();
        return reinterpret_cast<T*>(lanewise::prelude::kMemoryMark + kNumber);
    }
};

// Of a variable, with the size of all of it: T may be an array.
template <class T>
lanewise::prelude::RawType describe_variable() {
    using Entry = std::remove_cv_t<std::remove_all_extents_t<T>>;
    lanewise::prelude::RawType type = describe<Entry>();
    type.size = sizeof(T);
    return type;
}

template <class Function>
struct Parameters;
template <class... A>
struct Parameters<void (*)(A...)> {
    static const lanewise::prelude::RawType* types() {
        static const lanewise::prelude::RawType all[] = {describe<A>()..., {}};
        return all;
    }
    template <unsigned kNumber, class... Rest>   // of a kernel without parameters none is asked for
    struct At;
    template <unsigned kNumber, class First, class... Rest>
    struct At<kNumber, First, Rest...> : At<kNumber - 1, Rest...> {};
    template <class First, class... Rest>
    struct At<0, First, Rest...> {
        using type = std::remove_cv_t<First>;
    };
    template <unsigned kNumber>
    using Of = typename At<kNumber, A...>::type;
};

}  // namespace lanewise_emulated
