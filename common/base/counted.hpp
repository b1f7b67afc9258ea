// A number and its noun.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace lanewise {

// "1 lane", "3 lanes", "2 wavefronts".
std::string counted(std::integral auto count, std::string_view noun) {
    std::string text = std::to_string(count) + " " + std::string(noun);
    if (count != 1) text += noun.ends_with('s') || noun.ends_with('x') ? "es" : "s";
    return text;
}

}  // namespace lanewise
