// The run bar: one line that says what the run was on, and a card under it that changes one thing of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/player/run_line.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"
#include "viz/widgets/text_field.hpp"

namespace lanewise::viz {

// What the learner asks of it.
struct RunAsk {
    enum class Kind : std::uint8_t { none, change, undo, reset, copy, questions } kind = Kind::none;
    std::string field;
    std::string text;

    explicit operator bool() const { return kind != Kind::none; }
};

// What it shows beside the run's own line.
struct RunBarState {
    bool running = false;        // a change is under way
    bool can_undo = false;
    bool changed = false;        // something is not as the lesson has it
    std::string questions;       // "off", "gentle", "exam 3 of 5"; empty: there are none to have
};

class RunBar {
public:
    static float height(const Look& look) { return look.px(30); }

    // The line. A click on a field opens its card.
    RunAsk draw(const Pane& pane, const player::RunLine& line, const RunBarState& state);
    // The card of the field that is open, over all else.
    RunAsk draw_card(const Look& look, const Rect& window, const player::RunLine& line,
                     const std::vector<double>& inputs);

    bool is_open() const { return !open_.empty(); }
    const std::string& open_field() const { return open_; }
    // Opens the first field, or the one after the open one.
    void open_next(const player::RunLine& line, int direction = 1);
    void open(const std::string& field, const player::RunLine& line);
    // The card of one number of the input, which lane `lane` took.
    void open_value(std::size_t index, int lane, const std::vector<double>& inputs);
    void close() { open_.clear(); }
    // Tab and the arrows. False where the key means nothing here.
    bool press(Key key, bool shift, const player::RunLine& line);

    // Where the field's chip was drawn last; for tests and cards.
    Rect chip_box(const std::string& field) const;

private:
    RunAsk draw_text(const Pane& pane, Rect& rest, const player::RunChip& chip, const std::vector<double>& inputs);
    RunAsk draw_choices(const Pane& pane, Rect& rest, const player::RunChip& chip,
                        const std::vector<std::string>& choices);
    RunAsk draw_lanes(const Pane& pane, Rect& rest, const player::RunChip& chip);
    float card_height(const Look& look, const player::RunChip& chip, float width) const;

    struct Place {
        std::string field;
        Rect box;
    };
    std::vector<Place> places_;
    std::string open_;
    std::size_t index_ = 0;       // of the number of the input, where one alone is changed
    int lane_ = -1;               // that took it; -1: all numbers
    bool opening_ = false;        // by the click of this frame
    Point at_;                    // the card of one number is where it was asked for
    TextField field_;
    float dragged_from_ = 0;      // of a number: where the pointer went down
    double drag_began_ = 0;
    bool dragging_ = false;
    int painted_ = -1;            // of a mask: 1 where lanes are being added, 0 where they are removed
    int turned_ = 0;              // the arrows: one choice back or on
};

}  // namespace lanewise::viz
