#pragma once

#include <cstddef>

#include <nlohmann/json.hpp>

#include "common/page/document.hpp"

namespace lanewise::page {

// One run's facts, of its first `count` steps; page_data.cpp says which.
nlohmann::json run_facts(const Panel& panel, std::size_t count);

}  // namespace lanewise::page
