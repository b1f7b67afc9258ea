// A GPU's state in a table's JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "common/timing/timing.hpp"

namespace lanewise::timing {

nlohmann::ordered_json json_of(const std::optional<GpuState>& state);
// What `table` holds under `name`; nothing where it holds none.
std::optional<GpuState> to_state(const nlohmann::ordered_json& table, const char* name);

}  // namespace lanewise::timing
