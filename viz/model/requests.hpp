// What a warp asks of memory, as the views take it.
#pragma once

#include "common/scene/requests.hpp"

namespace lanewise::viz {

using shown::accesses_known;
using shown::accesses_origin;
using shown::Request;
using shown::request_captions;
using shown::requests_of;

}  // namespace lanewise::viz
