// The stage of one warp: a row for what its lanes hold, a band for each step between two rows. Plain data without
// pixels; a front end gives it places.
#pragma once

#include <string>
#include <vector>

#include "common/base/warp.hpp"
#include "common/scene/held.hpp"
#include "common/scene/part.hpp"
#include "common/scene/memory/word_rows.hpp"

namespace lanewise::scene {

// What the warp held after a step (or before the first).
struct StageRow {
    std::size_t step = kNoStep;
    bool quiet = false;      // nothing changed: a reminder without numbers
    bool reached = false;    // not in the future
    bool near = false;       // directly before or after the present step
    PerLane<LaneCell> lanes;
};

// One step of this warp.
struct StageBand {
    std::size_t step = 0;
    StepKind kind = StepKind::load;
    std::string label;
    bool present = false;
    bool reached = false;
    bool takes_part = false;
    std::uint32_t active = 0;
    std::vector<Arc> arcs;   // of shuffles
};

// So many of the warp's steps a stage has before the present one, and after it: each is drawn anew in every frame.
inline constexpr std::size_t kStageReach = 300;

struct Stage {
    WarpRef warp;
    std::size_t step = 0;
    std::size_t left_out_before = 0;    // of the warp's steps, beyond kStageReach
    std::size_t left_out_after = 0;
    std::string label;
    int line = 0;
    int lanes = kWarpSize;              // that the warp has: fewer where the block ends
    std::vector<StageRow> rows;         // one more than bands
    std::vector<StageBand> bands;
    Part part;                          // of the present step
    std::vector<WordRow> word_rows;     // of the present step
};

// One warp's steps with step `present` lit, up to kStageReach before and after it. Steps that no lane of the warp takes
// part in are left out (except the present one). No rows where nothing was recorded of the warp.
Stage stage_of(const steps::Steps& steps, std::size_t present, const WarpRef& warp);

}  // namespace lanewise::scene
