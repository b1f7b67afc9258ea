// Reads of memory that nothing has written: shared memory, and buffers whose contents mean nothing at first.
#pragma once

#include "common/check/findings.hpp"
#include "common/check/shadow_memory.hpp"

namespace lanewise::check {

class Uninitialised {
public:
    explicit Uninitialised(Findings& findings) : findings_(findings) {}

    // An access that is about to happen, of bytes that lie within the array.
    void access(Region& region, std::uint32_t block, std::uint32_t slot, const std::byte* address, std::uint32_t bytes,
                bool is_store, Site site, Action action) {
        std::uint8_t* written = region.written();
        if (!written) return;
        const std::uint64_t offset = region.offset(address);
        if (((offset | bytes) & 3) == 0) {  // whole words
            std::uint8_t* word = written + (offset >> 2);
            const std::uint32_t words = bytes >> 2;
            if (is_store) {
                for (std::uint32_t i = 0; i < words; ++i) word[i] = 15;
                return;
            }
            bool all = true;
            for (std::uint32_t i = 0; i < words; ++i) all = all && word[i] == 15;
            if (all) return;
        } else if (is_store) {
            for (std::uint64_t at = offset; at < offset + bytes; ++at)
                written[at >> 2] = static_cast<std::uint8_t>(written[at >> 2] | 1u << (at & 3));
            return;
        }
        read_slowly(region, block, slot, offset, bytes, site, action);
    }

private:
    void read_slowly(Region& region, std::uint32_t block, std::uint32_t slot, std::uint64_t offset, std::uint32_t bytes,
                     Site site, Action action);

    Findings& findings_;
};

}  // namespace lanewise::check
