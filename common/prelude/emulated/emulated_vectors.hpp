// CUDA's vector types, with the alignment that makes a float4 one 16-byte access.
#pragma once

// Becomes part of the kernel's own code, so that what it reads and writes through its arguments is announced as the
// kernel's, on the kernel's line. For every intrinsic that takes or gives a struct: GCC announces neither a struct
// passed to a call straight out of memory nor one that a call returns straight into it.
#define LANEWISE_INLINE [[maybe_unused]] __attribute__((always_inline)) static inline

#define LANEWISE_MEMBERS(scalar, vector)                                                                          \
    template <>                                                                                                   \
    struct lanewise_emulated::Members<vector> {                                                                   \
        using type = scalar;                                                                                      \
    };

// Two and four members are aligned as a whole, up to 16 bytes; one and three as their scalar.
#define LANEWISE_VECTOR(scalar, name)                                                                             \
    struct name##1 { scalar x; };                                                                                 \
    struct alignas(2 * sizeof(scalar)) name##2 { scalar x, y; };                                                  \
    LANEWISE_VECTOR_3(scalar, name)                                                                               \
    struct alignas(4 * sizeof(scalar) > 16 ? 16 : 4 * sizeof(scalar)) name##4 { scalar x, y, z, w; };             \
    LANEWISE_MEMBERS(scalar, name##1)                                                                             \
    LANEWISE_MEMBERS(scalar, name##2)                                                                             \
    LANEWISE_MEMBERS(scalar, name##3)                                                                             \
    LANEWISE_MEMBERS(scalar, name##4)                                                                             \
    LANEWISE_INLINE name##1 make_##name##1(scalar x) { return {x}; }                                              \
    LANEWISE_INLINE name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }                                 \
    LANEWISE_INLINE name##3 make_##name##3(scalar x, scalar y, scalar z) { return {x, y, z}; }                    \
    LANEWISE_INLINE name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }

#define LANEWISE_VECTOR_3(scalar, name) struct name##3 { scalar x, y, z; };
LANEWISE_VECTOR(signed char, char)
LANEWISE_VECTOR(unsigned char, uchar)
LANEWISE_VECTOR(short, short)
LANEWISE_VECTOR(unsigned short, ushort)
LANEWISE_VECTOR(int, int)
LANEWISE_VECTOR(long, long)
LANEWISE_VECTOR(unsigned long, ulong)
LANEWISE_VECTOR(long long, longlong)
LANEWISE_VECTOR(unsigned long long, ulonglong)
LANEWISE_VECTOR(float, float)
LANEWISE_VECTOR(double, double)
#undef LANEWISE_VECTOR_3
#define LANEWISE_VECTOR_3(scalar, name)  // uint3 is in the runtime: threadIdx has that type
LANEWISE_VECTOR(unsigned, uint)
#undef LANEWISE_VECTOR_3
#undef LANEWISE_VECTOR

// CUDA 13's names for vectors of 32 bytes, with their alignment.
#define LANEWISE_ALIGNED(scalar, name, bytes)                                                                     \
    struct alignas(bytes) name { scalar x, y, z, w; };                                                            \
    LANEWISE_MEMBERS(scalar, name)                                                                                \
    LANEWISE_INLINE name make_##name(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }
#define LANEWISE_WIDE(scalar, name)                  \
    LANEWISE_ALIGNED(scalar, name##4_16a, 16)        \
    LANEWISE_ALIGNED(scalar, name##4_32a, 32)
LANEWISE_WIDE(long, long)
LANEWISE_WIDE(unsigned long, ulong)
LANEWISE_WIDE(long long, longlong)
LANEWISE_WIDE(unsigned long long, ulonglong)
LANEWISE_WIDE(double, double)
#undef LANEWISE_WIDE
#undef LANEWISE_ALIGNED
#undef LANEWISE_MEMBERS
