#include "common/scene/sums/absorbed.hpp"

#include "common/base/counted.hpp"
#include "common/run/run.hpp"
#include "common/scene/outcome.hpp"

namespace lanewise::scene {

std::string absorbed_text(std::size_t additions) {
    return additions == 0 ? "" : counted(additions, "addition") + " had no effect (absorbed)";
}

std::string absorbed_text(const run::Run& run, const std::function<std::shared_ptr<const Sums>()>& sums) {
    constexpr std::size_t kFewInputs = 16384;
    if (!came_out_right(run) || result_text(run).empty()) return "";
    if (run.steps.input_count == 0 || run.steps.input_count > kFewInputs) return "";
    if (!sums) return absorbed_text(Sums(run.steps).stops());
    const std::shared_ptr<const Sums> kept = sums();
    return kept ? absorbed_text(kept->stops()) : "";
}

}  // namespace lanewise::scene
