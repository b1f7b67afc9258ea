// CUDA calls that fail become sentences with the file, the line, the call and CUDA's own message.
#pragma once

#include <string>

namespace lanewise::gpu {

// Where in the program a call is.
struct Site {
    const char* file;
    int line;
    static constexpr Site current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }
};

// "invalid configuration argument (cudaErrorInvalidConfiguration, 9)"
std::string cuda_message(int status);

// Throws Error unless `status`, a cudaError_t, is cudaSuccess.
void check(int status, const char* call, Site site);

// For destructors: says the same on stderr and continues.
void report(int status, const char* call, Site site) noexcept;

}  // namespace lanewise::gpu

#define CUDA_CHECK(call) ::lanewise::gpu::check(static_cast<int>(call), #call, ::lanewise::gpu::Site::current())
#define CUDA_CHECK_NOTHROW(call) \
    ::lanewise::gpu::report(static_cast<int>(call), #call, ::lanewise::gpu::Site::current())
