// CUDA's intrinsics for the traced copy on the emulator: the annotated text calls these with the line it is on. The
// original names remain for uses in the kernel file's own macros.
#pragma once

#include "common/prelude/emulated/emulated.hpp"

// A GPU's compiler makes a kernel's functions part of it; this one then also announces the structs that go straight
// from memory into one of them (see LANEWISE_INLINE).
#undef __global__
#define __global__ __attribute__((flatten))

// Shared arrays stay in the order of the text, each followed by memory of no variable.
#undef __shared__
#define __shared__ __attribute__((no_reorder)) constinit thread_local
#define LANEWISE_GUARD(name) \
    [[gnu::used]] [[gnu::no_reorder]] static constinit thread_local char lanewise_guard_##name[1024];

// For text that serves both emulated copies: this one records.
#define LANEWISE_TRACED_COPY 1

namespace lanewise_traced {

#define LANEWISE_SHUFFLE(name)                                                                                    \
    template <class T>                                                                                            \
    LANEWISE_INLINE typename LanewiseExchanged<T>::type name(int line, unsigned mask, T value, int arg,             \
                                                           int width = 32) {                                      \
        return lanewise_exchange(line, lanewise_emulated::Op::name, mask, value, arg, width);                     \
    }
LANEWISE_SHUFFLE(shfl_idx)
LANEWISE_SHUFFLE(shfl_up)
LANEWISE_SHUFFLE(shfl_down)
LANEWISE_SHUFFLE(shfl_xor)
#undef LANEWISE_SHUFFLE

LANEWISE_INTRINSIC int vote_any(int line, unsigned mask, int predicate) { return __any_sync(mask, predicate, line); }
LANEWISE_INTRINSIC int vote_all(int line, unsigned mask, int predicate) { return __all_sync(mask, predicate, line); }
LANEWISE_INTRINSIC unsigned vote_ballot(int line, unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate, line);
}

template <class T>
LANEWISE_INTRINSIC unsigned vote_match_any(int line, unsigned mask, T value) {
    return __match_any_sync(mask, value, line);
}
template <class T>
LANEWISE_INTRINSIC unsigned vote_match_all(int line, unsigned mask, T value, int* predicate) {
    return __match_all_sync(mask, value, predicate, line);
}

#define LANEWISE_REDUCE(name, intrinsic)                                                                          \
    template <class T>                                                                                            \
    LANEWISE_INTRINSIC auto name(int line, unsigned mask, T value) {                                                   \
        return intrinsic(mask, value, line);                                                                      \
    }
LANEWISE_REDUCE(reduce_add, __reduce_add_sync)
LANEWISE_REDUCE(reduce_min, __reduce_min_sync)
LANEWISE_REDUCE(reduce_max, __reduce_max_sync)
LANEWISE_REDUCE(reduce_and, __reduce_and_sync)
LANEWISE_REDUCE(reduce_or, __reduce_or_sync)
LANEWISE_REDUCE(reduce_xor, __reduce_xor_sync)
#undef LANEWISE_REDUCE

LANEWISE_INTRINSIC void sync_warp(int line, unsigned mask = 0xffffffffu) { __syncwarp(mask, line); }
LANEWISE_INLINE void sync_block(int line) { lanewise_emulated::sync_block(line); }
LANEWISE_INTRINSIC int sync_block_count(int line, int predicate) { return __syncthreads_count(predicate, line); }
LANEWISE_INTRINSIC int sync_block_and(int line, int predicate) { return __syncthreads_and(predicate, line); }
LANEWISE_INTRINSIC int sync_block_or(int line, int predicate) { return __syncthreads_or(predicate, line); }
LANEWISE_INTRINSIC unsigned active_mask(int line) { return __activemask(line); }
LANEWISE_INTRINSIC void fence_block(int line) { __threadfence_block(line); }
LANEWISE_INTRINSIC void fence_device(int line) { __threadfence(line); }
LANEWISE_INTRINSIC void fence_system(int line) { __threadfence_system(line); }

// What a variable holds after a statement with a shuffle. What is no number of up to eight bytes is left
// unrecorded, and the screen says so.
template <class T>
LANEWISE_INTRINSIC void after(int first_line, int last_line, int effect, T value) {
    if constexpr (lanewise_emulated::is_one_value<T>)
        lanewise_emulated::after(first_line, last_line, effect,
                                 lanewise_emulated::value_element<typename LanewiseExchanged<T>::type>(),
                                 lanewise_emulated::bits_of(static_cast<typename LanewiseExchanged<T>::type>(value)));
}

// What a variable holds after a statement that joined what was read from memory to it. `variable` is its number.
template <class T>
LANEWISE_INTRINSIC void joined(unsigned variable, T value) {
    if constexpr (lanewise_emulated::is_one_value<T>)
        lanewise_emulated::joined(variable, lanewise_emulated::value_element<T>(), lanewise_emulated::bits_of(value));
}

LANEWISE_INTRINSIC void took(int first_line, int last_line) { lanewise_emulated::took(first_line, last_line); }

template <class T>
LANEWISE_INTRINSIC void shared_array(unsigned id, const T& array, LANEWISE_LINE) {
    using Entry = std::remove_cv_t<std::remove_all_extents_t<T>>;
    const void* address = const_cast<const std::remove_cv_t<T>*>(&array);
    if (!lanewise_emulated::is_first_use(address, id)) return;
    lanewise_emulated::first_use_of_shared(line, address, sizeof(T));
    lanewise_emulated::shared_array(id, address, sizeof(T), lanewise_emulated::shown_as<Entry>());
}

template <class T>
LANEWISE_INTRINSIC void dynamic_array(unsigned id, const T* array) {
    using Entry = std::remove_cv_t<std::remove_all_extents_t<T>>;
    const void* address = const_cast<const std::remove_cv_t<T>*>(array);
    if (lanewise_emulated::is_first_use(address, id))
        lanewise_emulated::dynamic_array(id, address, lanewise_emulated::shown_as<Entry>());
}

}  // namespace lanewise_traced
