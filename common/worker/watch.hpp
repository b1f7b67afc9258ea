// What a program watches while a worker runs.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "common/worker/message.hpp"

namespace lanewise::worker {

// Becomes readable when a stop is asked for.
class StopEvent {
public:
    explicit StopEvent(const std::stop_token& stop);
    int fd() const { return event_.get(); }

private:
    Fd event_;
    std::stop_callback<std::function<void()>> callback_;
};

// Passes on what a worker prints, up to a limit.
class Output {
public:
    Output(int pipe, std::size_t limit);
    // To be polled; -1 when there is no more.
    int fd() const { return pipe_; }
    // Takes what is there. False once it was more than the limit.
    bool pass();
    // Takes all that is left.
    void finish();

private:
    int pipe_;
    std::size_t limit_;
    std::size_t printed_ = 0;
};

}  // namespace lanewise::worker
