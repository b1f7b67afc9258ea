// What a comparison comes to, in sentences: made of counts from the records and of times with their spread, and of
// nothing else. Whether a count is why a time is longer is not said: it names what differs and what is equal.
#pragma once

#include <string>
#include <vector>

#include "common/scene/compare/side_by_side.hpp"

namespace lanewise::scene {

struct ComparisonSentence {
    std::string times;    // "interleaved is 1.23× slower than tree (9.22 µs against 7.49, 1048576 values)"
    std::string order;    // whose counts come first in `differ`: "interleaved against tree"
    std::string differ;   // "223 sectors against 88 in a block"; empty where no count differs
    std::string equal;    // "7 rounds, 8 barriers, 45 global requests"; empty where none is
    std::string input;    // "Both ran on the same 256 values (ramp)."
    bool same_input = true;
    bool is_ratio = false;     // `times` says how much slower one is: what differs follows it directly
    bool one_limit = false;    // `times` says that all have the same count of atomics on one address

    // `times` and `differ` as one sentence or two; empty where nothing is said.
    std::string headline() const;
    // "interleaved is 1.23× slower than tree (…): 223 sectors against 88 in a block. Equal: 7 rounds, 8 barriers."
    std::string text() const;
};

// Of the whole runs. With two sides the second is compared with the first; of more, all against the fastest.
ComparisonSentence comparison_sentence(const std::vector<ComparedRun>& sides, const timing::TimingTable& times);

}  // namespace lanewise::scene
