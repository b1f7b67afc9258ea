// Lane utilization while a block adds: the figure that distinguishes a tree from a grid-stride loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

// One step of one block.
struct WorkStep {
    std::uint32_t lanes = 0;    // active
    std::uint32_t adding = 0;   // of them: that join a value to another; 0 where the step adds nothing
    bool more_may_add = false;  // the text does not say it of all lanes
};

// A whole run of one block.
struct Utilization {
    std::uint32_t threads = 1;       // that the block has
    std::vector<WorkStep> steps;     // as Steps::steps
    std::uint64_t added = 0;         // lanes adding, over all steps that add
    std::uint64_t slots = 0;         // the block's lanes times the number of those steps

    bool adds() const { return slots > 0; }
    double utilization() const { return slots ? static_cast<double>(added) / static_cast<double>(slots) : 0; }
};

// Of the block that `warp` is in.
Utilization utilization_of(const steps::Steps& steps, const WarpRef& warp);

// Of each recorded block at one step.
std::vector<WorkStep> work_at(const steps::Steps& steps, std::size_t step);

// What a block has done up to and with a step, as a list: what the run never does is left out.
struct Counts {
    struct Line {
        const char* label;       // "shuffle rounds so far"
        std::uint32_t value = 0;
    };
    std::vector<Line> lines;
    bool adds = false;
    double utilization = 0;             // of the lanes, while adding, so far
};
Counts counts_at(const steps::Steps& steps, std::size_t step, const WarpRef& warp);

// "32 active lanes", or of a barrier "32 lanes wait": there they execute nothing.
std::string lanes_text(StepKind kind, int lanes);

// "64 of 128 lanes add"; "at least 1 of 64 lanes add" where that is not known of all; "8 of 64 lanes active", whatever
// they do, and at a barrier "64 of 64 lanes wait". `of`: what comes after "lanes".
std::string work_text(StepKind kind, const WorkStep& work, std::uint32_t threads, const std::string& of = "");

// "14 %"; one decimal where whole numbers would say none or all.
std::string percent(double part);
// "1 in 7", "7 in 8", "all": the nearest fraction that can be pictured.
std::string part_text(double part);
// "14 % lane utilization (1 in 7) in add steps".
std::string utilization_text(const Utilization& work);

}  // namespace lanewise::scene
