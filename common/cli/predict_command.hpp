// --predict: the steps of a run in the terminal, each after a question about it.
#pragma once

#include "common/cli/session.hpp"

namespace lanewise::cli {

// Asks as --predict says: `gentle` every third step that gives questions, one question each, and an empty answer skips;
// `exam` all of them, scored; `list` asks nothing and prints every question with its answer, a line of JSON each.
void predict(Session& s);

}  // namespace lanewise::cli
