// Atomics: done with the host's own (several OS threads may run blocks at once), then announced.
//
// Each exists in three forms (none, _block, _system: which threads it is atomic against; here always all) and on the
// types CUDA has it for; on others there is no such function, as with nvcc.
#pragma once

namespace lanewise_emulated {

template <class T, class... A>
inline constexpr bool one_of = (__is_same(T, A) || ...);

// Puts change(old) where `address` points, as one step, and returns what was there.
template <class T, class Change>
LANEWISE_UNHOOKED inline T update(T* address, Change change) {
    T old;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    for (;;) {
        T next = change(old);
        if (__atomic_compare_exchange(address, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
    }
}

// The scopes of CUDA's three forms, as a fence's.
inline constexpr int kBlockScope = 0, kDeviceScope = 1, kSystemScope = 2;

// What is reported of an atomic: on the elements that a T is made of, two f16 for a __half2, four f32 for a float4.
template <class T>
LANEWISE_UNHOOKED Atomic described(int line, Op op, int scope, const void* address, const T& operand) {
    constexpr Element kElement = shown_as<T>();
    constexpr int kSize = kElement == Element::f16 || kElement == Element::bf16 || kElement == Element::u16 ? 2
                          : kElement == Element::f64 || kElement == Element::u64 || kElement == Element::i64 ? 8 : 4;
    Atomic what{line, op, kElement, static_cast<int>(sizeof(T)) / kSize, scope, address, {}};
    __builtin_memcpy(what.operand, &operand, sizeof(T));
    return what;
}

template <class T>
LANEWISE_UNHOOKED std::uint64_t first_bytes(const T& value) {
    std::uint64_t bytes = 0;
    __builtin_memcpy(&bytes, &value, sizeof(T) < 8 ? sizeof(T) : 8);
    return bytes;
}

// The operations, as the CUDA C++ Programming Guide (Atomic Functions) gives them. Floats are never compared: there is
// no atomicMin of a float.
struct AtomicAdd {
    static constexpr Op op = Op::atomic_add;
    template <class T>
    static constexpr bool has = one_of<T, int, unsigned, unsigned long long, float, double, __half, __half2,
                                       __nv_bfloat16, __nv_bfloat162, float2, float4>;
    template <class T>
    LANEWISE_UNHOOKED static T join(T old, T operand) { return old + operand; }
    LANEWISE_UNHOOKED static float2 join(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
};
struct AtomicSub {
    static constexpr Op op = Op::atomic_sub;
    template <class T>
    static constexpr bool has = one_of<T, int, unsigned>;
    template <class T>
    LANEWISE_UNHOOKED static T join(T old, T operand) { return old - operand; }
};
struct AtomicMin {
    static constexpr Op op = Op::atomic_min;
    template <class T>
    static constexpr bool has = one_of<T, int, unsigned, long long, unsigned long long>;
    template <class T>
    LANEWISE_UNHOOKED static T join(T old, T operand) { return operand < old ? operand : old; }
};
struct AtomicMax {
    static constexpr Op op = Op::atomic_max;
    template <class T>
    static constexpr bool has = AtomicMin::has<T>;
    template <class T>
    LANEWISE_UNHOOKED static T join(T old, T operand) { return old < operand ? operand : old; }
};
struct AtomicInc {  // counts up and begins anew after `operand`
    static constexpr Op op = Op::atomic_inc;
    template <class T>
    static constexpr bool has = one_of<T, unsigned>;
    LANEWISE_UNHOOKED static unsigned join(unsigned old, unsigned operand) { return old >= operand ? 0 : old + 1; }
};
struct AtomicDec {  // counts down and begins anew at `operand`
    static constexpr Op op = Op::atomic_dec;
    template <class T>
    static constexpr bool has = one_of<T, unsigned>;
    LANEWISE_UNHOOKED static unsigned join(unsigned old, unsigned operand) {
        return old == 0 || old > operand ? operand : old - 1;
    }
};
struct AtomicAnd {
    static constexpr Op op = Op::atomic_and;
    template <class T>
    static constexpr bool has = one_of<T, int, unsigned, long long, unsigned long long>;
    template <class T>
    LANEWISE_UNHOOKED static T join(T old, T operand) { return old & operand; }
};
struct AtomicOr {
    static constexpr Op op = Op::atomic_or;
    template <class T>
    static constexpr bool has = AtomicAnd::has<T>;
    template <class T>
    LANEWISE_UNHOOKED static T join(T old, T operand) { return old | operand; }
};
struct AtomicXor {
    static constexpr Op op = Op::atomic_xor;
    template <class T>
    static constexpr bool has = AtomicAnd::has<T>;
    template <class T>
    LANEWISE_UNHOOKED static T join(T old, T operand) { return old ^ operand; }
};
struct AtomicExch {
    static constexpr Op op = Op::atomic_exch;
    template <class T>
    static constexpr bool has = one_of<T, int, unsigned, unsigned long long, float>;
    template <class T>
    LANEWISE_UNHOOKED static T join(T, T operand) { return operand; }
};
template <class Operation, class T>
inline constexpr bool has_atomic = Operation::template has<T>;
// The forms with a scope; CUDA has none of them for numbers of two bytes.
template <class Operation, class T>
inline constexpr bool has_scoped_atomic = has_atomic<Operation, T> && sizeof(T) > 2 && !Named<T>::known;

template <class T>
inline constexpr bool has_scoped_cas = one_of<T, int, unsigned, unsigned long long>;
template <class T>
inline constexpr bool has_cas = has_scoped_cas<T> || one_of<T, unsigned short>;

template <class Operation, class T>
LANEWISE_UNHOOKED T atomic(int line, int scope, T* address, T operand) {
    const Atomic what = described(line, Operation::op, scope, address, operand);
    atomic_begins(what);
    T before;
    if constexpr (sizeof(T) == 16) {  // a float4 is atomic member by member, no more
        const auto add = [](float* to, float value) LANEWISE_UNHOOKED {
            return update(to, [value](float old) LANEWISE_UNHOOKED { return old + value; });
        };
        before = {add(&address->x, operand.x), add(&address->y, operand.y), add(&address->z, operand.z),
                  add(&address->w, operand.w)};
    } else {
        before = update(address, [operand](T old) LANEWISE_UNHOOKED -> T { return Operation::join(old, operand); });
    }
    atomic_done(what, first_bytes(before), true);
    return before;
}

template <class T>
LANEWISE_UNHOOKED T atomic_cas(int line, int scope, T* address, T compare, T value) {
    const Atomic what = described(line, Op::atomic_cas, scope, address, value);
    atomic_begins(what);
    const T before = update(address, [=](T old) LANEWISE_UNHOOKED -> T { return old == compare ? value : old; });
    atomic_done(what, first_bytes(before), before == compare);
    return before;
}

}  // namespace lanewise_emulated

// CUDA's intrinsic, and what the annotated text calls in its stead. type_identity keeps the operand out of deduction:
// atomicAdd(float_pointer, 1) adds a float.
#define LANEWISE_ATOMIC_FORM(intrinsic, traced, operation, scope, exists)                                              \
    template <class T>                                                                                            \
        requires(lanewise_emulated::exists<lanewise_emulated::operation, T>)                                      \
    LANEWISE_INLINE T intrinsic(T* address, std::type_identity_t<T> operand, LANEWISE_LINE) {                          \
        return lanewise_emulated::atomic<lanewise_emulated::operation>(line, lanewise_emulated::scope, address,    \
                                                                      operand);                                   \
    }                                                                                                             \
    namespace lanewise_traced {                                                                                   \
    template <class T>                                                                                            \
        requires(lanewise_emulated::exists<lanewise_emulated::operation, T>)                                      \
    LANEWISE_INLINE T traced(int line, T* address, std::type_identity_t<T> operand) {                             \
        return lanewise_emulated::atomic<lanewise_emulated::operation>(line, lanewise_emulated::scope, address,    \
                                                                      operand);                                   \
    }                                                                                                             \
    }
#define LANEWISE_ATOMIC(intrinsic, traced, operation)                                      \
    LANEWISE_ATOMIC_FORM(intrinsic, traced, operation, kDeviceScope, has_atomic)           \
    LANEWISE_ATOMIC_FORM(intrinsic##_block, traced##_block, operation, kBlockScope, has_scoped_atomic)    \
    LANEWISE_ATOMIC_FORM(intrinsic##_system, traced##_system, operation, kSystemScope, has_scoped_atomic)
LANEWISE_ATOMIC(atomicAdd, atomic_add, AtomicAdd)
LANEWISE_ATOMIC(atomicSub, atomic_sub, AtomicSub)
LANEWISE_ATOMIC(atomicMin, atomic_min, AtomicMin)
LANEWISE_ATOMIC(atomicMax, atomic_max, AtomicMax)
LANEWISE_ATOMIC(atomicInc, atomic_inc, AtomicInc)
LANEWISE_ATOMIC(atomicDec, atomic_dec, AtomicDec)
LANEWISE_ATOMIC(atomicAnd, atomic_and, AtomicAnd)
LANEWISE_ATOMIC(atomicOr, atomic_or, AtomicOr)
LANEWISE_ATOMIC(atomicXor, atomic_xor, AtomicXor)
LANEWISE_ATOMIC(atomicExch, atomic_exch, AtomicExch)
#undef LANEWISE_ATOMIC
#undef LANEWISE_ATOMIC_FORM

#define LANEWISE_CAS_FORM(intrinsic, traced, scope, exists)                                                            \
    template <class T>                                                                                            \
        requires(lanewise_emulated::exists<T>)                                                                    \
    LANEWISE_INLINE T intrinsic(T* address, std::type_identity_t<T> compare, std::type_identity_t<T> value,            \
                           LANEWISE_LINE) {                                                                       \
        return lanewise_emulated::atomic_cas<T>(line, lanewise_emulated::scope, address, compare, value);          \
    }                                                                                                             \
    namespace lanewise_traced {                                                                                   \
    template <class T>                                                                                            \
        requires(lanewise_emulated::exists<T>)                                                                    \
    LANEWISE_INLINE T traced(int line, T* address, std::type_identity_t<T> compare,                               \
                             std::type_identity_t<T> value) {                                                     \
        return lanewise_emulated::atomic_cas<T>(line, lanewise_emulated::scope, address, compare, value);          \
    }                                                                                                             \
    }
LANEWISE_CAS_FORM(atomicCAS, atomic_cas, kDeviceScope, has_cas)
LANEWISE_CAS_FORM(atomicCAS_block, atomic_cas_block, kBlockScope, has_scoped_cas)
LANEWISE_CAS_FORM(atomicCAS_system, atomic_cas_system, kSystemScope, has_scoped_cas)
#undef LANEWISE_CAS_FORM
