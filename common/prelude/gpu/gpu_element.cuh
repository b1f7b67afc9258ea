// The Element of a C++ type on the GPU, and the bits of its values.
#pragma once

#include <cstdint>
#include <cstring>

#include "common/base/element.hpp"
#include "common/prelude/gpu/gpu_headers.cuh"

namespace lanewise_traced {

// `element` is what one T is made of, `count` how many of them: float4 is four f32. A type without a name here is
// taken for unsigned integers of its size.
template <class T>
struct ElementOf {
    using E = lanewise::Element;
    static constexpr E element = lanewise::unsigned_of(sizeof(T));
    static constexpr unsigned count = sizeof(T) / (element == E::u32 ? 4 : element == E::u16 ? 2 : 1);
};

#define LANEWISE_ELEMENT(TYPE, ELEMENT, COUNT)                                  \
    template <>                                                                 \
    struct ElementOf<TYPE> {                                                    \
        static constexpr lanewise::Element element = lanewise::Element::ELEMENT; \
        static constexpr unsigned count = COUNT;                                \
    }
LANEWISE_ELEMENT(signed char, i8, 1);
LANEWISE_ELEMENT(char, i8, 1);
LANEWISE_ELEMENT(bool, u8, 1);
LANEWISE_ELEMENT(unsigned char, u8, 1);
LANEWISE_ELEMENT(short, i16, 1);
LANEWISE_ELEMENT(unsigned short, u16, 1);
LANEWISE_ELEMENT(int, i32, 1);
LANEWISE_ELEMENT(unsigned, u32, 1);
LANEWISE_ELEMENT(long, i64, 1);
LANEWISE_ELEMENT(unsigned long, u64, 1);
LANEWISE_ELEMENT(unsigned long long, u64, 1);
LANEWISE_ELEMENT(long long, i64, 1);
LANEWISE_ELEMENT(float, f32, 1);
LANEWISE_ELEMENT(double, f64, 1);
#ifdef __CUDA_FP16_H__
LANEWISE_ELEMENT(__half, f16, 1);
LANEWISE_ELEMENT(__half2, f16, 2);
#endif
#ifdef __CUDA_BF16_H__
LANEWISE_ELEMENT(__nv_bfloat16, bf16, 1);
LANEWISE_ELEMENT(__nv_bfloat162, bf16, 2);
#endif
#define LANEWISE_VECTOR(NAME, ELEMENT)       \
    LANEWISE_ELEMENT(NAME##1, ELEMENT, 1);   \
    LANEWISE_ELEMENT(NAME##2, ELEMENT, 2);   \
    LANEWISE_ELEMENT(NAME##3, ELEMENT, 3);   \
    LANEWISE_ELEMENT(NAME##4, ELEMENT, 4)
// Since CUDA 13 long4, longlong4 and double4 are deprecated in favour of two with their alignment in the name.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444
LANEWISE_VECTOR(char, i8);
LANEWISE_VECTOR(uchar, u8);
LANEWISE_VECTOR(short, i16);
LANEWISE_VECTOR(ushort, u16);
LANEWISE_VECTOR(int, i32);
LANEWISE_VECTOR(uint, u32);
LANEWISE_VECTOR(long, i64);
LANEWISE_VECTOR(ulong, u64);
LANEWISE_VECTOR(longlong, i64);
LANEWISE_VECTOR(ulonglong, u64);
LANEWISE_VECTOR(float, f32);
LANEWISE_VECTOR(double, f64);
#undef LANEWISE_VECTOR
#if __CUDACC_VER_MAJOR__ >= 13
LANEWISE_ELEMENT(long4_16a, i64, 4);
LANEWISE_ELEMENT(long4_32a, i64, 4);
LANEWISE_ELEMENT(ulong4_16a, u64, 4);
LANEWISE_ELEMENT(ulong4_32a, u64, 4);
LANEWISE_ELEMENT(longlong4_16a, i64, 4);
LANEWISE_ELEMENT(longlong4_32a, i64, 4);
LANEWISE_ELEMENT(ulonglong4_16a, u64, 4);
LANEWISE_ELEMENT(ulonglong4_32a, u64, 4);
LANEWISE_ELEMENT(double4_16a, f64, 4);
LANEWISE_ELEMENT(double4_32a, f64, 4);
#endif
#pragma nv_diagnostic pop
#pragma GCC diagnostic pop
#undef LANEWISE_ELEMENT

// The Element that one lane's whole value is recorded as: a pair of halves travels as one value of 32 bits.
template <class T>
struct ValueElement {
    using E = lanewise::Element;
    static constexpr E whole = sizeof(T) == 8 ? E::u64 : sizeof(T) == 4 ? E::u32 : sizeof(T) == 2 ? E::u16 : E::u8;
    static constexpr E element = ElementOf<T>::count == 1 ? ElementOf<T>::element : whole;
};

// The bits of a value of at most eight bytes.
template <class T>
static __device__ __forceinline__ std::uint64_t bits_of(const T& value) {
    static_assert(sizeof(T) <= 8, "a lane's value is at most eight bytes");
    std::uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}

}  // namespace lanewise_traced
