#include "common/check/shadow_memory.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace lanewise::check {

Pages::Pages(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(mapped);
}

Pages::~Pages() {
    if (data_) munmap(data_, bytes_);
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

void Pages::clear() {
    constexpr std::size_t kSmall = 1 << 16;
    if (bytes_ <= kSmall) {
        if (data_) std::memset(data_, 0, bytes_);
    } else {
        madvise(data_, bytes_, MADV_DONTNEED);
    }
}

Region::Region(std::string name, const std::byte* begin, std::uint64_t bytes, Element element, bool shared)
    : name_(std::move(name)), begin_(begin), bytes_(bytes), element_(element), shared_(shared), cells_(cells_bytes()) {}

// An access may end past the array's last whole cell.
std::size_t Region::cells_bytes() const { return ((bytes_ >> shift_) + 2) * sizeof(Cell); }

std::int64_t Region::index_of(const void* address) const {
    const auto away = static_cast<std::int64_t>(offset(address));
    const std::int64_t size = element_size(element_);
    return away >= 0 ? away / size : -((-away + size - 1) / size);
}

void Region::refine(std::uint64_t offset, std::uint32_t bytes) {
    unsigned shift = shift_;
    while (shift > 0 && ((offset | bytes) & ((1u << shift) - 1))) --shift;
    if (shift == shift_) return;
    const unsigned parts = 1u << (shift_ - shift);
    const std::size_t old_count = (bytes_ >> shift_) + 1;
    const Pages old = std::move(cells_);
    shift_ = shift;
    Pages made(cells_bytes());
    const auto* from = reinterpret_cast<const Cell*>(old.data());
    auto* to = reinterpret_cast<Cell*>(made.data());
    // Entries are not parted: the first of the new cells keeps them. They are few where lanes touch parts of words.
    for (std::size_t i = 0; i < old_count; ++i) {
        if (from[i].write_block == 0 && from[i].read_block == 0 && from[i].more == 0) continue;
        for (std::size_t k = 0; k < parts && ((i * parts + k) << shift) < bytes_ + 4; ++k) {
            to[i * parts + k] = from[i];
            if (k > 0) to[i * parts + k].more = 0;
        }
    }
    cells_ = std::move(made);
}

void Region::track_writes() {
    tracks_writes_ = true;
    written_ = Pages((bytes_ >> 2) + 8);
}

void Region::forget_writes() { written_.clear(); }

void Region::forget_writes(std::uint64_t offset, std::uint64_t bytes) {
    std::memset(written() + offset / 4, 0, (bytes + 3) / 4);
}

void Memory::run_begins(std::span<const emu::CheckedBuffer> buffers) {
    for (const emu::CheckedBuffer& buffer : buffers) {
        Region& region = regions_.emplace_back(buffer.name, buffer.begin, buffer.bytes, buffer.element, false);
        if (!buffer.initialised) region.track_writes();
        global_.push_back(&region);
    }
}

// A launch begins when all of the one before has ended.
void Memory::launch_begins(const emu::CheckedLaunch& launch) {
    launch_ = launch;
    for (Region* region : global_) region->clear_cells();
    all_shared_.clear();
    block_begins();
}

void Memory::block_begins() {
    shared_.clear();
    recent_[0] = recent_[1] = &nothing_;
}

void Memory::heap_changes(const emu::HeapSeen& seen) {
    if (!heap_) {
        heap_ = &regions_.emplace_back("memory of the kernel's own", launch_.heap->arena(),
                                       emu::DeviceHeap::kArenaBytes, Element::u8, false);
        heap_->track_writes();
        global_.push_back(heap_);
    }
    // What is allocated holds nothing yet, whatever it was before.
    if (!seen.freed) heap_->forget_writes(heap_->offset(seen.address), seen.bytes);
}

void Memory::add_shared(const emu::SharedArraySeen& seen) {
    const auto* begin = static_cast<const std::byte*>(seen.address);
    const bool dynamic = begin == dynamic_shared_;
    // Dynamic shared memory may have several names: it is one piece of memory.
    const auto same = [&](const Region* region) {
        return region->begin() == begin && (dynamic || region->bytes() == seen.bytes);
    };
    if (std::any_of(shared_.begin(), shared_.end(), same)) return;
    const auto known = std::find_if(all_shared_.begin(), all_shared_.end(), same);
    if (known != all_shared_.end()) {
        (*known)->forget_writes();
        shared_.push_back(*known);
        return;
    }
    const std::string name = seen.id < launch_.shared_names.size() ? launch_.shared_names[seen.id] : "shared memory";
    Region& region = regions_.emplace_back(name, begin, seen.bytes, seen.type, true);
    region.track_writes();
    all_shared_.push_back(&region);
    shared_.push_back(&region);
}

Region* Memory::find_slowly(const void* address) {
    Region* found = nullptr;
    for (Region* region : shared_)
        if (region->has(address)) found = region;
    for (Region* region : global_)
        if (!found && region->has(address)) found = region;
    if (!found) found = variable_at(address);
    if (!found) return nullptr;
    recent_[1] = recent_[0];
    recent_[0] = found;
    return found;
}

// Variables of the kernel file are arrays in global memory; they are registered when they are first touched.
Region* Memory::variable_at(const void* address) {
    const emu::ProgramObject* object = launch_.program ? launch_.program->find(address) : nullptr;
    if (!object) return nullptr;
    const Element element = object->bytes % 4 == 0 ? Element::u32 : Element::u8;
    global_.push_back(&regions_.emplace_back(object->name, object->begin, object->bytes, element, false));
    const auto& constants = launch_.constant_names;
    global_.back()->set_read_only(std::find(constants.begin(), constants.end(), object->name) != constants.end());
    return global_.back();
}

Region* Memory::nearest(const void* address) {
    constexpr std::int64_t kNear = std::int64_t{1} << 35;
    Region* nearest = nullptr;
    std::int64_t least = kNear;
    for (const auto* regions : {&shared_, &global_})
        for (Region* region : *regions) {
            const auto offset = static_cast<std::int64_t>(region->offset(address));
            const std::int64_t away = offset < 0 ? -offset : offset - static_cast<std::int64_t>(region->bytes());
            // Shared arrays lie side by side, and beside what is no array: an index too large is likelier than a
            // negative one.
            const std::int64_t weight = offset < 0 ? 4 * away : away;
            if (weight >= least || (region->shared() && away > (1 << 20))) continue;
            nearest = region;
            least = weight;
        }
    return nearest;
}

}  // namespace lanewise::check
