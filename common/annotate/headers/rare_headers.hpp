// Parts of the prelude that few kernels need: a wrapper includes them only where the text names what they hold, since
// every kernel file is compiled with what its wrapper includes.
#pragma once

#include <string>
#include <vector>

#include "common/annotate/syntax/unit.hpp"

namespace lanewise::annotate {

// Their #include lines, for in front of the wrapper's namespace.
std::vector<std::string> rare_headers(const Reading& reading);

}  // namespace lanewise::annotate
