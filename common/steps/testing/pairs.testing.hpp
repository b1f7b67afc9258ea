// What align() sets beside what, in short, for tests.
#pragma once

#include <string>
#include <vector>

#include "common/steps/align.hpp"

namespace lanewise::steps::testing {

// "16=16 8=8 4=4": the distances of the rounds that are matched.
inline std::string paired_rounds(const Steps& a, const Steps& b) {
    std::string text;
    for (const auto& [k, l] : align(a, b)) {
        if (k == kNoStep || l == kNoStep || role_of(a.steps[k]) != Role::round) continue;
        text += (text.empty() ? "" : " ") + std::to_string(a.steps[k].distance.value_or(-1)) + "=" +
                std::to_string(b.steps[l].distance.value_or(-1));
    }
    return text;
}

// The labels of b's steps that are matched with those of a with this label, parted by "|"; "-" for none.
inline std::string beside(const Steps& a, const std::string& label, const Steps& b) {
    std::string text;
    for (const auto& [k, l] : align(a, b)) {
        if (k == kNoStep || a.steps[k].label != label) continue;
        text += (text.empty() ? "" : "|") + (l == kNoStep ? std::string("-") : b.steps[l].label);
    }
    return text;
}

// All places, a line each: "add tree +64 | add tree +1"; "-" where a run has no step there.
inline std::string places(const std::vector<Steps>& runs) {
    std::vector<const Steps*> all;
    for (const Steps& run : runs) all.push_back(&run);
    std::string text;
    for (const AlignedPlace& place : align_all(all)) {
        for (std::size_t r = 0; r < runs.size(); ++r)
            text += (r == 0 ? "" : " | ") + (place[r] == kNoStep ? std::string("-") : runs[r].steps[place[r]].label);
        text += "\n";
    }
    return text;
}

}  // namespace lanewise::steps::testing
