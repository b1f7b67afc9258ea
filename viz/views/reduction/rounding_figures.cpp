#include <cmath>

#include <fmt/format.h>

#include "viz/views/reduction/rounding_view.hpp"

namespace lanewise::viz {
namespace {

// Sign, exponent and fraction apart; bits that differ from `other` are lit, and underlined.
float draw_bits(const Brush& brush, Point at, Element type, std::uint64_t bits, std::uint64_t other, float room) {
    const Theme& colors = brush.colors();
    const int total = element_size(type) * 8;
    const bool is_float = lanewise::is_float(type);
    const int fraction = is_float ? float_layout(type).fraction_bits : total;
    const float digit = (*brush.look.fonts)[Face::small].digit, gap = brush.px(7);
    const float pitch = std::min(digit + brush.px(1), (room - 2 * gap) / static_cast<float>(total));
    const float height = line_height(brush.look, Face::small);
    float x = at.x;
    for (int i = total - 1; i >= 0; --i) {
        const bool set = bits >> i & 1, differs = (bits ^ other) >> i & 1;
        const Rect box{x, at.y, x + pitch, at.y + height};
        const Color ink = differs ? colors.accent : set ? colors.strong : colors.quiet;
        if (pitch >= digit * 0.8f) text_in(brush, Face::small, box, ink, set ? "1" : "0");
        else if (set) fill(brush, box.inset(pitch * 0.15f, height * 0.2f), ink);
        if (differs) fill(brush, {box.x0, box.y1, box.x1 - brush.px(1), box.y1 + brush.px(1.5f)}, colors.accent);
        x += pitch;
        if (is_float && (i == total - 1 || i == fraction)) x += gap;
    }
    return x - at.x;
}

}  // namespace

float draw_sum_figures(const Brush& brush, const Rect& where, const Sums& sums, std::int32_t place) {
    const Theme& colors = brush.colors();
    const Sum& sum = sums.at(place);
    const float row = brush.px(19), name = brush.px(62);
    const float bits_width = std::min(where.width() * 0.46f, brush.px(element_size(sum.type) > 2 ? 292.0f : 170.0f));
    const float hex_width = brush.px(static_cast<float>(element_size(sum.type)) * 15 + 22);
    const float needed = row * 5 + brush.px(6);
    if (brush.canvas == nullptr) return needed;
    Rect rest = where;

    Rect title = rest.cut_top(row);
    const std::string where_text = where_of(sum);
    const float place_width =
        std::min(text_width(brush.look, Face::caption, where_text) + brush.px(10), title.width() * 0.4f);
    text_in(brush, Face::caption, title.cut_right(place_width), colors.quiet,
            fit_text(brush.look, Face::caption, where_text, place_width), Align::right);
    const Color special = sum.stopped || sum.overflowed ? colors.warning : colors.strong;
    text_in(brush, Face::strong, title, special,
            fit_text(brush.look, Face::strong, sums.what(place), title.width()), Align::left);

    // What was added, in figures.
    const Rect addition = rest.cut_top(row);
    const std::string text =
        sum.kind == Sum::Kind::input ? full_value(sum.type, sum.bits) : sums.addition(place);
    text_in(brush, Face::small, addition, colors.text, fit_text(brush.look, Face::small, text, addition.width()),
            Align::left);
    rest.cut_top(brush.px(4));

    const std::uint64_t error = sums.error_bits(place);
    struct Row {
        const char* name;
        std::string decimal;
        std::uint64_t bits, other;
        Color ink;
    };
    // As many digits as there is room for.
    const float room = rest.width() - name - bits_width - hex_width - brush.px(24);
    const int digits = std::max(4, static_cast<int>(room / (*brush.look.fonts)[Face::small].digit) - 4);
    const std::string ulps = format_ulps(sum);
    const bool is_number = sum.ulps == sum.ulps && !sum.overflowed;
    const Row rows[] = {
        {"exact", sums.exact_decimal(place, digits), sum.bits, sum.bits, colors.text},
        {"rounded", full_value(sum.type, sum.bits), sum.bits, sum.exact, colors.strong},
        {"error",
         sum.error == 0             ? "0"
         : std::isfinite(sum.error) ? fmt::format("{:.6g} = {} ulp", sum.error, ulps)
                                    : ulps,
         error, error,
         is_number ? precision_color(colors, precision_of(sum)) : colors.warning},
    };
    for (const Row& each : rows) {
        Rect line = rest.cut_top(row);
        text_in(brush, Face::caption, line.cut_left(name), colors.quiet, each.name, Align::left);
        const Rect bits = line.cut_right(bits_width);
        const Rect hex = line.cut_right(hex_width);
        text_in(brush, Face::small, line, each.ink,
                fit_text(brush.look, Face::small, each.decimal, line.width() - brush.px(8)), Align::left);
        // The exact sum has bits of this type only where it was not rounded.
        if (&each == rows && sum.ulps != 0) {
            text_in(brush, Face::caption, {hex.x0, hex.y0, bits.x1, hex.y1}, colors.quiet,
                    fit_text(brush.look, Face::caption,
                             "needs more bits than " + std::string(element_name(sum.type)) + " has", bits.x1 - hex.x0),
                    Align::left);
            continue;
        }
        text_in(brush, Face::small, hex, colors.quiet, "0x" + format_bits(sum.type, each.bits), Align::left);
        draw_bits(brush, {bits.x0, bits.center().y - line_height(brush.look, Face::small) / 2}, sum.type, each.bits,
                  each.other, bits_width);
    }
    return needed;
}

}  // namespace lanewise::viz
