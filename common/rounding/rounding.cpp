#include "common/rounding/rounding.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/steps/memory.hpp"

namespace lanewise::rounding {

using steps::Steps;

namespace {

constexpr int kDigits = 18;

// What stands out first: no number at all, then the most ulps.
double badness(const Sum& sum) {
    if (sum.overflowed || std::isnan(sum.ulps)) return HUGE_VAL;
    return std::fabs(sum.ulps);
}

bool is_addition(const Sum& sum) { return sum.kind != Sum::Kind::input; }

}  // namespace

std::int32_t RoundingLens::at(std::size_t step, std::size_t warp, int lane) const {
    const auto key = std::pair(step, warp);
    const auto place = std::lower_bound(places.begin(), places.end(), key,
                                        [](const Place& a, const auto& b) { return std::pair(a.step, a.warp) < b; });
    if (place == places.end() || place->step != step || place->warp != warp) return Sum::kNone;
    return place->lanes[static_cast<std::size_t>(lane)];
}

std::int32_t RoundingLens::last(std::size_t step, std::size_t warp, int lane) const {
    std::int32_t found = Sum::kNone;
    for (const Place& place : places) {
        if (place.step > step) break;
        if (place.warp == warp && place.lanes[static_cast<std::size_t>(lane)] != Sum::kNone)
            found = place.lanes[static_cast<std::size_t>(lane)];
    }
    return found;
}

ExactSum RoundingLens::error_of(std::int32_t sum) const {
    const Sum& computed = sums.at(static_cast<std::size_t>(sum));
    ExactSum error = exact.at(static_cast<std::size_t>(sum));
    error.negate();
    error.add(computed.type, computed.bits);
    return error;
}

std::vector<RoundingRow> rounding_rows(const Steps& steps, const RoundingLens& lens) {
    std::vector<RoundingRow> rows(steps.size());
    for (std::size_t i = 0; i < lens.sums.size(); ++i) {
        const Sum& sum = lens.sums[i];
        if (!is_addition(sum) || sum.step >= rows.size()) continue;
        RoundingRow& row = rows[sum.step];
        row.step = sum.step;
        ++row.sums;
        row.inexact += sum.ulps != 0;
        row.stopped += sum.stopped;
        if (row.worst == Sum::kNone || badness(sum) > badness(lens.sum(row.worst)))
            row.worst = static_cast<std::int32_t>(i);
    }
    std::erase_if(rows, [](const RoundingRow& row) { return row.sums == 0; });
    return rows;
}

RoundingLoss rounding_loss(const RoundingLens& lens) {
    RoundingLoss loss;
    double most = 0;
    for (std::size_t i = 0; i < lens.sums.size(); ++i) {
        const Sum& sum = lens.sums[i];
        if (!is_addition(sum)) continue;
        if (sum.stopped) {
            if (loss.stops++ == 0) loss.stopped = static_cast<std::int32_t>(i);
        }
        // In the value's own units: half an ulp of a large sum is more than many of a small one.
        const double lost = sum.loss();
        if (lost > most) {
            most = lost;
            loss.worst = static_cast<std::int32_t>(i);
        }
    }
    return loss;
}

std::string format_ulps(const Sum& sum) {
    if (sum.overflowed) return "overflow";
    if (std::isnan(sum.ulps)) return "nan";
    if (sum.ulps == 0) return "0";
    const double size = std::fabs(sum.ulps);
    std::string text = size >= 1e5 || size < 0.001 ? fmt::format("{:+.1e}", sum.ulps)
                       : size >= 100               ? fmt::format("{:+.0f}", sum.ulps)
                                                   : fmt::format("{:+.3g}", sum.ulps);
    // "+1.3e+05" -> "+1.3e5"
    if (const std::size_t e = text.find('e'); e != std::string::npos) {
        std::size_t digits = e + 2;
        while (digits + 1 < text.size() && text[digits] == '0') ++digits;
        text = text.substr(0, e + 1) + (text[e + 1] == '-' ? "-" : "") + text.substr(digits);
    }
    return text;
}

std::string where_of(const Sum& sum) {
    if (sum.kind == Sum::Kind::input) return {};
    return fmt::format("{}block {} · warp {} · lane {}",
                       sum.warp.launch > 0 ? fmt::format("launch {} · ", sum.warp.launch) : std::string(),
                       sum.warp.block, sum.warp.warp, sum.lane);
}

std::string what_of(const Steps& steps, const Sum& sum) {
    if (sum.kind == Sum::Kind::input) {
        const auto array = steps::input_array_of(*steps.trace);
        return fmt::format("{}[{}], an input in {}", array ? steps.trace->arrays[*array].name : "in", sum.element,
                           element_name(sum.type));
    }
    std::string text = fmt::format("sum of {} in {}", counted(sum.count, "input"), element_name(sum.type));
    if (sum.narrow) text += ", then widened";
    if (sum.kind == Sum::Kind::atomic) text += ", by an atomic";
    if (sum.overflowed) text += ": beyond the format's range";
    else if (sum.stopped) text += ": stopped growing, what was added left it as it was";
    if (!sum.recorded) text += " (worked out from the records)";
    return text;
}

std::string full_value(Element type, std::uint64_t bits) {
    ExactSum value;
    value.add(type, bits);
    return value.decimal(kDigits);
}

std::string describe_addition(const RoundingLens& lens, std::int32_t place) {
    const Sum& sum = lens.sums.at(static_cast<std::size_t>(place));
    const std::string value = full_value(sum.type, sum.bits);
    if (sum.own == Sum::kNone || sum.other == Sum::kNone) return value;
    ExactSum true_sum;
    std::string parts;
    for (const std::int32_t part : {sum.own, sum.other}) {
        const Sum& from = lens.sums.at(static_cast<std::size_t>(part));
        true_sum.add(from.type, from.bits);
        const std::string text = full_value(from.type, from.bits);
        const bool minus = !parts.empty() && text.starts_with('-');
        parts += parts.empty() ? text : minus ? " - " + text.substr(1) : " + " + text;
    }
    if (sum.lost == 0 && !sum.overflowed) return fmt::format("{} = {} in {}", parts, value, element_name(sum.type));
    return fmt::format("{} = {}, in {} {}", parts, true_sum.decimal(kDigits), element_name(sum.type), value);
}

}  // namespace lanewise::rounding
