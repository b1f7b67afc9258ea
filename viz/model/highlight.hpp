// What is pointed at somewhere lights elsewhere: a step its line, a line its steps, a word of memory the steps and
// lanes that write and read it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/run/run.hpp"
#include "viz/model/run_view.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

// What one warp does to a word in one step.
struct WordUse {
    std::size_t step = 0;
    steps::WarpRef warp;
    std::uint32_t lanes = 0;
    bool reads = false;
    bool writes = false;     // atomics do both
};

// By step, then as in the step's warps: of `warp`'s block where the word is shared, of all recorded blocks where it is
// global. A wide access uses all of its elements.
std::vector<WordUse> uses_of(const steps::Steps& steps, const WordRef& word, const steps::WarpRef& warp);

// "written in step 3 by warp 0 lane 5; read in step 4 by warp 0 lanes 5, 21", the nearest to `step` where there are
// many.
std::string use_text(const std::vector<WordUse>& uses, std::size_t step);

// Lines of the kernel file that a step or a word that is pointed at belongs to; ascending.
std::vector<int> lit_lines(const steps::Steps& steps, const Selection& selection);

// These lines, looked for only when something else is pointed at.
class LitLines {
public:
    const std::vector<int>& of(const steps::Steps& steps, const Selection& selection);

private:
    const steps::Steps* steps_ = nullptr;
    steps::WarpRef warp_;
    Hover hover_;
    std::vector<int> lines_;
};

// Made anew only when something else is pointed at.
class Lights {
public:
    void look(const RunView& run_view, const Selection& selection);

    bool step(std::size_t k) const { return k < steps_.size() && steps_[k]; }
    bool any() const { return !(hover_ == Hover{}); }
    const std::vector<WordUse>& uses() const { return uses_; }   // of the word that is pointed at

private:
    std::shared_ptr<const lesson::Run> run_;
    steps::WarpRef warp_;
    Hover hover_;
    std::vector<bool> steps_;
    std::vector<WordUse> uses_;
};

}  // namespace lanewise::viz
