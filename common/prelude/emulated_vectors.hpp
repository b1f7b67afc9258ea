// CUDA's vector types, with the alignment that makes a float4 one 16-byte access.
#pragma once

#define LANEWISE_VECTOR(scalar, name)                                                                             \
    struct name##1 { scalar x; };                                                                                 \
    struct alignas(2 * sizeof(scalar)) name##2 { scalar x, y; };                                                  \
    struct name##3 { scalar x, y, z; };                                                                           \
    struct alignas(4 * sizeof(scalar) > 16 ? 16 : 4 * sizeof(scalar)) name##4 { scalar x, y, z, w; };             \
    LANEWISE_WORD name##1 make_##name##1(scalar x) { return {x}; }                                                \
    LANEWISE_WORD name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }                                   \
    LANEWISE_WORD name##3 make_##name##3(scalar x, scalar y, scalar z) { return {x, y, z}; }                      \
    LANEWISE_WORD name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }

LANEWISE_VECTOR(signed char, char)
LANEWISE_VECTOR(unsigned char, uchar)
LANEWISE_VECTOR(short, short)
LANEWISE_VECTOR(unsigned short, ushort)
LANEWISE_VECTOR(int, int)
LANEWISE_VECTOR(float, float)
LANEWISE_VECTOR(double, double)
LANEWISE_VECTOR(long long, longlong)
LANEWISE_VECTOR(unsigned long long, ulonglong)
#undef LANEWISE_VECTOR

// uint3 stands in the runtime: threadIdx has that type.
struct uint1 { unsigned x; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
LANEWISE_WORD uint1 make_uint1(unsigned x) { return {x}; }
LANEWISE_WORD uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
LANEWISE_WORD uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
LANEWISE_WORD uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

#define LANEWISE_MEMBERS(scalar, vector)                                                                          \
    template <>                                                                                                   \
    struct lanewise_emulated::Members<vector> {                                                                   \
        using type = scalar;                                                                                      \
    };
LANEWISE_MEMBERS(float, float2)
LANEWISE_MEMBERS(float, float3)
LANEWISE_MEMBERS(float, float4)
LANEWISE_MEMBERS(double, double2)
LANEWISE_MEMBERS(int, int2)
LANEWISE_MEMBERS(int, int3)
LANEWISE_MEMBERS(int, int4)
#undef LANEWISE_MEMBERS
