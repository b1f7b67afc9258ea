#include "common/base/whole_file.hpp"

#include <cerrno>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

std::string reason() { return std::strerror(errno); }

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

std::string write_through(const fs::path& path, std::string_view contents) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return reason();
    const std::string why = write_all(descriptor, contents) ? "" : reason();
    ::close(descriptor);
    return why;
}

}  // namespace

std::string write_whole_file(const fs::path& path, std::string_view contents) {
    std::error_code error;
    const fs::file_status there = fs::status(path, error);
    if (fs::is_directory(there)) return std::strerror(EISDIR);
    if (fs::exists(there) && !fs::is_regular_file(there)) return write_through(path, contents);
    fs::path target = path;
    if (fs::exists(there)) {
        // Only the folder decides whether a file can be replaced: one that may not be written to would go.
        if (::access(path.c_str(), W_OK) != 0) return reason();
        target = fs::canonical(path, error);
        if (error) return error.message();
    }
    const std::string temporary = target.string() + "." + std::to_string(std::random_device{}()) + ".part";
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) return reason();
    struct stat before {};
    if (fs::exists(there) && ::stat(target.c_str(), &before) == 0) {
        // Who may read it stays as it was; a file system that knows no such rights does without.
        [[maybe_unused]] const int kept = ::fchmod(descriptor, before.st_mode & 0777);
    }
    std::string why = write_all(descriptor, contents) && ::fsync(descriptor) == 0 ? "" : reason();
    if (::close(descriptor) != 0 && why.empty()) why = reason();
    if (why.empty() && ::rename(temporary.c_str(), target.c_str()) != 0) why = reason();
    if (!why.empty()) ::unlink(temporary.c_str());
    return why;
}

}  // namespace lanewise
