#include "common/rounding/rounding_tree.hpp"

#include <algorithm>
#include <cmath>

#include "common/steps/memory.hpp"
#include "common/steps/update.hpp"

namespace lanewise::rounding {

using trace::Record;

SumTree::SumTree(const steps::Steps& steps, RoundingLens& lens, bool with_exact, const std::stop_token& stop)
    : steps_(steps), lens_(lens), with_exact_(with_exact), stop_(stop), array_(steps::input_array_of(*steps.trace)) {
    for (const Record& record : steps.trace->records) {
        check_stop(stop_);
        const bool fits = record.elements * element_size(record.type) <= static_cast<int>(sizeof(trace::Bytes16));
        if (record.op != trace::Op::load || record.array != array_ || !fits) continue;
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane)
            for (int e = 0; steps::takes_part(record, lane) && e < record.elements; ++e)
                inputs_.try_emplace(record.element_index[lane] + e,
                                    Input{trace::element_at(record.value[lane], record.type, e), record.type});
    }
    // Each input comes to a sum by one addition; the rounds of warps and blocks make a few more.
    const std::size_t expected = 2 * inputs_.size() + inputs_.size() / 8;
    lens.sums.reserve(expected);
    if (with_exact) lens.exact.reserve(expected);
}

double SumTree::value_of(std::int32_t sum) const {
    if (sum == Sum::kNone) return 0;
    const Sum& found = lens_.sum(sum);
    return element_to_double(found.type, found.bits);
}

bool SumTree::holds(std::int32_t sum, Element type, std::uint64_t bits) const {
    const Sum& found = lens_.sum(sum);
    return same_value(type, converted(found.type, found.bits, type), bits);
}

Found SumTree::leaf(std::int64_t element) {
    const auto at = inputs_.find(element);
    if (at == inputs_.end()) return std::nullopt;
    Input& input = at->second;
    if (input.sum != Sum::kNone) return input.sum;
    Sum sum;
    sum.kind = Sum::Kind::input;
    sum.type = input.type;
    sum.step = step_;
    sum.bits = input.bits;
    sum.element = element;
    sum.count = 1;
    ExactSum exact;
    exact.add(input.type, input.bits);
    return input.sum = keep(sum, exact);
}

Found SumTree::input(std::uint32_t array, std::int64_t element) {
    return array == array_ ? leaf(element) : std::nullopt;
}

Found SumTree::single(std::uint32_t inputs) {
    const auto only = steps_.provenances[inputs].only();
    return only ? leaf(static_cast<std::int64_t>(*only)) : std::nullopt;
}

Found SumTree::find(std::int32_t likely, std::uint32_t inputs, Element type, std::uint64_t bits) {
    if (inputs == kUnknownInputs) return element_to_double(type, bits) == 0 ? Found(Sum::kNone) : std::nullopt;
    if (likely != Sum::kNone && lens_.sum(likely).inputs == inputs &&
        holds(likely, type, bits))
        return likely;
    if (const Found leaf = single(inputs); leaf && holds(*leaf, type, bits)) return leaf;
    const auto [first, last] = by_inputs_.equal_range(inputs);
    for (auto at = first; at != last; ++at)
        if (holds(at->second, type, bits)) return at->second;
    return std::nullopt;
}

void SumTree::measure(Sum& sum, const ExactSum& exact) const {
    sum.exact = exact.rounded_to(sum.type);
    sum.exact_value = exact.to_double();
    ExactSum error = exact;
    error.negate();
    error.add(sum.type, sum.bits);
    sum.error = error.to_double();
    const double value = element_to_double(sum.type, sum.bits);
    const double ulp = ulp_of(sum.type, sum.exact_value != 0 ? sum.exact_value : value);
    sum.overflowed = std::isinf(value) && std::isfinite(sum.exact_value);
    if (std::isinf(value) && value == sum.exact_value) sum.error = 0;
    sum.ulps = sum.error / ulp;
    if (sum.kind != Sum::Kind::input && sum.kind != Sum::Kind::reduce && std::isfinite(value)) {
        const double own = value_of(sum.own), other = value_of(sum.other);
        ExactSum lost;
        lost.add(-own);
        lost.add(-other);
        lost.add(value);
        sum.lost = lost.to_double();
        sum.lost_ulps = sum.lost / ulp;
        sum.stopped = own != 0 && other != 0 && (value == own || value == other);
    }
    const auto place = static_cast<std::int32_t>(lens_.sums.size());
    double most = sum.loss();
    if (most > 0) sum.worst = place;
    for (const std::int32_t part : {sum.own, sum.other}) {
        const std::int32_t worst = part == Sum::kNone ? Sum::kNone : lens_.sum(part).worst;
        if (worst == Sum::kNone) continue;
        const double lost = lens_.sum(worst).loss();
        if (lost < most || (lost == most && worst > sum.worst)) continue;
        most = lost;
        sum.worst = worst;
    }
}

std::int32_t SumTree::keep(Sum sum, const ExactSum& exact) {
    check_stop(stop_);
    const auto place = static_cast<std::int32_t>(lens_.sums.size());
    if (with_exact_) {
        measure(sum, exact);
        lens_.exact.push_back(exact);
    }
    lens_.sums.push_back(sum);
    if (sum.inputs != kUnknownInputs) by_inputs_.emplace(sum.inputs, place);
    return place;
}

std::int32_t SumTree::join(Sum sum, Found own, Found other) {
    if (*own == Sum::kNone || *other == Sum::kNone) return std::max(*own, *other);
    sum.own = *own;
    sum.other = *other;
    ExactSum exact;
    for (const std::int32_t part : {sum.own, sum.other}) {
        Sum& from = lens_.sums[static_cast<std::size_t>(part)];
        if (with_exact_) exact.add(lens_.exact[static_cast<std::size_t>(part)]);
        sum.additions = std::max(sum.additions, from.additions + 1);
        sum.count += from.count;
        from.narrow |= from.kind == Sum::Kind::add && element_size(from.type) < element_size(sum.type);
    }
    return keep(sum, exact);
}

}  // namespace lanewise::rounding
