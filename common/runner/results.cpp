#include "common/runner/results.hpp"

#include <cmath>
#include <cstring>

#include <algorithm>
#include <cstring>

#include "common/launch/verify.hpp"

namespace lanewise::runner {

using run::Result;

std::vector<Result> results_of(const launch::Plan& plan, const launch::Outcome& outcome) {
    const auto verdicts = launch::verify(plan, outcome);
    std::vector<Result> results;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        const auto& expectation = plan.expectations[i];
        const auto& buffer = plan.buffers[expectation.buffer];
        const auto& verdict = verdicts[i];
        results.push_back({buffer.name, buffer.element, buffer.count, expectation.summed, verdict.value,
                           expectation.reference.at(0), verdict.error, verdict.bound, verdict.ok,
                           expectation.bound_reason, verdict.worst_index, verdict.worst_value,
                           verdict.worst_reference});
    }
    return results;
}

std::vector<Result> results_of(const launch::Plan& plan, const std::vector<trace::Output>& outputs) {
    launch::Plan known = plan;
    known.expectations.clear();
    launch::Outcome outcome;
    outcome.buffers.resize(known.buffers.size());
    for (const auto& output : outputs) {
        const auto at = std::find_if(known.buffers.begin(), known.buffers.end(),
                                     [&](const auto& buffer) { return buffer.name == output.name; });
        if (at == known.buffers.end() || output.values.size() != at->count || output.element != at->element) continue;
        const auto index = static_cast<std::size_t>(at - known.buffers.begin());
        const auto size = static_cast<std::size_t>(element_size(output.element));
        auto& bytes = outcome.buffers[index];
        bytes.resize(output.values.size() * size);
        for (std::size_t i = 0; i < output.values.size(); ++i) std::memcpy(&bytes[i * size], &output.values[i], size);
        for (const auto& expectation : plan.expectations)
            if (expectation.buffer == index) known.expectations.push_back(expectation);
    }
    return results_of(known, outcome);
}

std::vector<trace::Output> outputs_of(const launch::Plan& plan, const launch::Outcome& outcome) {
    std::vector<trace::Output> outputs;
    for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
        const auto& spec = plan.buffers[b];
        // What is checked is reported as well: a kernel may need no zeroed output.
        const bool checked = std::any_of(plan.expectations.begin(), plan.expectations.end(),
                                         [&](const launch::Expectation& expected) { return expected.buffer == b; });
        if (spec.role != launch::BufferRole::output && !checked) continue;
        trace::Output output{spec.name, spec.element, spec.count, {}};
        const auto size = static_cast<std::size_t>(element_size(spec.element));
        const auto kept = std::min<std::uint64_t>(spec.count, trace::kMaxOutput);
        for (std::uint64_t i = 0; i < kept; ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, outcome.buffers.at(b).data() + i * size, size);
            output.values.push_back(bits);
        }
        outputs.push_back(std::move(output));
    }
    return outputs;
}

std::vector<double> input_values(const launch::Plan& plan, const lesson::Inputs& inputs) {
    if (inputs.n == 0 || inputs.n > lesson::kMaxTypedValues) return {};
    const std::vector<double> values = inputs.values<double>();
    for (const launch::BufferSpec& buffer : plan.buffers) {
        const auto size = static_cast<std::size_t>(element_size(buffer.element));
        if (buffer.role != launch::BufferRole::input || buffer.contents.size() < (inputs.offset + inputs.n) * size)
            continue;
        std::vector<double> read(inputs.n);
        bool same = true;
        for (std::size_t i = 0; i < inputs.n && same; ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, buffer.contents.data() + (inputs.offset + i) * size, size);
            read[i] = element_to_double(buffer.element, bits);
            // Integers are truncated, random ones from -1000 to 999; floating values are rounded.
            const auto rounded = element_to_double(buffer.element, element_from_double(buffer.element, values[i]));
            same = read[i] == rounded || read[i] == std::trunc(values[i]) || read[i] == std::trunc(values[i] * 1000);
        }
        if (same) return read;
    }
    return {};
}

}  // namespace lanewise::runner
