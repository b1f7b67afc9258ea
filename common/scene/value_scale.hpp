// Where a value stands among those of a run: what its colour is made of.
#pragma once

#include <vector>

#include "common/steps/steps.hpp"

namespace lanewise::scene {

// Values by rank: the smallest is 0, the largest 1, and those between are spread evenly, so that 0…31 beside 496 still
// shows its order.
class ValueScale {
public:
    void add(const steps::LaneValues& lane_values);
    void finish();   // after the last add()

    double place(double value) const;  // 0…1

private:
    std::vector<double> sorted_;
};

}  // namespace lanewise::scene
