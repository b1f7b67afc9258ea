// A CUDA stream that is destroyed with its owner.
#pragma once

#include "common/gpu/handle.hpp"

struct CUstream_st;  // cudaStream_t points to one

namespace lanewise::gpu {

void destroy_stream(CUstream_st* stream) noexcept;

class Stream {
public:
    // A new stream, which does not wait for the default stream.
    Stream();

    CUstream_st* get() const noexcept { return handle_.get(); }
    void synchronize() const;

private:
    Handle<CUstream_st*, destroy_stream> handle_;
};

}  // namespace lanewise::gpu
