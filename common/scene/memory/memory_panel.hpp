// What is shown of a block's memory at a step: shared memory in rows of the 32 banks, global memory in rows of sectors,
// what the warp's requests cost, as text. Plain data without pixels.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/memory_units.hpp"
#include "common/scene/memory/memory_words.hpp"
#include "common/scene/memory/requests.hpp"
#include "common/scene/memory/sectors.hpp"

namespace lanewise::scene {

// Different words asked of each bank by the worst of these requests; 0 and 1: no conflict.
std::array<std::uint8_t, kBanks> bank_conflicts(const std::vector<Request>& requests);

// 128 bytes of one array: a word of each bank.
struct BankRow {
    std::size_t array = 0;   // among those that are drawn
    std::size_t row = 0;     // of the array
    bool operator==(const BankRow&) const = default;
};

// Rows of the banks that an array fills.
std::size_t bank_row_count(std::uint64_t elements, Element element);
// Elements in such a row.
std::size_t per_bank_row(Element element);
// All rows of the arrays; where they are more than `most`, those that the chosen warp touches now (else those that
// others do, else the first) and their neighbours.
std::vector<BankRow> bank_rows(const std::vector<MemoryArray>& arrays, std::size_t most);

// What the chosen warp's requests move of one array in global memory: sectors, ascending.
std::vector<std::int64_t> moved_sectors(const std::vector<Request>& requests, std::uint32_t array);

// The shared arrays that a launch touches, so far as is recorded: places in Outline::arrays.
std::vector<std::uint32_t> shared_arrays_of(const steps::Steps& steps, std::uint32_t launch);

// Does any warp of the block touch this space in the step?
bool block_touches(const steps::Steps& steps, std::size_t step, const WarpRef& block, Space space);

// The space that a step is about: the one that the warp asks for, else its block; shared memory before global.
Space space_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp, const std::vector<Request>& requests);

// What is said of a warp's requests in a step, for one space; where it asks for nothing, that is said.
std::vector<std::string> memory_captions(const steps::Steps& steps, std::size_t step, const WarpRef& warp,
                                         const std::vector<Request>& requests, Space space, bool brief = false);

// How much a panel may show.
struct PanelRoom {
    std::size_t bank_rows = 12;
    std::size_t sector_rows = 8;
    bool brief = false;          // captions leave out what was asked for
};

struct MemoryPanel {
    Space space = Space::shared;
    std::vector<Request> requests;       // of both spaces
    std::vector<std::string> captions;
    std::string changed;                 // of words that changed after another thread read them
    bool quiet = false;                  // nothing is asked for: the captions say so
    bool costly = false;                 // bank conflicts, scattered sectors
    std::vector<MemoryArray> shared;     // of `space` shared memory
    std::vector<BankRow> rows;
    std::array<std::uint8_t, kBanks> conflicts{};
    SectorWindow window;                 // of `space` global memory
    MemoryArray global;
    std::vector<std::int64_t> moved;     // of its sectors, those that the step moves
};

// `use`: of the warp.
MemoryPanel memory_panel(const steps::Steps& steps, std::size_t step, const WarpRef& warp, Space space,
                         const GlobalUse& use, const PanelRoom& room);

}  // namespace lanewise::scene
