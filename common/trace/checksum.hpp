// FNV-1a 64, fed piece by piece: the checksum in a trace's footer and the hash of a kernel file.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanewise::trace {

class Fnv1a {
public:
    void add(std::string_view text) {
        for (const char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    std::uint64_t value() const { return state_; }

private:
    std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace lanewise::trace
