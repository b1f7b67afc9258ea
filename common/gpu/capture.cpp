#include "common/gpu/capture.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "common/base/error.hpp"
#include "common/gpu/cuda_error.hpp"

namespace lanewise::gpu {
namespace {

using prelude::GpuBlockUse;
using prelude::GpuCapture;
using prelude::GpuEvent;
using prelude::GpuSharedArray;

// A trace that needs more is not one that anybody reads.
constexpr std::uint64_t kMaxCaptureBytes = std::uint64_t{1} << 30;

template <class T>
std::vector<T> read_array(const Buffer& buffer, std::uint64_t first, std::uint64_t count) {
    std::vector<T> values(count);
    buffer.download(first * sizeof(T), std::as_writable_bytes(std::span(values)));
    return values;
}

}  // namespace

bool CaptureRoom::grow_to(const CaptureRoom& other) {
    const auto grow = [](std::uint32_t& room, std::uint32_t needed) {
        if (needed <= room) return false;
        room = needed > (1u << 31) ? needed : std::bit_ceil(needed);
        return true;
    };
    bool grown = grow(events, other.events);
    grown |= grow(snapshots, other.snapshots);
    // Whole 16-byte units: the GPU copies four bytes at a time.
    grown |= grow(snapshot_bytes, other.snapshot_bytes > 0 ? std::max(other.snapshot_bytes, 16u) : 0);
    grown |= grow(shared_arrays, other.shared_arrays);
    return grown;
}

Capture::Capture(std::vector<std::uint32_t> blocks, std::uint32_t threads, std::uint32_t shared_begin,
                 const CaptureRoom& room, std::vector<prelude::GpuWatched> watched)
    : blocks_(std::move(blocks)), threads_(threads), shared_begin_(shared_begin), room_(room),
      watched_(std::move(watched)) {
    if (watched_.size() > prelude::kMaxWatched)
        throw Error(
            fmt::format("A plan asks for {} buffers to be kept at barriers; a recording on a GPU keeps up to {}.",
                        watched_.size(), prelude::kMaxWatched));
    for (const prelude::GpuWatched& part : watched_) watched_bytes_ += part.per_block;
    const std::uint64_t lists = std::uint64_t{blocks_.size()} * threads_;
    const std::uint64_t event_bytes = lists * room_.events * sizeof(GpuEvent);
    const std::uint64_t image_bytes = std::uint64_t{blocks_.size()} * room_.snapshots * room_.snapshot_bytes;
    const std::uint64_t watched_bytes = std::uint64_t{blocks_.size()} * room_.snapshots * watched_bytes_;
    if (event_bytes + image_bytes + watched_bytes > kMaxCaptureBytes)
        throw Error(
            fmt::format("Recording {} blocks of {} threads, each lane up to {} events and each block up to {} "
                        "barriers, takes {} MiB, and {} MiB is the limit: record fewer blocks, or a smaller --n.",
                        blocks_.size(), threads_, room_.events, room_.snapshots,
                        (event_bytes + image_bytes + watched_bytes) >> 20, kMaxCaptureBytes >> 20));
    block_list_ = Buffer(blocks_.size() * sizeof(std::uint32_t));
    block_list_.upload(std::as_bytes(std::span(blocks_)));
    events_ = Buffer(event_bytes);
    event_counts_ = Buffer(lists * sizeof(std::uint32_t));
    images_ = Buffer(image_bytes);
    watched_images_ = Buffer(watched_bytes);
    shared_ = Buffer(blocks_.size() * room_.shared_arrays * sizeof(GpuSharedArray));
    use_ = Buffer(blocks_.size() * sizeof(GpuBlockUse));
    event_counts_.fill(0);
    shared_.fill(0);
    use_.fill(0);
}

void Capture::attach(const void* symbol) const {
    GpuCapture capture;
    capture.blocks = block_list_.as<const std::uint32_t>();
    capture.block_count = static_cast<std::uint32_t>(blocks_.size());
    capture.threads = threads_;
    capture.events = events_.as<GpuEvent>();
    capture.event_counts = event_counts_.as<std::uint32_t>();
    capture.event_room = room_.events;
    capture.images = images_.as<unsigned char>();
    capture.image_room = room_.snapshots;
    capture.image_bytes = room_.snapshot_bytes;
    capture.shared_begin = shared_begin_;
    std::copy(watched_.begin(), watched_.end(), capture.watched);
    capture.watched_count = static_cast<std::uint32_t>(watched_.size());
    capture.watched_images = watched_images_.as<unsigned char>();
    capture.watched_bytes = watched_bytes_;
    capture.shared = shared_.as<GpuSharedArray>();
    capture.shared_room = room_.shared_arrays;
    capture.use = use_.as<GpuBlockUse>();
    CUDA_CHECK(cudaMemcpyToSymbol(symbol, &capture, sizeof(capture)));
}

void Capture::detach(const void* symbol) {
    const GpuCapture nothing;
    // After a kernel that failed nothing works any more; that failure has been reported, and this one adds nothing.
    if (cudaMemcpyToSymbol(symbol, &nothing, sizeof(nothing)) != cudaSuccess) (void)cudaGetLastError();
}

std::vector<std::uint32_t> Capture::event_counts() const {
    return read_array<std::uint32_t>(event_counts_, 0, blocks_.size() * threads_);
}

std::vector<GpuBlockUse> Capture::block_use() const { return read_array<GpuBlockUse>(use_, 0, blocks_.size()); }

CaptureRoom Capture::used() const {
    CaptureRoom used{0, 0, 0, 0};
    for (const std::uint32_t count : event_counts()) used.events = std::max(used.events, count);
    for (const GpuBlockUse& use : block_use()) {
        used.snapshots = std::max(used.snapshots, use.barriers);
        used.snapshot_bytes = std::max(used.snapshot_bytes, use.shared_bytes);
        used.shared_arrays = std::max(used.shared_arrays, use.shared_arrays);
    }
    return used;
}

std::vector<CapturedBlock> Capture::read(std::uint32_t launch) const {
    const std::vector<std::uint32_t> counts = event_counts();
    const std::vector<GpuBlockUse> use = block_use();
    std::vector<CapturedBlock> result;
    for (std::size_t slot = 0; slot < blocks_.size(); ++slot) {
        CapturedBlock block;
        block.launch = launch;
        block.block = blocks_[slot];
        block.shared_begin = shared_begin_;
        const std::uint64_t first_list = std::uint64_t{slot} * threads_;
        const auto events =
            read_array<GpuEvent>(events_, first_list * room_.events, std::uint64_t{threads_} * room_.events);
        for (std::uint32_t thread = 0; thread < threads_; ++thread) {
            const auto list = events.begin() + static_cast<std::ptrdiff_t>(std::uint64_t{thread} * room_.events);
            block.threads.emplace_back(list, list + std::min(counts[first_list + thread], room_.events));
        }
        for (std::uint32_t i = 0; i < std::min(use[slot].barriers, room_.snapshots); ++i)
            block.images.push_back(read_array<std::byte>(
                images_, (std::uint64_t{slot} * room_.snapshots + i) * room_.snapshot_bytes, use[slot].shared_bytes));
        for (std::uint32_t i = 0; i < block.images.size(); ++i)
            block.watched_images.push_back(read_array<std::byte>(
                watched_images_, (std::uint64_t{slot} * room_.snapshots + i) * watched_bytes_, watched_bytes_));
        const auto shared = read_array<GpuSharedArray>(shared_, slot * room_.shared_arrays,
                                                       std::min(use[slot].shared_arrays, room_.shared_arrays));
        for (const GpuSharedArray& a : shared)
            block.shared.push_back({a.id(), static_cast<Element>(a.element), a.count, a.address(), 0});
        result.push_back(std::move(block));
    }
    return result;
}

}  // namespace lanewise::gpu
