#include "viz/platform/image.hpp"

#include <stb_image_write.h>

#include "common/base/error.hpp"
#include "common/base/whole_file.hpp"

namespace lanewise::viz {
void save_picture(const std::string& path, std::string_view bytes) {
    const std::string why = write_whole_file(path, bytes);
    if (!why.empty())
        throw Error("The picture could not be written to " + path + ": " + why +
                    ". Name a file in a folder that exists and that you may write to.");
}

void save_png(const std::string& path, const Image& image) {
    std::string bytes;
    const auto append = [](void* to, void* data, int size) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
    };
    if (stbi_write_png_to_func(append, &bytes, image.width, image.height, 3, image.rgb.data(), image.width * 3) == 0)
        throw Error("A picture of " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                    " could not be packed as PNG.");
    save_picture(path, bytes);
}

}  // namespace lanewise::viz
