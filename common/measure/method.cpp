// What measuring needs to know of a plan, with or without CUDA.
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/measure/measure.hpp"

namespace lanewise::measure {

const char* l2_name(L2 l2) { return l2 == L2::warm ? "warm" : "flushed"; }

std::string method_text(const MeasureOptions& options) {
    const std::string spread = fmt::format(
        "device events; up to {} samples; time: their median; where the data fit in L2 the mean of the medians at "
        "{} buffer addresses; 5th and 95th percentile of all samples",
        options.samples, options.places);
    if (options.l2 == L2::flushed)
        return fmt::format("twice the L2 written before each run, then the run alone between two events, its launch "
                           "included, totals that launches add to zeroed in it; {}", spread);
    return fmt::format(
        "CUDA graph of {} to {} runs, until it lasts {:.9g} us, totals that launches add to zeroed before each, "
        "overlapping where a kernel is launched so; {}",
        options.least_replays, options.most_replays, options.graph_us, spread);
}

std::uint64_t bytes_of(const launch::Plan& plan) {
    if (plan.bytes_moved > 0) return plan.bytes_moved;
    std::uint64_t bytes = 0;
    for (const launch::BufferSpec& buffer : plan.buffers)
        if (buffer.role == launch::BufferRole::input || buffer.role == launch::BufferRole::output)
            bytes += buffer.bytes();
    return bytes;
}

const launch::BufferSpec& first_floats(const launch::Plan& plan, const std::string& what) {
    for (const launch::BufferSpec& buffer : plan.buffers)
        if (buffer.role == launch::BufferRole::input && buffer.count > 0 &&
            (buffer.element == Element::f32 || buffer.element == Element::f16 || buffer.element == Element::bf16))
            return buffer;
    throw Error(fmt::format("{} needs an input of f32, f16 or bf16, and this plan has none.", what));
}

bool has_floats(const launch::Plan& plan) {
    for (const launch::BufferSpec& buffer : plan.buffers)
        if (buffer.role == launch::BufferRole::input && buffer.count > 0) return buffer.element == Element::f32;
    return false;
}

std::string input_element(const launch::Plan& plan) {
    for (const launch::BufferSpec& buffer : plan.buffers)
        if (buffer.role == launch::BufferRole::input && buffer.count > 0)
            return std::string(element_name(buffer.element));
    return "";
}

}  // namespace lanewise::measure
