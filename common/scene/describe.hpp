// A step as text, so that what is drawn can be compared with the trace.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

// One warp at the present step: a line for each lane.
//
//     block 0 · warp 0
//     lane 5  source 13  before 26 (0x41d00000)  received 42 (0x42280000)  after 68 (0x42880000)
//     lane 6  in[6] = 6 (0x40c00000)  before - …
//     lane 7  idle
//     memory  warp 0 reads in: 32 lanes × 4 bytes = 128 bytes, 4 sectors of 32 bytes, all used
//
//     lane 8  says yes  received 3 (0x00000003)
//     lane 9  compares 2 (0x00000002)  received 514 (0x00000202)
//
// "-" where nothing was recorded, "undefined" where CUDA leaves the value undefined. Values before, received and after
// are of shuffles, reductions and atomics; accesses are given by array and index: "in[6] = 6" was read, "out[0] <- 6"
// written.
std::string describe_warp(const run::Run& run, std::size_t step, const WarpRef& warp);

// The whole step: a heading (step, line, where the data came from, the result, what was found wrong, utilization, what
// each warp does, other orders of the blocks, what atomics did to their words), then each warp that `block` and `warp`
// choose (-1: all that were recorded).
// With a lane, its history follows.
std::string describe_step(const run::Run& run, const std::string& kernel_file, std::size_t step, int block, int warp,
                          int lane = -1);

}  // namespace lanewise::scene
