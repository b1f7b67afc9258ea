#include "common/lesson/actions.hpp"

#include <algorithm>
#include <array>

namespace lanewise::lesson {
namespace {

using Kind = Intent::Kind;

constexpr std::array kActions = {
    Action{Key::space, false, "Space", "play or pause", {Kind::toggle_play, 0}},
    Action{Key::right, false, "← →", "one step back or forward", {Kind::step_forward, 0}},
    Action{Key::left, false, "", "", {Kind::step_back, 0}},
    Action{Key::right, true, "Shift ← →", "one stage back or forward", {Kind::stage_forward, 0}},
    Action{Key::left, true, "", "", {Kind::stage_back, 0}},
    Action{Key::home, false, "Home End", "first or last step", {Kind::first, 0}},
    Action{Key::end, false, "", "", {Kind::last, 0}},
    Action{letter('+'), false, "+ -", "play faster or slower", {Kind::faster, 0}},
    Action{letter('-'), false, "", "", {Kind::slower, 0}},
    Action{Key::tab, false, "Tab", "next variant (Shift Tab: the one before)", {Kind::next_variant, 1}},
    Action{Key::tab, true, "", "", {Kind::next_variant, 0}},
    Action{letter('1'), false, "1 … 9", "a variant by its place", {Kind::variant, 0}},
    Action{letter('2'), false, "", "", {Kind::variant, 1}},
    Action{letter('3'), false, "", "", {Kind::variant, 2}},
    Action{letter('4'), false, "", "", {Kind::variant, 3}},
    Action{letter('5'), false, "", "", {Kind::variant, 4}},
    Action{letter('6'), false, "", "", {Kind::variant, 5}},
    Action{letter('7'), false, "", "", {Kind::variant, 6}},
    Action{letter('8'), false, "", "", {Kind::variant, 7}},
    Action{letter('9'), false, "", "", {Kind::variant, 8}},
    Action{Key::down, false, "↑ ↓", "look at the lane before or after", {Kind::next_lane, 1}},
    Action{Key::up, false, "", "", {Kind::next_lane, 0}},
    Action{letter('W'), false, "W", "next warp (Shift W: the one before)", {Kind::next_warp, 1}},
    Action{letter('W'), true, "", "", {Kind::next_warp, 0}},
    Action{letter('G'), false, "G", "next block of the grid (Shift G: the one before)", {Kind::next_block, 1}},
    Action{letter('G'), true, "", "", {Kind::next_block, 0}},
    Action{letter('C'), false, "C", "two variants beside each other", {Kind::compare, 0}, Surface::window},
    Action{letter('P'), false, "P", "pin the lane that is pointed at", {Kind::pin, 0}, Surface::window},
    Action{letter('F'), false, "F", "the stage alone, or all again", {Kind::focus, 0}, Surface::terminal},
    Action{letter('L'), false, "L", "lesson or source, in a narrow window", {Kind::panel, 0}, Surface::window},
    Action{letter('M'), false, "M", "memory: that of the step, shared, global", {Kind::memory, 0}, Surface::window},
    Action{letter('Z'), false, "Z", "stage larger (Shift Z: smaller; Ctrl wheel does both)", {Kind::zoom, 1}, Surface::window},
    Action{letter('Z'), true, "", "", {Kind::zoom, 0}, Surface::window},
    Action{letter('I'), false, "I", "colour by value, or by the inputs that a sum holds", {Kind::colors, 0}, Surface::window},
    Action{letter('A'), false, "A", "motion on or off", {Kind::motion, 0}, Surface::window},
    Action{letter('R'), false, "R", "rounding: each sum beside the exact one", {Kind::rounding, 0}, Surface::window},
    Action{letter('B'), false, "B", "table of all variants beside each other", {Kind::table, 0}, Surface::window},
    Action{letter('T'), false, "T", "times of all variants, or of a few", {Kind::timings, 0}, Surface::window},
    Action{letter('D'), false, "D", "dark or light", {Kind::theme, 0}},
    Action{letter('?'), false, "?", "these keys", {Kind::keys, 0}},
    Action{Key::escape, false, "Esc", "back: overlay, table, pin, lens, comparison", {Kind::close, 0}, Surface::window},
    Action{Key::escape, false, "Esc", "back: overlay, stage alone; then end", {Kind::close, 0}, Surface::terminal},
    Action{letter('Q'), false, "Q", "end", {Kind::quit, 0}, Surface::terminal},
};

}  // namespace

std::span<const Action> actions() { return kActions; }

std::optional<Intent> intent_of_key(Key key, bool shift, Surface surface) {
    // Signs need Shift on some keyboards and not on others.
    const bool is_sign = key == letter('?') || key == letter('+');
    const auto at = std::find_if(kActions.begin(), kActions.end(), [&](const Action& action) {
        return is_on(action.where, surface) && action.key == key && (is_sign || action.shift == shift);
    });
    if (at != kActions.end()) return at->intent;
    // A capital without a meaning of its own is its letter: Caps Lock may be on.
    const bool is_letter = key >= letter('A') && key <= letter('Z');
    if (shift && is_letter) return intent_of_key(key, false, surface);
    return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> key_rows(Surface surface) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const Action& action : kActions)
        if (*action.shown && is_on(action.where, surface)) rows.emplace_back(action.shown, action.what);
    if (surface == Surface::window) rows.emplace_back("Ctrl Q", "close the window");
    return rows;
}

}  // namespace lanewise::lesson
