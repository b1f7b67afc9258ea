// Files that are written whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lanewise {

// Writes `contents` to `path`. Where that does not work, what was there stays and nothing is left behind. A link
// stays a link: what it leads to is replaced. A pipe or a device (/dev/stdout) is written to, never replaced. Returns
// why it did not work, as the system says it; empty: it is written.
[[nodiscard]] std::string write_whole_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace lanewise
