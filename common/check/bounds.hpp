// Accesses outside of every array, and pointers that lead nowhere. None of them is carried out.
#pragma once

#include <vector>

#include "common/check/findings.hpp"
#include "common/check/shadow_memory.hpp"

namespace lanewise::check {

class Bounds {
public:
    Bounds(Memory& memory, Findings& findings) : memory_(memory), findings_(findings) {}

    // Is it local memory of the lane?
    bool is_local(std::uint32_t slot, const std::byte* address) const {
        const emu::BlockMemory& memory = findings_.memory();
        return static_cast<std::uint64_t>(address - memory.stacks) - slot * memory.stack_bytes < memory.stack_bytes;
    }
    // An access that begins in no array. Returns whether it may happen: local memory of the lane may be accessed, and
    // constants of the program may be read.
    bool outside(std::uint32_t block, std::uint32_t slot, const std::byte* address, Action action, Site site);
    // One of the heap: may it happen?
    bool in_heap(std::uint32_t block, std::uint32_t slot, const std::byte* address, std::uint32_t bytes, Action action,
                 Site site);
    // A store to a __constant__ variable.
    void to_constant(const Region& region, std::uint32_t block, std::uint32_t slot, const std::byte* address,
                     Action action, Site site);
    // One that begins in an array and ends after it.
    void past_the_end(Region& region, std::uint32_t block, std::uint32_t slot, Action action, Site site);

    // The compiler's own check of an index against the extent in the array's type: the next accesses of the lane show
    // which array it is of.
    void index_outside(std::uint32_t slot, std::int64_t index, std::int64_t extent) {
        indices_.push_back({slot, index, extent, 8});
    }
    bool any_index() const { return !indices_.empty(); }
    // Returns whether the access may happen.
    bool fits_its_index(std::uint32_t block, std::uint32_t slot, const std::byte* address, std::uint32_t bytes,
                        Action action, Site site);
    void forget_indices() { indices_.clear(); }

private:
    struct Index {
        std::uint32_t slot;
        std::int64_t index;
        std::int64_t extent;
        int accesses;   // how many more may be the one
    };
    void add(Problem problem, std::uint32_t block, std::uint32_t slot, Action action, Site site, const Region* region,
             std::int64_t index, std::string detail);

    Memory& memory_;
    Findings& findings_;
    std::vector<Index> indices_;
};

}  // namespace lanewise::check
