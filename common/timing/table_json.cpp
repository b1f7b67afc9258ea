#include "common/timing/table_json.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/timing/files.hpp"

namespace lanewise::timing {
namespace {

using nlohmann::ordered_json;

void check_format(const ordered_json& json, const Format& format) {
    if (json.value("format", "") != format.name) throw Error(fmt::format("its 'format' is not '{}'", format.name));
    if (const int version = json.at("version").get<int>(); version > format.version)
        throw Error(fmt::format("it has version {} and this program reads up to {}: use a newer Lanewise", version,
                                format.version));
}

}  // namespace

ordered_json json_of(const std::optional<GpuState>& state) {
    if (!state) return nullptr;
    return {{"sm_mhz", state->sm_mhz},
            {"memory_mhz", state->memory_mhz},
            {"temperature_c", state->temperature_c},
            {"other_processes", state->other_processes},
            {"why_not", state->why_not}};
}

std::optional<GpuState> to_state(const ordered_json& table, const char* name) {
    if (!table.contains(name) || table.at(name).is_null()) return std::nullopt;
    const ordered_json& json = table.at(name);
    return GpuState{json.at("sm_mhz"), json.at("memory_mhz"), json.at("temperature_c"), json.at("other_processes"),
                    json.at("why_not")};
}

void load_json(const std::filesystem::path& path, const Format& format,
               const std::function<void(const ordered_json&)>& take) {
    const std::string text = read_whole(path, format.what);
    const auto refuse = [&](const char* why) {
        return Error(fmt::format("'{}' is not a table of {} that can be used: {}. {}", path.string(), format.what, why,
                                 format.remedy));
    };
    try {
        const auto json = ordered_json::parse(text);
        check_format(json, format);
        take(json);
    } catch (const ordered_json::exception& problem) {
        throw refuse(problem.what());
    } catch (const Error& problem) {
        throw refuse(problem.what());
    }
}

}  // namespace lanewise::timing
