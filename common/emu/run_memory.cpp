#include "common/emu/run_memory.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/emu/machine.hpp"

namespace lanewise::emu {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kAlignment = 256;   // cudaMalloc's
constexpr std::uint64_t kGuardBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kApart = std::uint64_t{1} << 37;  // 2^32 elements of 16 bytes lie up to this far either way
constexpr std::uint64_t kMostApart = std::uint64_t{1} << 44;   // all of them together

std::uint64_t up(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

[[noreturn]] void no_memory(std::uint64_t bytes) {
    throw Error(fmt::format("the emulator could not get {} MB for the run's buffers: {}; give a smaller --n.",
                            bytes >> 20, std::strerror(errno)));
}

// Scratch memory is filled with a value that no result looks like; new pages are zero.
void fill(std::byte* to, const launch::BufferSpec& spec) {
    const std::uint64_t bytes = spec.bytes();
    if (bytes == 0) return;
    if (spec.role == launch::BufferRole::input) std::memcpy(to, spec.contents.data(), bytes);
    if (spec.role == launch::BufferRole::scratch) poison(to, bytes);
}

}  // namespace

void RunMemory::lay_out(const launch::Plan& plan, Kind kind) {
    // On each side of a buffer, that nothing may touch. It costs address space alone, of which there are 128 TB.
    const std::uint64_t apart = std::min(kApart, kMostApart / std::bit_floor(plan.buffers.size() + 1));
    const std::uint64_t guard = kind.checked ? apart : kGuardBytes;
    journal_bytes_ = kind.records ? kRecordedBytes : kUnrecordedBytes;
    std::uint64_t at = sizeof(RunState) + journal_bytes_, in_file = at;
    for (const auto& spec : plan.buffers) {
        Piece piece;
        const std::uint64_t room = up(spec.bytes(), kAlignment);
        piece.bytes = spec.bytes();
        piece.pages = up(room, kPage);
        piece.pages_at = at + guard;
        piece.address = piece.pages_at + piece.pages - room;
        piece.in_file = in_file;
        in_file += piece.pages;
        at = piece.pages_at + piece.pages;
        buffers_.push_back(piece);
    }
    total_ = at + guard;
    file_bytes_ = in_file;
}

void RunMemory::map(int fd) {
    // Reserved as a whole, so that nothing else comes to lie in a guard.
    void* reserved = mmap(nullptr, total_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) no_memory(total_);
    base_ = static_cast<std::byte*>(reserved);
    const auto open = [&](std::uint64_t at, std::uint64_t bytes, std::uint64_t in_file) {
        if (bytes == 0) return;
        const int kind = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
        if (mmap(base_ + at, bytes, PROT_READ | PROT_WRITE, kind | MAP_FIXED | MAP_NORESERVE, fd,
                 fd < 0 ? 0 : static_cast<off_t>(in_file)) == MAP_FAILED) {
            const int reason = errno;
            munmap(base_, total_);
            base_ = nullptr;
            errno = reason;
            no_memory(bytes);
        }
    };
    open(0, sizeof(RunState) + journal_bytes_, 0);
    for (const Piece& piece : buffers_) open(piece.pages_at, piece.pages, piece.in_file);
}

RunMemory::RunMemory(const launch::Plan& plan, Kind kind, bool shared) {
    lay_out(plan, kind);
    if (shared) {
        fd_ = memfd_create("lanewise run", MFD_CLOEXEC);
        if (fd_ < 0 || ftruncate(fd_, static_cast<off_t>(file_bytes_)) != 0) {
            const int reason = errno;
            if (fd_ >= 0) close(fd_);
            errno = reason;
            no_memory(file_bytes_);
        }
    }
    try {
        map(fd_);
    } catch (...) {
        if (fd_ >= 0) close(fd_);
        throw;
    }
    state().memory_base = reinterpret_cast<std::uint64_t>(base_);
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) fill(buffer(i), plan.buffers[i]);
}

RunMemory::RunMemory(const launch::Plan& plan, Kind kind, int fd) {
    lay_out(plan, kind);
    map(fd);
    state().memory_base = reinterpret_cast<std::uint64_t>(base_);
}

RunMemory::~RunMemory() {
    if (base_) munmap(base_, total_);
    if (fd_ >= 0) close(fd_);
}

bool RunMemory::find(std::uint64_t address, Place& place) const {
    const std::uint64_t base = state().memory_base;
    if (address < base || address >= base + total_) return false;
    const std::uint64_t at = address - base;
    bool found = false;
    std::uint64_t nearest = 0;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const Piece& piece = buffers_[i];
        const std::uint64_t end = piece.address + piece.bytes;
        const std::uint64_t away = at < piece.address ? piece.address - at : at >= end ? at - end + 1 : 0;
        if (found && away >= nearest) continue;
        found = true;
        nearest = away;
        place = {i, static_cast<std::int64_t>(at - piece.address)};
    }
    return found;
}

}  // namespace lanewise::emu
