// The sentence that a sum stopped growing, wherever a result is shown.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/scene/sums/sums.hpp"

namespace lanewise::scene {

// "128 additions had no effect (absorbed)"; empty where all had one.
std::string absorbed_text(std::size_t additions);

// The same of a run that came out right: its sum may be within its bound because of them. Empty of one that went wrong,
// which is said otherwise, and of one with so many inputs that the sums take more than some milliseconds: the rounding
// lens shows those. `sums`: where they are kept; else they are made.
std::string absorbed_text(const run::Run& run,
                          const std::function<std::shared_ptr<const Sums>()>& sums = {});

}  // namespace lanewise::scene
