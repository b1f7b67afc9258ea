#pragma once

#include <cstddef>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/base/warp.hpp"
#include "common/page/document.hpp"

namespace lanewise::page {

// One run's facts, of its first `count` steps; page_data.cpp says which.
nlohmann::json run_facts(const Panel& panel, std::size_t count);
// Of a non-maximum suppression; null of any other run.
nlohmann::json boxes_facts(const run::Run& run, const std::vector<WarpRef>& warps, std::size_t count);

}  // namespace lanewise::page
