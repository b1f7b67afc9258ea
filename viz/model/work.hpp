// How busy a block's lanes are, as the views take it.
#pragma once

#include "common/scene/work.hpp"

namespace lanewise::viz {

using shown::busy_words;
using shown::part_in_words;
using shown::percent;
using shown::Work;
using shown::work_of;
using shown::WorkStep;

}  // namespace lanewise::viz
