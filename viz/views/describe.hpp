// A scene as text, so that what is drawn can be compared with the trace.
#pragma once

#include <string>

#include "viz/views/exhibit.hpp"
#include "viz/views/scene.hpp"

namespace lanewise::viz {

// One warp at the present step: a line for each lane.
//
//     block 0 · warp 0
//     lane 5  source 13  before 26 (0x41d00000)  received 42 (0x42280000)  after 68 (0x42880000)
//     lane 6  in[6] = 6 (0x40c00000)  before - …
//     lane 7  idle
//
// "-" where nothing was recorded, "undefined" where CUDA leaves the value undefined. Values before, received and after
// are of shuffles, votes and atomics; accesses are told by array and index: "in[6] = 6" was read, "out[0] <- 6"
// written.
std::string describe_scene(const Exhibit& exhibit, const Scene& scene);

// The whole step: a heading (step, line, where the data came from), then each warp that `block` and `warp` choose
// (-1: all that were recorded).
std::string describe_step(const Exhibit& exhibit, const std::string& kernel_file, std::size_t step, int block, int warp);

}  // namespace lanewise::viz
