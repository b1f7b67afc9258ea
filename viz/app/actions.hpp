// The table of actions, as the window takes it.
#pragma once

#include "common/player/actions.hpp"

namespace lanewise::viz {

using lesson::Action;
using lesson::actions;
using lesson::Intent;
using lesson::intent_of_key;
using lesson::Key;
using lesson::Group;
using lesson::key_rows;
using lesson::letter;

}  // namespace lanewise::viz
