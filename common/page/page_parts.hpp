// The page's own files, compiled in (embed.cmake): a lesson's program needs no source tree to write a page.
#pragma once

#include <string_view>

namespace lanewise::page {

extern const std::string_view kPageFrame;    // page.html: {{TITLE}}, {{STYLE}}, {{DATA}}, {{SCRIPT}}
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;   // all of them, one after another

}  // namespace lanewise::page
