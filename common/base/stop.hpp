// Work that may be given up before it is done.
#pragma once

#include <stop_token>

namespace lanewise {

// Thrown by work that was asked to stop: its result is not wanted any more. No failure, so no Error.
struct Stopped {};

// Throws Stopped where that was asked for. One load of an atomic: a loop may ask at each turn.
inline void check_stop(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Stopped();
}

}  // namespace lanewise
