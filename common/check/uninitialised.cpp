#include "common/check/uninitialised.hpp"

#include <algorithm>

namespace lanewise::check {

// An element of which no byte was written. An access of several is of a vector, of which any element counts, or copies
// a struct, whose padding means nothing: arrays of structs are known as unsigned integers, which must all be unwritten.
void Uninitialised::read_slowly(Region& region, std::uint32_t block, std::uint32_t slot, std::uint64_t offset,
                                std::uint32_t bytes, Site site, Action action) {
    const auto size = static_cast<std::uint64_t>(element_size(region.element()));
    const std::uint8_t* written = region.written();
    const auto was_written = [&](std::uint64_t at) { return written[at >> 2] >> (at & 3) & 1; };
    const Element element = region.element();
    const bool is_unsigned = element == Element::u8 || element == Element::u16 || element == Element::u32 ||
                       element == Element::u64;
    std::uint64_t begin = offset;
    if (is_unsigned)
        for (std::uint64_t at = offset; at < offset + bytes; ++at)
            if (was_written(at)) return;
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
