// Memory on the GPU that is freed with its owner.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/gpu/handle.hpp"

struct CUstream_st;

namespace lanewise::gpu {

void free_memory(void* memory) noexcept;

class Buffer {
public:
    Buffer() = default;
    // At least one byte, so that an empty buffer has an address too. Throws Error naming the size when there is not
    // that much.
    explicit Buffer(std::size_t bytes);

    void* data() const noexcept { return handle_.get(); }
    template <class T>
    T* as() const noexcept { return static_cast<T*>(data()); }
    std::size_t bytes() const noexcept { return bytes_; }

    void upload(std::span<const std::byte> contents);
    void fill(int byte, CUstream_st* stream = nullptr);
    std::vector<std::byte> download() const;
    void download(std::size_t offset, std::span<std::byte> into) const;

private:
    Handle<void*, free_memory> handle_;
    std::size_t bytes_ = 0;
};

}  // namespace lanewise::gpu
