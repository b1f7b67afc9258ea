// The GPU prelude: functions that stand in for CUDA's warp intrinsics, do exactly what those do, and write down what
// each lane gave and got. The derived copy of a kernel file calls them with its line; the macros at the end serve uses
// inside the kernel file's own #define bodies.
#pragma once

#include "common/prelude/gpu/gpu_collectives.cuh"
#include "common/prelude/gpu/gpu_element.cuh"
#include "common/prelude/gpu/gpu_recorder.cuh"

namespace lanewise_traced {

using lanewise::Element;
using lanewise::trace::Op;

// The value may be of a type that CUDA widens (short, bool): what the intrinsic returns is what is offered.
#define LANEWISE_TRACED_SHUFFLE(NAME, INTRINSIC, ARGUMENT)                                                       \
    template <class T>                                                                                           \
    static __device__ __forceinline__ auto NAME(int line, unsigned mask, T value, ARGUMENT argument,             \
                                                int width = 32) {                                                \
        using Result = decltype(INTRINSIC(mask, value, argument, width));                                        \
        const Place place = here();                                                                              \
        if (!place) return INTRINSIC(mask, value, argument, width);                                              \
        GpuEvent event = instruction(Op::NAME, ValueElement<Result>::element, line);                             \
        event.mask = mask;                                                                                       \
        event.argument = static_cast<int>(argument);                                                             \
        event.width = static_cast<std::uint8_t>(width);                                                          \
        event.collective = collective_of(mask, place);                                                                 \
        event.first = bits_of(static_cast<Result>(value));                                                       \
        const Result received = INTRINSIC(mask, value, argument, width);                                         \
        event.second = bits_of(received);                                                                        \
        push(place, event);                                                                                      \
        return received;                                                                                         \
    }
LANEWISE_TRACED_SHUFFLE(shfl_idx, __shfl_sync, int)
LANEWISE_TRACED_SHUFFLE(shfl_up, __shfl_up_sync, unsigned)
LANEWISE_TRACED_SHUFFLE(shfl_down, __shfl_down_sync, unsigned)
LANEWISE_TRACED_SHUFFLE(shfl_xor, __shfl_xor_sync, int)
#undef LANEWISE_TRACED_SHUFFLE

#define LANEWISE_TRACED_VOTE(NAME, INTRINSIC, RESULT)                                                            \
    static __device__ __forceinline__ RESULT NAME(int line, unsigned mask, int predicate) {                      \
        const Place place = here();                                                                              \
        if (!place) return INTRINSIC(mask, predicate);                                                           \
        GpuEvent event = instruction(Op::NAME, Element::u32, line);                                              \
        event.mask = mask;                                                                                       \
        event.argument = predicate != 0;                                                                         \
        event.collective = collective_of(mask, place);                                                                 \
        const RESULT result = INTRINSIC(mask, predicate);                                                        \
        event.second = bits_of(result);                                                                          \
        push(place, event);                                                                                      \
        return result;                                                                                           \
    }
LANEWISE_TRACED_VOTE(vote_any, __any_sync, int)
LANEWISE_TRACED_VOTE(vote_all, __all_sync, int)
LANEWISE_TRACED_VOTE(vote_ballot, __ballot_sync, unsigned)
#undef LANEWISE_TRACED_VOTE

// The variable that a statement with a shuffle (first_line to last_line) assigned, as it is after that statement.
// `effect` is a trace::Effect, or 4: joined where took() was called, else kept; 5: replaced there, else kept.
template <class T>
static __device__ __forceinline__ void after(int first_line, int last_line, int effect, const T& variable) {
    if constexpr (sizeof(T) <= 8) {
        const Place place = here();
        if (!place) return;
        // Shuffles widen what is narrower than an int; so is the variable reported, in the same type.
        using Value = std::conditional_t<std::is_integral_v<T> && sizeof(T) < sizeof(int), int, T>;
        GpuEvent event;
        event.kind = GpuEvent::after;
        event.element = static_cast<std::uint8_t>(ValueElement<Value>::element);
        event.effect = static_cast<std::uint8_t>(effect);
        event.line = first_line;
        event.last_line = last_line;
        event.first = bits_of(static_cast<Value>(variable));
        push(place, event);
    }
}

static __device__ __forceinline__ void took(int first_line, int last_line) {
    const Place place = here();
    if (!place) return;
    GpuEvent event;
    event.kind = GpuEvent::took;
    event.line = first_line;
    event.last_line = last_line;
    push(place, event);
}

// A static shared array (or a single shared variable).
template <class T>
static __device__ __forceinline__ void shared_array(int id, T& array) {
    using Value = std::remove_cv_t<std::remove_all_extents_t<T>>;
    if (const Place place = here())
        report_array(place.slot, id, const_cast<const void*>(static_cast<const volatile void*>(&array)),
                     ElementOf<Value>::element, sizeof(T) / sizeof(Value) * ElementOf<Value>::count);
}

// Dynamic shared memory under one of its names: as many elements as the launch gave it bytes for.
template <class T>
static __device__ __forceinline__ void dynamic_array(int id, T* first) {
    using Value = std::remove_cv_t<std::remove_all_extents_t<T>>;
    if (const Place place = here()) {
        unsigned bytes = 0;
        asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
        report_array(place.slot, id, const_cast<const void*>(static_cast<const volatile void*>(first)),
                     ElementOf<Value>::element, bytes / sizeof(Value) * ElementOf<Value>::count);
    }
}

}  // namespace lanewise_traced

