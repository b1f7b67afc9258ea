// libcu++'s atomics for the emulator: cuda::atomic, cuda::atomic_ref, their cuda::std forms and fences, with memory
// orders and thread scopes that the checks judge. A kernel file gets it by <cuda/atomic>; on the GPU that is the
// toolkit's own header. Source: CUDA C++ Standard Library (libcu++), "Synchronization Primitives".
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/prelude/emulated/emulated_runtime.hpp"

// Part of the kernel's own code, so that a call is known by its line in the kernel.
#define LANEWISE_LIBRARY __attribute__((always_inline)) inline
// The access itself, which a call announces to the emulator; no other is announced.
#define LANEWISE_LIBRARY_ACCESS __attribute__((noinline)) LANEWISE_UNHOOKED

namespace cuda::std {
using namespace ::std;  // what kernels use of the rest of libcu++ is what C++ has under the same name
}

namespace cuda {

enum thread_scope {
    thread_scope_system = 0,
    thread_scope_device = 1,
    thread_scope_block = 2,
    thread_scope_thread = 10
};

namespace std {
enum class memory_order : int { relaxed, consume, acquire, release, acq_rel, seq_cst };
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_consume = memory_order::consume;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;
}  // namespace std

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

}  // namespace cuda

namespace lanewise_emulated {

using cuda::memory_order;

constexpr bool acquires(memory_order order) { return order != memory_order::relaxed && order != memory_order::release; }
constexpr bool releases(memory_order order) { return order >= memory_order::release; }
// What a compare_exchange that fails may be, given the order of one that succeeds.
constexpr memory_order order_of_failure(memory_order order) {
    return order == memory_order::acq_rel   ? memory_order::acquire
           : order == memory_order::release ? memory_order::relaxed
                                            : order;
}
// As a fence's; kThreadScope: no atomic at all to other threads.
constexpr int scope_of(cuda::thread_scope scope) {
    return scope == cuda::thread_scope_system   ? 2
           : scope == cuda::thread_scope_device ? 1
           : scope == cuda::thread_scope_block  ? 0
                                                : kThreadScope;
}

template <class T>
constexpr Element library_element() {
    if constexpr (::std::is_arithmetic_v<T> && !::std::is_same_v<T, long double>) return lanewise::element_of<T>();
    else return sizeof(T) == 8 ? Element::u64 : lanewise::unsigned_of(sizeof(T));
}

template <class T>
LANEWISE_LIBRARY_ACCESS T library_load(const T* address, int scope, memory_order order) {
    atomic_access({address, sizeof(T), false, scope, acquires(order), false, __builtin_return_address(0)});
    T value;
    __atomic_load(const_cast<T*>(address), &value, __ATOMIC_SEQ_CST);
    return value;
}

template <class T>
LANEWISE_LIBRARY_ACCESS void library_store(T* address, T value, int scope, memory_order order) {
    atomic_access({address, sizeof(T), true, scope, false, releases(order), __builtin_return_address(0)});
    __atomic_store(address, &value, __ATOMIC_SEQ_CST);
}

template <class T>
LANEWISE_UNHOOKED Atomic library_atomic(Op op, const T* address, const T& operand, int scope, memory_order order,
                                        const void* pc) {
    Atomic what{0, op, library_element<T>(), 1, scope, address, {}, acquires(order), releases(order), pc};
    if (sizeof(T) > 4 && library_element<T>() == Element::u32) what.elements = static_cast<int>(sizeof(T) / 4);
    __builtin_memcpy(what.operand, &operand, sizeof(T));
    return what;
}

// Puts change(old, operand) where `address` points, and returns what was there.
template <class T, class Change>
LANEWISE_LIBRARY_ACCESS T library_update(Op op, T* address, T operand, int scope, memory_order order, Change change) {
    const Atomic what = library_atomic(op, address, operand, scope, order, __builtin_return_address(0));
    atomic_begins(what);
    T old;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    for (;;) {
        T next = change(old, operand);
        if (__atomic_compare_exchange(address, &old, &next, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) break;
    }
    ::std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &old, sizeof(T));
    atomic_done(what, bits, true);
    return old;
}

template <class T>
LANEWISE_LIBRARY_ACCESS bool library_exchange_if(T* address, T& expected, T value, int scope, memory_order success,
                                                 memory_order failure) {
    Atomic what = library_atomic(Op::atomic_cas, address, value, scope, success, __builtin_return_address(0));
    atomic_begins(what);
    T old = expected;
    const bool wrote = __atomic_compare_exchange(address, &old, &value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (!wrote) what.acquires = acquires(failure);
    ::std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &old, sizeof(T));
    atomic_done(what, bits, wrote);
    expected = old;
    return wrote;
}

// The members that cuda::atomic and cuda::atomic_ref share. Self says where the value lies.
template <class Self, class T, cuda::thread_scope kScope>
class LibraryAtomic {
    static_assert(::std::is_trivially_copyable_v<T> && sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0,
                  "the emulator has atomics of 1, 2, 4 and 8 bytes");
    static constexpr int kReach = scope_of(kScope);
    static constexpr bool kCounts = (::std::is_integral_v<T> && !::std::is_same_v<T, bool>) || ::std::is_pointer_v<T>;
    static constexpr bool kAdds = kCounts || ::std::is_floating_point_v<T>;
    using Delta = ::std::conditional_t<::std::is_pointer_v<T>, ::std::ptrdiff_t, T>;

