#include <fmt/format.h>

#include "common/timing/measure.hpp"

namespace lanewise::timing {

std::string method_text(const MeasureOptions& options) {
    return fmt::format("CUDA graph of {} runs, outputs zeroed before each; device events; up to {} samples; median, 5th "
                       "and 95th percentile",
                       options.replays, options.samples);
}

std::uint64_t bytes_of(const launch::Plan& plan) {
    if (plan.bytes_moved > 0) return plan.bytes_moved;
    std::uint64_t bytes = 0;
    for (const launch::BufferSpec& buffer : plan.buffers)
        if (buffer.role != launch::BufferRole::scratch) bytes += buffer.bytes();
    return bytes;
}

}  // namespace lanewise::timing
