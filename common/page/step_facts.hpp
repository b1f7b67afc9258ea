// Of one run's facts, those of its steps; and the tables that they point into.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "common/page/tables.hpp"
#include "common/scene/outline.hpp"
#include "common/scene/part.hpp"

namespace lanewise::page {

class StepFacts {
public:
    // Both outlive it.
    StepFacts(const run::Run& run, const scene::Outline& outline);

    // What the lanes of the w-th warp hold after step k, and the inputs in it.
    nlohmann::json lane_values(std::size_t k, std::size_t w);
    nlohmann::json step(std::size_t k);

    // What the steps asked for so far point into.
    const Values& values() const { return values_; }
    const Strings& templates() const { return templates_; }
    const Strings& texts() const { return texts_; }
    // Of the w-th warp the values that have a colour, by their places.
    const std::map<int, std::pair<Element, std::uint64_t>>& used(std::size_t w) const { return used_[w]; }

private:
    int value(std::size_t w, Element type, std::uint64_t bits);
    int value(std::size_t w, const scene::LaneCell& cell);
    nlohmann::json part(const scene::Part& each, std::size_t w);
    nlohmann::json formulas(const scene::Part& part);
    nlohmann::json rows(const scene::Part& part, std::size_t w);
    nlohmann::json memory(const scene::MemoryAccess& access, int lanes, std::size_t w);
    nlohmann::json image(const scene::BarrierImage& image, std::size_t w);

    const steps::Steps& steps_;
    const scene::Outline& outline_;
    Values values_;
    Strings templates_, texts_;
    std::vector<std::map<int, std::pair<Element, std::uint64_t>>> used_;
};

}  // namespace lanewise::page