    LANEWISE_LIBRARY T* place() const {
        return const_cast<T*>(static_cast<const volatile Self*>(this)->lanewise_place());
    }
    LANEWISE_LIBRARY T* place() const volatile {
        return const_cast<T*>(static_cast<const volatile Self*>(this)->lanewise_place());
    }

public:
    using value_type = T;
    static constexpr bool is_always_lock_free = true;

#define LANEWISE_MEMBERS_FOR(CV)                                                                                       \
    LANEWISE_LIBRARY bool is_lock_free() const CV { return true; }                                                     \
    LANEWISE_LIBRARY T load(memory_order order = memory_order::seq_cst) const CV {                                     \
        return library_load(place(), kReach, order);                                                                   \
    }                                                                                                                  \
    LANEWISE_LIBRARY operator T() const CV { return load(); }                                                          \
    LANEWISE_LIBRARY void store(T value, memory_order order = memory_order::seq_cst) LANEWISE_SELF CV {                \
        library_store(place(), value, kReach, order);                                                                  \
    }                                                                                                                  \
    LANEWISE_LIBRARY T operator=(T value) LANEWISE_SELF CV {                                                           \
        store(value);                                                                                                  \
        return value;                                                                                                  \
    }                                                                                                                  \
    LANEWISE_LIBRARY T exchange(T value, memory_order order = memory_order::seq_cst) LANEWISE_SELF CV {                \
        return library_update(Op::atomic_exch, place(), value, kReach, order, Exchange{});                             \
    }                                                                                                                  \
    LANEWISE_LIBRARY bool compare_exchange_strong(T& expected, T value, memory_order success, memory_order failure)    \
        LANEWISE_SELF CV {                                                                                             \
        return library_exchange_if(place(), expected, value, kReach, success, failure);                                \
    }                                                                                                                  \
    LANEWISE_LIBRARY bool compare_exchange_strong(T& expected, T value, memory_order order = memory_order::seq_cst)    \
        LANEWISE_SELF CV {                                                                                             \
        return compare_exchange_strong(expected, value, order, order_of_failure(order));                               \
    }                                                                                                                  \
    LANEWISE_LIBRARY bool compare_exchange_weak(T& expected, T value, memory_order success, memory_order failure)      \
        LANEWISE_SELF CV {                                                                                             \
        return compare_exchange_strong(expected, value, success, failure);                                             \
    }                                                                                                                  \
    LANEWISE_LIBRARY bool compare_exchange_weak(T& expected, T value, memory_order order = memory_order::seq_cst)      \
        LANEWISE_SELF CV {                                                                                             \
        return compare_exchange_strong(expected, value, order);                                                        \
    }                                                                                                                  \
    LANEWISE_LIBRARY void wait(T old, memory_order order = memory_order::seq_cst) const CV {                           \
        while (load(order) == old) {                                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    LANEWISE_LIBRARY void notify_one() LANEWISE_SELF CV {}                                                             \
    LANEWISE_LIBRARY void notify_all() LANEWISE_SELF CV {}                                                             \
    LANEWISE_FETCH(fetch_add, kAdds, Delta, add_op(), Add, CV)                                                         \
    LANEWISE_FETCH(fetch_sub, kAdds, Delta, Op::atomic_sub, Subtract, CV)                                              \
    LANEWISE_FETCH(fetch_and, kCounts, T, Op::atomic_and, And, CV)                                                     \
    LANEWISE_FETCH(fetch_or, kCounts, T, Op::atomic_or, Or, CV)                                                        \
    LANEWISE_FETCH(fetch_xor, kCounts, T, Op::atomic_xor, Xor, CV)                                                     \
    LANEWISE_FETCH(fetch_min, kAdds, T, Op::atomic_min, Min, CV)                                                       \
    LANEWISE_FETCH(fetch_max, kAdds, T, Op::atomic_max, Max, CV)                                                       \
    LANEWISE_LIBRARY T operator+=(Delta by) LANEWISE_SELF CV { return fetch_add(by) + by; }                            \
    LANEWISE_LIBRARY T operator-=(Delta by) LANEWISE_SELF CV { return fetch_sub(by) - by; }                            \
    LANEWISE_LIBRARY T operator&=(T by) LANEWISE_SELF CV { return fetch_and(by) & by; }                                \
    LANEWISE_LIBRARY T operator|=(T by) LANEWISE_SELF CV { return fetch_or(by) | by; }                                 \
    LANEWISE_LIBRARY T operator^=(T by) LANEWISE_SELF CV { return fetch_xor(by) ^ by; }                                \
    LANEWISE_LIBRARY T operator++() LANEWISE_SELF CV { return fetch_add(1) + 1; }                                      \
    LANEWISE_LIBRARY T operator--() LANEWISE_SELF CV { return fetch_sub(1) - 1; }                                      \
    LANEWISE_LIBRARY T operator++(int) LANEWISE_SELF CV { return fetch_add(1); }                                       \
    LANEWISE_LIBRARY T operator--(int) LANEWISE_SELF CV { return fetch_sub(1); }
#define LANEWISE_FETCH(name, exists, Operand, op, Change, CV)                                                          \
    LANEWISE_LIBRARY T name(Operand by, memory_order order = memory_order::seq_cst) LANEWISE_SELF CV {                 \
        static_assert(exists, #name " is for numbers");                                                                \
        return fetch<Change>(op, place(), by, order);                                                                  \
    }
    // All are const: an atomic_ref changes what it refers to, and a const atomic is stopped by its own declaration.
#define LANEWISE_SELF const
    LANEWISE_MEMBERS_FOR()
    LANEWISE_MEMBERS_FOR(volatile)
#undef LANEWISE_SELF
#undef LANEWISE_FETCH
#undef LANEWISE_MEMBERS_FOR

private:
    struct Exchange {
        LANEWISE_UNHOOKED T operator()(T, T operand) const { return operand; }
    };
#define LANEWISE_CHANGE(Name, value)                                                                \
    struct Name {                                                                                   \
        LANEWISE_UNHOOKED T operator()(T old, T operand) const { return static_cast<T>(value); }    \
    };
    LANEWISE_CHANGE(Add, old + operand)
    LANEWISE_CHANGE(Subtract, old - operand)
    LANEWISE_CHANGE(And, old & operand)
    LANEWISE_CHANGE(Or, old | operand)
    LANEWISE_CHANGE(Xor, old ^ operand)
    LANEWISE_CHANGE(Min, operand < old ? operand : old)
    LANEWISE_CHANGE(Max, old < operand ? operand : old)
#undef LANEWISE_CHANGE
    static constexpr Op add_op() { return Op::atomic_add; }

    template <class Change, class Operand>
    LANEWISE_LIBRARY static T fetch(Op op, T* address, Operand by, memory_order order) {
        if constexpr (::std::is_pointer_v<T>) {  // as a number, since two pointers cannot be added
            using Number = ::std::uintptr_t;
            const auto step = static_cast<Number>(by) * sizeof(::std::remove_pointer_t<T>);
            const auto change = [](Number old, Number operand) LANEWISE_UNHOOKED {
                return ::std::is_same_v<Change, Add> ? old + operand : old - operand;
            };
            return reinterpret_cast<T>(
                library_update(op, reinterpret_cast<Number*>(address), step, kReach, order, change));
        } else {
            return library_update(op, address, static_cast<T>(by), kReach, order, Change{});
        }
    }
};

}  // namespace lanewise_emulated

namespace cuda {

template <class T, thread_scope kScope = thread_scope_system>
class alignas(sizeof(T)) atomic : public lanewise_emulated::LibraryAtomic<atomic<T, kScope>, T, kScope> {
public:
    atomic() = default;
    LANEWISE_LIBRARY constexpr atomic(T value) : value_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;
    using lanewise_emulated::LibraryAtomic<atomic<T, kScope>, T, kScope>::operator=;
    LANEWISE_LIBRARY const volatile T* lanewise_place() const volatile { return &value_; }

private:
    T value_;
};

template <class T, thread_scope kScope = thread_scope_system>
class atomic_ref : public lanewise_emulated::LibraryAtomic<atomic_ref<T, kScope>, T, kScope> {
public:
    static constexpr ::std::size_t required_alignment = sizeof(T);
    LANEWISE_LIBRARY explicit constexpr atomic_ref(T& object) : object_(&object) {}
    atomic_ref(const atomic_ref&) = default;
    atomic_ref& operator=(const atomic_ref&) = delete;
    using lanewise_emulated::LibraryAtomic<atomic_ref<T, kScope>, T, kScope>::operator=;
    LANEWISE_LIBRARY const volatile T* lanewise_place() const volatile { return object_; }

private:
    T* object_;
};

LANEWISE_LIBRARY void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system,
                                          int line = __builtin_LINE()) {
    if (order != memory_order::relaxed && scope != thread_scope_thread)
        lanewise_emulated::library_fence(lanewise_emulated::scope_of(scope), lanewise_emulated::acquires(order),
                                         lanewise_emulated::releases(order), line);
}
LANEWISE_LIBRARY void atomic_signal_fence(memory_order) {}

template <thread_scope kScope>
class atomic_flag_of {
public:
    atomic_flag_of() = default;
    LANEWISE_LIBRARY constexpr atomic_flag_of(bool value) : value_(value) {}
    LANEWISE_LIBRARY bool test(memory_order order = memory_order::seq_cst) const { return value_.load(order) != 0; }
    LANEWISE_LIBRARY bool test_and_set(memory_order order = memory_order::seq_cst) {
        return value_.exchange(1, order) != 0;
    }
    LANEWISE_LIBRARY void clear(memory_order order = memory_order::seq_cst) { value_.store(0, order); }
    LANEWISE_LIBRARY void wait(bool old, memory_order order = memory_order::seq_cst) const { value_.wait(old, order); }
    LANEWISE_LIBRARY void notify_one() {}
    LANEWISE_LIBRARY void notify_all() {}

private:
    atomic<int, kScope> value_;
};
using atomic_flag = atomic_flag_of<thread_scope_system>;

namespace std {

template <class T>
using atomic = ::cuda::atomic<T, thread_scope_system>;
template <class T>
using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
using ::cuda::atomic_flag;
LANEWISE_LIBRARY void atomic_thread_fence(memory_order order, int line = __builtin_LINE()) {
    ::cuda::atomic_thread_fence(order, thread_scope_system, line);
}
LANEWISE_LIBRARY void atomic_signal_fence(memory_order) {}

}  // namespace std
}  // namespace cuda

#undef LANEWISE_LIBRARY
#undef LANEWISE_LIBRARY_ACCESS
