// How far a value is on its way to the whole sum: measured by the inputs included in it, never by its number.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanewise::scene {

enum class Coverage : std::uint8_t {
    unknown,    // no inputs, or it is not known which
    partial,    // some inputs
    complete,   // as many as any lane of the run ever holds
    twice,      // some input more than once
    undefined,  // something undefined came in
};

// `most`: most_inputs().
Coverage coverage_of(std::size_t inputs, bool counted_twice, bool undefined, std::size_t most);
// How far `inputs` is on the way to `most`, 0…1: each doubling is as far as any other, as in a tree.
float part_included(std::size_t inputs, std::size_t most);

}  // namespace lanewise::scene
