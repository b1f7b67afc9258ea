// Where in a trace the accesses are that a finding is about.
#include <algorithm>
#include <cstdlib>

#include "common/emu/checks.hpp"

namespace lanewise::emu {

namespace {

struct Sought {
    std::uint32_t launch, block, warp;
    int lane, line;
    std::int64_t events;
    const std::string& array;
    std::int64_t index;
};

bool touches(const trace::Record& record, const Sought& sought, std::span<const trace::Array> arrays) {
    if (!trace::is_access(record.op) && !trace::is_atomic(record.op)) return sought.array.empty();
    if (sought.array.empty() || record.array >= arrays.size() || arrays[record.array].name != sought.array)
        return false;
    const std::int64_t first = record.element_index[static_cast<std::size_t>(sought.lane)];
    return sought.index >= first && sought.index < first + record.elements;
}

// The record that fits of those of the lane, nearest to the event that was counted; records keep each lane's order.
std::int64_t record_of(const Sought& sought, std::span<const trace::Record> records,
                       std::span<const trace::Array> arrays) {
    if (sought.events < 0) return -1;
    std::int64_t at = 0, best = -1, best_distance = 0;
    for (const trace::Record& record : records) {
        if (record.launch != sought.launch || record.block != sought.block || record.warp != sought.warp) continue;
        if (!(record.active >> sought.lane & 1)) continue;
        const std::int64_t distance = std::abs(at++ - sought.events);
        if (record.line != sought.line || !touches(record, sought, arrays)) continue;
        if (best >= 0 && distance > best_distance) continue;
        best = record.index;
        best_distance = distance;
    }
    return best;
}

}  // namespace

void locate_records(std::vector<Found>& all, std::span<const trace::Record> records,
                    std::span<const trace::Array> arrays) {
    for (Found& found : all) {
        trace::Finding& finding = found.finding;
        finding.record = record_of({finding.launch, finding.block, finding.warp, found.lane, finding.line, found.events,
                                    finding.array, finding.index},
                                   records, arrays);
        if (!finding.other) continue;
        const trace::FindingPlace& other = *finding.other;
        finding.other->record = record_of({finding.launch, other.block, other.warp, found.other_lane, other.line,
                                           found.other_events, finding.array, finding.index},
                                          records, arrays);
    }
}

}  // namespace lanewise::emu
