#include "viz/views/play/run_bar.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace lanewise::viz {
namespace {

using player::RunChip;
using player::RunLine;

// A sign that goes back: an arrow bent to the left.
void undo_sign(const Brush& brush, Point c, Color color) {
    const float r = brush.px(4);
    hairline(brush, {c.x - r, c.y - r * 0.4f}, {c.x + r, c.y - r * 0.4f}, color, brush.px(1.5f));
    hairline(brush, {c.x + r, c.y - r * 0.4f}, {c.x + r, c.y + r * 0.9f}, color, brush.px(1.5f));
    hairline(brush, {c.x + r, c.y + r * 0.9f}, {c.x - r * 0.2f, c.y + r * 0.9f}, color, brush.px(1.5f));
    triangle(brush, {c.x - r * 1.5f, c.y - r * 0.4f}, {c.x - r * 0.4f, c.y - r * 1.2f},
             {c.x - r * 0.4f, c.y + r * 0.4f}, color);
}

}  // namespace

Rect RunBar::chip_box(const std::string& field) const {
    for (const Place& place : places_)
        if (place.field == field) return place.box;
    return {};
}

RunAsk RunBar::draw(const Pane& pane, const RunLine& line, const RunBarState& state) {
    const Brush& brush = pane.brush;
    const Theme& colors = pane.colors();
    RunAsk ask;
    places_.clear();
    hairline(brush, {pane.box.x0, pane.box.y1 - 1}, {pane.box.x1, pane.box.y1 - 1}, colors.line);
    Rect rest = pane.box.inset(pane.px(14), pane.px(3));
    // From the right: questions, the command, undo, what came of the change.
    const auto button = [&](const std::string& label, const std::string& hint, bool lit) {
        const Rect box = rest.cut_right(text_width(pane.look(), Face::caption, label) + pane.px(18));
        rest.cut_right(pane.px(6));
        const bool hovered = pane.hovers(box);
        if (hovered || lit) fill(brush, box, lit ? mix(colors.panel, colors.accent, 0.22) : colors.raised, pane.px(5));
        text_in(brush, Face::caption, box, hovered || lit ? colors.strong : colors.quiet, label);
        if (hovered) hint_card(pane.look(), hint);
        return pane.button(box);
    };
    if (!state.questions.empty() && button("questions: " + state.questions,
                                           "Predict before you see: off, gentle, exam · Q", state.questions != "off"))
        ask.kind = RunAsk::Kind::questions;
    if (state.changed && rest.width() > pane.px(560)) {
        if (button("copy command", "The command that shows this run again", false)) ask.kind = RunAsk::Kind::copy;
        if (button("as at first", "All fields as the lesson has them", false)) ask.kind = RunAsk::Kind::reset;
    }
    if (state.can_undo) {
        if (button("      undo", "One change back · , (comma) or Ctrl Z", false)) ask.kind = RunAsk::Kind::undo;
        undo_sign(brush, {rest.x1 + pane.px(20), rest.center().y}, colors.quiet);
    }
    if (state.running || !line.outcome.empty()) {
        const std::string label = state.running ? "running…" : line.outcome;
        if (rest.width() > pane.px(420)) {
            const Rect box = rest.cut_right(text_width(pane.look(), Face::caption, label) + pane.px(14));
            text_in(brush, Face::caption, box, state.running ? colors.quiet : colors.good, label);
        }
    }
    text_in(brush, Face::strong, rest, colors.quiet, "Run", Align::left);
    rest.cut_left(text_width(pane.look(), Face::strong, "Run") + pane.px(10));
    float needed = 0;
    for (const RunChip& chip : line.chips)
        needed += text_width(pane.look(), Face::caption, chip.field.name) +
                  text_width(pane.look(), Face::small, chip.shown) + pane.px(29);
    // Too many for the line: what is as the lesson has it goes without its value.
    const bool terse = needed > rest.width();
    for (const RunChip& chip : line.chips) {
        const bool with_value = !terse || chip.chosen || chip.field.name == "n" || !chip.error.empty();
        const float name = text_width(pane.look(), Face::caption, chip.field.name);
        const float value = with_value ? text_width(pane.look(), Face::small, chip.shown) + pane.px(6) : 0;
        Rect box = rest.cut_left(name + value + pane.px(18));
        if (box.width() < name + pane.px(10)) break;
        rest.cut_left(pane.px(5));
        places_.push_back({chip.field.name, box});
        const bool hovered = pane.hovers(box), opened = open_ == chip.field.name;
        const bool wrong = !chip.error.empty(), marked = !chip.before.empty();
        fill(brush, box, wrong ? mix(colors.panel, colors.warning, 0.25)
                         : hovered || opened ? colors.raised
                                             : mix(colors.panel, colors.raised, 0.55), pane.px(5));
        if (marked || wrong)
            outline(brush, box, wrong ? colors.warning : colors.accent, pane.px(5), pane.px(1.2f));
        Rect text_box = box.inset(pane.px(9), 0);
        text_in(brush, Face::caption, text_box, colors.quiet, chip.field.name, Align::left);
        text_box.cut_left(name + pane.px(6));
        if (with_value)
            text_in(brush, Face::small, text_box, chip.chosen ? colors.accent : colors.strong, chip.shown, Align::left);
        if (hovered && !opened)
            hint_card(pane.look(),
                      wrong ? chip.error
                            : (marked ? "was " + chip.before + " · " : std::string()) + chip.field.sentence +
                                  (chip.shown != chip.value && chip.field.name != "values" && chip.field.name != "input"
                                       ? "\n" + chip.value
                                       : ""));
        if (pane.button(box)) {
            if (opened) close();
            else open(chip.field.name, line);
        }
    }
    if (line.error.empty()) {
        const float hint = text_width(pane.look(), Face::caption, "change") + pane.px(40);
        if (!line.chips.empty() && !is_open() && rest.width() > hint)
            key_hint(brush, {rest.x0 + pane.px(8), rest.center().y - pane.px(8.5f)}, "/", "change");
    } else {
        text_in(brush, Face::caption, rest, colors.warning,
                fit_text(pane.look(), Face::caption, line.error, rest.width()), Align::left);
        if (pane.hovers(rest)) hint_card(pane.look(), line.error);
    }
    return ask;
}

