// How busy a block's lanes are while it adds: the figure that tells a tree from a grid-stride loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/steps/steps.hpp"

namespace lanewise::scene {

// One step of one block.
struct WorkStep {
    std::uint32_t lanes = 0;    // at work
    std::uint32_t adding = 0;   // of them: that join a value to another; 0 where the step adds nothing
};

// A whole run of one block.
struct Utilization {
    std::uint32_t threads = 1;       // that the block has
    std::vector<WorkStep> steps;     // as Steps::steps
    std::uint64_t added = 0;         // lanes adding, over all steps that add
    std::uint64_t slots = 0;         // the block's lanes times the number of those steps

    bool adds() const { return slots > 0; }
    double busy() const { return slots ? static_cast<double>(added) / static_cast<double>(slots) : 0; }
};

// Of the block that `warp` is in.
Utilization utilization_of(const steps::Steps& steps, const steps::WarpRef& warp);

// "14 %"; one decimal where whole numbers would say none or all.
std::string percent(double part);
// "1 in 7", "7 in 8", "all": the nearest fraction that can be pictured.
std::string part_text(double part);
// "14 % of lanes busy (1 in 7) while adding".
std::string utilization_text(const Utilization& work);

}  // namespace lanewise::scene
