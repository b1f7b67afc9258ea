// What a run reports as it happens, in memory that may be shared with another process: entries that are only ever
// appended. A reader, also after the writer has died, finds every entry that was written.
#pragma once

#include <array>
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
inline constexpr std::size_t kRecordedBytes = std::size_t{224}
                                              << 20;  // address space: what is not written costs nothing
inline constexpr std::size_t kUnrecordedBytes = std::size_t{4} << 20;

enum class EntryKind : std::uint32_t {
    none,            // claimed, not yet written
    launch_begins,   // LaunchEntry
    block_begins,    // BlockEntry
    block_goes_on,   // BlockEntry: of a block that has begun and waited for others
    event,           // EventEntry
    shared_array,    // ArrayEntry
    image,           // ImageEntry, bytes, and a byte for each element: was it written?
    barrier,         // the images since the last one are of one block barrier
    finding,         // FindingEntry and its texts
    undecided,       // a sentence: which limit kept the checks from judging all of the run
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

// A finding as it is made, when not all of it is known. Lines: where they are 0, addresses in the kernel to look them
// up by; in the sentence and the advice kLineMark and kOtherLineMark stand for them. Records: how many events of the
// lane were recorded before; -1: none, kLast: the last one that fits.
struct Found {
    static constexpr char kLineMark = '\1', kOtherLineMark = '\2';
    static constexpr std::int64_t kLast = std::int64_t{1} << 62;
    trace::Finding finding;
    const void* pc = nullptr;
    const void* other_pc = nullptr;
    const void* same_line_pc = nullptr;   // it is no finding where this is on another line than `pc`
    std::int64_t events = -1;
    std::int64_t other_events = -1;
    std::int32_t lane = 0;       // of those in `lanes`, the one that `events` counts
    std::int32_t other_lane = 0;
};
// Its texts follow in the order of text_bytes: kind, kernel, sentence, advice, array, value, the other place's value.
struct FindingEntry {
    static constexpr std::size_t kTexts = 7;
    std::uint64_t before = 0;    // the place of the finding before it, + 1; 0: none
    std::uint64_t count = 1;
    std::uint64_t pc = 0, other_pc = 0, same_line_pc = 0;
    std::int64_t events = -1, other_events = -1;
    std::int64_t index = 0;
    std::uint32_t launch = 0;
    trace::Severity severity = trace::Severity::wrong;
    bool has_other = false;
    struct Place {
        std::int32_t line = 0;
        std::uint32_t block = 0;
        std::uint32_t warp = 0;
        std::uint32_t lanes = 0;
        std::int32_t lane = 0;
    } here, other;
    std::array<std::uint32_t, kTexts> text_bytes{};
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
        auto* place = static_cast<T*>(claim(sizeof(T) + extra.size(), kKept));
        if (!place) return nullptr;
        std::memcpy(static_cast<void*>(place), &payload, sizeof(T));
        if (!extra.empty()) std::memcpy(reinterpret_cast<std::byte*>(place) + sizeof(T), extra.data(), extra.size());
        commit(place, kind);
        return place;
    }
    bool add_text(EntryKind kind, std::string_view text);
    // A finding; of what is returned, the count and the lanes may be changed later. Null when the journal is full,
    // which is noted.
    FindingEntry* add(const Found& found);

    // The record has reached a limit; nothing more is recorded.
    void set_full() { head().full.store(1, std::memory_order_relaxed); }
    bool full() const { return head().full.load(std::memory_order_relaxed) != 0; }
    // There were more findings than fit.
    bool lost_findings() const { return head().lost_findings.load(std::memory_order_relaxed) != 0; }

    // Every entry from the place `from` on, in order, until `take` returns false; `at` is an entry's place. What a wild
    // store of the kernel has damaged is passed over.
    using Take = std::function<bool(EntryKind kind, std::span<const std::byte> payload, std::size_t at)>;
    void read(const Take& take, std::size_t from = 0) const;
    // The findings alone, in order, without a look at all the rest.
    void read_findings(const std::function<void(std::span<const std::byte> payload)>& take) const;

private:
    struct Head {
        std::atomic<std::uint64_t> used;
        std::atomic<std::uint32_t> full;
        std::atomic<std::uint32_t> lost_findings;
        std::atomic<std::uint64_t> last_finding;   // its place, + 1
    };
    struct Entry {
        std::uint32_t bytes;                 // of the payload
        std::atomic<std::uint32_t> kind;     // written last
    };
    static constexpr std::size_t kHeadBytes = 64;
    static constexpr std::size_t kKept = std::size_t{1} << 20;   // for findings and sentences, when the rest is full

    Head& head() const { return *reinterpret_cast<Head*>(memory_); }
    void* claim(std::size_t payload, std::size_t kept);
    static void commit(void* payload, EntryKind kind) {
        auto* entry = reinterpret_cast<Entry*>(static_cast<std::byte*>(payload) - sizeof(Entry));
        entry->kind.store(static_cast<std::uint32_t>(kind), std::memory_order_release);
    }

    std::byte* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

// The finding of an entry. False where it is damaged.
bool finding_of(std::span<const std::byte> payload, Found& found);

}  // namespace lanewise::emu
