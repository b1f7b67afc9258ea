// What a run tells as it happens, in memory that may be shared with another process: entries that are only ever
// appended. Whoever reads it later, or after the writer has died, finds every entry that was written.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>

#include "common/trace/lane_events.hpp"

namespace lanewise::emu {

// Events that one run may record. At 152 bytes each they fill most of a journal; the rest is for pictures of memory.
inline constexpr std::uint64_t kMaxEvents = std::uint64_t{1} << 20;
inline constexpr std::size_t kRecordedBytes = std::size_t{224} << 20;   // address space: what is not written costs nothing
inline constexpr std::size_t kUnrecordedBytes = std::size_t{4} << 20;

enum class EntryKind : std::uint32_t {
    none,            // claimed, not yet written
    launch_begins,   // LaunchEntry
    block_begins,    // BlockEntry
    event,           // EventEntry
    shared_array,    // ArrayEntry
    image,           // ImageEntry, bytes, and a byte for each element: was it written?
    barrier,         // the images since the last one are of one block barrier
    finding,         // FindingEntry and its texts
    error,           // a sentence: why the run was not possible
};

struct LaunchEntry {
    std::uint32_t launch = 0;
};
struct BlockEntry {
    std::uint32_t block = 0;
    std::uint32_t slots = 0;
};
struct EventEntry {
    std::uint32_t thread = 0;
    std::uint32_t reserved = 0;
    std::uint64_t address = 0;   // accesses and atomics: where it went; 0 for others
    std::uint64_t pc = 0;        // accesses: the return address into the kernel
    trace::LaneEvent event;
};
struct ArrayEntry {
    std::uint64_t address = 0;
    std::uint64_t count = 0;     // elements
    std::uint32_t id = 0;
    Element element = Element::u32;
};
struct ImageEntry {
    ArrayEntry array;            // a shared array; with `is_buffer` only its element and count mean something
    std::uint64_t first = 0;     // of the elements, in a buffer
    std::uint32_t buffer = 0;
    bool is_buffer = false;
};
// The texts follow: kind, kernel, sentence.
struct FindingEntry {
    std::uint64_t count = 1;
    std::uint64_t pc = 0;        // where the line is not known: an address in the kernel to look it up by
    std::uint32_t launch = 0;
    std::int32_t line = 0;
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;
    std::uint32_t kind_bytes = 0, kernel_bytes = 0, sentence_bytes = 0;
};

class Journal {
public:
    Journal() = default;
    // Over `bytes` of zeroed memory.
    Journal(std::byte* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}

    // Appends an entry with room for `extra` bytes after the payload. Null when the journal is full, which is noted.
    // Safe from any thread.
    template <class T>
    T* add(EntryKind kind, const T& payload, std::span<const std::byte> extra = {}) {
        auto* place = static_cast<T*>(claim(sizeof(T) + extra.size()));
        if (!place) return nullptr;
        std::memcpy(static_cast<void*>(place), &payload, sizeof(T));
        if (!extra.empty()) std::memcpy(reinterpret_cast<std::byte*>(place) + sizeof(T), extra.data(), extra.size());
        commit(place, kind);
        return place;
    }
    bool add_text(EntryKind kind, std::string_view text);
    // A finding; what is returned counts how often it was seen. Null when the journal is full.
    std::uint64_t* add(const trace::Finding& finding, std::uint32_t launch, const void* pc = nullptr);

    // The record has reached a limit; nothing more is recorded.
    void set_full() { head().full.store(1, std::memory_order_relaxed); }
    bool full() const { return head().full.load(std::memory_order_relaxed) != 0; }

    // Every entry from the place `from` on, in order, until `take` returns false; `at` is an entry's place. What a wild
    // store of the kernel has damaged is passed over.
    using Take = std::function<bool(EntryKind kind, std::span<const std::byte> payload, std::size_t at)>;
    void read(const Take& take, std::size_t from = 0) const;

private:
    struct Head {
        std::atomic<std::uint64_t> used;
        std::atomic<std::uint32_t> full;
    };
    struct Entry {
        std::uint32_t bytes;                 // of the payload
        std::atomic<std::uint32_t> kind;     // written last
    };
    static constexpr std::size_t kHeadBytes = 64;

    Head& head() const { return *reinterpret_cast<Head*>(memory_); }
    void* claim(std::size_t payload);
    static void commit(void* payload, EntryKind kind) {
        auto* entry = reinterpret_cast<Entry*>(static_cast<std::byte*>(payload) - sizeof(Entry));
        entry->kind.store(static_cast<std::uint32_t>(kind), std::memory_order_release);
    }

    std::byte* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

// The finding of an entry. False where it is damaged.
bool finding_of(std::span<const std::byte> payload, FindingEntry& entry, trace::Finding& finding);

}  // namespace lanewise::emu
