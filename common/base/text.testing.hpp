// What tests ask of sentences and tables.
#pragma once

#include <string>

namespace lanewise::testing {

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace lanewise::testing
