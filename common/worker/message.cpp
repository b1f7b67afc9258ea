#include "common/worker/message.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <sys/socket.h>
#include <unistd.h>

namespace lanewise::worker {

namespace {

constexpr std::size_t kMaxFds = 4;

bool send_all(int socket, const std::byte* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes += sent;
        count -= static_cast<std::size_t>(sent);
    }
    return true;
}

bool receive_all(int socket, std::byte* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t got = recv(socket, bytes, count, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes += got;
        count -= static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace

void Fd::reset(int fd) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
}

bool send_message(int socket, std::span<const std::byte> bytes, std::span<const int> fds) {
    std::uint64_t count = bytes.size();
    iovec part{&count, sizeof count};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxFds)> control{};
    if (!fds.empty() && fds.size() <= kMaxFds) {
        header.msg_control = control.data();
        header.msg_controllen = CMSG_SPACE(fds.size_bytes());
        cmsghdr* carried = CMSG_FIRSTHDR(&header);
        carried->cmsg_level = SOL_SOCKET;
        carried->cmsg_type = SCM_RIGHTS;
        carried->cmsg_len = CMSG_LEN(fds.size_bytes());
        std::memcpy(CMSG_DATA(carried), fds.data(), fds.size_bytes());
    }
    ssize_t sent = 0;
    do sent = sendmsg(socket, &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == static_cast<ssize_t>(sizeof count) && send_all(socket, bytes.data(), bytes.size());
}

bool receive_message(int socket, std::vector<std::byte>& bytes, std::vector<Fd>* fds) {
    std::uint64_t count = 0;
    iovec part{&count, sizeof count};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxFds)> control{};
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    ssize_t got = 0;
    do got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    for (cmsghdr* carried = got > 0 ? CMSG_FIRSTHDR(&header) : nullptr; carried;
         carried = CMSG_NXTHDR(&header, carried)) {
        if (carried->cmsg_level != SOL_SOCKET || carried->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t there = (carried->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < there; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(carried) + i * sizeof fd, sizeof fd);
            Fd owned(fd);
            if (fds) fds->push_back(std::move(owned));
        }
    }
    if (got <= 0) return false;
    if (static_cast<std::size_t>(got) < sizeof count &&
        !receive_all(socket, reinterpret_cast<std::byte*>(&count) + got, sizeof count - static_cast<std::size_t>(got)))
        return false;
    bytes.resize(count);
    return receive_all(socket, bytes.data(), bytes.size());
}

}  // namespace lanewise::worker
