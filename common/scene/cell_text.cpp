#include "common/scene/cell_text.hpp"

#include <algorithm>

namespace lanewise::scene {

std::string cell_text(Element type, std::uint64_t bits, int chars, bool two_lines) {
    const std::string whole = format_element(type, bits);
    const auto room = static_cast<std::size_t>(std::max(chars, 1));
    const std::string one = format_element(type, bits, chars);
    if (!two_lines || (whole == one && one.size() <= room) || chars < 2) return one;
    // A fraction may lose digits, the number before its point may not.
    std::string text = whole;
    const bool has_fraction = whole.find('.') != std::string::npos;
    if (has_fraction && chars > 3 && one.find('e') == std::string::npos) return one;
    if (has_fraction && whole.size() > 2 * room) text = format_element(type, bits, chars * 2);
    if (text.find_first_not_of("-0123456789.") != std::string::npos) return one;
    const std::size_t point = text.find('.');
    const std::size_t tail = std::min<std::size_t>(3, room);
    const std::size_t at = point == std::string::npos ? text.size() - std::min(tail, text.size()) : point;
    const std::string first = text.substr(0, at), second = text.substr(at, room);
    // A point alone says nothing.
    if (first.empty() || first == "-" || first.size() > room || (point != std::string::npos && second.size() < 2))
        return one;
    if (point == std::string::npos && second.size() != text.size() - at) return one;
    // ".00" of what is not nothing would be untrue: "-8" over "e-3".
    if (point != std::string::npos && second.find_first_not_of(".0") == std::string::npos &&
        whole.find_first_of("123456789") != std::string::npos &&
        first.find_first_of("123456789") == std::string::npos) {
        const std::size_t digit = whole.find_first_of("123456789");
        return (whole.front() == '-' ? "-" : "") + whole.substr(digit, 1) + "\ne-" +
               std::to_string(digit - whole.find('.'));
    }
    return first + "\n" + second;
}

std::pair<std::string_view, std::string_view> lines_of_cell(std::string_view text) {
    const std::size_t at = text.find('\n');
    if (at == std::string_view::npos) return {text, {}};
    return {text.substr(0, at), text.substr(at + 1)};
}

int cell_width(std::string_view text) {
    const auto [first, second] = lines_of_cell(text);
    // Signs, of which "…" is one in three bytes.
    const auto signs = [](std::string_view line) {
        return std::count_if(line.begin(), line.end(),
                             [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    };
    return static_cast<int>(std::max(signs(first), signs(second)));
}

}  // namespace lanewise::scene
