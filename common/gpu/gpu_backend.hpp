// The GPU as a Backend. Includable without CUDA.
#pragma once

#include <memory>

#include "common/launch/backend.hpp"

namespace lanewise::gpu {

// A backend on the first GPU. It starts CUDA (0.3 s), so make it before it is needed. Throws Error with available()'s
// sentence where there is none.
std::unique_ptr<launch::Backend> make_gpu_backend();

}  // namespace lanewise::gpu
