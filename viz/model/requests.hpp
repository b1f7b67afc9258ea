// What a warp asks of memory, as the views take it.
#pragma once

#include "common/scene/requests.hpp"

namespace lanewise::viz {

using scene::accesses_known;
using scene::accesses_origin;
using scene::Request;
using scene::request_captions;
using scene::requests_of;

}  // namespace lanewise::viz
