// What is expected of a program's buffers, as references in double with a bound each.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/own/contents.hpp"
#include "common/own/program_plan.hpp"

namespace lanewise::own {

namespace {

// Half the distance between 1 and the next number; 0 for integers.
double roundoff(Element element) {
    return is_float(element) ? std::ldexp(1.0, -float_layout(element).fraction_bits - 1) : 0;
}

double largest(const std::vector<double>& values) {
    double most = 0;
    for (const double value : values)
        if (std::isfinite(value)) most = std::max(most, std::abs(value));
    return most;
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }
double absolute_sum(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += std::abs(value);
    return total;
}

// What a sum of `n` values may be off by, in whatever order it is made: rounding errors are as often up as down, so
// they grow with the root of their number, and partial sums are hardly larger than this. The sure bound, n eps sum|x|,
// would let a sum of a million values pass from which some are missing.
double sum_bound(double n, double eps, double sum, double squares, double absolute) {
    const double likely = 4 * std::sqrt(n) * eps * (std::abs(sum) + 4 * std::sqrt(squares));
    return std::min(n * eps * absolute, likely);
}
constexpr const char* kSumReason = "4 sqrt(n) eps (|sum| + 4 sqrt(sum x²))";

double square_sum(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += value * value;
    return total;
}

// References, and how far off a result may be from each.
struct Wanted {
    std::vector<double> values;
    std::vector<double> bounds;  // one for each, or one for all
    std::string reason;
};

// n values, of which rounding errors grow with the number of additions.
Wanted reduced(const std::string& name, const std::vector<double>& in, const std::vector<double>& other, double eps) {
    const double n = static_cast<double>(in.size());
    const auto one = [&](double value, double bound, const char* reason) { return Wanted{{value}, {bound}, reason}; };
    const auto bound_of = [&](const std::vector<double>& x) {
        return sum_bound(n, eps, sum_of(x), square_sum(x), absolute_sum(x));
    };
    if (name == "sum") return one(sum_of(in), bound_of(in), kSumReason);
    if (name == "mean")
        return one(sum_of(in) / n, bound_of(in) / n + eps * std::abs(sum_of(in) / n),
                   "the sum's bound / n, and one rounding");
    if (name == "max") return one(*std::max_element(in.begin(), in.end()), 0, "exact");
    if (name == "min") return one(*std::min_element(in.begin(), in.end()), 0, "exact");
    if (name == "argmax")
        return one(static_cast<double>(std::max_element(in.begin(), in.end()) - in.begin()), 0, "exact");
    if (name == "argmin")
        return one(static_cast<double>(std::min_element(in.begin(), in.end()) - in.begin()), 0, "exact");
    if (name == "count")
        return one(static_cast<double>(std::count_if(in.begin(), in.end(), [](double x) { return x != 0; })), 0,
                   "exact");
    if (name == "product") {
        const double value = std::accumulate(in.begin(), in.end(), 1.0, std::multiplies<>());
        return one(value, n * eps * std::abs(value), "n eps |product|");
    }
    if (name == "dot") {
        std::vector<double> products(in.size());
        for (std::size_t i = 0; i < in.size(); ++i) products[i] = in[i] * other[i];
        return one(sum_of(products), bound_of(products) + eps * std::sqrt(square_sum(products)), kSumReason);
    }
    Wanted wanted;
    if (name == "sorted") {
        wanted = {in, {0}, "exact"};
        std::sort(wanted.values.begin(), wanted.values.end());
        return wanted;
    }
    wanted.reason = kSumReason;
    double total = 0, absolute = 0, squares = 0;
    const auto bound = [&] { return sum_bound(n, eps, total, squares, absolute); };
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (name == "exclusive_scan") wanted.values.push_back(total), wanted.bounds.push_back(bound());
        total += in[i];
        absolute += std::abs(in[i]);
        squares += in[i] * in[i];
        if (name == "scan") wanted.values.push_back(total), wanted.bounds.push_back(bound());
    }
    return wanted;
}

class Expecting {
public:
    Expecting(const Program& program, const Compiled& compiled, const RunPlan& run, launch::Plan& plan)
        : program_(program), compiled_(compiled), run_(run), plan_(plan) {}

