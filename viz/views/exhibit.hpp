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
    std::vector<std::vector<std::size_t>> findings;   // as Steps::steps: which of Trace::findings are told at the step

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
// Threads of a block as launched; at least one.
std::uint32_t block_threads(const steps::Steps& steps, const steps::WarpRef& warp);
// Lanes that a warp of the run has: 32, or those of a teaching warp.
int warp_size(const steps::Steps& steps);
// Lanes that this warp has: fewer than warp_size() where its block ends; at least one.
int lanes_of(const steps::Steps& steps, const steps::WarpRef& warp);
// Lanes of `warp` that a finding told at `step` names.
std::uint32_t blamed_lanes(const Exhibit& exhibit, std::size_t step, const steps::WarpRef& warp);
// Did the run compute what was expected, as far as its outputs tell?
bool came_out_right(const lesson::Run& run);
// "out = 192, expected 8128"; "out = 8128, as expected"; empty where no output was kept. The first output that does not
// hold, else the first.
std::string result_words(const lesson::Run& run);

}  // namespace lanewise::viz
