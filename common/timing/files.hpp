// Tables as files: read and written whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lanewise::timing {

// Writes beside the file's place and renames, so that nothing half-written is ever found there. `what` names the
// contents in sentences: "timings". Throws Error naming the path and what is wrong with it.
void write_whole(const std::filesystem::path& path, const std::string& text, const char* what);

// The contents. Throws Error as above, and where the file is too long to be a table.
std::string read_whole(const std::filesystem::path& path, const char* what);

// A field of CSV, in quotes where it holds a comma, a quote or a line end (RFC 4180).
std::string csv_field(std::string_view text);

}  // namespace lanewise::timing
