// Where a value lies among those of a run: what its colour is made of.
#pragma once

#include <vector>

#include "common/scene/handles.hpp"

namespace lanewise::scene {

// Values by rank: the smallest is 0, the largest 1, and those between are spread evenly, so that 0…31 next to 496 still
// shows its order.
class ValueScale {
public:
    void add(const steps::LaneValues& lane_values);
    void finish();   // after the last add()

    double place(double value) const;  // 0…1

private:
    std::vector<double> sorted_;
};

// Of all that the lanes of the run hold at any time; of each warp's alone, as Outline::warps.
ValueScale run_scale(const steps::Steps& steps);
std::vector<ValueScale> warp_scales(const steps::Steps& steps);

}  // namespace lanewise::scene
