// What tests step through in a terminal: a lesson of three variants, the last of which does not run.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "common/base/error.hpp"
#include "common/run/run.hpp"
#include "common/steps/testing/programs.testing.hpp"
#include "common/terminal/stepper.hpp"

namespace lanewise::terminal::testing {

inline std::shared_ptr<const run::Run> run_of(trace::Trace trace, const std::string& variant) {
    auto run = std::make_shared<run::Run>();
    run->trace = std::move(trace);
    run->trace.header.variant = variant;
    run->trace.header.launches = {{variant, {2, 1, 1}, {256, 1, 1}, 0}};
    run->origin = "emulator · ascending";
    run->source =
        "// one\n// two\nfloat value = in[lane];\nfor (…)\n    value += __shfl_down_sync(mask, value, offset);\n";
    run->steps = steps::build_steps(run->trace);
    return run;
}

inline Request request() {
    Request made;
    made.lesson_title = "Warp shuffle";
    made.variants = {{"warp_sum_down", "down"}, {"block_sum_two_level", "two-level"}, {"broken", "broken"}};
    made.run = [](const std::string& name) {
        if (name == "broken") throw Error("broken does not run here.");
        return name == "warp_sum_down" ? run_of(steps::testing::warp_tree(trace::Op::shfl_down, {16, 8, 4, 2, 1}), name)
                                       : run_of(steps::testing::two_level(), name);
    };
    return made;
}

}  // namespace lanewise::terminal::testing
