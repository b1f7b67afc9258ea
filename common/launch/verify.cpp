#include "common/launch/verify.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "common/base/error.hpp"

namespace lanewise::launch {
namespace {

double element_of_buffer(const BufferSpec& spec, const std::vector<std::byte>& contents, std::size_t index) {
    const auto size = static_cast<std::size_t>(element_size(spec.element));
    std::uint64_t bits = 0;
    std::memcpy(&bits, contents.data() + index * size, size);
    return element_to_double(spec.element, bits);
}

// |value - reference|, where two NaNs or two equal infinities are no distance apart.
double distance(double value, double reference) {
    if (value == reference || (std::isnan(value) && std::isnan(reference))) return 0;
    const double difference = std::abs(value - reference);
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

Verdict verify_one(const Plan& plan, const Outcome& outcome, const Expectation& expected) {
    if (expected.buffer >= plan.buffers.size() || expected.buffer >= outcome.buffers.size())
        throw Error(fmt::format("The plan expects something of buffer {}, but it has {} buffers.", expected.buffer,
                                plan.buffers.size()));
    const BufferSpec& spec = plan.buffers[expected.buffer];
    const std::vector<std::byte>& contents = outcome.buffers[expected.buffer];
    const std::size_t wanted = expected.summed ? 1 : expected.reference.size();
    if (expected.reference.empty() || wanted > spec.count || contents.size() < spec.bytes())
        throw Error(fmt::format("The plan gives {} references for buffer '{}' of {} elements ({} bytes came back): "
                                "give one for each element that is checked, or one when they are summed.",
                                expected.reference.size(), spec.name, spec.count, contents.size()));
    Verdict verdict;
    verdict.bound = expected.bound;
    verdict.value = element_of_buffer(spec, contents, 0);
    if (expected.summed) {
        for (std::size_t i = 1; i < spec.count; ++i) verdict.value += element_of_buffer(spec, contents, i);
        verdict.error = distance(verdict.value, expected.reference[0]);
    } else {
        for (std::size_t i = 0; i < wanted; ++i) {
            const double error = distance(element_of_buffer(spec, contents, i), expected.reference[i]);
            if (error > verdict.error) {
                verdict.error = error;
                verdict.worst_index = i;
            }
        }
    }
    verdict.ok = verdict.error <= verdict.bound;
    return verdict;
}

}  // namespace

std::vector<Verdict> verify(const Plan& plan, const Outcome& outcome) {
    std::vector<Verdict> verdicts;
    for (const Expectation& expected : plan.expectations) verdicts.push_back(verify_one(plan, outcome, expected));
    return verdicts;
}

}  // namespace lanewise::launch
