// What the tests of a lesson ask again and again: run a variant on the emulator, look into a buffer.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/emu/emulator.hpp"
#include "common/launch/verify.hpp"
#include "common/lesson/lesson.hpp"

namespace lanewise::lesson::testing {

inline const Lesson& the_lesson() {
    static const Lesson lesson = generated::make_lesson();
    return lesson;
}

inline const launch::KernelSet& kernels() {
    static const launch::KernelSet set = generated::kernels();
    return set;
}

// One emulator for all runs of a program: making one takes longer than most of them.
inline launch::Backend& emulator() {
    static const auto backend = emu::make_emulator();
    return *backend;
}

inline launch::Outcome run(launch::Backend& backend, const launch::Plan& plan, const launch::Order& order, bool record,
                           const std::vector<std::uint32_t>& blocks = {0, 1}) {
    launch::Request request;
    request.order = order;
    request.record = record;
    request.blocks = blocks;
    return backend.run(plan, kernels(), request);
}

inline launch::Outcome run(const launch::Plan& plan, const launch::Order& order, bool record,
                           const std::vector<std::uint32_t>& blocks = {0, 1}) {
    return run(emulator(), plan, order, record, blocks);
}

inline launch::Outcome run(launch::Backend& backend, const launch::Plan& plan, const std::string& order = "ascending",
                           bool record = false) {
    return run(backend, plan, launch::Order::parse(order), record);
}

inline launch::Outcome run(const launch::Plan& plan, const std::string& order = "ascending", bool record = false) {
    return run(emulator(), plan, order, record);
}

inline Inputs inputs_of(const std::string& variant) { return Lesson::default_inputs(the_lesson().find(variant)); }

inline launch::Plan plan_of(const std::string& variant, const Inputs& inputs) {
    return make_plan(the_lesson().find(variant), inputs, kernels());
}

// Does the emulator run the variant? Others are held to their recordings only.
inline bool is_emulated(const Variant& variant) {
    return !gpu_only_kernel(plan_of(variant.name, inputs_of(variant.name)), kernels());
}

// A buffer's final contents, by its name in the plan.
template <class T = float>
std::vector<T> buffer(const launch::Plan& plan, const launch::Outcome& outcome, const std::string& name) {
    for (std::size_t b = 0; b < plan.buffers.size(); ++b)
        if (plan.buffers[b].name == name) {
            std::vector<T> values(outcome.buffers[b].size() / sizeof(T));
            std::memcpy(values.data(), outcome.buffers[b].data(), outcome.buffers[b].size());
            return values;
        }
    ADD_FAILURE() << "no buffer " << name;
    return {};
}

// A failure for each of the plan's expectations that does not hold.
inline void expect_verified(const launch::Plan& plan, const launch::Outcome& outcome, const std::string& what) {
    const auto verdicts = launch::verify(plan, outcome);
    for (std::size_t i = 0; i < verdicts.size(); ++i)
        EXPECT_TRUE(verdicts[i].ok) << what << ": " << plan.buffers[plan.expectations[i].buffer].name << "["
                                    << verdicts[i].worst_index << "] off by " << verdicts[i].error << ", bound "
                                    << verdicts[i].bound;
}

}  // namespace lanewise::lesson::testing
