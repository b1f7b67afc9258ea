#include "viz/app/image.hpp"

#include <stb_image_write.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/base/error.hpp"

namespace lanewise::viz {
namespace {

struct Writer {
    std::FILE* file = nullptr;
    bool failed = false;
};

[[noreturn]] void cannot_write(const std::string& path, int reason) {
    throw Error("The picture could not be written to " + path + ": " + std::strerror(reason) +
                ". Name a file in a folder that exists and that you may write to.");
}

}  // namespace

void save_png(const std::string& path, const Image& image) {
    const std::string temporary = path + ".part" + std::to_string(getpid());
    Writer writer{std::fopen(temporary.c_str(), "wb"), false};
    if (!writer.file) cannot_write(path, errno);
    const auto write = [](void* context, void* data, int size) {
        auto& to = *static_cast<Writer*>(context);
        to.failed |= std::fwrite(data, 1, static_cast<std::size_t>(size), to.file) != static_cast<std::size_t>(size);
    };
    errno = 0;
    const bool made = stbi_write_png_to_func(write, &writer, image.width, image.height, 3, image.rgb.data(), image.width * 3) != 0;
    const bool closed = std::fclose(writer.file) == 0;
    const bool renamed = made && !writer.failed && closed && std::rename(temporary.c_str(), path.c_str()) == 0;
    if (!renamed) {
        const int reason = errno != 0 ? errno : EIO;
        std::remove(temporary.c_str());
        cannot_write(path, reason);
    }
}

}  // namespace lanewise::viz