void RunBar::open(const std::string& name, const RunLine& line) {
    const auto at = std::find_if(line.chips.begin(), line.chips.end(),
                                 [&](const RunChip& chip) { return chip.field.name == name; });
    if (at == line.chips.end()) return;
    open_ = name;
    lane_ = -1;
    dragging_ = false;
    painted_ = -1;
    turned_ = 0;
    opening_ = true;
    field_.begin(at->value);
}

void RunBar::open_next(const RunLine& line, int direction) {
    if (line.chips.empty()) return;
    const auto count = static_cast<int>(line.chips.size());
    int at = 0;
    for (int i = 0; i < count; ++i)
        if (line.chips[static_cast<std::size_t>(i)].field.name == open_) at = (i + direction + count) % count;
    open(line.chips[static_cast<std::size_t>(at)].field.name, line);
}

void RunBar::open_value(std::size_t index, int lane, const std::vector<double>& inputs) {
    if (index >= inputs.size()) return;
    open_ = "values";
    index_ = index;
    lane_ = lane;
    at_ = {ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y};
    dragging_ = false;
    turned_ = 0;
    opening_ = true;
    field_.begin(fmt::format("{}", inputs[index]));
}

bool RunBar::press(Key key, bool shift, const RunLine& line) {
    if (!is_open()) return false;
    if (key == Key::escape) close();
    else if (key == Key::tab) open_next(line, shift ? -1 : 1);
    else if (key == Key::left || key == Key::right) turned_ = key == Key::left ? -1 : 1;
    return true;   // all else is typed, or means nothing here
}

}  // namespace lanewise::viz
