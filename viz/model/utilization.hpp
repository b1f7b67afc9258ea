// How busy a block's lanes are, as the views take it.
#pragma once

#include "common/scene/utilization.hpp"

namespace lanewise::viz {

using scene::utilization_text;
using scene::part_text;
using scene::percent;
using scene::Utilization;
using scene::utilization_of;
using scene::WorkStep;

}  // namespace lanewise::viz
