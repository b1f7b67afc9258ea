// What must hold for every variant of the lesson, whatever its kernels.
#include <gtest/gtest.h>

#include "common/emu/emulator.hpp"
#include "common/gpu/backend.hpp"
#include "common/gpu/device.hpp"
#include "common/launch/verify.hpp"
#include "common/lesson/lesson.hpp"
#include "common/trace/diff.hpp"

namespace {

using namespace lanewise;

launch::Outcome run(launch::Backend& backend, const lesson::Variant& variant, const char* order = "ascending") {
    const launch::KernelSet kernels = generated::kernels();
    const auto plan = lesson::make_plan(variant, lesson::Lesson::default_inputs(variant), kernels);
    launch::Request request;
    request.record = true;
    request.order = launch::Order::parse(order);
    launch::Outcome outcome = backend.run(plan, kernels, request);
    for (const auto& verdict : launch::verify(plan, outcome))
        EXPECT_TRUE(verdict.ok) << variant.name << ": error " << verdict.error << " is above " << verdict.bound;
    return outcome;
}

TEST(Lesson, HoldsOnTheEmulatorInEveryOrder) {
    const lesson::Lesson lesson = generated::make_lesson();
    for (const auto& variant : lesson.variants())
        for (const char* order : {"ascending", "descending", "7"}) {
            SCOPED_TRACE(variant.name + ", " + order);
            const auto outcome = run(*emu::make_emulator(), variant, order);
            for (const auto& finding : outcome.findings) ADD_FAILURE() << finding.sentence;
        }
}

TEST(Lesson, LeavesEqualTracesOnTheGpuAndTheEmulator) {
    std::string why;
    if (!gpu::available(&why)) GTEST_SKIP() << why;
    const lesson::Lesson lesson = generated::make_lesson();
    for (const auto& variant : lesson.variants()) {
        const auto on_gpu = run(*gpu::make_gpu_backend(), variant);
        const auto emulated = run(*emu::make_emulator(), variant);
        const auto difference = trace::diff(*on_gpu.trace, *emulated.trace);
        EXPECT_TRUE(difference.equal) << variant.name << ": " << difference.sentence;
    }
}

}  // namespace
