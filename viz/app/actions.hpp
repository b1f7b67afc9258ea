// One table of actions: keys and the overlay that tells them are made from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "viz/views/selection.hpp"

namespace lanewise::viz {

// A key by what it means. Letters and signs are their upper-case characters.
enum class Key : int { none = 0, space = ' ', tab = 256, left, right, home, end, escape };

constexpr Key letter(char c) { return static_cast<Key>(c); }

struct Action {
    Key key;
    bool shift;
    const char* shown;   // on the overlay; empty: told by another action
    const char* what;
    Intent intent;
};

std::span<const Action> actions();

// What a key asks for; nothing where it means nothing.
std::optional<Intent> intent_of_key(Key key, bool shift);

// Rows of the overlay.
std::vector<std::pair<std::string, std::string>> key_rows();

}  // namespace lanewise::viz
