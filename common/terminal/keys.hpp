// What the bytes of a terminal's keyboard mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/player/actions.hpp"

namespace lanewise::terminal {

struct KeyPress {
    player::Key key = player::Key::none;
    bool shift = false;
    bool operator==(const KeyPress&) const = default;
};

// Keys come as one byte or as a sequence that begins with Esc, and may be torn apart on their way.
class KeyDecoder {
public:
    // The keys that are complete now. Sequences of other keys mean nothing.
    std::vector<KeyPress> feed(std::string_view bytes);
    // No more bytes came for a while: what is left is the key Esc itself.
    std::vector<KeyPress> settle();
    bool waits() const { return !rest_.empty(); }

private:
    std::string rest_;
};

}  // namespace lanewise::terminal
