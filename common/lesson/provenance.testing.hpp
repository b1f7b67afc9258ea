// What lessons' tests ask of the inputs that values hold.
#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "common/lesson/lesson.testing.hpp"
#include "common/runner/recordings.hpp"
#include "common/steps/steps.hpp"
#include "common/trace/io.hpp"

namespace lanewise::lesson::testing {

// No lane of a right kernel may be said to hold an input twice, at any step of the emulator's run.
inline void expect_no_input_counted_twice(const std::string& variant) {
    trace::Trace trace = *run(plan_of(variant, inputs_of(variant)), launch::Order{}, true).trace;
    const std::string text = runner::read_kernel_text(the_lesson().folder() / "kernels.cuh");
    trace::set_kernel_file(trace.header, "kernels.cuh", text);
    const auto steps = steps::build_steps(trace, text);
    for (std::size_t k = 0; k < steps.size(); ++k)
        for (const WarpRef& warp : steps.warps)
            for (const std::uint32_t inputs : steps.lane_values(k, warp).inputs)
                ASSERT_FALSE(steps.provenances.at(inputs).counted_twice()) << variant << ", step " << k + 1;
}

}  // namespace lanewise::lesson::testing
