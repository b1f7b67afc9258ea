// The SIMT emulator: runs plans where there is no GPU, and says what is wrong with a wrong kernel.
#pragma once

#include <memory>

#include "common/emu/checks.hpp"
#include "common/launch/backend.hpp"

namespace lanewise::emu {

// Independent threads (Volta and later), 32 lanes to a warp (fewer in a teaching warp: Kernel::warp_size). Lanes, warps
// and blocks run in the order the request names; after each collective it begins anew. Findings come with the outcome;
// a run with findings still runs to its end, but for those that end a launch on a GPU as well. With Request::threads
// above 1, blocks are shared out over OS threads, and what depends on the order of blocks (a float's last bits after
// atomicAdd) may differ from run to run.
//
// Where the emulator differs from a GPU, all in one place:
// - Blocks run one after the other, each to its end: a block that waits for a later one is stopped as a runaway. Grid
//   barriers and clusters are for GPUs only.
// - Nothing is contracted: a*b + c rounds twice. nvcc contracts it to one FMA unless given -fmad=false; fmaf does here
// too.
// - __expf, rsqrtf and the other approximations are the host's exact functions, rounded once.
// - Memory is sequentially consistent as far as values go: a missing fence shows in what the checks say, not in values.
// - What CUDA leaves undefined has one value, a NaN in every floating-point format (2147450879 as an int): words of
//   shared memory and of scratch buffers that were not written, and what a shuffle reads from a lane that takes no
//   part.
// - __activemask gives one legal answer of several; clock64() counts calls, not cycles.
// - Dynamic shared memory above 48 KB needs no cudaFuncSetAttribute here.
// - `volatile` and atomics are always seen by all blocks at once; a scope that is too narrow shows in the checks alone.
//
// `make_checker`: what runs with Request::checks are judged by (common/check); without it they are refused.
std::unique_ptr<launch::Backend> make_emulator(MakeChecker make_checker = {});

}  // namespace lanewise::emu