    void add(const Expectation& expectation) {
        launch::Expectation result;
        const auto* part = std::get_if<Part>(&expectation.left);
        if (const auto* reduction = std::get_if<Reduction>(&expectation.left)) {
            if (reduction->name != "sum" || reduction->of[0].first)
                fail(expectation, "the left side must be a buffer, such as out[0], or sum(out).");
            part = &reduction->of[0];
            result.summed = true;
        } else if (!part || part->before) {
            fail(expectation, "the left side must be a buffer that the kernels write, such as out[0].");
        }
        result.buffer = index_of(expectation, part->buffer);
        const auto& spec = plan_.buffers[result.buffer];
        const std::uint64_t end = part->end.value_or(spec.count);
        result.first = part->first.value_or(0);
        if (end > spec.count)
            fail(expectation, fmt::format("{} has {} element{}, so there is no {}[{}].", part->buffer, spec.count,
                                          spec.count == 1 ? "" : "s", part->buffer, end - 1));
        const std::uint64_t count = result.summed ? 1 : end - result.first;
        Wanted wanted = right(expectation, *part, spec, count);
        if (wanted.values.size() == 1 && count > 1) wanted.values.resize(count, wanted.values[0]);
        if (wanted.values.size() > count) wanted.values.resize(count);
        if (wanted.values.size() < count)
            fail(expectation,
                 fmt::format("{} elements are on the left, and {} on the right.", count, wanted.values.size()));
        set_bounds(expectation, wanted);
        if (!is_float(spec.element) && result.summed == false)
            for (double& bound : wanted.bounds) bound = std::floor(bound);
        result.reference = std::move(wanted.values);
        result.bound_reason = wanted.reason;
        if (wanted.bounds.size() == 1) result.bound = wanted.bounds[0];
        else {
            wanted.bounds.resize(count);
            result.bounds = std::move(wanted.bounds);
        }
        plan_.expectations.push_back(std::move(result));
    }

private:
    [[noreturn]] static void fail(const Expectation& expectation, const std::string& sentence) {
        fail_at(expectation.line, expectation.at, sentence);
    }

    std::size_t index_of(const Expectation& expectation, const std::string& name) const {
        for (std::size_t i = 0; i < plan_.buffers.size(); ++i)
            if (plan_.buffers[i].name == name) return i;
        std::string names;
        for (const auto& buffer : plan_.buffers) names += (names.empty() ? "" : ", ") + buffer.name;
        fail(expectation, fmt::format("there is no buffer '{}'; there are {}.", name, names.empty() ? "none" : names));
    }

    // What a buffer holds before the first launch, or, of one that kernels fill, after the last.
    std::vector<double> numbers(const Expectation& expectation, const Part& part) {
        const std::size_t index = index_of(expectation, part.buffer);
        const launch::BufferSpec& spec = plan_.buffers[index];
        const bool after = part.after || (!part.before && spec.role != launch::BufferRole::input);
        std::vector<double> all;
        if (after) {
            if (!ran_) ran_ = run_(plan_);
            all = numbers_of(ran_->buffers.at(index), spec.element);
        } else if (spec.contents.empty()) {
            all.assign(spec.count, 0.0);
        } else {
            all = numbers_of(spec.contents, spec.element);
        }
        const std::uint64_t first = part.first.value_or(0), end = part.end.value_or(all.size());
        if (end > all.size())
            fail(expectation, fmt::format("{} has {} elements, so there is no {}[{}].", part.buffer, all.size(),
                                          part.buffer, end - 1));
        return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(end)};
    }

