// Memory as one block sees it at a step, from the records: what each word holds, and who touches it now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/element.hpp"
#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

struct MemoryWord {
    std::uint64_t bits = 0;
    bool written = false;       // so far
    bool known = false;  // its value is in the records. Of an atomic's word: where the old values show which
                         // was the last; while some blocks are not recorded, the last of those that are. In the
                         // step in which the chosen warp changes it: as that warp left it, as on the stage
    std::uint8_t reads = 0;  // bit k: the k-th load of the chosen warp in this step read it (from the eighth on, bit 7)
    bool read_now = false;      // by any warp of the block
    bool written_now = false;
    std::uint32_t lanes = 0;    // of the chosen warp that touch it now
    WarpRef by;          // who touches it now: the chosen warp if it does, else the last that does
    int lane = -1;
    WarpRef writer;      // of the last store
    int writer_lane = -1;       // -1: none known, or atomics since
    // Another thread of the block changed it after it was read in this step (in this or, without a barrier between, in
    // an earlier one): what the reader (the chosen warp's, if it has one) saw.
    bool changed_after_read = false;
    std::uint64_t read_bits = 0;
    WarpRef reader;
    int reader_lane = -1;
};

struct MemoryArray {
    std::uint32_t array = 0;         // in Outline::arrays
    std::string name;
    Element element = Element::f32;
    std::vector<MemoryWord> words;   // one for each element
    std::vector<std::int64_t>
        sectors;  // in global memory: those that `words` cover, ascending. Empty: all of the array

    int per_sector() const;              // elements
    // Null where the element lies outside of what is shown.
    MemoryWord* word(std::int64_t index);
    std::int64_t index_of(std::size_t place) const;   // of words[place] in the array
    const MemoryWord* word(std::int64_t index) const { return const_cast<MemoryArray*>(this)->word(index); }
};

// The shared arrays of the warp's block after step `step`; `warp` is the chosen one.
std::vector<MemoryArray> shared_memory(const steps::Steps& steps, std::size_t step, const WarpRef& warp);

// The given sectors of an array in global memory after step `step`, as the records of all blocks show; touches are
// those of the warp's block.
MemoryArray global_memory(const steps::Steps& steps, std::size_t step, const WarpRef& warp, std::uint32_t array,
                          std::vector<std::int64_t> sectors);

// Words of the arrays that another thread changed after they were read in the step, the first given with both values:
//     "tree[3]: warp 0 lane 5 read 384, now 256; 6 more words changed after being read"
// Empty where there are none.
std::string changed_text(const std::vector<MemoryArray>& arrays);

// Does the launch touch this space at all, so far as is recorded?
bool uses_memory(const steps::Steps& steps, std::uint32_t launch, Space space);

}  // namespace lanewise::scene