#define __shfl_sync(...) ::lanewise_traced::shfl_idx(__LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) ::lanewise_traced::shfl_up(__LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) ::lanewise_traced::shfl_down(__LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) ::lanewise_traced::shfl_xor(__LINE__, __VA_ARGS__)
#define __any_sync(...) ::lanewise_traced::vote_any(__LINE__, __VA_ARGS__)
#define __all_sync(...) ::lanewise_traced::vote_all(__LINE__, __VA_ARGS__)
#define __ballot_sync(...) ::lanewise_traced::vote_ballot(__LINE__, __VA_ARGS__)
#define __syncwarp(...) ::lanewise_traced::sync_warp(__LINE__ __VA_OPT__(, ) __VA_ARGS__)
#define __syncthreads() ::lanewise_traced::sync_block(__LINE__)
#define __syncthreads_count(...) ::lanewise_traced::sync_block_count(__LINE__, __VA_ARGS__)
#define __syncthreads_and(...) ::lanewise_traced::sync_block_and(__LINE__, __VA_ARGS__)
#define __syncthreads_or(...) ::lanewise_traced::sync_block_or(__LINE__, __VA_ARGS__)
#define __match_any_sync(...) ::lanewise_traced::vote_match_any(__LINE__, __VA_ARGS__)
#define __match_all_sync(...) ::lanewise_traced::vote_match_all(__LINE__, __VA_ARGS__)
#define __activemask() ::lanewise_traced::active_mask(__LINE__)
#define __reduce_add_sync(...) ::lanewise_traced::reduce_add(__LINE__, __VA_ARGS__)
#define __reduce_min_sync(...) ::lanewise_traced::reduce_min(__LINE__, __VA_ARGS__)
#define __reduce_max_sync(...) ::lanewise_traced::reduce_max(__LINE__, __VA_ARGS__)
#define __reduce_and_sync(...) ::lanewise_traced::reduce_and(__LINE__, __VA_ARGS__)
#define __reduce_or_sync(...) ::lanewise_traced::reduce_or(__LINE__, __VA_ARGS__)
#define __reduce_xor_sync(...) ::lanewise_traced::reduce_xor(__LINE__, __VA_ARGS__)
#define __threadfence_block() ::lanewise_traced::fence_block(__LINE__)
#define __threadfence() ::lanewise_traced::fence_device(__LINE__)
#define __threadfence_system() ::lanewise_traced::fence_system(__LINE__)

#include "common/prelude/gpu/gpu_atomics.cuh"