    Wanted right(const Expectation& expectation, const Part& left, const launch::BufferSpec& spec,
                 std::uint64_t count) {
        if (const auto* number = std::get_if<Number>(&expectation.right))
            return about({number->value}, spec.element, 8);
        if (const auto* fill = std::get_if<Fill>(&expectation.right)) {
            try {
                return about(expected_numbers(*fill, spec.element, compiled_.folder), spec.element, 8);
            } catch (const Error& error) {
                fail(expectation, error.what());
            }
        }
        if (const auto* part = std::get_if<Part>(&expectation.right))
            return about(numbers(expectation, *part), spec.element, 8);
        if (const auto* launch = std::get_if<Launch>(&expectation.right))
            return of_kernel(expectation, left, *launch, spec, count);
        const auto& reduction = std::get<Reduction>(expectation.right);
        std::vector<std::vector<double>> in;
        double eps = roundoff(spec.element);
        for (const Part& part : reduction.of) {
            in.push_back(numbers(expectation, part));
            eps = std::max(eps, roundoff(plan_.buffers[index_of(expectation, part.buffer)].element));
        }
        if (in[0].empty()) fail(expectation, fmt::format("{} has no element to reduce.", reduction.of[0].buffer));
        if (in.size() > 1 && in[0].size() != in[1].size())
            fail(expectation, fmt::format("dot takes two buffers of one length, and these have {} and {} elements.",
                                          in[0].size(), in[1].size()));
        return reduced(reduction.name, in[0], in.back(), eps);
    }

    // The same buffer after another kernel ran on fresh memory.
    Wanted of_kernel(const Expectation& expectation, const Part& left, const Launch& launch,
                     const launch::BufferSpec& spec, std::uint64_t) {
        Launch other = launch;
        if (!other.has_arguments) other.arguments = program_.launches.front().arguments;
        Needs needs = compiled_.needs;
        needs.instances[&other] = needs.instances.at(&launch);
        for (std::size_t i = 0; i < other.arguments.size(); ++i) {
            const ArgumentSpec& from =
                launch.has_arguments ? launch.arguments[i] : program_.launches.front().arguments[i];
            if (const auto made = needs.arguments.find(&from); made != needs.arguments.end())
                needs.arguments[&other.arguments[i]] = made->second;
        }
        const Compiled with{needs, compiled_.library, compiled_.names, compiled_.folder};
        const launch::Plan plan = make_launches(program_.variables, {&other}, with);
        for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
            if (plan.buffers[i].name != left.buffer) continue;
            const auto outcome = run_(plan);
            std::vector<double> all = numbers_of(outcome.buffers.at(i), plan.buffers[i].element);
            const std::uint64_t first = std::min<std::uint64_t>(left.first.value_or(0), all.size());
            const std::uint64_t end = std::min<std::uint64_t>(left.end.value_or(all.size()), all.size());
            return about(
                {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(end)},
                spec.element, 256);
        }
        fail(expectation, fmt::format("{} has no buffer '{}' to compare with.", launch.kernel, left.buffer));
    }

    static Wanted about(std::vector<double> values, Element element, double ulps) {
        const double bound = ulps * 2 * roundoff(element) * largest(values);
        return {
            std::move(values), {bound}, roundoff(element) > 0 ? fmt::format("{} ulp of the largest", ulps) : "exact"};
    }

    static void set_bounds(const Expectation& expectation, Wanted& wanted) {
        if (expectation.exact) wanted.bounds = {0}, wanted.reason = "exact";
        if (expectation.within) wanted.bounds = {*expectation.within}, wanted.reason = "as given";
        if (expectation.within_part) {
            wanted.bounds.clear();
            for (const double value : wanted.values)
                wanted.bounds.push_back(*expectation.within_part * std::abs(value));
            wanted.reason = "as given";
        }
    }

    const Program& program_;
    const Compiled& compiled_;
    const RunPlan& run_;
    launch::Plan& plan_;
    std::optional<launch::Outcome> ran_;
};

}  // namespace

bool has_buffer(const launch::Plan& plan, const Expectation& expectation) {
    const auto* part = std::get_if<Part>(&expectation.left);
    if (const auto* reduction = std::get_if<Reduction>(&expectation.left)) part = &reduction->of[0];
    return part && std::any_of(plan.buffers.begin(), plan.buffers.end(),
                               [&](const launch::BufferSpec& buffer) { return buffer.name == part->buffer; });
}

launch::Plan make_plan(const Program& program, const Compiled& compiled, const RunPlan& run) {
    std::vector<const Launch*> launches;
    for (const Launch& launch : program.launches) launches.push_back(&launch);
    launch::Plan plan = make_launches(program.variables, launches, compiled);
    Expecting expecting(program, compiled, run, plan);
    for (const Expectation& expectation : program.expectations)
        if (!expectation.is_for_all || has_buffer(plan, expectation)) expecting.add(expectation);
    return plan;
}

}  // namespace lanewise::own
