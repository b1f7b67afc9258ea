// The answers that are drawn: the window, pictures, and exports.
#pragma once

#include "common/cli/session.hpp"

namespace lanewise::cli {

// --screenshot and --describe.
void draw_picture(Session& session);

// --export: one file; a page may hold several variants.
void export_run(Session& session);

// Opens the window and returns when it closes. Throws NoDisplay where there is none.
void open_window(Session& session);

}  // namespace lanewise::cli
