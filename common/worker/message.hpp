// Messages between a program and its workers, over a socket.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lanewise::worker {

// A file descriptor that is closed with its owner.
class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(other.release()) {}
    Fd& operator=(Fd&& other) noexcept {
        reset(other.release());
        return *this;
    }
    ~Fd() { reset(); }
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    int release() {
        const int fd = fd_;
        fd_ = -1;
        return fd;
    }
    void reset(int fd = -1);

private:
    int fd_ = -1;
};

// Sends a message, and descriptors with it. False when the other end is closed.
bool send_message(int socket, std::span<const std::byte> bytes, std::span<const int> fds = {});

// Waits for a message. False when the other side is gone.
bool receive_message(int socket, std::vector<std::byte>& bytes, std::vector<Fd>* fds = nullptr);

}  // namespace lanewise::worker
