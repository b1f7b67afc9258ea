// A run of the emulator in its three parts, so that the middle one can happen in another process: what is to run, the
// run itself, and (recording.hpp) what came of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/emu/checks.hpp"
#include "common/emu/run_memory.hpp"
#include "common/launch/backend.hpp"

namespace lanewise::emu {

class SpareStacks;

// The kernel of one launch of a plan.
struct Runnable {
    launch::EmulatedBody body = nullptr;
    std::string name;             // "block_sum_two_level<256>"
    std::uint32_t warp_size = trace::kWarpSize;
    std::vector<std::string> shared_names;   // of its file's shared arrays, by id
    std::vector<std::string> constant_names;   // of its file's __constant__ variables
};

// The kernels of all launches. Throws Error where one is not possible, as Backend::run() says.
std::vector<Runnable> check_launches(const launch::Plan& plan, const launch::KernelSet& kernels,
                                     const launch::Request& request);

// How many OS threads share out the blocks: one where a run is watched.
int threads_of(const launch::Request& request);

// Runs all launches; what happens lands in `memory`. `make_checker` is for runs with checks. `begins_thread` is called
// on each OS thread before it runs blocks. `spare_stacks`, or null: what lanes' stacks are kept in from run to run.
// Throws Error where the machine lacks something.
void execute(const launch::Plan& plan, std::span<const Runnable> kernels, const launch::Request& request,
             RunMemory& memory, const MakeChecker& make_checker, void (*begins_thread)() = nullptr,
             SpareStacks* spare_stacks = nullptr);

}  // namespace lanewise::emu
