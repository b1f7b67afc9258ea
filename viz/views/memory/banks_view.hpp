// Shared memory as 32 banks, under the lanes: what each word holds, which words are written or read now, and where
// lanes wait for one another.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/scene/requests.hpp"
#include "viz/model/selection.hpp"
#include "viz/views/memory/memory_paint.hpp"

namespace lanewise::viz {

// Different words wanted of each bank by the worst of these requests; 0 and 1 where nobody waits.
std::array<std::uint8_t, steps::kBanks> bank_conflicts(const std::vector<scene::Request>& requests);

// 128 bytes of one array: a word of each bank.
struct BankRow {
    std::size_t array = 0;   // among those that are drawn
    std::size_t row = 0;     // of the array
    bool operator==(const BankRow&) const = default;
};

// All rows of the arrays; where they are more than `most`, those that the chosen warp touches now (else those that
// others do, else the first) and their neighbours.
std::vector<BankRow> bank_rows(const std::vector<MemoryArray>& arrays, std::size_t most);

struct BanksView {
    float lanes_x0 = 0;   // bank 0 stands under lane 0
    float cell = 20;
    bool marks = false;   // room for the count over each bank: some step of the run has conflicts
    std::string uses{};   // who writes and reads the word that is pointed at

    // Rows of 32 words that an array fills.
    static std::size_t rows(std::uint64_t elements, Element element);
    float height(const Look& look, std::size_t rows) const;
    void draw(const Pane& pane, const Rect& where, const std::vector<MemoryArray>& arrays,
              const std::vector<BankRow>& rows, const std::vector<scene::Request>& requests, const ValueScale& scale,
              Selection& selection) const;

private:
    void draw_row(const Pane& pane, const Rect& box, const MemoryArray& array, std::size_t row, WordPaint& paint,
                  Selection& selection) const;
    void draw_marks(const Pane& pane, const Rect& where, const std::vector<scene::Request>& requests) const;
};

}  // namespace lanewise::viz
