// Colours of the stepper on a dark and on a light terminal.
#pragma once

#include "common/scene/code_lines.hpp"
#include "common/steps/steps.hpp"
#include "common/terminal/screen.hpp"

namespace lanewise::terminal {

struct Palette {
    Rgb accent, result, warning, quiet, strong;
    Rgb keyword, comment, literal, intrinsic, lit;   // of source; the line that runs
    Rgb exchange, memory, atomic, vote, barrier;     // kinds of steps

    Style quietly() const { return {.ink = quiet}; }
    Style of_code(scene::TokenKind kind) const;
    Rgb of_step(steps::StepKind kind) const;
};

// `dark`: the terminal's ground is.
const Palette& palette(bool dark);

inline Style ink(const Rgb& color, bool strong = false) { return {.ink = color, .strong = strong}; }

// Black or white: what can be read on `ground`.
Rgb ink_on(const Rgb& ground);

}  // namespace lanewise::terminal
