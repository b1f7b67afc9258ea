// The words of memory that a warp reads and writes in a step, in rows, by columns of lanes: shared memory under its
// bank, so that a picture lines up with the banks below; global memory in the order of its lanes, by sector.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/element.hpp"
#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

// A word of memory that lanes read or write in a step; for a wide access (float4) all that one lane touches.
struct Word {
    std::string array;
    std::uint32_t array_id = 0;         // in Outline::arrays
    std::int64_t index = 0;
    Element type = Element::f32;
    std::vector<std::uint64_t> values;  // its elements; of an atomic's word: what it holds after all of them
    bool known = true;                  // false: of an atomic's word, whose last change is not known
    bool write = false;
    bool atomic = false;
    bool shared = false;                // else global memory
    std::uint32_t lanes = 0;
    float column = 0;                   // 0: that of lane 0
    int bank = -1;                      // where it is not under it; -1: it does, or has none
    bool waits = false;                 // lanes wait for one another at banks
};

// Spans words of one sector of global memory, or of one row of the banks.
struct WordSpan {
    float first = 0, last = 0;          // columns
    std::string label;                  // index of the first of them; empty where banks are named
};

struct WordRow {
    bool write = false;
    bool shared = false;
    bool banks = false;                 // each word is named by its bank
    int elements = 1;                   // of a word
    std::string caption;                // "global in[0…31]"
    std::vector<Word> words;            // by index
    std::vector<WordSpan> spans;        // from left to right
};

// What is read first, then what is written.
std::vector<WordRow> word_rows(const steps::Steps& steps, std::size_t step, const WarpRef& warp);

}  // namespace lanewise::scene
