// Recorded stand-ins for CUDA's barriers, matches, reductions, fences and __activemask; part of the GPU prelude
// (gpu_traced.cuh). Each does exactly what its intrinsic does, and writes down what the lane gave and got.
#pragma once

#include "common/prelude/gpu/gpu_element.cuh"
#include "common/prelude/gpu/gpu_recorder.cuh"

namespace lanewise_traced {

using lanewise::Element;
using lanewise::trace::Op;

// What CUDA makes of a value that is narrower than an int where it takes an int.
template <class T>
using Widened = std::conditional_t<std::is_integral_v<T> && sizeof(T) < sizeof(int), int, T>;

static __device__ __forceinline__ void sync_warp(int line, unsigned mask = 0xffffffffu) {
    const Place place = here();
    if (place) {
        GpuEvent event = instruction(Op::sync_warp, Element::u32, line);
        event.mask = mask;
        event.collective = collective_of(mask, place);
        push(place, event);
    }
    __syncwarp(mask);
}

// A block barrier: barrier() waits for all lanes and returns the lane's result. The block's memory is copied between it
// and a barrier of our own.
template <class Barrier>
static __device__ __forceinline__ int sync_block(Op op, int line, int predicate, Barrier barrier) {
    const Place place = here();
    if (!place) return barrier();
    // All read the same number: it is only changed between the two barriers below.
    std::uint32_t& barriers = capture.use[place.slot].barriers;
    const std::uint32_t snapshot = *const_cast<volatile std::uint32_t*>(&barriers);
    GpuEvent event = instruction(op, Element::f32, line);
    event.argument = predicate != 0;
    event.first = snapshot;
    event.collective = std::uint64_t{1} << 63 | snapshot;  // of the whole block; a warp's collectives lie below
    const int result = barrier();
    event.second = static_cast<unsigned>(result);
    push(place, event);
    // The first thread that arrives copies: any one thread may have exited.
    if (atomicCAS(&barriers, snapshot, snapshot + 1) == snapshot) {
        copy_shared(place.slot, snapshot);
        copy_watched(place.slot, snapshot);
    }
    __syncthreads();
    return result;
}

static __device__ __forceinline__ void sync_block(int line) {
    sync_block(Op::sync_block, line, 0, [] {
        __syncthreads();
        return 0;
    });
}

#define LANEWISE_TRACED_BARRIER(NAME, INTRINSIC)                                                                 \
    static __device__ __forceinline__ int NAME(int line, int predicate) {                                        \
        return sync_block(Op::NAME, line, predicate, [predicate] { return INTRINSIC(predicate); });              \
    }
LANEWISE_TRACED_BARRIER(sync_block_count, __syncthreads_count)
LANEWISE_TRACED_BARRIER(sync_block_and, __syncthreads_and)
LANEWISE_TRACED_BARRIER(sync_block_or, __syncthreads_or)
#undef LANEWISE_TRACED_BARRIER

// A match or reduction of the lanes of `mask`: call(value) does it.
template <class T, class Call>
static __device__ __forceinline__ auto offered(Op op, int line, unsigned mask, T value, Call call) {
    const Place place = here();
    if (!place) return call(value);
    GpuEvent event = instruction(op, ValueElement<T>::element, line);
    event.mask = mask;
    event.collective = collective_of(mask, place);
    event.first = bits_of(value);
    const auto result = call(value);
    event.second = bits_of(result);
    push(place, event);
    return result;
}

template <class T>
static __device__ __forceinline__ unsigned vote_match_any(int line, unsigned mask, T value) {
    return offered(Op::vote_match_any, line, mask, static_cast<Widened<T>>(value),
                   [mask](Widened<T> v) { return __match_any_sync(mask, v); });
}

template <class T>
static __device__ __forceinline__ unsigned vote_match_all(int line, unsigned mask, T value, int* predicate) {
    return offered(Op::vote_match_all, line, mask, static_cast<Widened<T>>(value),
                   [mask, predicate](Widened<T> v) { return __match_all_sync(mask, v, predicate); });
}

// CUDA declares these from sm_80 on.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define LANEWISE_TRACED_REDUCE(NAME, INTRINSIC)                                                                  \
    template <class T>                                                                                           \
    static __device__ __forceinline__ auto NAME(int line, unsigned mask, T value) {                              \
        using Result = decltype(INTRINSIC(mask, value));                                                         \
        return offered(Op::NAME, line, mask, static_cast<Result>(value),                                         \
                       [mask](Result v) { return INTRINSIC(mask, v); });                                         \
    }
LANEWISE_TRACED_REDUCE(reduce_add, __reduce_add_sync)
LANEWISE_TRACED_REDUCE(reduce_min, __reduce_min_sync)
LANEWISE_TRACED_REDUCE(reduce_max, __reduce_max_sync)
LANEWISE_TRACED_REDUCE(reduce_and, __reduce_and_sync)
LANEWISE_TRACED_REDUCE(reduce_or, __reduce_or_sync)
LANEWISE_TRACED_REDUCE(reduce_xor, __reduce_xor_sync)
#undef LANEWISE_TRACED_REDUCE
#endif

static __device__ __forceinline__ unsigned active_mask(int line) {
    const unsigned lanes = __activemask();  // before anything here can part the lanes
    if (const Place place = here()) {
        GpuEvent event = instruction(Op::active_mask, Element::u32, line);
        event.second = lanes;
        push(place, event);
    }
    return lanes;
}

static __device__ __forceinline__ void fenced(int line, int scope) {
    if (const Place place = here()) {
        GpuEvent event = instruction(Op::fence, Element::f32, line);
        event.argument = scope;
        push(place, event);
    }
}
static __device__ __forceinline__ void fence_block(int line) {
    __threadfence_block();
    fenced(line, 0);
}
static __device__ __forceinline__ void fence_device(int line) {
    __threadfence();
    fenced(line, 1);
}
static __device__ __forceinline__ void fence_system(int line) {
    __threadfence_system();
    fenced(line, 2);
}

}  // namespace lanewise_traced
