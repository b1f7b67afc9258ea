#include "viz/app/image.hpp"

#include <stb_image_write.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/base/error.hpp"

namespace lanewise::viz {
namespace {

[[noreturn]] void cannot_write(const std::string& path, int reason) {
    throw Error("The picture could not be written to " + path + ": " + std::strerror(reason) +
                ". Name a file in a folder that exists and that you may write to.");
}

}  // namespace

void save_picture(const std::string& path, std::string_view bytes) {
    const std::string temporary = path + ".part" + std::to_string(getpid());
    std::FILE* file = std::fopen(temporary.c_str(), "wb");
    if (!file) cannot_write(path, errno);
    errno = 0;
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    const bool closed = std::fclose(file) == 0;
    if (written && closed && std::rename(temporary.c_str(), path.c_str()) == 0) return;
    const int reason = errno != 0 ? errno : EIO;
    std::remove(temporary.c_str());
    cannot_write(path, reason);
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
