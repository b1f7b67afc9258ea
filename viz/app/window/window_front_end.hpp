// The window, the picture and the description, as a lesson's program calls them.
#pragma once

#include <memory>

#include "common/run/front_end.hpp"

namespace lanewise::viz {

std::unique_ptr<run::FrontEnd> make_front_end();

}  // namespace lanewise::viz
