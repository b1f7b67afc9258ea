// The window, the picture and the description, as a lesson's program calls them.
#pragma once

#include <memory>

#include "common/run/frontend.hpp"

namespace lanewise::viz {

std::unique_ptr<lesson::Frontend> make_frontend();

}  // namespace lanewise::viz
