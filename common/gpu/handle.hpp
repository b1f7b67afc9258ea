// What the move-only handles of this folder share.
#pragma once

#include <utility>

namespace lanewise::gpu {

// Owns a raw CUDA handle; `destroy` must not throw.
template <class Raw, void (*destroy)(Raw) noexcept>
class Handle {
public:
    Handle() = default;
    explicit Handle(Raw raw) noexcept : raw_(raw) {}
    Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (raw_) destroy(raw_);
    }

    Raw get() const noexcept { return raw_; }
    explicit operator bool() const noexcept { return raw_ != nullptr; }

private:
    Raw raw_ = nullptr;
};

}  // namespace lanewise::gpu
