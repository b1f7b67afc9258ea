// Of one run's facts, those of its steps; and the tables that they point into.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "common/run/run.hpp"
#include "common/page/tables.hpp"
#include "common/scene/outcome.hpp"

namespace lanewise::page {

class StepFacts {
public:
    // The run outlives it.
    explicit StepFacts(const lesson::Run& run);

    // What the lanes of the w-th warp hold after step k, and the inputs in it.
    nlohmann::json lane_values(std::size_t k, std::size_t w);
    nlohmann::json step(std::size_t k);

    // What the steps asked for so far point into.
    const Values& values() const { return values_; }
    const Strings& templates() const { return templates_; }
    const Strings& words() const { return words_; }
    // Of the w-th warp the values that have a colour, by their places.
    const std::map<int, std::pair<Element, std::uint64_t>>& used(std::size_t w) const { return used_[w]; }
    const scene::StepFindings& findings() const { return findings_; }

private:
    int value(std::size_t w, Element type, std::uint64_t bits);
    nlohmann::json part(std::size_t k, const steps::WarpStep& each, std::size_t w);
    int waiting(std::size_t k, const steps::WarpRef& warp) const;
    nlohmann::json formulas(std::size_t k, const steps::WarpRef& warp, int lanes);
    nlohmann::json rows(std::size_t k, const steps::WarpRef& warp, std::size_t w);
    nlohmann::json memory(const trace::Record& record, std::size_t w);
    nlohmann::json image(const trace::ArrayImage& held, std::size_t w);

    const steps::Steps& steps_;
    const trace::Trace& trace_;
    scene::StepFindings findings_;
    Values values_;
    Strings templates_, words_;
    std::vector<std::map<int, std::pair<Element, std::uint64_t>>> used_;
};

}  // namespace lanewise::page
