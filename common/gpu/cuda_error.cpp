#include "common/gpu/cuda_error.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "common/base/error.hpp"

namespace lanewise::gpu {
namespace {

// From the repository's root on: where the checkout lies is not the reader's concern.
std::string_view short_path(std::string_view path) {
    const std::size_t root = path.rfind("common/");
    return root == std::string_view::npos ? path : path.substr(root);
}

// After one of these nothing on the GPU works any more in this process, and every call repeats it.
bool is_final(int status) {
    switch (status) {
        case cudaErrorIllegalAddress:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorIllegalInstruction:
        case cudaErrorHardwareStackError:
        case cudaErrorAssert:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
        case cudaErrorECCUncorrectable: return true;
        default: return false;
    }
}

std::string sentence(int status, const char* call, Site site) {
    return fmt::format("{}:{}: {} failed: {}.", short_path(site.file), site.line, call, cuda_message(status));
}

}  // namespace

std::string cuda_message(int status) {
    const auto error = static_cast<cudaError_t>(status);
    return fmt::format("{} ({}, {})", cudaGetErrorString(error), cudaGetErrorName(error), status);
}

void check(int status, const char* call, Site site) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // so that the next call does not report this failure again
    throw Error(sentence(status, call, site), kExitFailed);
}

void report(int status, const char* call, Site site) noexcept {
    // The driver may be gone before the last handle when the process ends: nothing is lost then. A final failure has
    // been thrown where it happened.
    if (status == cudaSuccess || status == cudaErrorCudartUnloading || is_final(status)) return;
    try {
        std::fprintf(stderr, "%s\n", sentence(status, call, site).c_str());
    } catch (...) {
        std::fputs("a CUDA call failed while cleaning up.\n", stderr);
    }
}

}  // namespace lanewise::gpu
