// Atomics: done with the host's own (several OS threads may run blocks at once), then announced.
#pragma once

// Puts change(old) where `address` points, as one step, and returns what was there.
template <class T, class Change>
LANEWISE_WORD T lanewise_update(T* address, Change change) {
    T old;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    for (;;) {
        T next = change(old);
        if (__atomic_compare_exchange(address, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
    }
}

#define LANEWISE_ATOMIC(word, operation, expression)                                                              \
    template <class T>                                                                                            \
    LANEWISE_WORD T lanewise_##operation(int line, T* address, T operand) {                                       \
        const T before = lanewise_update(                                                                         \
            address, [operand](T old) LANEWISE_UNHOOKED -> T { (void)operand; (void)old; return expression; });   \
        lanewise_emulated::atomic_done(line, lanewise_emulated::Op::operation, lanewise::element_of<T>(), address, \
                                       lanewise_emulated::bits_of(operand), lanewise_emulated::bits_of(before));  \
        return before;                                                                                            \
    }                                                                                                             \
    template <class T>                                                                                            \
    LANEWISE_WORD T word(T* address, typename LanewiseSame<T>::type operand, LANEWISE_LINE) {                     \
        return lanewise_##operation<T>(line, address, operand);                                                   \
    }

// Keeps an argument out of deduction: atomicAdd(float_pointer, 1) adds a float.
template <class T>
struct LanewiseSame {
    using type = T;
};

LANEWISE_ATOMIC(atomicAdd, atomic_add, old + operand)
LANEWISE_ATOMIC(atomicSub, atomic_sub, old - operand)
LANEWISE_ATOMIC(atomicMin, atomic_min, operand < old ? operand : old)
LANEWISE_ATOMIC(atomicMax, atomic_max, old < operand ? operand : old)
LANEWISE_ATOMIC(atomicAnd, atomic_and, old & operand)
LANEWISE_ATOMIC(atomicOr, atomic_or, old | operand)
LANEWISE_ATOMIC(atomicXor, atomic_xor, old ^ operand)
LANEWISE_ATOMIC(atomicExch, atomic_exch, operand)
#undef LANEWISE_ATOMIC

template <class T>
LANEWISE_WORD T lanewise_atomic_cas(int line, T* address, T compare, T value) {
    const T before =
        lanewise_update(address, [=](T old) LANEWISE_UNHOOKED -> T { return old == compare ? value : old; });
    lanewise_emulated::atomic_done(line, lanewise_emulated::Op::atomic_cas, lanewise::element_of<T>(), address,
                                   lanewise_emulated::bits_of(value), lanewise_emulated::bits_of(before));
    return before;
}
template <class T>
LANEWISE_WORD T atomicCAS(T* address, typename LanewiseSame<T>::type compare, typename LanewiseSame<T>::type value,
                          LANEWISE_LINE) {
    return lanewise_atomic_cas<T>(line, address, compare, value);
}
