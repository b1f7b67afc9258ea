#include "common/check/uninitialised.hpp"

#include <algorithm>

namespace lanewise::check {

// An element of which no byte was written; of an access wider than an element any such element. Bytes that pad a struct
// are read with it and mean nothing: an element of which a part was written is none.
void Uninitialised::read_slowly(Region& region, std::uint32_t block, std::uint32_t slot, std::uint64_t offset,
                                std::uint32_t bytes, Site site, Action action) {
    const auto size = static_cast<std::uint64_t>(element_size(region.element()));
    const std::uint8_t* written = region.written();
    const auto was_written = [&](std::uint64_t at) { return written[at >> 2] >> (at & 3) & 1; };
    std::uint64_t begin = offset;
    while (begin < offset + bytes) {
        const std::uint64_t end = std::min((begin / size + 1) * size, offset + bytes);
        bool any = false;
        for (std::uint64_t at = begin; at < end; ++at) any = any || was_written(at);
        if (!any) break;
        begin = end;
    }
    if (begin >= offset + bytes) return;
    Noticed noticed;
    noticed.problem = Problem::uninitialised;
    noticed.array = region.name();
    noticed.index = static_cast<std::int64_t>(begin / size);
    noticed.count = region.count();
    noticed.shared = region.shared();
    noticed.here = {action, block, slot / 32, 1u << slot % 32, site, {}, findings_.events_of(slot)};
    findings_.add(noticed);
}

}  // namespace lanewise::check
