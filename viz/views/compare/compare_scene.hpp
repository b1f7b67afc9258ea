// Two to four runs beside each other as plain data: which steps stand together, what is counted under each, what
// differs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/steps/align.hpp"
#include "common/timing/timing.hpp"
#include "viz/model/run_view.hpp"

namespace lanewise::viz {

inline constexpr std::size_t kMostSides = 4;

// One of the runs that are compared.
struct CompareSide {
    std::string name;                          // the variant's
    std::string title;
    std::shared_ptr<const RunView> run_view;    // null: not there yet
    std::string error;                         // why it never will be; empty else
};

// Steps of all sides, place by place.
class SideBySide {
public:
    void align(const std::vector<const RunView*>& sides);

    std::size_t size() const { return places_.size(); }
    std::size_t sides() const { return places_.empty() ? 0 : places_.front().size(); }
    // The step of a side at `place`: its own, or its last one before; kNoStep before its first.
    std::size_t step_of(std::size_t side, std::size_t place) const;
    bool has_own_step(std::size_t side, std::size_t place) const;
    // The place where a side stands at step `step`.
    std::size_t place_of(std::size_t side, std::size_t step) const;
    // The nearest place of another stage, after `place` (direction 1) or before it (-1); the last or the first where
    // there is none. `sides` as they were aligned.
    std::size_t place_of_next_stage(const std::vector<const RunView*>& sides, std::size_t place, int direction) const;

private:
    std::vector<steps::AlignedPlace> places_;
};

// The warp of a run that stands where `warp` stands, or its first.
steps::WarpRef matching_warp(const steps::Steps& steps, const steps::WarpRef& warp);

// Did it come out wrong, or was something found wrong in it?
bool is_wrong(const RunView& run_view);

// One thing that is counted, on each side, of the block that the warp is in.
struct CompareFigure {
    enum class Mark : std::uint8_t { none, most, least };   // of the sides, where they differ

    std::string label;                      // "barriers"
    std::string meaning;                    // "block barriers so far"
    std::array<double, kMostSides> values{};
    std::array<std::string, kMostSides> shown{};
    std::array<Mark, kMostSides> marks{};
    bool differs = false;
};

struct CompareTime {
    const timing::Timing* timing = nullptr;   // null: it came out wrong, or was not measured
    double times_fastest = 1;                 // of the sides that were measured at as many values
    bool fastest = false;                     // and another is slower
    bool comparable = false;                  // another side was measured at as many values
};

// Everything that a comparison tells at one place.
struct CompareScene {
    struct Side {
        std::size_t step = steps::kNoStep;   // its own here, or its last before; kNoStep: has not begun
        bool own = false;                    // has a step of its own here
        steps::WarpRef warp;                 // that stands where the chosen one stands
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
CompareScene build_compare_scene(const std::vector<CompareSide>& sides, const SideBySide& steps,
                                 const timing::TimingTable& times, std::size_t place, const steps::WarpRef& warp);

// "2.31 µs for 512 values, the fastest", "3.10 µs for 512 values, 1.3 times the fastest"; a sentence where there is
// none.
std::string time_text(const CompareTime& time);

// The place as text: which steps stand together, the figures as a table, differing lanes, times; then each side's step
// as describe_step tells it. `block` and `warp` choose as there, on sides that recorded them.
std::string describe_comparison(const std::vector<CompareSide>& sides, const std::string& kernel_file,
                                const timing::TimingTable& times, std::size_t place, int block, int warp);

}  // namespace lanewise::viz
