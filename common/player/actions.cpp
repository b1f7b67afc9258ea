#include "common/player/actions.hpp"

#include <algorithm>
#include <array>

namespace lanewise::player {
namespace {

using Kind = Intent::Kind;

constexpr std::array kActions = {
    Action{Key::space, false, "Space", "play or pause", {Kind::toggle_play, 0}, Group::play},
    Action{Key::right, false, "← →", "one step back or forward", {Kind::step_forward, 0}, Group::play},
    Action{Key::left, false, "", "", {Kind::step_back, 0}, Group::play},
    Action{Key::right, true, "Shift ← →", "one stage back or forward", {Kind::stage_forward, 0}, Group::play},
    Action{Key::left, true, "", "", {Kind::stage_back, 0}, Group::play},
    Action{Key::home, false, "Home End", "first or last step", {Kind::first, 0}, Group::play},
    Action{Key::end, false, "", "", {Kind::last, 0}, Group::play},
    Action{letter('+'), false, "+ -", "play faster or slower", {Kind::faster, 0}, Group::play},
    Action{letter('-'), false, "", "", {Kind::slower, 0}, Group::play},
    Action{Key::tab, false, "Tab", "next variant (Shift Tab: the one before)", {Kind::next_variant, 1}, Group::variant},
    Action{Key::tab, true, "", "", {Kind::next_variant, 0}, Group::variant},
    Action{letter('1'), false, "1 … 9", "a variant by its place", {Kind::variant, 0}, Group::variant},
    Action{letter('2'), false, "", "", {Kind::variant, 1}, Group::variant},
    Action{letter('3'), false, "", "", {Kind::variant, 2}, Group::variant},
    Action{letter('4'), false, "", "", {Kind::variant, 3}, Group::variant},
    Action{letter('5'), false, "", "", {Kind::variant, 4}, Group::variant},
    Action{letter('6'), false, "", "", {Kind::variant, 5}, Group::variant},
    Action{letter('7'), false, "", "", {Kind::variant, 6}, Group::variant},
    Action{letter('8'), false, "", "", {Kind::variant, 7}, Group::variant},
    Action{letter('9'), false, "", "", {Kind::variant, 8}, Group::variant},
    Action{letter('/'), false, "/", "change the run: n, input, order, the lesson's controls", {Kind::change_run, 0},
           Group::variant},
    Action{letter(','), false, ",", "one change of the run back", {Kind::undo_change, 0}, Group::variant},
    Action{letter('Q'), false, "Q", "questions before each step: gentle, exam, off", {Kind::questions, 0}, Group::play,
           Surface::window},
    Action{Key::down, false, "↑ ↓", "look at the lane before or after", {Kind::next_lane, 1}, Group::look},
    Action{Key::up, false, "", "", {Kind::next_lane, 0}, Group::look},
    Action{letter('W'), false, "W", "next warp (Shift W: the one before)", {Kind::next_warp, 1}, Group::look},
    Action{letter('W'), true, "", "", {Kind::next_warp, 0}, Group::look},
    Action{letter('G'), false, "G", "next block of the grid (Shift G: the one before)",
           {Kind::next_block, 1}, Group::look},
    Action{letter('G'), true, "", "", {Kind::next_block, 0}, Group::look},
    Action{letter('E'), false, "E", "next access that a finding names (Shift E: the one before)",
           {Kind::finding, 1}, Group::look},
    Action{letter('E'), true, "", "", {Kind::finding, 0}, Group::look},
    Action{letter('C'), false, "C", "variants side by side (again: one more)",
           {Kind::compare, 0}, Group::view, Surface::window},
    Action{letter('C'), true, "Shift C", "remove the chosen variant",
           {Kind::uncompare, 0}, Group::view, Surface::window},
    Action{letter('S'), true, "Shift S", "edited file: compared with its version before the save",
           {Kind::version_before, 0}, Group::variant, Surface::window},
    Action{letter('X'), false, "X", "choose the next side (Tab and 1 … 9 change it)",
           {Kind::side, 0}, Group::view, Surface::window},
    Action{letter('P'), false, "P", "pin the lane that is pointed at", {Kind::pin, 0}, Group::look, Surface::window},
    Action{Key::page_down, false, "PgUp PgDn", "read back or on in the lesson's text",
           {Kind::read_on, 1}, Group::panel, Surface::window},
    Action{Key::page_up, false, "", "", {Kind::read_on, 0}, Group::panel, Surface::window},
    Action{letter('J'), false, "J", "next link or command of the text; Enter follows or copies it",
           {Kind::text_target, 1}, Group::panel, Surface::window},
    Action{letter('J'), true, "", "", {Kind::text_target, 0}, Group::panel, Surface::window},
    Action{letter(';'), false, ";", "next button or tab on the screen (Shift ;: the one before); Enter presses it",
           {Kind::button, 1}, Group::panel, Surface::window},
    Action{letter(';'), true, "", "", {Kind::button, 0}, Group::panel, Surface::window},
    Action{Key::enter, false, "Enter", "change the number that the chosen lane takes (↓ chooses; or a double click)",
           {Kind::follow_target, 0}, Group::panel, Surface::window},
    Action{Key::backspace, false, "Backspace", "back to where a link was followed", {Kind::back, 0}, Group::panel,
           Surface::window},
    Action{letter('F'), false, "F", "the stage alone, or all again", {Kind::focus, 0}, Group::panel},
    Action{letter('L'), false, "L", "lesson's text", {Kind::panel, 0}, Group::panel, Surface::window},
    Action{letter('S'), false, "S", "source and lane", {Kind::panel, 1}, Group::panel, Surface::window},
    Action{letter('K'), false, "K", "steps along the bottom", {Kind::panel, 2}, Group::panel, Surface::window},
    Action{letter('M'), false, "M", "memory: that of the step, shared, global",
           {Kind::memory, 0}, Group::view, Surface::window},
    Action{letter('#'), false, "#", "a shuffle as a matrix of lanes, and the bits of their numbers", {Kind::matrix, 0},
           Group::view, Surface::window},
    Action{letter('Z'), false, "Z", "stage larger (Shift Z: smaller; Ctrl wheel does both)",
           {Kind::zoom, 1}, Group::look, Surface::window},
    Action{letter('Z'), true, "", "", {Kind::zoom, 0}, Group::look, Surface::window},
    Action{letter('I'), false, "I", "colour by value, or by the inputs that a sum holds",
           {Kind::colors, 0}, Group::look, Surface::window},
    Action{letter('A'), false, "A", "motion on or off", {Kind::motion, 0}, Group::play, Surface::window},
    Action{letter('V'), false, "V", "summation tree (of boxes: what is kept, and the bits)",
           {Kind::tree, 0}, Group::view, Surface::window},
    Action{letter('R'), false, "R", "rounding: each sum compared with the exact one",
           {Kind::rounding, 0}, Group::view, Surface::window},
    Action{letter('B'), false, "B", "table of all variants", {Kind::table, 0}, Group::view, Surface::window},
    Action{letter('U'), false, "U", "what single operations cost, in cycles",
           {Kind::costs, 0}, Group::view, Surface::window},
    Action{letter('T'), false, "T", "times of all variants over sizes",
           {Kind::timings, 0}, Group::view, Surface::window},
    Action{letter('T'), true, "Shift T", "measure them on this GPU, or stop",
           {Kind::measure, 2}, Group::view, Surface::window},
    Action{letter('D'), false, "D", "dark or light", {Kind::theme, 0}, Group::panel},
    Action{letter('O'), false, "O", "open a trace…", {Kind::open_file, 0}, Group::file, Surface::window},
    Action{letter('H'), false, "H", "all lessons", {Kind::start_page, 0}, Group::file, Surface::window},
    Action{letter('N'), false, "N", "next lesson", {Kind::next_lesson, 0}, Group::file, Surface::window},
    Action{letter('.'), false, ".", "cancel the run that is under way (also Esc)",
           {Kind::cancel, 0}, Group::file, Surface::window},
    Action{letter('Y'), false, "Y", "explain the terms of this step (a pointer on a term does, too)",
           {Kind::explain, 0}, Group::help, Surface::window},
    Action{Key::f10, false, "F10", "menu", {Kind::menu, 0}, Group::help, Surface::window},
    Action{letter('?'), false, "?", "all keys", {Kind::keys, 0}, Group::help},
    Action{Key::escape, false, "Esc", "back: overlay, table, pin, lens, comparison",
           {Kind::close, 0}, Group::help, Surface::window},
    Action{Key::escape, false, "Esc", "back: overlay, stage alone; then quit",
           {Kind::close, 0}, Group::help, Surface::terminal},
    Action{letter('Q'), false, "Q", "quit", {Kind::quit, 0}, Group::file, Surface::terminal},
};

}  // namespace

std::span<const Action> actions() { return kActions; }

std::optional<Intent> intent_of_key(Key key, bool shift, Surface surface) {
    // Signs need Shift on some keyboards and not on others.
    const bool is_sign = key == letter('?') || key == letter('+') || key == letter('#') || key == letter('/');
    const auto at = std::find_if(kActions.begin(), kActions.end(), [&](const Action& action) {
        return is_on(action.where, surface) && action.key == key && (is_sign || action.shift == shift);
    });
    if (at != kActions.end()) return at->intent;
    // A capital without a meaning of its own is its letter: Caps Lock may be on.
    const bool is_letter = key >= letter('A') && key <= letter('Z');
    if (shift && is_letter) return intent_of_key(key, false, surface);
    return std::nullopt;
}

std::string_view group_title(Group group) {
    static constexpr std::array<std::string_view, kGroups> kTitles = {"File",   "Steps", "Variant", "View",
                                                                      "Panels", "Stage", "Help"};
    return kTitles[static_cast<std::size_t>(group)];
}

std::vector<KeyRow> key_rows(Group group, Surface surface) {
    std::vector<KeyRow> rows;
    for (const Action& action : kActions)
        if (action.group == group && *action.shown && is_on(action.where, surface))
            rows.emplace_back(action.shown, action.what);
    if (surface == Surface::window && group == Group::look)
        rows.emplace_back("Right drag", "move the stage (double click: 100 %)");
    if (surface == Surface::window && group == Group::panel)
        rows.emplace_back("Ctrl + -", "all larger or smaller (Ctrl 0: as it was)");
    if (surface == Surface::window && group == Group::file) rows.emplace_back("Ctrl Q", "close the window");
    return rows;
}

std::vector<KeyRow> key_rows(Surface surface) {
    std::vector<KeyRow> rows;
    for (const Group group :
         {Group::play, Group::variant, Group::look, Group::view, Group::panel, Group::file, Group::help})
        for (KeyRow& row : key_rows(group, surface)) rows.push_back(std::move(row));
    return rows;
}

}  // namespace lanewise::player
