// The GPU side of a program built without CUDA: there is none, and it says so.
#include "common/base/error.hpp"
#include "common/gpu/gpu_backend.hpp"
#include "common/gpu/device.hpp"

namespace lanewise::gpu {
namespace {

constexpr const char* kWhy =
    "This program was built without CUDA. Install CUDA 12.0 or later and configure again with -DLANEWISE_CUDA=ON, or "
    "use --backend cpu (the emulator) or --backend recorded.";

}  // namespace

bool available(std::string* why) {
    if (why) *why = kWhy;
    return false;
}

Device device() { throw Error(kWhy); }
std::uint32_t architecture() { throw Error(kWhy); }

std::unique_ptr<launch::Backend> make_gpu_backend() { throw Error(kWhy); }

}  // namespace lanewise::gpu
