#include "common/scene/sums/sums.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/rounding/addition_tree.hpp"
#include "common/rounding/rounding.hpp"
#include "common/scene/warps.hpp"

namespace lanewise::scene {

using rounding::RoundingLens;

Sums::Sums(const steps::Steps& steps, const std::stop_token& stop)
    : steps_(&steps), lens_(std::make_unique<const RoundingLens>(rounding::build_rounding(steps, stop))) {
    const rounding::RoundingLoss loss = rounding::rounding_loss(*lens_);
    worst_ = loss.worst;
    stopped_ = loss.stopped;
    stops_ = loss.stops;
}

Sums::~Sums() = default;
Sums::Sums(Sums&&) noexcept = default;
Sums& Sums::operator=(Sums&&) noexcept = default;

const std::string& Sums::why_not() const { return lens_->why_not; }
std::size_t Sums::unknown() const { return lens_->unknown; }
const Sum& Sums::at(std::int32_t sum) const { return lens_->sum(sum); }

std::string Sums::exact_decimal(std::int32_t sum, int digits) const {
    return lens_->exact[static_cast<std::size_t>(sum)].decimal(digits);
}

std::uint64_t Sums::error_bits(std::int32_t sum) const { return lens_->error_of(sum).rounded_to(at(sum).type); }

std::string Sums::what(std::int32_t sum) const { return rounding::what_of(*steps_, at(sum)); }
std::string Sums::addition(std::int32_t sum) const { return rounding::describe_addition(*lens_, sum); }
std::string Sums::place(std::int32_t sum) const { return rounding::place_of_sum(*steps_, at(sum)); }

std::int32_t Sums::to_show(std::size_t step, const WarpRef& warp, int lane) const {
    const steps::Steps& steps = *steps_;
    const RoundingLens& lens = *lens_;
    const auto at = std::find(steps.warps.begin(), steps.warps.end(), warp);
    if (at == steps.warps.end()) return Sum::kNone;
    const auto place = static_cast<std::size_t>(at - steps.warps.begin());
    if (lane >= 0) return lens.last(step, place, lane);
    std::int32_t worst = Sum::kNone;
    for (auto each = lens.places.rbegin(); each != lens.places.rend() && worst == Sum::kNone; ++each) {
        if (each->step > step || each->warp != place) continue;
        for (const std::int32_t sum : each->lanes) {
            if (sum == Sum::kNone) continue;
            const auto bad = [&](std::int32_t s) {
                return lens.sum(s).overflowed ? HUGE_VAL : std::fabs(lens.sum(s).ulps);
            };
            if (worst == Sum::kNone || bad(sum) > bad(worst)) worst = sum;
        }
    }
    return worst;
}

std::string format_ulps(const Sum& sum) { return rounding::format_ulps(sum); }
std::string where_of(const Sum& sum) { return rounding::where_of(sum); }
std::string full_value(Element type, std::uint64_t bits) { return rounding::full_value(type, bits); }

Precision precision_of(const Sum& sum) {
    if (sum.overflowed || std::isnan(sum.ulps)) return Precision::lost;
    const double ulps = std::fabs(sum.ulps);
    if (ulps == 0) return Precision::exact;
    return ulps <= 0.5  ? Precision::nearest
           : ulps <= 4  ? Precision::few
           : ulps <= 64 ? Precision::many
                        : Precision::lost;
}

const char* precision_name(Precision precision) {
    switch (precision) {
        case Precision::exact: return "exact";
        case Precision::nearest: return "≤ ½ ulp";
        case Precision::few: return "≤ 4 ulp";
        case Precision::many: return "≤ 64 ulp";
        case Precision::lost: return "> 64 ulp";
    }
    return "";
}

std::string describe_rounding(const Sums& sums, std::size_t step, int block, int warp) {
    const steps::Steps& steps = sums.steps();
    const RoundingLens& lens = sums.lens();
    if (!lens.why_not.empty()) return "rounding  " + lens.why_not + "\n";
    constexpr int kDigits = 60;
    std::string out;
    for (const RoundingLens::Place& place : lens.places) {
        if (place.step != step) continue;
        const WarpRef& ref = steps.warps[place.warp];
        if ((block >= 0 && ref.block != static_cast<std::uint32_t>(block)) ||
            (warp >= 0 && ref.warp != static_cast<std::uint32_t>(warp)))
            continue;
        out += "\nrounding  " + warp_name(steps, ref) + "\n";
        for (std::size_t lane = 0; lane < place.lanes.size(); ++lane) {
            if (place.lanes[lane] == Sum::kNone) continue;
            const Sum& sum = lens.sum(place.lanes[lane]);
            out += fmt::format("lane {}  exact {}  rounded {} (0x{})  error {:.3g} = {} ulp of {}", lane,
                               sums.exact_decimal(place.lanes[lane], kDigits),
                               full_value(sum.type, sum.bits), format_bits(sum.type, sum.bits), sum.error,
                               format_ulps(sum), element_name(sum.type));
            if (sum.narrow) out += "  then widened";
            if (sum.stopped) out += "  stopped growing";
            if (!sum.recorded) out += "  not recorded";
            out += "\n";
        }
    }
    return out.empty() ? "rounding  nothing is added at this step, as far as the records show\n" : out;
}

std::string describe_sum_tree(const Sums& sums, std::size_t step, int block, int warp, int lane) {
    const steps::Steps& steps = sums.steps();
    WarpRef chosen = steps.warps.empty() ? WarpRef{} : steps.warps.front();
    for (const WarpRef& each : steps.warps)
        if (each.block == static_cast<std::uint32_t>(block) && each.warp == static_cast<std::uint32_t>(warp))
            chosen = each;
    const std::int32_t root = lane >= 0 ? rounding::sum_of_lane(steps, sums.lens(), chosen, lane)
                                        : rounding::sum_of_run(steps, sums.lens(), chosen);
    return rounding::describe_tree(steps, sums.lens(), rounding::build_addition_tree(steps, sums.lens(), root), step);
}

}  // namespace lanewise::scene
