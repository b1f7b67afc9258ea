// How busy a block's lanes are, as the views take it.
#pragma once

#include "common/scene/work.hpp"

namespace lanewise::viz {

using scene::busy_words;
using scene::part_in_words;
using scene::percent;
using scene::Work;
using scene::work_of;
using scene::WorkStep;

}  // namespace lanewise::viz
