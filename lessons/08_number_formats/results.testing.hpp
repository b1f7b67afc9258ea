// The bits that every variant gives, pinned: on any machine, with and without CUDA, they are the same.
#pragma once

#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "common/lesson/lesson.testing.hpp"

namespace number_formats {

using namespace lanewise;
using namespace lanewise::lesson::testing;

// What each variant gave: on its defaults, and on four inputs of at most two blocks, whose order then does not matter.
// Up to 8 bytes of output as their bits, more as the FNV-1a hash of them.
struct Known {
    const char* variant;
    const char* results[5];
};
inline constexpr Known kKnown[] = {
#include "lessons/08_number_formats/results.inc"
};

inline lesson::Inputs known_inputs(const std::string& variant, std::size_t which) {
    lesson::Inputs inputs = inputs_of(variant);
    if (which == 0) return inputs;
    constexpr const char* kKinds[] = {"random", "cancel", "huge", "mean"};
    constexpr std::uint64_t kSizes[] = {1009, 1024, 777, 1000};
    inputs.kind = kKinds[which - 1];
    inputs.n = kSizes[which - 1];
    inputs.offset = which == 1;
    return inputs;
}

inline std::string bits_text(const std::vector<std::byte>& bytes) {
    std::uint64_t bits = 0;
    if (bytes.size() <= sizeof(bits)) {
        std::memcpy(&bits, bytes.data(), bytes.size());
    } else {
        bits = 0xcbf29ce484222325u;
        for (const std::byte byte : bytes) bits = (bits ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
    }
    std::ostringstream text;
    text << std::hex << bits;
    return text.str();
}

inline void expect_known(launch::Backend& backend) {
    ASSERT_EQ(std::size(kKnown), the_lesson().variants().size());
    for (const Known& known : kKnown) {
        std::string now;
        for (std::size_t which = 0; which < std::size(known.results); ++which) {
            const auto plan = plan_of(known.variant, known_inputs(known.variant, which));
            const auto outcome = run(backend, plan);
            for (std::size_t b = 0; b < plan.buffers.size(); ++b)
                if (plan.buffers[b].role == launch::BufferRole::output)
                    now += (which ? ", \"" : "\"") + bits_text(outcome.buffers[b]) + "\"";
        }
        std::string then;
        for (const char* result : known.results) then += (then.empty() ? "\"" : ", \"") + std::string(result) + "\"";
        EXPECT_EQ(now, then) << known.variant;
    }
}

}  // namespace number_formats
