#include "common/measure/measure.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common/gpu/cuda_error.hpp"
#include "common/gpu/prepared.hpp"
#include "common/launch/verify.hpp"
#include "common/measure/sampler.hpp"

namespace lanewise::measure {

using timing::Timing;

namespace {

// What is expected of the plan's outputs, each part of one as a buffer of its own: those of many gigabytes stay on the
// GPU, but for what is checked of them.
struct CheckedParts {
    launch::Plan plan;
    launch::Outcome outcome;
};

CheckedParts checked_parts(const launch::Plan& plan, const gpu::PreparedPlan& prepared) {
    CheckedParts parts;
    for (const launch::Expectation& expected : plan.expectations) {
        const gpu::DeviceRange& range = prepared.ranges()[expected.buffer];
        const auto size = static_cast<std::uint64_t>(element_size(range.element));
        const std::uint64_t first = expected.summed ? 0 : std::min(expected.first * size, range.bytes);
        const std::uint64_t wanted = expected.summed ? range.bytes : expected.reference.size() * size;
        std::vector<std::byte> bytes(std::min(wanted, range.bytes - first));
        CUDA_CHECK(cudaMemcpy(bytes.data(), reinterpret_cast<const void*>(range.address + first), bytes.size(),
                              cudaMemcpyDeviceToHost));
        launch::BufferSpec spec = {plan.buffers[expected.buffer].name, launch::BufferRole::output, range.element,
                                   bytes.size() / size, {}};
        launch::Expectation part = expected;
        part.buffer = parts.plan.buffers.size();
        part.first = 0;
        parts.plan.buffers.push_back(std::move(spec));
        parts.plan.expectations.push_back(std::move(part));
        parts.outcome.buffers.push_back(std::move(bytes));
    }
    return parts;
}

}  // namespace

Timing measure(const launch::Plan& plan, const launch::KernelSet& kernels, const MeasureOptions& options) {
    require_gpu();
    auto first = std::make_shared<gpu::PreparedPlan>(plan, kernels, launch::Build::gpu_plain);
    for (std::size_t i = 0; i < first->launch_count(); ++i) {
        first->launch(i);
        first->finish(i);
    }
    Timing timing;
    timing.bytes = bytes_of(plan);
    const CheckedParts parts = checked_parts(plan, *first);
    const std::vector<launch::Verdict> verdicts = launch::verify(parts.plan, parts.outcome);
    for (const launch::Verdict& verdict : verdicts) timing.within_bound &= verdict.ok;
    if (!verdicts.empty()) {
        timing.value = verdicts.front().value;
        timing.error = verdicts.front().error;
    }
    if (!timing.within_bound || plan.launches.empty()) return timing;
    std::uint64_t bytes = 0;
    for (const launch::BufferSpec& buffer : plan.buffers) bytes += buffer.bytes();
    const auto place = [&]() -> Work {
        auto prepared =
            first ? std::move(first) : std::make_shared<gpu::PreparedPlan>(plan, kernels, launch::Build::gpu_plain);
        return [prepared = std::move(prepared)](CUstream_st* stream) {
            prepared->zero_totals(stream);
            for (std::size_t i = 0; i < prepared->launch_count(); ++i) prepared->launch(i, stream);
        };
    };
    sample_in_places(bytes, place, plan.launches.front().kernel, options, timing);
    return timing;
}

}  // namespace lanewise::measure
