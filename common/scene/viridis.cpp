#include "common/scene/viridis.hpp"

#include <algorithm>
#include <cmath>

namespace lanewise::scene {
namespace {

// Seventeen samples; straight lines between them stay within 1/255 of the eye's notice.
constexpr std::array<std::uint32_t, 17> kViridis = {
    0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e, 0x2a788e, 0x23888e, 0x1f988b,
    0x22a884, 0x35b779, 0x54c568, 0x7ad151, 0xa5db36, 0xd2e21b, 0xe9e51a, 0xfde725};

}  // namespace

std::array<std::uint8_t, 3> viridis(double t) {
    const double place = std::clamp(std::isnan(t) ? 0.0 : t, 0.0, 1.0) * (kViridis.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), kViridis.size() - 2);
    const double part = place - static_cast<double>(below);
    std::array<std::uint8_t, 3> rgb{};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto channel = [&](std::size_t sample) {
            return static_cast<double>((kViridis[sample] >> (16 - 8 * i)) & 0xffu);
        };
        rgb[i] = static_cast<std::uint8_t>(channel(below) * (1 - part) + channel(below + 1) * part + 0.5);
    }
    return rgb;
}

}  // namespace lanewise::scene
