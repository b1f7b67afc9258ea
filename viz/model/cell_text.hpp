// Numbers in narrow cells, as the views take them.
#pragma once

#include "common/scene/cell_text.hpp"

namespace lanewise::viz {

using shown::cell_text;
using shown::cell_width;
using shown::lines_of_cell;

}  // namespace lanewise::viz
