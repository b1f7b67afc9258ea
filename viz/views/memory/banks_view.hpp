// Shared memory as 32 banks, under the lanes: what each word holds, which words are written or read now, and where
// lanes wait for one another.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/scene/memory/memory_panel.hpp"
#include "common/scene/memory/requests.hpp"
#include "viz/views/memory/memory_paint.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

// Different words asked of each bank; 0 and 1: no conflict.
using BankCounts = std::array<std::uint8_t, kBanks>;

struct BanksView {
    float lanes_x0 = 0;   // bank 0 is under lane 0
    float cell = 20;
    bool marks = false;   // room for the count over each bank: some step of the run has conflicts
    std::string uses{};   // who writes and reads the word that is pointed at

    float height(const Look& look, std::size_t rows) const;
    void draw(const Pane& pane, const Rect& where, const std::vector<MemoryArray>& arrays,
              const std::vector<BankRow>& rows, const BankCounts& conflicts, const ValueScale& scale,
              Selection& selection) const;

private:
    void draw_row(const Pane& pane, const Rect& box, const MemoryArray& array, std::size_t row, WordPaint& paint,
                  Selection& selection) const;
    void draw_marks(const Pane& pane, const Rect& where, const BankCounts& conflicts) const;
};

}  // namespace lanewise::viz
