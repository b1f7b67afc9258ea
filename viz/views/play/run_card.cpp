// The card under the run bar: one field, typed, chosen, clicked lane by lane, or dragged.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/lane_expression.hpp"
#include "viz/views/play/run_bar.hpp"

namespace lanewise::viz {
namespace {

using run::FieldKind;
using player::RunChip;
using run::RunField;

constexpr float kLine = 30;

std::string_view hint_of(FieldKind kind, bool one_value) {
    if (one_value) return "Enter runs it · drag ↔ changes it · Tab the next field · Esc closes";
    switch (kind) {
        case FieldKind::choice: return "← → or a click chooses · Tab the next field · Esc closes";
        case FieldKind::mask: return "click or drag over lanes · Enter takes what is typed · Esc closes";
        case FieldKind::per_lane: return "click a lane to change it (right button: back) · Enter takes what is typed";
        case FieldKind::values: return "Enter runs them · double click a lane's number to change it alone";
        default: return "Enter runs it · Tab the next field · Esc closes";
    }
}

bool of_lanes(const RunField& field) { return field.kind == FieldKind::mask || field.kind == FieldKind::per_lane; }

// What the text is for each lane; nothing where it is no such thing.
std::optional<PerLane<std::int32_t>> lanes_in(const RunField& field, const std::string& text) {
    try {
        if (field.kind == FieldKind::per_lane) return per_lane("", text);
    } catch (const Error&) {
        return std::nullopt;
    }
    std::uint32_t mask = 0;
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const char* first = text.data() + (hex ? 2 : 0);
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), mask, hex ? 16 : 10);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    PerLane<std::int32_t> lanes{};
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] = static_cast<std::int32_t>(mask >> lane & 1u);
    return lanes;
}

bool are_bits(const PerLane<std::int32_t>& lanes) {
    return std::all_of(lanes.begin(), lanes.end(), [](std::int32_t value) { return value == 0 || value == 1; });
}

// Does the lesson give each lane a yes or a no? A click then turns one into the other; elsewhere it counts.
bool is_yes_or_no(const RunField& field) {
    if (field.kind == FieldKind::mask) return true;
    const auto standard = lanes_in(field, field.standard);
    return standard && are_bits(*standard) && std::find(standard->begin(), standard->end(), 0) != standard->end();
}

// What is worth a try: sizes at the edges of a warp, or arguments with a story.
std::vector<std::string> suggestions(const RunField& field) {
    if (field.kind == FieldKind::choice || field.kind == FieldKind::order) return field.choices;
    if (field.kind == FieldKind::mask) return {"0xffffffff", "0xffff", "0x55555555", "0xff00ff00", "0x1"};
    if (field.kind == FieldKind::per_lane && is_yes_or_no(field))
        return {"1", "0", "lane % 2", "lane % 3 == 1", "lane < 8", "lane == 5", "lane >= 16"};
    if (field.kind == FieldKind::per_lane)
        return {"1", "5", "16", "lane + 2", "lane ^ 5", "31 - lane", "lane % 2", "lane < 8", "lane / 8"};
    if (field.name == "n" || field.name == "columns") {
        std::vector<std::string> sizes;
        for (const std::uint64_t n : {1u, 31u, 32u, 33u, 64u, 100u, 256u, 1000u})
            if (n >= field.low && n <= field.high) sizes.push_back(fmt::format("{}", n));
        return sizes;
    }
    if (field.kind == FieldKind::number && field.high <= 64) {
        std::vector<std::string> all;
        for (std::uint64_t n = field.low; n <= field.high;
             n += std::max<std::uint64_t>((field.high - field.low) / 8, 1))
            all.push_back(fmt::format("{}", n));
        return all;
    }
    return {};
}

std::string text_of(const RunField& field, const PerLane<std::int32_t>& lanes) {
    std::string text;
    std::uint32_t mask = 0;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        text += (lane > 0 ? "," : "") + fmt::format("{}", lanes[lane]);
        mask |= (lanes[lane] != 0 ? 1u : 0u) << lane;
    }
    return field.kind == FieldKind::mask ? fmt::format("0x{:x}", mask) : text;
}

}  // namespace

float RunBar::card_height(const Look& look, const RunChip& chip, float width) const {
    const Brush measure{nullptr, look};
    float height = look.px(24 + 18 + 16);
    if (chip.field.kind != FieldKind::choice) height += look.px(34 + 8);
    height += paragraph(measure, Face::caption, {}, width, 0, chip.field.sentence, 1.4f) + look.px(6);
    if (!chip.error.empty()) height += paragraph(measure, Face::body, {}, width, 0, chip.error, 1.4f) + look.px(8);
    if (lane_ >= 0) return height;
    if (!suggestions(chip.field).empty()) height += look.px(kLine + 4);
    if (of_lanes(chip.field)) height += look.px(62);
    return height;
}

