#pragma once

#include "common/lesson/lesson.hpp"
#include "common/cli/options.hpp"

namespace lanewise::cli {

// Throws Error where flags do not go together, or a named variant is not the lesson's.
void check_together(const Options& options, const lesson::Lesson& lesson);

}  // namespace lanewise::cli
