// Integer expressions of `lane`: what a learner types for each lane's argument or predicate.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/warp.hpp"

namespace lanewise {

// What `text` is for each lane: one expression ("lane + 2", "lane ^ 5", "31 - lane", "lane % 2 == 1") with C's
// operators and their precedence, or several with commas between, one for each lane in turn, from the first again at
// the end (as many as divide 32). Decimal and 0x numbers; each result fits in an int. Throws Error that begins with
// `flag`.
PerLane<std::int32_t> per_lane(const std::string& flag, const std::string& text);

}  // namespace lanewise
