// Several runs beside each other: steps that do the same, in order, stand together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/steps/steps.hpp"

namespace lanewise::steps {

// What a step does, whatever it is called and wherever its words lie.
enum class Role : std::uint8_t {
    load,         // reads what the launch was given
    round,        // joins values that lie in other lanes or words: by shuffles, in shared or in global memory
    store_words,  // writes words that are read again, in shared or global memory
    load_words,   // reads such words
    shared_atomic,
    collective,   // a vote, a shuffle that hands a value on, an active mask
    barrier,      // of a warp or of a block
    fence,
    finish,       // what stays: stores to global memory that nothing reads again, atomics in it
};
Role role_of(const Step& step);

// The step of each run at one place, in the order of the runs; kNoStep where a run has none there.
using AlignedPlace = std::vector<std::size_t>;

// align() for any number of runs: every step of every run is at just one place, in order. The k-th rounds of all
// runs are at one place; what lies between two rounds is matched with steps of the same role, so that as many as
// possible stand together, the first ones first. (The runs are set beside each other one by one, then each is taken out
// and set anew beside the others for as long as that betters it. The best of all would take the product of their
// lengths; for two runs this is the best.)
std::vector<AlignedPlace> align_all(const std::vector<const Steps*>& runs);

}  // namespace lanewise::steps
