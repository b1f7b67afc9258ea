// What a window or a picture is given to show.
#pragma once

#include <string>

#include "common/run/front_end.hpp"
#include "common/cli/session.hpp"

namespace lanewise::cli {

// The lesson, its recorded figures, and how to have more. It calls back into the session, which must outlive it.
run::Presentation presentation_of(Session& session);

// What the command line asks of the window, which begins with `variant`.
run::WindowRequest window_request(const Options& options, const std::string& variant);

}  // namespace lanewise::cli
