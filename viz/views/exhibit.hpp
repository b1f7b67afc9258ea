// One run made ready to draw: its steps and what is computed from them once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/lesson/frontend.hpp"
#include "viz/widgets/theme.hpp"

namespace lanewise::viz {

// Values to colours by rank: the smallest of its values is dark, the largest bright, and those between are spread
// evenly, so that 0…31 beside 496 still shows its order.
class ValueScale {
public:
    void add(const steps::Holding& holding);
    void finish();   // after the last add()

    Color color(Element type, std::uint64_t bits) const;
    double place(double value) const;  // 0…1

private:
    std::vector<double> sorted_;
};

struct Exhibit {
    std::shared_ptr<const lesson::Run> run;
    ValueScale scale;                      // of the whole run: to compare warps
    std::vector<ValueScale> warp_scales;   // as Steps::warps: to tell the lanes of one warp apart
    std::size_t most_inputs = 0;   // the largest number of inputs that any lane of the run holds

    Exhibit() = default;
    explicit Exhibit(std::shared_ptr<const lesson::Run> shown);

    explicit operator bool() const { return run != nullptr; }
    const ValueScale& scale_of(const steps::WarpRef& warp) const;
    const steps::Steps& steps() const { return run->steps; }
    const trace::Trace& trace() const { return run->trace; }
};

// "block 0 · warp 3", with the launch where there are several.
std::string warp_name(const steps::Steps& steps, const steps::WarpRef& warp);
// The place of a warp's block in Steps::blocks.
std::size_t block_place(const steps::Steps& steps, const steps::WarpRef& warp);
// Threads of a block as launched; at least one warp.
std::uint32_t block_threads(const steps::Steps& steps, const steps::WarpRef& warp);

}  // namespace lanewise::viz
