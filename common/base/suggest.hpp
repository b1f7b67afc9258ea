// "Did you mean …?": the nearest of a few names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

// Levenshtein distance.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

inline std::string in_small_letters(std::string_view text) {
    std::string small(text);
    for (char& c : small)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return small;
}

// The candidate most like `text`, capitals or not: one that contains it, else the smallest edit distance if that is at
// most half of the text's length (at least 2), and something of the text is left. Empty when nothing is near.
inline std::string nearest(std::string_view text, const std::vector<std::string>& candidates) {
    const std::string wanted = in_small_letters(text);
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, text.size() / 2) + 1;
    for (const auto& candidate : candidates) {
        const std::string name = in_small_letters(candidate);
        const bool contains = wanted.size() > 1 && name.find(wanted) != std::string::npos;
        const std::size_t distance = contains ? 0 : edit_distance(wanted, name);
        if (distance < std::min(best_distance, wanted.size())) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace lanewise
