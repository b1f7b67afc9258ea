#include "common/terminal/screen.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace lanewise::terminal {
namespace {

// Bytes of the sign that begins at text[0].
std::size_t sign_size(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t size = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    return std::min(size, text.size());
}

// The 6 × 6 × 6 colours of a 256-colour terminal, and its greys.
int palette_color(const Rgb& rgb) {
    const auto level = [](int c) { return c < 48 ? 0 : c < 115 ? 1 : (c - 35) / 40; };
    constexpr int kLevels[] = {0, 95, 135, 175, 215, 255};
    const int r = level(rgb[0]), g = level(rgb[1]), b = level(rgb[2]);
    const int mean = (rgb[0] + rgb[1] + rgb[2]) / 3, grey = std::clamp((mean - 3) / 10, 0, 23);
    const auto off = [&](int x, int y, int z) {
        return (x - rgb[0]) * (x - rgb[0]) + (y - rgb[1]) * (y - rgb[1]) + (z - rgb[2]) * (z - rgb[2]);
    };
    const int shade = 8 + 10 * grey;
    return off(shade, shade, shade) < off(kLevels[r], kLevels[g], kLevels[b]) ? 232 + grey : 16 + 36 * r + 6 * g + b;
}

std::string color(const Rgb& rgb, int layer, Depth depth) {
    if (depth == Depth::full) return fmt::format(";{};2;{};{};{}", layer, rgb[0], rgb[1], rgb[2]);
    return fmt::format(";{};5;{}", layer, palette_color(rgb));
}

std::string select(const Style& style, Depth depth) {
    std::string codes = "\033[0";
    if (style.strong) codes += ";1";
    if (style.faint) codes += ";2";
    if (style.reversed) codes += ";7";
    if (depth != Depth::none && style.ink) codes += color(*style.ink, 38, depth);
    if (depth != Depth::none && style.ground) codes += color(*style.ground, 48, depth);
    return codes + "m";
}

}  // namespace

Depth depth_of(const char* no_color, const char* color_term, const char* term) {
    if ((no_color && *no_color) || !term || !*term || std::string_view(term) == "dumb") return Depth::none;
    const std::string_view more = color_term ? color_term : "", name = term;
    if (more == "truecolor" || more == "24bit" || name.find("direct") != name.npos) return Depth::full;
    return name.find("256") != name.npos               ? Depth::palette
           : name == "linux" || name.starts_with("vt") ? Depth::none
                                                       : Depth::palette;
}

Screen::Screen(int columns, int rows)
    : columns_(std::max(columns, 1)), rows_(std::max(rows, 1)), cells_(static_cast<std::size_t>(columns_ * rows_)) {}

int Screen::put(int x, int y, std::string_view text, const Style& style) {
    while (!text.empty()) {
        const std::size_t size = sign_size(text);
        const bool control = static_cast<unsigned char>(text[0]) < 0x20 || text[0] == 0x7f;
        if (y >= 0 && y < rows_ && x >= 0 && x < columns_)
            at(x, y) = {control ? "?" : std::string(text.substr(0, size)), style};
        text.remove_prefix(size);
        ++x;
    }
    return x;
}

void Screen::put_right(int from, int end, int y, std::string_view text, const Style& style) {
    const std::string shown = fitted(std::string(text), std::max(end - from, 0));
    put(end - width_of(shown), y, shown, style);
}

std::string Screen::text(int y) const {
    std::string all;
    for (int x = 0; x < columns_; ++x) all += at(x, y).sign;
    all.erase(all.find_last_not_of(' ') + 1);
    return all;
}

std::string Screen::sequences(const Screen* last, Depth depth) const {
    const bool known = last && last->columns_ == columns_ && last->rows_ == rows_;
    std::string all = known ? "" : "\033[0m\033[2J";
    for (int y = 0; y < rows_; ++y) {
        const auto row = cells_.begin() + y * columns_;
        if (known && std::equal(row, row + columns_, last->cells_.begin() + y * columns_)) continue;
        all += fmt::format("\033[{};1H", y + 1);
        const Style* style = nullptr;
        for (int x = 0; x < columns_; ++x) {
            const Cell& cell = at(x, y);
            if (!style || !(*style == cell.style)) all += select(cell.style, depth);
            style = &cell.style;
            all += cell.sign;
        }
        all += "\033[0m";
    }
    return all;
}

int width_of(std::string_view text) {
    int width = 0;
    for (const char c : text) width += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
    return width;
}

std::string fitted(const std::string& text, int columns) {
    if (width_of(text) <= columns) return text;
    std::string kept;
    std::string_view rest = text;
    for (int i = 0; i + 1 < columns; ++i) {
        const std::size_t size = sign_size(rest);
        kept += rest.substr(0, size);
        rest.remove_prefix(size);
    }
    return columns > 0 ? kept + "…" : "";
}

std::vector<std::string> wrapped(std::string_view text, int columns, std::size_t most) {
    std::vector<std::string> lines;
    while (!text.empty() && lines.size() + 1 < most && width_of(text) > columns) {
        std::size_t end = 0;   // of the text that fits, at a space
        for (std::size_t at = text.find(' '); at != std::string_view::npos; at = text.find(' ', at + 1)) {
            if (width_of(text.substr(0, at)) > columns) break;
            end = at;
        }
        if (end == 0) break;
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    }
    if (!text.empty()) lines.push_back(fitted(std::string(text), columns));
    return lines;
}

}  // namespace lanewise::terminal
