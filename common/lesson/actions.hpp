// One table of actions: the keys of the window and of the terminal, and the overlays that tell them, are made from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lanewise::lesson {

// Something that a key or a view asks the application to do.
struct Intent {
    enum class Kind : std::uint8_t { none, go_to, toggle_play, variant, next_variant, compare, keys, close, faster, slower,
                                     theme, pin, timings,
                                     step_back, step_forward, first, last, stage_back, stage_forward, panel, memory,
                                     rounding, table,
                                     next_lane, next_warp, next_block,   // value 1: the one after; 0: the one before
                                     focus,                              // the stage alone, or all again
                                     zoom,                               // the stage: 1 larger, 0 smaller, 2 as it was
                                     colors,                             // by value, or by what a sum holds
                                     motion,                             // on or off
                                     quit };
    Kind kind = Kind::none;
    std::size_t value = 0;

    explicit operator bool() const { return kind != Kind::none; }
};

// A key by what it means. Letters and signs are their upper-case characters.
enum class Key : int { none = 0, space = ' ', tab = 256, left, right, up, down, home, end, escape };

constexpr Key letter(char c) { return static_cast<Key>(c); }

// Where an action is to be had.
enum class Surface : std::uint8_t { window = 1, terminal = 2, both = 3 };

constexpr bool is_on(Surface where, Surface surface) {
    return (static_cast<unsigned>(where) & static_cast<unsigned>(surface)) != 0;
}

struct Action {
    Key key;
    bool shift;
    const char* shown;   // on the overlay; empty: told by another action
    const char* what;
    Intent intent;
    Surface where = Surface::both;
};

// All of them; on one surface a key stands once.
std::span<const Action> actions();

// What a key asks for; nothing where it means nothing.
std::optional<Intent> intent_of_key(Key key, bool shift, Surface surface = Surface::window);

// Rows of the overlay.
std::vector<std::pair<std::string, std::string>> key_rows(Surface surface = Surface::window);

}  // namespace lanewise::lesson
