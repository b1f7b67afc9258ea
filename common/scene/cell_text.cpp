#include "common/scene/cell_text.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/short_number.hpp"

namespace lanewise::scene {
namespace {

constexpr double kSmall = 0.1;   // below it, the first digit after the point is 0

bool lacks_digit(std::string_view text) { return text == "0…" || text == "-0…"; }

double columns_of_line(std::string_view line) {
    double columns = 0;
    for (const char c : line) {
        if ((static_cast<unsigned char>(c) & 0xc0u) == 0x80u) continue;   // the rest of a sign of several bytes
        columns += c == '.' ? kPointColumns : c == '-' ? kMinusColumns : 1;
    }
    return columns;
}

bool line_fits(std::string_view line, const CellRoom& room) {
    const bool cut = line.find("…") != std::string_view::npos;
    return columns_of_line(line) <= (cut ? room.cut : room.whole) + 1e-6;
}

}  // namespace

double cell_columns(std::string_view text) {
    const auto [first, second] = lines_of_cell(text);
    return std::max(columns_of_line(first), columns_of_line(second));
}

std::string cell_text(Element type, std::uint64_t bits, const CellRoom& room) {
    const std::string whole = format_element(type, bits);
    const auto within = [&](double for_cut) {
        return short_number(whole, [&](std::string_view text) { return line_fits(text, {room.whole, for_cut}); });
    };
    const std::string text = within(room.cut);
    // Of a large number, and of a small one without a digit, more digits say more than larger ones.
    if (text.find_first_of("kMe") == std::string::npos && !lacks_digit(text)) return text;
    const std::string closer = within(room.whole);
    const bool digits_only = room.last || std::abs(element_to_double(type, bits)) < kSmall;
    if (!lacks_digit(closer) || !digits_only) return closer;
    const std::string digits = first_digits(whole, [&](std::string_view each) { return line_fits(each, room); });
    return digits.empty() ? closer : digits;
}

bool shows_size(std::string_view text, double value, const CellRoom& room) {
    const auto [first, second] = lines_of_cell(text);
    const bool small = second.empty() && std::abs(value) < kSmall;
    const auto shows = [&](std::string_view line) { return (small || !lacks_digit(line)) && line_fits(line, room); };
    return shows(first) && shows(second);
}

std::pair<std::string_view, std::string_view> lines_of_cell(std::string_view text) {
    const std::size_t at = text.find('\n');
    if (at == std::string_view::npos) return {text, {}};
    return {text.substr(0, at), text.substr(at + 1)};
}

int cell_width(std::string_view text) {
    const auto [first, second] = lines_of_cell(text);
    return std::max(count_signs(first), count_signs(second));
}

}  // namespace lanewise::scene
