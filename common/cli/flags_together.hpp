#pragma once

#include "common/lesson/lesson.hpp"
#include "common/cli/options.hpp"

namespace lanewise::lesson {

// Throws Error where flags do not go together, or a named variant is not the lesson's.
void check_together(const Options& options, const Lesson& lesson);

}  // namespace lanewise::lesson
