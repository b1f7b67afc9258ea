// The GPU in a worker: a kernel that faults poisons that worker's CUDA context and no other.
#pragma once

#include <memory>

#include "common/launch/backend.hpp"
#include "common/launch/kernel.hpp"
#include "common/worker/contained_emulator.hpp"
#include "common/worker/pool.hpp"

namespace lanewise::worker {

// What a worker makes its backend of. Must outlive the program's workers, and lie where it lay when the pool was made.
struct GpuParts {
    std::unique_ptr<launch::Backend> (*make_backend)();
    launch::KernelSet (*make_kernels)();
};

// A backend that runs plans in a worker which has started CUDA; the kernels are those of `parts`. Where a run fails in
// CUDA, or does not end within Limits::patience and what moving its bytes takes, or is cancelled, run() throws Error with
// CUDA's message or a sentence, and the next worker starts at once. Throws Error where parts.make_backend() does.
std::unique_ptr<launch::Backend> contained_gpu(std::shared_ptr<Pool> pool, const GpuParts& parts,
                                               Limits limits = {.patience = 5});

}  // namespace lanewise::worker
