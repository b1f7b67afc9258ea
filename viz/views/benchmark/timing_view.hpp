// What the variants cost on a GPU: measured here or recorded, and it says which. Never an emulator's time.
#pragma once

#include <string>
#include <vector>

#include "common/timing/timing.hpp"
#include "viz/model/pane.hpp"

namespace lanewise::viz {

struct TimingView {
    std::size_t most = 5;   // rows: the shown one, the baselines, the fastest

    // 0 where there are no times.
    float height(const Look& look, const timing::TimingTable& table, const std::string& variant) const;
    void draw(const Pane& pane, const timing::TimingTable& table, const std::string& variant);
};

// The times of one size: that nearest to `n`, a variant's own where it has no such row.
std::vector<const timing::Timing*> timings_near(const timing::TimingTable& table, std::uint64_t n);

}  // namespace lanewise::viz
