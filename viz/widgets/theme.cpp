#include "viz/widgets/theme.hpp"

#include <algorithm>
#include <cmath>

#include "common/scene/viridis.hpp"

namespace lanewise::viz {
namespace {

constexpr int channel(Color color, int shift) { return static_cast<int>((color >> shift) & 0xffu); }

double luminance(Color color) {
    const auto linear = [](int c) {
        const double s = c / 255.0;
        return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(channel(color, 0)) + 0.7152 * linear(channel(color, 8)) +
           0.0722 * linear(channel(color, 16));
}

}  // namespace

const Theme& dark_theme() {
    static const Theme theme{
        .dark = true,
        .ground = rgb(0x101216), .panel = rgb(0x181b21), .raised = rgb(0x242932), .line = rgb(0x2b313b),
        .text = rgb(0xc9d0da), .strong = rgb(0xf3f5f8), .quiet = rgb(0x98a2b0), .faint = rgb(0x3a424e),
        .accent = rgb(0xffb454), .accent_ground = rgb(0x35291a), .focus = rgb(0xffffff),
        .good = rgb(0x7ddb7a), .warning = rgb(0xff8f6b),
        .keyword = rgb(0x8fb8f0), .comment = rgb(0x8b95a3), .literal = rgb(0xd6a8e8), .intrinsic = rgb(0x7fd6c9),
        .step_shuffle = rgb(0x56b4e9), .step_access = rgb(0xb9a3e3), .step_barrier = rgb(0xe8845a),
        .step_atomic = rgb(0xe6c229), .step_vote = rgb(0x2fbf94),
        .sum_partial = rgb(0x4aa3dc), .sum_complete = rgb(0x2fbf94), .sum_twice = rgb(0xe0672f),
    };
    return theme;
}

const Theme& light_theme() {
    static const Theme theme{
        .dark = false,
        .ground = rgb(0xfbfbfa), .panel = rgb(0xf1f2f4), .raised = rgb(0xe3e6ea), .line = rgb(0xd5d9df),
        .text = rgb(0x333b46), .strong = rgb(0x12161c), .quiet = rgb(0x56606d), .faint = rgb(0xc4cad2),
        .accent = rgb(0x924800), .accent_ground = rgb(0xffe9cc), .focus = rgb(0x12161c),
        .good = rgb(0x1d6b27), .warning = rgb(0xa83a12),
        .keyword = rgb(0x1f4f9a), .comment = rgb(0x56606d), .literal = rgb(0x7a3291), .intrinsic = rgb(0x0b625a),
        .step_shuffle = rgb(0x0072b2), .step_access = rgb(0x6f4fb0), .step_barrier = rgb(0xb94700),
        .step_atomic = rgb(0x7c6400), .step_vote = rgb(0x00714f),
        .sum_partial = rgb(0x3d94cf), .sum_complete = rgb(0x00865f), .sum_twice = rgb(0xc95400),
    };
    return theme;
}

Color mix(Color a, Color b, double amount) {
    const double t = std::clamp(amount, 0.0, 1.0);
    Color result = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        const double value = channel(a, shift) * (1 - t) + channel(b, shift) * t;
        result |= static_cast<Color>(value + 0.5) << shift;
    }
    return result;
}

Color with_alpha(Color color, double alpha) {
    const double a = channel(color, 24) * std::clamp(alpha, 0.0, 1.0);
    return (color & 0x00ffffffu) | (static_cast<Color>(a + 0.5) << 24);
}

Color viridis(double t) {
    const auto [r, g, b] = scene::viridis(t);
    return rgb(static_cast<std::uint32_t>(r) << 16 | static_cast<std::uint32_t>(g) << 8 | b);
}

double contrast(Color a, Color b) {
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

Color text_on(Color ground) {
    const Color light = rgb(0xffffff);
    const Color ink = rgb(0x000000);   // anything lighter falls below 4.5 : 1 in the middle of viridis
    return contrast(light, ground) >= contrast(ink, ground) ? light : ink;
}

}  // namespace lanewise::viz
