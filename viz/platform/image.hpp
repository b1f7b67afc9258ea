// A picture on its way to a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::viz {

struct Image {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;   // rows from the top
};

// Writes to a temporary file beside `path` and renames it. Throws Error naming the path and the system's reason;
// nothing half-written is left behind.
void save_picture(const std::string& path, std::string_view bytes);
// The same of a PNG.
void save_png(const std::string& path, const Image& image);

}  // namespace lanewise::viz
