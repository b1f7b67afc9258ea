#include "common/emu/journal.hpp"

#include <algorithm>
#include <string>

namespace lanewise::emu {

namespace {

constexpr std::size_t kMaxText = 4096;

std::size_t rounded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

void* Journal::claim(std::size_t payload) {
    const std::size_t need = sizeof(Entry) + rounded(payload);
    if (!memory_ || need > bytes_ - kHeadBytes) return nullptr;
    const std::uint64_t at = head().used.fetch_add(need, std::memory_order_relaxed);
    if (at > bytes_ - kHeadBytes - need) {
        head().used.fetch_sub(need, std::memory_order_relaxed);
        set_full();
        return nullptr;
    }
    auto* entry = reinterpret_cast<Entry*>(memory_ + kHeadBytes + at);
    entry->bytes = static_cast<std::uint32_t>(payload);
    return entry + 1;
}

bool Journal::add_text(EntryKind kind, std::string_view text) {
    text = text.substr(0, kMaxText);
    void* place = claim(text.size());
    if (!place) return false;
    std::memcpy(place, text.data(), text.size());
    commit(place, kind);
    return true;
}

std::uint64_t* Journal::add(const trace::Finding& finding, std::uint32_t launch, const void* pc) {
    const std::string_view kind = std::string_view(finding.kind).substr(0, kMaxText),
                           kernel = std::string_view(finding.kernel).substr(0, kMaxText),
                           sentence = std::string_view(finding.sentence).substr(0, kMaxText);
    FindingEntry entry;
    entry.count = finding.count;
    entry.pc = reinterpret_cast<std::uint64_t>(pc);
    entry.launch = launch;
    entry.line = finding.line;
    entry.block = finding.block;
    entry.warp = finding.warp;
    entry.lanes = finding.lanes;
    entry.kind_bytes = static_cast<std::uint32_t>(kind.size());
    entry.kernel_bytes = static_cast<std::uint32_t>(kernel.size());
    entry.sentence_bytes = static_cast<std::uint32_t>(sentence.size());
    void* place = claim(sizeof entry + kind.size() + kernel.size() + sentence.size());
    if (!place) return nullptr;
    auto* to = static_cast<std::byte*>(place);
    std::memcpy(to, &entry, sizeof entry);
    to += sizeof entry;
    for (const std::string_view text : {kind, kernel, sentence}) {
        std::memcpy(to, text.data(), text.size());
        to += text.size();
    }
    commit(place, EntryKind::finding);
    return &static_cast<FindingEntry*>(place)->count;
}

void Journal::read(const Take& take, std::size_t from) const {
    if (!memory_) return;
    const std::size_t used = std::min<std::uint64_t>(head().used.load(std::memory_order_acquire), bytes_ - kHeadBytes);
    for (std::size_t at = from; at + sizeof(Entry) <= used;) {
        const auto* entry = reinterpret_cast<const Entry*>(memory_ + kHeadBytes + at);
        const std::uint32_t bytes = entry->bytes;
        if (bytes > used - at - sizeof(Entry)) return;
        const auto kind = static_cast<EntryKind>(entry->kind.load(std::memory_order_acquire));
        if (kind == EntryKind::none && bytes == 0) return;   // claimed by one who died before it said how much
        if (kind != EntryKind::none && kind <= EntryKind::error &&
            !take(kind, {reinterpret_cast<const std::byte*>(entry + 1), bytes}, at))
            return;
        at += sizeof(Entry) + rounded(bytes);
    }
}

bool finding_of(std::span<const std::byte> payload, FindingEntry& entry, trace::Finding& finding) {
    if (payload.size() < sizeof entry) return false;
    std::memcpy(&entry, payload.data(), sizeof entry);
    const auto* text = reinterpret_cast<const char*>(payload.data() + sizeof entry);
    if (std::uint64_t{entry.kind_bytes} + entry.kernel_bytes + entry.sentence_bytes != payload.size() - sizeof entry)
        return false;
    finding.kind.assign(text, entry.kind_bytes);
    finding.kernel.assign(text += entry.kind_bytes, entry.kernel_bytes);
    finding.sentence.assign(text += entry.kernel_bytes, entry.sentence_bytes);
    finding.line = entry.line;
    finding.block = entry.block;
    finding.warp = entry.warp;
    finding.lanes = entry.lanes;
    finding.count = entry.count;
    return true;
}

}  // namespace lanewise::emu
