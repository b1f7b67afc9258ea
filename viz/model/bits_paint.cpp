#include "viz/model/bits_paint.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace lanewise::viz {
namespace {

// The sign, the exponent and the fraction; the bytes of an integer.
struct Field {
    const char* name;
    int bits;
};

std::vector<Field> fields_of(Element type) {
    if (is_float(type)) {
        const FloatLayout layout = float_layout(type);
        return {{"sign", 1}, {"exponent", layout.exponent_bits}, {"fraction", layout.fraction_bits}};
    }
    return std::vector<Field>(static_cast<std::size_t>(element_size(type)), Field{"", 8});
}

Color color_of(const Theme& colors, Element type, std::size_t field) {
    if (!is_float(type)) return field % 2 ? colors.quiet : colors.text;
    return field == 0 ? colors.warning : field == 1 ? colors.accent : colors.keyword;
}

float gap_of(const Brush& brush, Face face) { return (*brush.look.fonts)[face].digit * 0.55f; }

}  // namespace

float bits_row(const Brush& brush, Point at, float width, Element type, std::uint64_t bits, Face face) {
    const float digit = (*brush.look.fonts)[face].digit;
    const float pitch = (*brush.look.fonts)[face].em * 1.35f;
    const float gap = gap_of(brush, face);
    float x = 0, y = 0;
    int bit = element_size(type) * 8;
    const std::vector<Field> fields = fields_of(type);
    for (std::size_t f = 0; f < fields.size(); ++f) {
        std::string digits;
        const Color color = color_of(brush.colors(), type, f);
        float from = x;
        const auto flush = [&] {
            if (digits.empty()) return;
            text(brush, face, {at.x + from, at.y + y}, color, digits);
            fill(brush, {at.x + from, at.y + y + pitch - brush.px(1.5f), at.x + x, at.y + y + pitch - brush.px(0.5f)},
                 with_alpha(color, 0.7));
            digits.clear();
        };
        for (int i = 0; i < fields[f].bits; ++i) {
            if (x + digit > width) {
                flush();
                x = from = 0;
                y += pitch;
            }
            --bit;
            digits += (bits >> bit) & 1u ? '1' : '0';
            x += digit;
        }
        flush();
        x += gap;
    }
    return y + pitch;
}

float bits_names(const Brush& brush, Point at, Element type, Face face) {
    if (!is_float(type)) return 0;
    const float digit = (*brush.look.fonts)[face].digit;
    const std::vector<Field> fields = fields_of(type);
    float x = at.x, free = at.x;
    for (std::size_t f = 0; f < fields.size(); ++f) {
        const float start = std::max(x, free);
        text(brush, Face::tiny, {start, at.y}, color_of(brush.colors(), type, f), fields[f].name);
        free = start + text_width(brush.look, Face::tiny, fields[f].name) + brush.px(6);
        x += digit * static_cast<float>(fields[f].bits) + gap_of(brush, face);
    }
    return line_height(brush.look, Face::tiny);
}

std::string bits_text(Element type, std::uint64_t bits) {
    const double value = element_to_double(type, bits);
    if (!is_float(type)) {
        const int width = element_size(type) * 8;
        if (value < 0) return fmt::format("two's complement: 2^{} − {}", width, format_element(type, bits).substr(1));
        return "";
    }
    if (std::isnan(value)) return "exponent and fraction all ones, or nearly: not a number";
    const std::string sign = std::signbit(value) ? "− " : "+ ";
    if (std::isinf(value)) return sign + "infinity: the exponent is all ones";
    const FloatLayout layout = float_layout(type);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << layout.fraction_bits) - 1);
    const auto exponent =
        static_cast<int>((bits >> layout.fraction_bits) & ((std::uint64_t{1} << layout.exponent_bits) - 1));
    const int bias = (1 << (layout.exponent_bits - 1)) - 1;
    const double part = std::ldexp(static_cast<double>(fraction), -layout.fraction_bits);
    if (exponent == 0 && fraction == 0) return sign + "0";
    // The smallest exponent has no leading one.
    if (exponent == 0) return fmt::format("{}{:.9g} × 2^{}, without the leading 1", sign, part, 1 - bias);
    return fmt::format("{}{:.9g} × 2^{}  (exponent {} − {})", sign, 1 + part, exponent - bias, exponent, bias);
}

}  // namespace lanewise::viz
