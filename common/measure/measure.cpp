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

// Only the elements that something is expected of: buffers of many gigabytes stay where they are.
std::vector<std::vector<std::byte>> checked_buffers(const launch::Plan& plan, const gpu::PreparedPlan& prepared) {
    std::vector<std::vector<std::byte>> contents(plan.buffers.size());
    for (const launch::Expectation& expected : plan.expectations) {
        const gpu::DeviceRange& range = prepared.ranges()[expected.buffer];
        std::vector<std::byte>& bytes = contents.at(expected.buffer);
        bytes.resize(range.bytes);
        const auto size = static_cast<std::uint64_t>(element_size(range.element));
        const std::uint64_t first = expected.summed ? 0 : std::min(expected.first * size, range.bytes);
        const std::uint64_t wanted = expected.summed ? range.bytes : expected.reference.size() * size;
        CUDA_CHECK(cudaMemcpy(bytes.data() + first, reinterpret_cast<const void*>(range.address + first),
                              std::min(wanted, range.bytes - first), cudaMemcpyDeviceToHost));
    }
    return contents;
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
    launch::Outcome outcome;
    outcome.buffers = checked_buffers(plan, *first);
    const std::vector<launch::Verdict> verdicts = launch::verify(plan, outcome);
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
