// Colours: one table for dark, one for light; viridis for values, Okabe-Ito for categories.
#pragma once

#include <cstdint>

namespace lanewise::viz {

// 0xAABBGGRR, as ImGui packs colours.
using Color = std::uint32_t;

constexpr Color rgb(std::uint32_t hex, std::uint32_t alpha = 255) {
    return (alpha << 24) | ((hex & 0xffu) << 16) | (hex & 0xff00u) | ((hex >> 16) & 0xffu);
}

// What each colour is for. Text colours hold 4.5 : 1 against every ground they are on (theme.test.cpp).
struct Theme {
    bool dark = true;
    Color ground;        // behind everything: the stage
    Color panel;         // side columns, header, timeline
    Color raised;        // chips, cards, code lines under the pointer
    Color line;          // hairlines between panels
    Color text;          // prose
    Color strong;        // titles
    Color quiet;         // labels, captions
    Color faint;         // what is not there yet: outlines, arcs of other rounds. Never text
    Color accent;        // the one thing to look at: the lit source, line, step
    Color accent_ground; // behind accent text
    Color focus;         // outline of the hovered lane
    Color good;          // results, active lanes
    Color warning;       // counted twice, undefined
    Color keyword, comment, literal, intrinsic;  // code

    // Steps by kind (Okabe-Ito); always with a label.
    Color step_shuffle, step_access, step_barrier, step_atomic, step_vote;

    // Sums by what they hold (Okabe-Ito); always with a foot of their own shape.
    Color sum_partial, sum_complete, sum_twice;
};

const Theme& dark_theme();
const Theme& light_theme();

// Viridis at t in 0…1.
Color viridis(double t);

// `b` over `a`, by amount 0…1, in sRGB.
Color mix(Color a, Color b, double amount);
Color with_alpha(Color color, double alpha);

// WCAG contrast of two opaque colours, 1…21.
double contrast(Color a, Color b);
// Black or white, whichever reads better on `ground`.
Color text_on(Color ground);

}  // namespace lanewise::viz
