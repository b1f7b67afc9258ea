// Runs made by hand, for tests and benchmarks of the window.
#pragma once

#include <memory>

#include "common/lesson/frontend.hpp"

namespace lanewise::viz::samples {

std::shared_ptr<const lesson::Run> run_of(trace::Trace trace, const std::string& variant);
std::shared_ptr<const lesson::Run> warp_xor();        // one warp of 0…31: load, xor 16, 8, 4, 2, 1
std::shared_ptr<const lesson::Run> warp_down();
std::shared_ptr<const lesson::Run> two_level();       // two blocks of 8 warps
std::shared_ptr<const lesson::Run> shared_tree();     // one block of 256 in shared memory
std::shared_ptr<const lesson::Run> undefined_half();  // lanes 16…31 are asked, but take no part; and a vote

// A lesson of these variants, with text, source and times.
lesson::Presentation presentation();

}  // namespace lanewise::viz::samples
