#include <ostream>

#include <fmt/format.h>

#include "common/print/print.hpp"
#include "common/rounding/addition_tree.hpp"
#include "common/scene/boxes/suppression.hpp"

namespace lanewise::print {

using lesson::Lesson;
using run::Run;

void print_tree(std::ostream& out, const Lesson& lesson, const Run& run, const TextView& view) {
    const Paint& paint = view.paint;
    print_heading(out, lesson, run, "summation tree", paint);
    const rounding::RoundingLens lens = rounding::build_rounding(run.steps);
    const steps::WarpRef warp = view.focus                ? *view.focus
                                : run.steps.warps.empty() ? steps::WarpRef{}
                                                          : run.steps.warps.front();
    const std::int32_t root = view.lane ? rounding::sum_of_lane(run.steps, lens, warp, *view.lane)
                                        : rounding::sum_of_run(run.steps, lens, warp);
    // Without a step all of it has come about.
    const std::size_t now = view.step ? *view.step : steps::kNoStep;
    out << rounding::describe_tree(run.steps, lens, rounding::build_addition_tree(run.steps, lens, root), now);
}

void print_boxes(std::ostream& out, const Lesson& lesson, const Run& run, const TextView& view) {
    print_heading(out, lesson, run, "boxes", view.paint);
    const scene::Suppression all = scene::suppression_of(run.steps);
    out << scene::describe_suppression(all, view.step ? *view.step : run.steps.size());
}

}  // namespace lanewise::print
