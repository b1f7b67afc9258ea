// The window on a display.
#pragma once

#include "common/run/front_end.hpp"

namespace lanewise::viz {

// Opens the window and returns when it is closed. Throws NoDisplay where there is no display or no OpenGL 3.2.
void run_window(const run::Presentation& presentation, const run::WindowRequest& request);

}  // namespace lanewise::viz
