// The emulator in a worker: whatever a kernel does there ends its run and nothing else.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "common/launch/backend.hpp"
#include "common/worker/pool.hpp"

namespace lanewise::worker {

// What a run may take.
struct Limits {
    double seconds = 10;                                 // of processor time without a block that ends
    double patience = 60;                                // the same on the clock
    std::size_t memory = std::size_t{512} << 20;         // beside buffers, record and local memory
    std::size_t output = std::size_t{1} << 20;           // bytes printed
};

// What a pool's spare workers do, for contained_emulator().
void serve_emulator(int socket, const void* argument);

// A backend that runs each plan on the emulator in a worker of its own: one run, one process. A run that dies, runs
// away or is cancelled (Request::stop) gives what was recorded before, what the buffers held, and a finding that says
// why. The pool's spare workers are serve_emulator's.
std::unique_ptr<launch::Backend> contained_emulator(std::shared_ptr<Pool> pool, Limits limits = {});

}  // namespace lanewise::worker
