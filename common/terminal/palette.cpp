#include "common/terminal/palette.hpp"

namespace lanewise::terminal {
namespace {

constexpr Palette kDark{{255, 180, 84}, {125, 219, 122}, {255, 143, 107}, {152, 162, 176}, {243, 245, 248},
                        {143, 184, 240}, {139, 149, 163}, {214, 168, 232}, {127, 214, 201}, {53, 41, 26},
                        {86, 180, 233}, {185, 163, 227}, {230, 194, 41}, {47, 191, 148}, {232, 132, 90}};
constexpr Palette kLight{{146, 72, 0}, {29, 107, 39}, {168, 58, 18}, {86, 96, 109}, {18, 22, 28},
                         {31, 79, 154}, {86, 96, 109}, {122, 50, 145}, {11, 98, 90}, {255, 233, 204},
                         {0, 114, 178}, {111, 79, 176}, {124, 100, 0}, {0, 113, 79}, {185, 71, 0}};

}  // namespace

const Palette& palette(bool dark) { return dark ? kDark : kLight; }

Rgb ink_on(const Rgb& ground) {
    const double light = 0.2126 * ground[0] + 0.7152 * ground[1] + 0.0722 * ground[2];
    return light > 110 ? Rgb{0, 0, 0} : Rgb{255, 255, 255};
}

Style Palette::of_code(scene::TokenKind kind) const {
    switch (kind) {
        case scene::TokenKind::keyword: return ink(keyword);
        case scene::TokenKind::intrinsic: return ink(intrinsic);
        case scene::TokenKind::literal: return ink(literal);
        case scene::TokenKind::comment: return ink(comment);
        default: return {};
    }
}

Rgb Palette::of_step(steps::StepKind kind) const {
    using steps::StepKind;
    switch (kind) {
        case StepKind::shuffle:
        case StepKind::reduce: return exchange;
        case StepKind::load:
        case StepKind::store: return memory;
        case StepKind::atomic: return atomic;
        case StepKind::vote:
        case StepKind::active_mask: return vote;
        default: return barrier;
    }
}

}  // namespace lanewise::terminal
