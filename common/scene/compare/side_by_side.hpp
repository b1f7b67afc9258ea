// Two to four runs next to each other as plain data: which steps are aligned, what is counted under each, what
// differs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"
#include "common/timing/timing.hpp"

namespace lanewise::scene {

inline constexpr std::size_t kMostSides = 4;

// One of the runs that are compared, which outlives the comparison.
struct ComparedRun {
    std::string name;                          // the variant's
    const run::Run* run = nullptr;
    std::string title = {};                    // short, for sentences; empty: the name
};

// Steps of all sides, place by place.
class SideBySide {
public:
    void align(const std::vector<const run::Run*>& sides);

    std::size_t size() const { return places_.size(); }
    std::size_t sides() const { return places_.empty() ? 0 : places_.front().size(); }
    // The step of a side at `place`: its own, or its last one before; kNoStep before its first.
    std::size_t step_of(std::size_t side, std::size_t place) const;
    bool has_own_step(std::size_t side, std::size_t place) const;
    // What is done there: "round 3", "load 1", "barrier 2", "finish".
    const std::string& name(std::size_t place) const { return names_[place]; }
    bool is_round(std::size_t place) const { return names_[place].starts_with("round "); }
    // What a side without a step there does not do: "no round here".
    std::string missing(std::size_t place) const;
    // The place where a side is at step `step`.
    std::size_t place_of(std::size_t side, std::size_t step) const;
    // The nearest place of another stage, after `place` (direction 1) or before it (-1); the last or the first where
    // there is none. `sides` as they were aligned.
    std::size_t place_of_next_stage(const std::vector<const run::Run*>& sides, std::size_t place, int direction) const;

private:
    std::vector<std::vector<std::size_t>> places_;   // by place, the step of each side; kNoStep: none
    std::vector<std::string> names_;                 // by place
};

// Reduction rounds that a block takes part in, in the first `steps` steps of a run.
std::uint32_t rounds_so_far(const run::Run& run, std::size_t steps, const WarpRef& block);

// The step of another run at the stage where `last` is at `step`, for a learner who changes from one to the other.
std::size_t matching_step(const steps::Steps& last, std::size_t step, const steps::Steps& now);

// The warp of a run that is where `warp` is, or its first.
WarpRef matching_warp(const steps::Steps& steps, const WarpRef& warp);

// The warp to show next to each other at `place`: `home` where its block has a part in the step of each side that has
// one there; else a warp that works on as many sides as any does.
WarpRef working_warp(const std::vector<const run::Run*>& sides, const SideBySide& steps, std::size_t place,
                     const WarpRef& home);

// Did it come out wrong, or was something found wrong in it?
bool is_wrong(const run::Run& run);

// One thing that is counted, on each side, of the block that the warp is in.
struct CompareFigure {
    enum class Mark : std::uint8_t { none, most, least };   // of the sides, where they differ

    std::string label;                      // "barriers"
    std::string meaning;                    // "block barriers so far"
    std::array<double, kMostSides> values{};
    std::array<bool, kMostSides> known{};   // false: it was not recorded; shown is then a dash
    std::array<std::string, kMostSides> shown{};
    std::array<Mark, kMostSides> marks{};
    bool differs = false;
};

struct CompareTime {
    const timing::Timing* timing = nullptr;   // at the size that all sides were timed at, if there is one; null: it came
                                              // out wrong, or was not measured
    bool wrong = false;                       // it came out wrong: such a variant is not timed
    double times_fastest = 1;                 // of the sides that were measured at as many values
    bool comparable = false;                  // another side was measured at as many values
    bool among_fastest = false;               // none of them takes less time, beyond the spread
    bool fastest = false;                     // and all others take more
};

// Everything that a comparison shows at one place.
struct CompareScene {
    struct Side {
        std::size_t step = kNoStep;   // its own here, or its last before; kNoStep: has not begun
        bool own = false;                    // has a step of its own here
        std::string stands;                  // "round 3 · xor 4", "no barrier here", "has not begun", "is done"
        WarpRef warp;                 // that is where the chosen one is
        std::uint32_t differing = 0;         // lanes that hold something else than those of `reference`
        CompareTime time;
    };
    std::size_t place = 0;
    std::size_t count = 0;                   // places
    std::size_t reference = 0;               // the first that came out right, else the first: lanes are held against it
    std::vector<Side> sides;
    std::vector<CompareFigure> figures;      // what none of them ever does is left out
};

// All sides must be there.
CompareScene build_compare_scene(const std::vector<ComparedRun>& sides, const SideBySide& steps,
                                 const timing::TimingTable& times, std::size_t place, const WarpRef& warp);

// "2.31 µs for 512 values, the fastest", "3.10 µs for 512 values, 1.34× the fastest", "…, among the fastest" where the
// spread shows no difference; a sentence where there is none. Not `ranked`: without what follows the values, as where
// all have one limit.
std::string time_text(const CompareTime& time, bool ranked = true);

// The place as text: which steps are aligned, the figures as a table, differing lanes, times; then each side's step
// as describe_step does. `block` and `warp` choose as there, on sides that recorded them.
std::string describe_comparison(const std::vector<ComparedRun>& sides, const std::string& kernel_file,
                                const timing::TimingTable& times, std::size_t place, int block, int warp);

}  // namespace lanewise::scene
