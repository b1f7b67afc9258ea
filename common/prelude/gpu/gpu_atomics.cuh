// Atomics of the traced GPU copy: CUDA's own, then written down. Included last, for it redefines their names.
#pragma once

#include "common/prelude/gpu/gpu_element.cuh"
#include "common/prelude/gpu/gpu_recorder.cuh"

namespace lanewise_traced {

// The first (`at` 0) or second eight bytes of a value.
template <class T>
static __device__ __forceinline__ std::uint64_t eight_bytes(const T& value, unsigned at) {
    if (at * 8 >= sizeof(T)) return 0;
    std::uint64_t bits = 0;
    memcpy(&bits, reinterpret_cast<const char*>(&value) + at * 8, sizeof(T) - at * 8 < 8 ? sizeof(T) - at * 8 : 8);
    return bits;
}

// An atomic on the elements that a T is made of: two f16 for a __half2, four f32 for a float4.
template <class T>
static __device__ __forceinline__ void push_atomic(lanewise::trace::Op op, int line, const T* address, T old,
                                                   T operand) {
    const Place place = here();
    if (!place) return;
    GpuEvent event = instruction(op, ElementOf<T>::element, line);
    event.elements = ElementOf<T>::count;
    event.first = eight_bytes(old, 0);
    event.second = eight_bytes(operand, 0);
    event.more = eight_bytes(operand, 1);
    event.in_shared = __isShared(address) != 0;
    event.address = event.in_shared ? static_cast<std::uint64_t>(__cvta_generic_to_shared(address)) & 0xffffffffu
                                    : reinterpret_cast<std::uint64_t>(address);
    push(place, event);
}

// `value` is an operand of another type than the memory's where CUDA converts it: atomicAdd(float_pointer, 1).
#define LANEWISE_TRACED_ATOMIC_FORM(NAME, OP, INTRINSIC)                                                         \
    template <class T, class U>                                                                                  \
    static __device__ __forceinline__ T NAME(int line, T* address, U value) {                                    \
        const T old = INTRINSIC(address, value);                                                                 \
        push_atomic<T>(lanewise::trace::Op::OP, line, address, old, static_cast<T>(value));                      \
        return old;                                                                                              \
    }
#define LANEWISE_TRACED_ATOMIC(NAME, INTRINSIC)                                \
    LANEWISE_TRACED_ATOMIC_FORM(NAME, NAME, INTRINSIC)                         \
    LANEWISE_TRACED_ATOMIC_FORM(NAME##_block, NAME, INTRINSIC##_block)         \
    LANEWISE_TRACED_ATOMIC_FORM(NAME##_system, NAME, INTRINSIC##_system)
LANEWISE_TRACED_ATOMIC(atomic_add, atomicAdd)
LANEWISE_TRACED_ATOMIC(atomic_sub, atomicSub)
LANEWISE_TRACED_ATOMIC(atomic_min, atomicMin)
LANEWISE_TRACED_ATOMIC(atomic_max, atomicMax)
LANEWISE_TRACED_ATOMIC(atomic_inc, atomicInc)
LANEWISE_TRACED_ATOMIC(atomic_dec, atomicDec)
LANEWISE_TRACED_ATOMIC(atomic_and, atomicAnd)
LANEWISE_TRACED_ATOMIC(atomic_or, atomicOr)
LANEWISE_TRACED_ATOMIC(atomic_xor, atomicXor)
LANEWISE_TRACED_ATOMIC(atomic_exch, atomicExch)
#undef LANEWISE_TRACED_ATOMIC
#undef LANEWISE_TRACED_ATOMIC_FORM

#define LANEWISE_TRACED_CAS(NAME, INTRINSIC)                                                                     \
    template <class T, class U, class V>                                                                         \
    static __device__ __forceinline__ T NAME(int line, T* address, U compare, V value) {                         \
        const T old = INTRINSIC(address, compare, value);                                                        \
        push_atomic<T>(lanewise::trace::Op::atomic_cas, line, address, old, static_cast<T>(value));              \
        return old;                                                                                              \
    }
LANEWISE_TRACED_CAS(atomic_cas, atomicCAS)
LANEWISE_TRACED_CAS(atomic_cas_block, atomicCAS_block)
LANEWISE_TRACED_CAS(atomic_cas_system, atomicCAS_system)
#undef LANEWISE_TRACED_CAS

}  // namespace lanewise_traced

#define atomicAdd(...) ::lanewise_traced::atomic_add(__LINE__, __VA_ARGS__)
#define atomicSub(...) ::lanewise_traced::atomic_sub(__LINE__, __VA_ARGS__)
#define atomicMin(...) ::lanewise_traced::atomic_min(__LINE__, __VA_ARGS__)
#define atomicMax(...) ::lanewise_traced::atomic_max(__LINE__, __VA_ARGS__)
#define atomicInc(...) ::lanewise_traced::atomic_inc(__LINE__, __VA_ARGS__)
#define atomicDec(...) ::lanewise_traced::atomic_dec(__LINE__, __VA_ARGS__)
#define atomicAnd(...) ::lanewise_traced::atomic_and(__LINE__, __VA_ARGS__)
#define atomicOr(...) ::lanewise_traced::atomic_or(__LINE__, __VA_ARGS__)
#define atomicXor(...) ::lanewise_traced::atomic_xor(__LINE__, __VA_ARGS__)
#define atomicExch(...) ::lanewise_traced::atomic_exch(__LINE__, __VA_ARGS__)
#define atomicCAS(...) ::lanewise_traced::atomic_cas(__LINE__, __VA_ARGS__)
#define atomicAdd_block(...) ::lanewise_traced::atomic_add_block(__LINE__, __VA_ARGS__)
#define atomicSub_block(...) ::lanewise_traced::atomic_sub_block(__LINE__, __VA_ARGS__)
#define atomicMin_block(...) ::lanewise_traced::atomic_min_block(__LINE__, __VA_ARGS__)
#define atomicMax_block(...) ::lanewise_traced::atomic_max_block(__LINE__, __VA_ARGS__)
#define atomicInc_block(...) ::lanewise_traced::atomic_inc_block(__LINE__, __VA_ARGS__)
#define atomicDec_block(...) ::lanewise_traced::atomic_dec_block(__LINE__, __VA_ARGS__)
#define atomicAnd_block(...) ::lanewise_traced::atomic_and_block(__LINE__, __VA_ARGS__)
#define atomicOr_block(...) ::lanewise_traced::atomic_or_block(__LINE__, __VA_ARGS__)
#define atomicXor_block(...) ::lanewise_traced::atomic_xor_block(__LINE__, __VA_ARGS__)
#define atomicExch_block(...) ::lanewise_traced::atomic_exch_block(__LINE__, __VA_ARGS__)
#define atomicCAS_block(...) ::lanewise_traced::atomic_cas_block(__LINE__, __VA_ARGS__)
#define atomicAdd_system(...) ::lanewise_traced::atomic_add_system(__LINE__, __VA_ARGS__)
#define atomicSub_system(...) ::lanewise_traced::atomic_sub_system(__LINE__, __VA_ARGS__)
#define atomicMin_system(...) ::lanewise_traced::atomic_min_system(__LINE__, __VA_ARGS__)
#define atomicMax_system(...) ::lanewise_traced::atomic_max_system(__LINE__, __VA_ARGS__)
#define atomicInc_system(...) ::lanewise_traced::atomic_inc_system(__LINE__, __VA_ARGS__)
#define atomicDec_system(...) ::lanewise_traced::atomic_dec_system(__LINE__, __VA_ARGS__)
#define atomicAnd_system(...) ::lanewise_traced::atomic_and_system(__LINE__, __VA_ARGS__)
#define atomicOr_system(...) ::lanewise_traced::atomic_or_system(__LINE__, __VA_ARGS__)
#define atomicXor_system(...) ::lanewise_traced::atomic_xor_system(__LINE__, __VA_ARGS__)
#define atomicExch_system(...) ::lanewise_traced::atomic_exch_system(__LINE__, __VA_ARGS__)
#define atomicCAS_system(...) ::lanewise_traced::atomic_cas_system(__LINE__, __VA_ARGS__)
