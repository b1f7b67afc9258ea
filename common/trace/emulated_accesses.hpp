// A GPU records what its lanes exchanged, the emulator also which words they read and wrote. Together they show both.
#pragma once

#include <string>

#include "common/trace/trace.hpp"

namespace lanewise::trace {

// Puts the accesses that the emulator saw between the records of a GPU trace of the same variant and input, and marks
// in its snapshots which words were written; Header::accesses_from then says "emulator". Only where the two traces are
// equal in all that both hold (see diff): otherwise `gpu` is left as it was and the sentence that comes back says why.
// Empty when done.
std::string merge_emulated_accesses(Trace& gpu, const Trace& emulator);

}  // namespace lanewise::trace
