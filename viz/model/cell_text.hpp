// Numbers in narrow cells, as the views take them.
#pragma once

#include "common/scene/cell_text.hpp"

namespace lanewise::viz {

using scene::cell_text;
using scene::cell_width;
using scene::lines_of_cell;

}  // namespace lanewise::viz
