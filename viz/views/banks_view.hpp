// Shared memory as 32 banks, under the lanes: what each word holds, which words are written or read now, and where lanes
// wait for one another.
#pragma once

#include <array>
#include <vector>

#include "viz/views/memory_paint.hpp"
#include "viz/views/requests.hpp"
#include "viz/views/selection.hpp"

namespace lanewise::viz {

// Different words wanted of each bank by the worst of these requests; 0 and 1 where nobody waits.
std::array<std::uint8_t, steps::kBanks> bank_conflicts(const std::vector<Request>& requests);

struct BanksView {
    float lanes_x0 = 0;   // bank 0 stands under lane 0
    float cell = 20;
    bool marks = false;   // room for the count over each bank: some step of the run has conflicts

    // Rows of 32 words that these arrays fill.
    static std::size_t rows(const std::vector<MemoryArray>& arrays);
    float height(const Look& look, std::size_t rows) const;
    void draw(const Pane& pane, const Rect& where, const std::vector<MemoryArray>& arrays, const std::vector<Request>& requests,
              const ValueScale& scale, Selection& selection) const;

private:
    void draw_marks(const Pane& pane, const Rect& where, const std::vector<Request>& requests) const;
};

}  // namespace lanewise::viz
