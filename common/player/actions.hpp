// One table of actions: the keys of the window and of the terminal, and the overlays that show them, are made from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise::player {

// Something that a key or a view asks the application to do.
struct Intent {
    enum class Kind : std::uint8_t {
        none, go_to, toggle_play, variant, next_variant, compare, keys, close, faster, slower, theme, pin, timings,
        step_back, step_forward, first, last, stage_back, stage_forward, panel, memory,
        rounding, table, costs, tree,
        // A comparison: `compare` opens it or sets one more next to it, compare_with the tab `value`; uncompare takes
        // side value - 1 away, side chooses it (0: the chosen one, the next).
        uncompare, compare_with, compare_list, side,
        next_lane, next_warp, next_block,   // value 1: the one after; 0: the one before
        focus,                              // the stage alone, or all again
        read_on,                            // a page of the text, or of a table: 1 on, 0 back
        zoom,                               // the stage: 1 larger, 0 smaller, 2 as it was
        colors,                             // by value, or by what a sum holds
        motion,                             // on or off
        menu,                               // all commands
        start_page,                         // the lessons as a path
        roofline,                           // bytes against the machine's limit
        finding,                            // value 1: the next access that a finding names; 0: the one before
        version_before,                     // of a file that is edited, next to the one shown
        cancel,                             // the run that is under way
        measure,                            // over sizes, on this GPU: 1 begins, 0 ends
        next_lesson,                        // continues with the one after this
        lesson,                             // value: its place among the lessons
        open_file, recent,                  // recent: value counts from the latest
        link,                               // of the text; value: its place there
        text_target,                        // the next link or command of the text (1), the one before (0)
        button,                             // chooses the next button on the screen (1), the one before (0)
        follow_target,                      // follows that link, or copies that command
        copy_text,                          // value: the place of the command in the text
        back,                               // to where the last link was followed
        explain,                            // the terms of the step shown
        change_run,                         // opens the run bar's first field
        undo_change,                        // one change of the run back
        questions,                          // off, gentle, exam
        matrix,                             // of a shuffle, in the place of memory; or memory again
        lane_value,                         // the number that lane `value` took from the input
        rounding_input,                     // an input whose sums are rounded
        dismiss,                            // the notice has been read
        open_elsewhere,                     // the file, in the lesson that it is of
        copy_command,                       // of a lesson, by its place
        export_run, copy_path,              // a file of what is shown (player::ExportKind); where it lies
        quit
    };
    Kind kind = Kind::none;
    std::size_t value = 0;

    explicit operator bool() const { return kind != Kind::none; }
};

// What can be exported.
enum class ExportKind : std::uint8_t { picture, page, values, times };

// A key by what it means. Letters and signs are their upper-case characters.
enum class Key : int {
    none = 0,
    space = ' ',
    tab = 256,
    left,
    right,
    up,
    down,
    home,
    end,
    page_up,
    page_down,
    escape,
    enter,
    f10,
    backspace
};

constexpr Key letter(char c) { return static_cast<Key>(c); }

// Where an action is to be had.
enum class Surface : std::uint8_t { window = 1, terminal = 2, both = 3 };

constexpr bool is_on(Surface where, Surface surface) {
    return (static_cast<unsigned>(where) & static_cast<unsigned>(surface)) != 0;
}

// Where an action is in the menu and on the overlay.
enum class Group : std::uint8_t { file, play, variant, view, panel, look, help };
inline constexpr std::size_t kGroups = 7;
std::string_view group_title(Group group);

struct Action {
    Key key;
    bool shift;
    const char* shown;   // on the overlay; empty: shown by another action
    const char* what;
    Intent intent;
    Group group;
    Surface where = Surface::both;
};

// All of them; on one surface a key is there once.
std::span<const Action> actions();

// What a key asks for; nothing where it means nothing.
std::optional<Intent> intent_of_key(Key key, bool shift, Surface surface = Surface::window);

// Rows of the overlay: a key and what it does.
using KeyRow = std::pair<std::string, std::string>;
std::vector<KeyRow> key_rows(Group group, Surface surface = Surface::window);
std::vector<KeyRow> key_rows(Surface surface = Surface::window);

}  // namespace lanewise::player
