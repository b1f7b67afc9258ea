#include "common/emu/journal.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace lanewise::emu {

namespace {

constexpr std::size_t kMaxText = 4096;

std::size_t rounded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

// `kept`: what must be left for others.
void* Journal::claim(std::size_t payload, std::size_t kept) {
    const std::size_t need = sizeof(Entry) + rounded(payload);
    if (!memory_ || need + kept > bytes_ - kHeadBytes) return nullptr;
    const std::uint64_t at = head().used.fetch_add(need, std::memory_order_relaxed);
    if (at > bytes_ - kHeadBytes - need - kept) {
        head().used.fetch_sub(need, std::memory_order_relaxed);
        if (kept) set_full();
        return nullptr;
    }
    auto* entry = reinterpret_cast<Entry*>(memory_ + kHeadBytes + at);
    entry->bytes = static_cast<std::uint32_t>(payload);
    return entry + 1;
}

bool Journal::add_text(EntryKind kind, std::string_view text) {
    text = text.substr(0, kMaxText);
    void* place = claim(text.size(), 0);
    if (!place) return false;
    std::memcpy(place, text.data(), text.size());
    commit(place, kind);
    return true;
}

FindingEntry* Journal::add(const Found& found) {
    const trace::Finding& finding = found.finding;
    const std::string none;
    const std::array<std::string_view, FindingEntry::kTexts> texts = {
        finding.kind,  finding.kernel, finding.sentence, finding.advice,
        finding.array, finding.value,  finding.other ? finding.other->value : none};
    FindingEntry entry;
    entry.count = finding.count;
    entry.pc = reinterpret_cast<std::uint64_t>(found.pc);
    entry.other_pc = reinterpret_cast<std::uint64_t>(found.other_pc);
    entry.same_line_pc = reinterpret_cast<std::uint64_t>(found.same_line_pc);
    entry.events = found.events;
    entry.other_events = found.other_events;
    entry.index = finding.index;
    entry.launch = finding.launch;
    entry.severity = finding.severity;
    entry.has_other = finding.other.has_value();
    entry.here = {finding.line, finding.block, finding.warp, finding.lanes, found.lane};
    if (const auto& other = finding.other)
        entry.other = {other->line, other->block, other->warp, other->lanes, found.other_lane};
    std::size_t bytes = sizeof entry;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        entry.text_bytes[i] = static_cast<std::uint32_t>(std::min(texts[i].size(), kMaxText));
        bytes += entry.text_bytes[i];
    }
    void* place = claim(bytes, 0);
    if (!place) {
        if (memory_) head().lost_findings.store(1, std::memory_order_relaxed);
        return nullptr;
    }
    auto* to = static_cast<std::byte*>(place);
    const auto at = static_cast<std::uint64_t>(to - memory_) - kHeadBytes - sizeof(Entry);
    entry.before = head().last_finding.exchange(at + 1, std::memory_order_relaxed);
    std::memcpy(to, &entry, sizeof entry);
    to += sizeof entry;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::memcpy(to, texts[i].data(), entry.text_bytes[i]);
        to += entry.text_bytes[i];
    }
    commit(place, EntryKind::finding);
    return static_cast<FindingEntry*>(place);
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

void Journal::read_findings(const std::function<void(std::span<const std::byte> payload)>& take) const {
    if (!memory_) return;
    std::vector<std::uint64_t> places;
    for (std::uint64_t next = head().last_finding.load(std::memory_order_relaxed), end = bytes_ - kHeadBytes;
         next != 0;) {
        const std::uint64_t at = next - 1;
        FindingEntry finding;
        if (at % 8 != 0 || at + sizeof(Entry) + sizeof finding > end) break;   // damaged
        const auto* entry = reinterpret_cast<const Entry*>(memory_ + kHeadBytes + at);
        const auto kind = static_cast<EntryKind>(entry->kind.load(std::memory_order_acquire));
        if (kind != EntryKind::finding || entry->bytes < sizeof finding || entry->bytes > end - at - sizeof(Entry))
            break;
        std::memcpy(&finding, static_cast<const void*>(entry + 1), sizeof finding);
        places.push_back(at);
        end = at;
        next = finding.before;
    }
    for (auto at = places.rbegin(); at != places.rend(); ++at) {
        const auto* entry = reinterpret_cast<const Entry*>(memory_ + kHeadBytes + *at);
        take({reinterpret_cast<const std::byte*>(entry + 1), entry->bytes});
    }
}

bool finding_of(std::span<const std::byte> payload, Found& found) {
    FindingEntry entry;
    if (payload.size() < sizeof entry) return false;
    std::memcpy(&entry, payload.data(), sizeof entry);
    std::uint64_t bytes = 0;
    for (const std::uint32_t text : entry.text_bytes) bytes += text;
    if (bytes != payload.size() - sizeof entry || entry.severity > trace::Severity::note) return false;
    trace::Finding& finding = found.finding;
    trace::FindingPlace other{entry.other.line, entry.other.block, entry.other.warp, entry.other.lanes, -1, {}};
    const std::array<std::string*, FindingEntry::kTexts> texts = {
        &finding.kind,  &finding.kernel, &finding.sentence, &finding.advice,
        &finding.array, &finding.value,  &other.value};
    const auto* from = reinterpret_cast<const char*>(payload.data() + sizeof entry);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        texts[i]->assign(from, entry.text_bytes[i]);
        from += entry.text_bytes[i];
    }
    finding.count = entry.count;
    finding.index = entry.index;
    finding.launch = entry.launch;
    finding.severity = entry.severity;
    finding.line = entry.here.line;
    finding.block = entry.here.block;
    finding.warp = entry.here.warp;
    finding.lanes = entry.here.lanes;
    if (entry.has_other) finding.other = std::move(other);
    found.pc = reinterpret_cast<const void*>(entry.pc);
    found.other_pc = reinterpret_cast<const void*>(entry.other_pc);
    found.same_line_pc = reinterpret_cast<const void*>(entry.same_line_pc);
    found.events = entry.events;
    found.other_events = entry.other_events;
    found.lane = entry.here.lane;
    found.other_lane = entry.other.lane;
    const auto is_lane = [](std::int32_t lane) { return lane >= 0 && lane < trace::kWarpSize; };
    return is_lane(found.lane) && is_lane(found.other_lane);
}

}  // namespace lanewise::emu
