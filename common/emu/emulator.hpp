// The SIMT emulator: runs plans where there is no GPU, and says what is wrong with a wrong kernel.
#pragma once

#include <memory>

#include "common/launch/backend.hpp"

namespace lanewise::emu {

// Independent threads (Volta and later), 32 lanes to a warp (fewer in a teaching warp: Kernel::warp_size). Lanes, warps
// and blocks run in the order the request names. Findings come with the outcome; a run with findings still runs to its
// end, but for those that end a launch on a GPU as well. With Request::threads above 1, blocks are shared out over OS
// threads, and what depends on the order of blocks (a float's last bits after atomicAdd) may differ from run to run.
std::unique_ptr<launch::Backend> make_emulator();

}  // namespace lanewise::emu
