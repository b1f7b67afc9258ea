// Runs made by hand, for tests and benchmarks of the window.
#pragma once

#include <memory>

#include "common/run/front_end.hpp"

namespace lanewise::viz::samples {

std::shared_ptr<const run::Run> run_of(trace::Trace trace, const std::string& variant);
std::shared_ptr<const run::Run> warp_xor();        // one warp of 0…31: load, xor 16, 8, 4, 2, 1
std::shared_ptr<const run::Run> warp_down();
std::shared_ptr<const run::Run> two_level();       // two blocks of 8 warps
std::shared_ptr<const run::Run> shared_tree();     // one block of 256 in shared memory
std::shared_ptr<const run::Run> undefined_half();  // lanes 16…31 are asked, but take no part; and a vote

// Six of eight blocks of one warp, each adding its sum to out[0] in the order 3, 0, 6 (not recorded), 1, 7, 2, 5, 4
// (not recorded), and four runs in other orders with three different results.
std::shared_ptr<const run::Run> joined_blocks();
// One block of 128: 64 loads that add, then a tree in shared memory.
std::shared_ptr<const run::Run> grid_stride();
// One warp: a reduction, match_any, match_all, an active mask, a fence, barriers that vote, atomics on shared memory.
std::shared_ptr<const run::Run> collectives();
// A warp sum that is right, and one in which lanes 16…31 never arrive: a wrong result and a finding.
std::shared_ptr<const run::Run> right_sum();
std::shared_ptr<const run::Run> wrong_sum();
// A teaching warp of 8 lanes, two of them in a block of 16.
std::shared_ptr<const run::Run> teaching_warps();

// A lesson of these variants, with text, source and times.
run::Presentation presentation();

}  // namespace lanewise::viz::samples
