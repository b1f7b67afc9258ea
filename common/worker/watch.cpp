#include "common/worker/watch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace lanewise::worker {

StopEvent::StopEvent(const std::stop_token& stop)
    : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), callback_(stop, [this] {
          const std::uint64_t one = 1;
          [[maybe_unused]] const ssize_t written = write(event_.get(), &one, sizeof one);
      }) {}

Output::Output(int pipe, std::size_t limit) : pipe_(pipe), limit_(limit) { fcntl(pipe, F_SETFL, O_NONBLOCK); }

bool Output::pass() {
    std::array<char, 4096> part{};
    const ssize_t got = pipe_ < 0 ? 0 : read(pipe_, part.data(), part.size());
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) pipe_ = -1;
    if (got > 0) {
        const auto count = static_cast<std::size_t>(got);
        std::fwrite(part.data(), 1, std::min(count, limit_ - std::min(limit_, printed_)), stdout);
        printed_ += count;
    }
    return printed_ <= limit_;
}

void Output::finish() {
    for (std::size_t before = printed_ + 1; pipe_ >= 0 && printed_ != before;) {
        before = printed_;
        pass();
    }
    std::fflush(stdout);
}

}  // namespace lanewise::worker
