// A CUDA event: a point in a stream, and the time between two of them.
#pragma once

#include "common/gpu/handle.hpp"
#include "common/gpu/stream.hpp"

struct CUevent_st;  // cudaEvent_t points to one

namespace lanewise::gpu {

void destroy_event(CUevent_st* event) noexcept;

class Event {
public:
    Event();

    CUevent_st* get() const noexcept { return handle_.get(); }
    void record(const Stream& stream);
    void synchronize() const;
    // Microseconds from `start` to this event; both must have been reached.
    double microseconds_since(const Event& start) const;

private:
    Handle<CUevent_st*, destroy_event> handle_;
};

}  // namespace lanewise::gpu
