#include "common/base/free_memory.hpp"

#include <fstream>
#include <string>

namespace lanewise {

std::optional<std::uint64_t> free_memory() {
    std::ifstream info("/proc/meminfo");
    for (std::string name, rest; info >> name; std::getline(info, rest))
        if (std::uint64_t kib = 0; name == "MemAvailable:" && info >> kib) return kib * 1024;
    return std::nullopt;
}

}  // namespace lanewise
