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

// How much of its bound an error takes up; nothing of a bound of 0 is taken up by no error.
double part_of(double error, double bound) {
    if (error == 0) return 0;
    return bound > 0 ? error / bound : std::numeric_limits<double>::infinity();
}

Verdict verify_one(const Plan& plan, const Outcome& outcome, const Expectation& expected) {
    if (expected.buffer >= plan.buffers.size() || expected.buffer >= outcome.buffers.size())
        throw Error(fmt::format("The plan expects something of buffer {}, but it has {} buffers.", expected.buffer,
                                plan.buffers.size()));
    const BufferSpec& spec = plan.buffers[expected.buffer];
    const std::vector<std::byte>& contents = outcome.buffers[expected.buffer];
    const std::size_t wanted = expected.summed ? 1 : expected.reference.size();
    const bool fits = expected.first <= spec.count && wanted <= spec.count - expected.first &&
                      (expected.bounds.empty() || expected.bounds.size() == wanted);
    if (expected.reference.empty() || !fits || contents.size() < spec.bytes())
        throw Error(fmt::format("The plan gives {} references for buffer '{}' of {} elements ({} bytes came back): "
                                "give one for each element that is checked, or one when they are summed.",
                                expected.reference.size(), spec.name, spec.count, contents.size()));
    Verdict verdict;
    verdict.bound = expected.bound;
    verdict.value = element_of_buffer(spec, contents, expected.summed ? 0 : expected.first);
    if (expected.summed) {
        for (std::size_t i = 1; i < spec.count; ++i) verdict.value += element_of_buffer(spec, contents, i);
        verdict.error = distance(verdict.value, expected.reference[0]);
        verdict.worst_value = verdict.value;
        verdict.worst_reference = expected.reference[0];
    } else {
        double nearest = -1;   // of error / bound
        for (std::size_t i = 0; i < wanted; ++i) {
            const double value = element_of_buffer(spec, contents, expected.first + i);
            const double error = distance(value, expected.reference[i]);
            const double bound = expected.bounds.empty() ? expected.bound : expected.bounds[i];
            const double part = expected.bounds.empty() ? error : part_of(error, bound);
            if (!(part > nearest)) continue;
            nearest = part;
            verdict.error = error;
            verdict.bound = bound;
            verdict.worst_index = expected.first + i;
            verdict.worst_value = value;
            verdict.worst_reference = expected.reference[i];
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
