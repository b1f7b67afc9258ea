// How a lane on the GPU writes down what it did. Everything is static: each translation unit has a capture of its own.
#pragma once

#include <cstdint>

#include "common/prelude/gpu/gpu_capture.hpp"
#include "common/prelude/gpu/gpu_headers.cuh"
#include "common/trace/trace.hpp"

namespace lanewise_traced {

using lanewise::prelude::GpuCapture;
using lanewise::prelude::GpuEvent;
using lanewise::prelude::GpuSharedArray;

// Filled in by the host before each traced launch; without that nothing is recorded.
static __device__ GpuCapture capture;

// What the host passes to cudaMemcpyToSymbol.
static inline const void* capture_symbol() { return &capture; }

// The calling lane's place in the capture; `slot` is negative in a block that is not recorded.
struct Place {
    int slot = -1;
    unsigned thread = 0;  // in its block

    __device__ __forceinline__ explicit operator bool() const { return slot >= 0; }
    __device__ __forceinline__ std::uint32_t& count() const {
        return capture.event_counts[std::uint64_t(slot) * capture.threads + thread];
    }
};

static __device__ __forceinline__ Place here() {
    Place place;
    const std::uint64_t block =
        blockIdx.x + std::uint64_t(gridDim.x) * (blockIdx.y + std::uint64_t(gridDim.y) * blockIdx.z);
    for (unsigned i = 0; i < capture.block_count; ++i)
        if (capture.blocks[i] == block) place.slot = static_cast<int>(i);
    place.thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return place;
}

// Appends to the lane's own list. Past its end it only counts, so that the host knows how much room is needed.
static __device__ __noinline__ void push(const Place& place, const GpuEvent& event) {
    const std::uint32_t position = place.count()++;
    if (position >= capture.event_room) return;
    const std::uint64_t list = std::uint64_t(place.slot) * capture.threads + place.thread;
    capture.events[list * capture.event_room + position] = event;
}

static __device__ __forceinline__ GpuEvent instruction(lanewise::trace::Op op, lanewise::Element element, int line) {
    GpuEvent event;
    event.op = static_cast<std::uint8_t>(op);
    event.element = static_cast<std::uint8_t>(element);
    event.line = line;
    return event;
}

// A name for the collective of the lanes that arrive here together: its lowest lane and how far that lane's list has
// got. Lines and occurrences would pair the wrong lanes after divergence. The lowest lane is that of the ballot, not of
// the mask: a lane that has exited may still be named in a mask.
static __device__ __forceinline__ std::uint64_t collective_of(unsigned mask, const Place& place) {
    const unsigned present = __ballot_sync(mask, 1);
    const unsigned leader = static_cast<unsigned>(__ffs(static_cast<int>(present)) - 1) & 31u;
    const unsigned sequence = __shfl_sync(mask, place.count(), static_cast<int>(leader));
    return std::uint64_t(leader) << 32 | sequence;
}

// Where this block's shared memory begins, as an address of the shared window: in a cluster the window holds the shared
// memory of all its blocks, and only the first begins at capture.shared_begin.
static __device__ __forceinline__ unsigned own_shared_begin() {
    unsigned begin = capture.shared_begin;
#if __CUDA_ARCH__ >= 900
    unsigned rank = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(begin) : "r"(capture.shared_begin), "r"(rank));
#endif
    return begin;
}

// Copies the block's shared memory, static and dynamic, into the next snapshot. One thread does it, while the others
// wait at a barrier.
static __device__ __noinline__ void copy_shared(int slot, unsigned snapshot) {
    unsigned bytes = 0;
    asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(bytes));
    capture.use[slot].shared_bytes = bytes;
    if (snapshot >= capture.image_room || bytes > capture.image_bytes) return;
    const std::uint64_t image = std::uint64_t(slot) * capture.image_room + snapshot;
    auto* out = reinterpret_cast<std::uint32_t*>(capture.images + image * capture.image_bytes);
    const unsigned begin = own_shared_begin();
    for (unsigned offset = 0; offset < bytes; offset += 4) {
        std::uint32_t word = 0;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(begin + offset) : "memory");
        out[offset / 4] = word;
    }
}

// Copies the block's parts of the watched buffers into the next snapshot, as copy_shared does.
static __device__ __noinline__ void copy_watched(int slot, unsigned snapshot) {
    if (snapshot >= capture.image_room) return;
    const std::uint64_t block =
        blockIdx.x + std::uint64_t(gridDim.x) * (blockIdx.y + std::uint64_t(gridDim.y) * blockIdx.z);
    unsigned char* out =
        capture.watched_images + (std::uint64_t(slot) * capture.image_room + snapshot) * capture.watched_bytes;
    for (unsigned i = 0; i < capture.watched_count; ++i) {
        const lanewise::prelude::GpuWatched& watched = capture.watched[i];
        const std::uint64_t first = block * watched.per_block;
        for (std::uint64_t k = 0; k < watched.per_block && first + k < watched.bytes; ++k)
            out[k] = *const_cast<const volatile unsigned char*>(watched.begin + first + k);
        out += watched.per_block;
    }
}

// Enters a shared array into the block's table; every lane that passes the declaration does so.
static __device__ __noinline__ void report_array(int slot, int id, const void* first, lanewise::Element element,
                                                 std::uint64_t count) {
    const auto in_window = static_cast<unsigned>(__cvta_generic_to_shared(first));
    const std::uint64_t address = in_window - own_shared_begin() + capture.shared_begin;
    const auto key = static_cast<unsigned long long>(std::uint64_t(id + 1) << 32 | address);
    GpuSharedArray* table = capture.shared + std::uint64_t(slot) * capture.shared_room;
    for (unsigned i = 0; i < capture.shared_room; ++i) {
        const unsigned long long old = atomicCAS(reinterpret_cast<unsigned long long*>(&table[i].key), 0ull, key);
        if (old == key) return;
        if (old != 0) continue;
        table[i].count = count;
        table[i].element = static_cast<std::uint8_t>(element);
        atomicMax(&capture.use[slot].shared_arrays, i + 1);
        return;
    }
    atomicMax(&capture.use[slot].shared_arrays, capture.shared_room + 1);
}

}  // namespace lanewise_traced