RunAsk RunBar::draw_card(const Look& look, const Rect& window, const player::RunLine& line,
                         const std::vector<double>& inputs) {
    if (!is_open()) return {};
    const auto at = std::find_if(line.chips.begin(), line.chips.end(),
                                 [&](const RunChip& chip) { return chip.field.name == open_; });
    if (at == line.chips.end()) {
        close();   // of another variant
        return {};
    }
    const RunChip& chip = *at;
    const Theme& colors = look.colors();
    const float width = std::min(look.px(of_lanes(chip.field) ? 580.0f : 460.0f), window.width() - look.px(24));
    const bool at_pointer = lane_ >= 0 && window.contains(at_);
    const Rect anchor = at_pointer ? Rect{at_.x, at_.y, at_.x + 1, at_.y + look.px(14)} : chip_box(open_);
    const float height = card_height(look, chip, width - look.px(32));
    const float x =
        std::clamp(anchor.x0, window.x0 + look.px(12), std::max(window.x0, window.x1 - width - look.px(12)));
    const float y = std::max(window.y0, std::min(anchor.y1 + look.px(5), window.y1 - height - look.px(8)));
    const Rect card{x, y, x + width, y + height};
    const Pane pane(look, "run card", card.inset(-look.px(20)));   // with its shadow; all around can be pointed at
    raised_card(pane.brush, card);
    Rect rest = card.inset(look.px(16), look.px(10));
    const std::string title = lane_ >= 0 ? fmt::format("The number that lane {} takes (value {})", lane_, index_)
                                         : chip.field.name;
    text_in(pane.brush, Face::strong, rest.cut_top(look.px(22)), colors.strong, title, Align::left);
    rest.cut_top(paragraph(pane.brush, Face::caption, {rest.x0, rest.y0}, rest.width(), colors.quiet,
                           chip.field.sentence, 1.4f) + look.px(6));
    RunAsk ask;
    const auto keep = [&](const RunAsk& asked) {
        if (asked) ask = asked;
    };
    if (chip.field.kind == FieldKind::choice) keep(draw_choices(pane, rest, chip, suggestions(chip.field)));
    else {
        keep(draw_text(pane, rest, chip, inputs));
        if (lane_ < 0 && of_lanes(chip.field)) keep(draw_lanes(pane, rest, chip));
        if (lane_ < 0) keep(draw_choices(pane, rest, chip, suggestions(chip.field)));
    }
    // The error, at its field.
    if (!chip.error.empty())
        rest.cut_top(paragraph(pane.brush, Face::body, {rest.x0, rest.y0}, rest.width(), colors.warning, chip.error,
                               1.4f) + look.px(8));
    text_in(pane.brush, Face::caption, rest.cut_top(look.px(18)), colors.quiet,
            fit_text(look, Face::caption, hint_of(chip.field.kind, lane_ >= 0), rest.width()), Align::left);
    const bool elsewhere = !card.contains(pane.pointer()) && !anchor.contains(pane.pointer());
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left) && elsewhere && !opening_) close();
    opening_ = false;
    return ask;
}

RunAsk RunBar::draw_text(const Pane& pane, Rect& rest, const RunChip& chip, const std::vector<double>& inputs) {
    Rect row = rest.cut_top(pane.px(34));
    rest.cut_top(pane.px(8));
    const bool one = lane_ >= 0;
    const auto changed = [&](const std::string& text) {
        // One number of the input is all of them, with that one changed.
        return RunAsk{RunAsk::Kind::change, chip.field.name, one ? run::with_value(inputs, index_, text) : text};
    };
    RunAsk ask;
    if (one || chip.field.kind == FieldKind::number) {
        const Rect handle = row.cut_right(pane.px(64));
        row.cut_right(pane.px(6));
        const bool hovered = pane.hovers(handle);
        fill(pane.brush, handle,
             hovered || dragging_ ? pane.colors().raised : mix(pane.colors().panel, pane.colors().raised, 0.6),
             pane.px(6));
        text_in(pane.brush, Face::caption, handle, pane.colors().text, "drag ↔");
        if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        if (pane.clicked(handle)) {
            double value = 0;
            const std::string text = field_.text();
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            dragging_ = error == std::errc{} && end != text.data();
            dragged_from_ = pane.pointer().x;
            drag_began_ = value;
        }
        if (dragging_) {
            double value = drag_began_ + std::round((pane.pointer().x - dragged_from_) / pane.px(8));
            if (!one)
                value = std::clamp(value, static_cast<double>(chip.field.low), static_cast<double>(chip.field.high));
            const std::string text = fmt::format("{}", value);
            if (text != field_.text()) {
                field_.replace(text);
                ask = changed(text);
            }
            dragging_ = ImGui::IsMouseDown(ImGuiMouseButton_Left);
        }
    }
    const bool entered = field_.draw(pane.look(), "##field", row, !chip.error.empty());
    if (entered) {
        ask = changed(field_.text());
        if (one) close();
    }
    return ask;
}

