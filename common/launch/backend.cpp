#include "common/launch/backend.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace lanewise::launch {

std::string Order::name() const {
    switch (kind) {
        case Kind::ascending: return "ascending";
        case Kind::descending: return "descending";
        case Kind::listed: return "blocks as listed";
        case Kind::seeded: break;
    }
    return fmt::format("seed {}", seed);
}

Order Order::parse(const std::string& text) {
    if (text == "ascending") return {Kind::ascending, 0, {}};
    if (text == "descending") return {Kind::descending, 0, {}};
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc{} || end != text.data() + text.size())
        throw Error(fmt::format("the order '{}' is none; give ascending, descending or a seed such as 7.", text));
    return {Kind::seeded, seed, {}};
}

namespace {

bool is_null_pointer(const Argument& given, const Parameter& wanted) {
    return wanted.is_pointer && !given.is_buffer &&
           std::all_of(given.value.begin(), given.value.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

void check_arguments(const Kernel& kernel, const LaunchSpec& launch) {
    constexpr std::uint32_t kMaxThreads = 1024;
    const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
    if (threads == 0 || threads > kMaxThreads)
        throw Error(fmt::format("{} cannot run with {} threads in a block; CUDA allows 1 to {}.", kernel.full_name(),
                                threads, kMaxThreads));
    if (launch.grid.count() == 0)
        throw Error(fmt::format("{} cannot run with a grid of {} x {} x {} blocks; each side must be at least 1.",
                                kernel.full_name(), launch.grid.x, launch.grid.y, launch.grid.z));
    if (launch.values.size() != kernel.parameters.size())
        throw Error(fmt::format("{} takes {} arguments and was given {}; correct the launch in case.hpp.",
                                kernel.full_name(), kernel.parameters.size(), launch.values.size()));
    for (std::size_t i = 0; i < launch.values.size(); ++i) {
        const auto& given = launch.values[i];
        const auto& wanted = kernel.parameters[i];
        if ((given.is_buffer != wanted.is_pointer && !is_null_pointer(given, wanted)) || given.size != wanted.size)
            throw Error(fmt::format("argument {} of {} is a {} of {} bytes, but the kernel takes a {} of {} bytes; "
                                    "correct the launch in case.hpp.",
                                    i + 1, kernel.full_name(), given.is_buffer ? "buffer" : "value", given.size,
                                    wanted.is_pointer ? "pointer" : "value", wanted.size));
    }
}

}  // namespace lanewise::launch
