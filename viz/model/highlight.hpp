// What is pointed at somewhere lights elsewhere: a step its line, a line its steps, a word of memory the steps and
// lanes that write and read it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/scene/memory/word_uses.hpp"
#include "viz/model/run_view.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

// Lines of the kernel file that a step or a word that is pointed at belongs to; ascending.
std::vector<int> lit_lines(const RunView& run_view, const Selection& selection);

// These lines, looked for only when something else is pointed at.
class LitLines {
public:
    const std::vector<int>& of(const RunView& run_view, const Selection& selection);

private:
    std::shared_ptr<const run::Run> run_;
    WarpRef warp_;
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
    std::shared_ptr<const run::Run> run_;
    WarpRef warp_;
    Hover hover_;
    std::vector<bool> steps_;
    std::vector<WordUse> uses_;
};

}  // namespace lanewise::viz
