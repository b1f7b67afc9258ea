// Stateless drawing: text, chips, cells, arcs, bits. Everything takes its place and its colours; nothing remembers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "viz/widgets/buttons_by_key.hpp"
#include "viz/widgets/canvas.hpp"
#include "viz/widgets/imgui_compat.hpp"
#include "viz/widgets/text_under_pointer.hpp"

namespace lanewise::viz {

// How things look: passed to all drawing.
struct Look {
    const Theme* theme = nullptr;
    const Fonts* fonts = nullptr;
    float scale = 1;
    Canvas* canvas = nullptr;   // where panes draw; null: in the frame on the screen
    TextUnderPointer* under_pointer = nullptr;   // receives every text, if any
    ButtonsByKey* buttons = nullptr;              // receives every button that a key may reach, if any

    float px(float at_scale_one) const { return at_scale_one * scale; }
    const Theme& colors() const { return *theme; }
};

// For panes whose buttons other keys reach.
inline Look without_keys(Look look) {
    look.buttons = nullptr;
    return look;
}

// Where to draw and how things look there.
struct Brush {
    Canvas* canvas = nullptr;
    Look look;

    const Theme& colors() const { return *look.theme; }
    float px(float v) const { return look.px(v); }
};

enum class Align : std::uint8_t { left, center, right };

float text_width(const Look& look, Face face, std::string_view text);
float line_height(const Look& look, Face face);

// With the top of the line at `at`; returns the width drawn.
float text(const Brush& brush, Face face, Point at, Color color, std::string_view text);
// Centred by the height of capitals in `box`.
void text_in(const Brush& brush, Face face, const Rect& box, Color color, std::string_view text,
             Align align = Align::center);
// A number centred in `box`; the parts of a value on two lines ("19\n2"), which then stand close in a small face.
void number_in(const Brush& brush, Face face, const Rect& box, Color color, std::string_view text);
// As much of `text` as fits in `width`, ended with "…" when cut.
std::string fit_text(const Look& look, Face face, std::string_view text, float width);
// As many lines as `text` takes in `width`, broken at spaces, up to `most`; the last one ended with "…" when cut.
std::vector<std::string> fit_lines(const Look& look, Face face, std::string_view text, float width, std::size_t most);
// Prose broken at spaces; returns the height used. Draws nothing where brush.canvas is null (to measure).
float paragraph(const Brush& brush, Face face, Point at, float width, Color color, std::string_view text,
                float leading = 1.35f);

void fill(const Brush& brush, const Rect& box, Color color, float rounding = 0);
void outline(const Brush& brush, const Rect& box, Color color, float rounding, float thickness);
void hairline(const Brush& brush, Point a, Point b, Color color, float thickness = 1);
void circle(const Brush& brush, Point center, float radius, Color color);
void ring(const Brush& brush, Point center, float radius, Color color, float thickness);
void triangle(const Brush& brush, Point a, Point b, Point c, Color color);

// One lane's value.
struct CellStyle {
    Color ground = 0;      // 0: hollow
    Color border = 0;      // 0: none
    Color ink = 0;         // 0: what reads best on the ground
    float border_width = 1;
    Face face = Face::figure;
};
void lane_cell(const Brush& brush, const Rect& box, std::string_view text, const CellStyle& style);

void arc(const Brush& brush, Point a, Point b, const ArcStyle& style);
void arrow_head(const Brush& brush, Point tip, float size, Color color);

// The low `count` bits of `value`, highest first; bits set in `lit` stand out. Returns the width drawn.
float bit_row(const Brush& brush, Point at, std::uint32_t value, int count, std::uint32_t lit);

// A rounded label; returns its box.
Rect pill(const Brush& brush, Point at, std::string_view text, Face face, Color ground, Color ink, Color border = 0);
// A key and what it does, "Space play"; returns the width used.
float key_hint(const Brush& brush, Point at, std::string_view key, std::string_view what);

// Playback signs, drawn rather than taken from a font.
enum class Sign : std::uint8_t { first, back, play, pause, forward, last };
void sign(const Brush& brush, const Rect& box, Sign which, Color color);

}  // namespace lanewise::viz
