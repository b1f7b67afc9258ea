// Where the sums of an addition tree stand: inputs above, the last sum below. Plain data, without ImGui.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/rounding/rounding.hpp"
#include "viz/widgets/geometry.hpp"

namespace lanewise::viz {

// One sum that is drawn, or a run of them.
struct SumBox {
    std::int32_t sum = steps::Sum::kNone;   // of a run: its last
    int parent = -1;                        // the box that it is added to, in SumScene::boxes
    int depth = 0;                          // 0: the last sum
    Rect box;
    bool more = false;                      // it was added up from sums that are not drawn
    std::vector<std::int32_t> run;  // a lane's additions one after the other, first to last; empty: a single sum
    double low = 0, high = 0;               // of a run: the range of its sums, exact and rounded, and 0
    std::size_t stop = 0;                   // of a run: the first that stopped growing; run.size(): none
};

struct SumScene {
    std::vector<SumBox> boxes;              // each before those that are added to it
    int levels = 0;
    std::int32_t worst = steps::Sum::kNone; // the addition that alone lost most, of all that led to the last sum
    int worst_box = -1;                     // the box that it is drawn in, or above

    int box_at(Point p) const;              // -1: none
};

// The tree below which `root` stands, at most `most_levels` deep.
SumScene build_sum_scene(const steps::RoundingLens& lens, std::int32_t root, const Rect& where, float gap,
                         int most_levels = 6);

// The sum that a learner asks to see: that of the lane where there is one, else the warp's furthest off, at the last
// step up to and with `step` that has any.
std::int32_t sum_to_show(const steps::Steps& steps, const steps::RoundingLens& lens, std::size_t step,
                         const steps::WarpRef& warp, int lane);

// How far off, as a class that has a colour and a name.
enum class Precision : std::uint8_t { exact, nearest, few, many, lost };
Precision precision_of(const steps::Sum& sum);
// "exact", "to ½ ulp", "to 4 ulp", "to 64 ulp", "more"
const char* precision_name(Precision precision);

// Sums of one step as text, a line for each lane that came to one:
//
//     rounding  block 0 · warp 0
//     lane 5  exact 2.05342924594879150390625  rounded 2.0534291 (0x40036b62)  error -1.1e-7 = -0.5 ulp of f32
std::string describe_rounding(const steps::Steps& steps, const steps::RoundingLens& lens, std::size_t step, int block,
                              int warp);

}  // namespace lanewise::viz
