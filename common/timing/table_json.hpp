// What the tables' JSON files share.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/timing/timing.hpp"

namespace lanewise::timing {

// What a table's JSON says of itself.
struct Format {
    const char* name;
    int version;
    const char* what;     // it holds, in sentences: "timings"
    const char* remedy;   // how to have a new one, in sentences: "Record it again."
};

nlohmann::ordered_json json_of(const std::optional<GpuState>& state);
// What `table` holds under `name`; nothing where it holds none.
std::optional<GpuState> to_state(const nlohmann::ordered_json& table, const char* name);

// Hands the file's JSON to `take`. Throws Error that names the path and the remedy where the file cannot be read, is of
// another format or a newer version, or `take` finds it wanting (an Error, or an exception of the JSON library).
void load_json(const std::filesystem::path& path, const Format& format,
               const std::function<void(const nlohmann::ordered_json&)>& take);

}  // namespace lanewise::timing
