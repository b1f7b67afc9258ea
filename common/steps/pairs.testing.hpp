// What align() sets beside what, in a word, for tests.
#pragma once

#include <string>

#include "common/steps/steps.hpp"

namespace lanewise::steps::testing {

// "16=16 8=8 4=4": the distances of the rounds of one stage that stand beside each other.
inline std::string paired_rounds(const Steps& a, const Steps& b, const std::string& stage = "warp rounds") {
    std::string text;
    for (const auto& [k, l] : align(a, b)) {
        if (k == kNoStep || l == kNoStep || a.steps[k].stage != stage) continue;
        text += (text.empty() ? "" : " ") + std::to_string(a.steps[k].distance.value_or(-1)) + "=" +
                std::to_string(b.steps[l].distance.value_or(-1));
    }
    return text;
}

// The labels of b's steps that stand beside those of a with this label, parted by "|"; "-" for none.
inline std::string beside(const Steps& a, const std::string& label, const Steps& b) {
    std::string text;
    for (const auto& [k, l] : align(a, b)) {
        if (k == kNoStep || a.steps[k].label != label) continue;
        text += (text.empty() ? "" : "|") + (l == kNoStep ? std::string("-") : b.steps[l].label);
    }
    return text;
}

}  // namespace lanewise::steps::testing
