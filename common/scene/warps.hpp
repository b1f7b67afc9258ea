// Warps and blocks of a run: their names, places and sizes.
#pragma once

#include <cstdint>
#include <string>

#include "common/steps/steps.hpp"

namespace lanewise::scene {

// "block 0 · warp 3", with the launch where there are several.
std::string warp_name(const steps::Steps& steps, const steps::WarpRef& warp);
// The place of a warp's block in Steps::blocks.
std::size_t block_place(const steps::Steps& steps, const steps::WarpRef& warp);
// Threads of a block as launched; at least one.
std::uint32_t block_threads(const steps::Steps& steps, const steps::WarpRef& warp);
// Lanes that a warp of the run has: 32, or those of a teaching warp.
int warp_size(const steps::Steps& steps);
// Lanes that this warp has: fewer than warp_size() where its block ends; at least one.
int lanes_of(const steps::Steps& steps, const steps::WarpRef& warp);

}  // namespace lanewise::scene
