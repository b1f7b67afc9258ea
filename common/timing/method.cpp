// What measuring needs to know of a plan, with or without CUDA.
#include <cstring>

#include <fmt/format.h>

#include "common/base/error.hpp"
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
        if (buffer.role == launch::BufferRole::input || buffer.role == launch::BufferRole::output) bytes += buffer.bytes();
    return bytes;
}

std::vector<float> first_floats(const launch::Plan& plan, const std::string& what) {
    for (const launch::BufferSpec& buffer : plan.buffers) {
        if (buffer.role != launch::BufferRole::input || buffer.element != Element::f32 || buffer.count == 0) continue;
        std::vector<float> values(buffer.count);
        std::memcpy(values.data(), buffer.contents.data(), values.size() * sizeof(float));
        return values;
    }
    throw Error(fmt::format("{} needs an input of floats, and this plan has none.", what));
}

}  // namespace lanewise::timing