RunAsk RunBar::draw_choices(const Pane& pane, Rect& rest, const RunChip& chip,
                            const std::vector<std::string>& choices) {
    if (choices.empty()) return {};
    const Theme& colors = pane.colors();
    Rect row = rest.cut_top(pane.px(kLine));
    rest.cut_top(pane.px(4));
    RunAsk ask;
    if (turned_ != 0 && chip.field.kind == FieldKind::choice) {
        const auto at = std::find(choices.begin(), choices.end(), chip.value) - choices.begin();
        const auto count = static_cast<std::ptrdiff_t>(choices.size());
        ask = {RunAsk::Kind::change, chip.field.name,
               choices[static_cast<std::size_t>((at == count ? 0 : at + turned_ + count) % count)]};
        turned_ = 0;
    }
    for (const std::string& choice : choices) {
        const Rect box = row.cut_left(text_width(pane.look(), Face::small, choice) + pane.px(18));
        if (row.empty()) break;
        row.cut_left(pane.px(5));
        const bool chosen = chip.value == choice, hovered = pane.hovers(box);
        fill(pane.brush, box.inset(0, pane.px(2)),
             chosen    ? mix(colors.panel, colors.accent, 0.3)
             : hovered ? colors.raised
                       : mix(colors.panel, colors.raised, 0.6),
             pane.px(5));
        text_in(pane.brush, Face::small, box, chosen || hovered ? colors.strong : colors.text, choice);
        if (!pane.button(box)) continue;
        field_.replace(choice);
        ask = {RunAsk::Kind::change, chip.field.name, choice};
    }
    return ask;
}

RunAsk RunBar::draw_lanes(const Pane& pane, Rect& rest, const RunChip& chip) {
    const Theme& colors = pane.colors();
    Rect box = rest.cut_top(pane.px(56));
    rest.cut_top(pane.px(6));
    const auto lanes = lanes_in(chip.field, field_.text());
    if (!lanes) {
        text_in(pane.brush, Face::caption, box, colors.quiet, "not for every lane yet", Align::left);
        return {};
    }
    const bool bits = is_yes_or_no(chip.field) && are_bits(*lanes);
    RunAsk ask;
    const bool left = ImGui::IsMouseDown(ImGuiMouseButton_Left), right = ImGui::IsMouseClicked(ImGuiMouseButton_Right);
    if (!left) painted_ = -1;
    const float cell = box.width() / 16, height = box.height() / 2;
    for (std::size_t lane = 0; lane < lanes->size(); ++lane) {
        const Rect at = Rect{0, 0, cell, height}.moved(box.x0 + cell * static_cast<float>(lane % 16),
                                                       box.y0 + height * static_cast<float>(lane / 16));
        const Rect face = at.inset(pane.px(1.5f));
        const std::int32_t value = (*lanes)[lane];
        const bool hovered = pane.hovers(at), on = value != 0;
        fill(pane.brush, face, on ? mix(colors.panel, colors.accent, 0.55) : colors.ground, pane.px(4));
        outline(pane.brush, face, hovered ? colors.focus : colors.line, pane.px(4), pane.px(1));
        Rect text_box = face.inset(pane.px(3), 0);
        const Color ink = on ? text_on(mix(colors.panel, colors.accent, 0.55)) : colors.quiet;
        if (bits) text_in(pane.brush, Face::small, text_box, ink, fmt::format("{}", lane));
        else {
            text_in(pane.brush, Face::tiny, {text_box.x0, text_box.y0, text_box.x1, text_box.y0 + height * 0.42f}, ink,
                    fmt::format("{}", lane), Align::left);
            text_in(pane.brush, Face::small, {text_box.x0, text_box.y0 + height * 0.3f, text_box.x1, text_box.y1}, ink,
                    fmt::format("{}", value), Align::right);
        }
        if (!hovered) continue;
        hint_card(pane.look(), fmt::format("lane {}: {}", lane, value));
        PerLane<std::int32_t> now = *lanes;
        if (bits) {
            if (pane.clicked(at)) painted_ = on ? 0 : 1;
            if (painted_ < 0 || on == (painted_ == 1)) continue;
            now[lane] = painted_;
        } else {
            const bool clicked = pane.clicked(at);
            if (!clicked && !right) continue;
            now[lane] += clicked ? 1 : -1;
        }
        const std::string text = text_of(chip.field, now);
        field_.replace(text);
        ask = {RunAsk::Kind::change, chip.field.name, text};
    }
    return ask;
}

}  // namespace lanewise::viz
