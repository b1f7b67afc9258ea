// The colours of kinds of steps.
#pragma once

#include "common/base/warp.hpp"
#include "viz/widgets/theme.hpp"

namespace lanewise::viz {

Color step_color(const Theme& theme, StepKind kind);

}  // namespace lanewise::viz
