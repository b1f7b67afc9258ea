#include "viz/views/benchmark/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "common/timing/sizes.hpp"

namespace lanewise::viz {
namespace {

// "10", "2.5": no zeros at the end.
std::string plain(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

// Takes the numbers off ticks that are closer than `pitch` to one that keeps its own; those of `coarse` come first.
template <typename Coarse>
void thin_out(std::vector<Tick>& ticks, const LogAxis& axis, float pitch, const Coarse& coarse) {
    std::vector<float> taken;
    for (const bool first : {true, false})
        for (Tick& tick : ticks) {
            if (coarse(tick.value) != first) continue;
            const float at = axis.at(tick.value);
            if (std::any_of(taken.begin(), taken.end(), [&](float other) { return std::abs(other - at) < pitch; }))
                tick.label.clear();
            else taken.push_back(at);
        }
}

}  // namespace

float LogAxis::at(double value) const {
    const double t = (std::log(std::max(value, 1e-12)) - std::log(low)) / (std::log(high) - std::log(low));
    return from + static_cast<float>(t) * (to - from);
}

double LogAxis::value_at(float place) const {
    const double t = to == from ? 0 : static_cast<double>((place - from) / (to - from));
    return low * std::pow(high / low, t);
}

LogAxis axis_of(const std::vector<double>& values, float from, float to, double room, double least) {
    double low = INFINITY, high = 0;
    for (const double value : values) {
        if (value <= 0) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (high <= 0) return {1, 10, from, to};
    const double missing = std::max(1.0, least / (high / low));
    low /= std::sqrt(missing);
    high *= std::sqrt(missing);
    const double more = std::pow(high / low, room);
    return {low / more, high * more, from, to};
}

std::vector<Tick> decimal_ticks(const LogAxis& axis, float pitch, std::string (*label_of)(double)) {
    std::vector<Tick> ticks;
    const int first = static_cast<int>(std::floor(std::log10(axis.low))),
              last = static_cast<int>(std::ceil(std::log10(axis.high)));
    const bool narrow = last - first <= 4;
    for (int decade = first; decade <= last; ++decade)
        for (const double part : {1.0, 2.0, 5.0}) {
            const double value = part * std::pow(10.0, decade);
            if ((part > 1 && !narrow) || value < axis.low || value > axis.high) continue;
            ticks.push_back({value, label_of(value)});
        }
    thin_out(ticks, axis, pitch,
             [](double value) { return std::abs(std::log10(value) - std::round(std::log10(value))) < 1e-6; });
    return ticks;
}

std::vector<Tick> binary_ticks(const LogAxis& axis, float pitch, std::string (*label_of)(double)) {
    std::vector<Tick> ticks;
    for (int power = static_cast<int>(std::ceil(std::log2(axis.low) - 1e-9)); power <= std::log2(axis.high) + 1e-9;
         ++power)
        ticks.push_back({std::ldexp(1.0, power), label_of(std::ldexp(1.0, power))});
    thin_out(ticks, axis, pitch,
             [&](double value) { return static_cast<int>(std::lround(std::log2(value))) % 2 == 0; });
    return ticks;
}

std::string values_tick(double n) { return timing::size_text(static_cast<std::uint64_t>(std::llround(n))); }

std::string bytes_tick(double bytes) {
    static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < kUnits.size()) {
        bytes /= 1024;
        ++unit;
    }
    return plain(bytes) + " " + kUnits[unit];
}

std::string time_tick(double us) {
    if (us < 1000) return plain(us) + " µs";
    return us < 1e6 ? plain(us / 1000) + " ms" : plain(us / 1e6) + " s";
}

std::string rate_tick(double gb_per_s) {
    return gb_per_s < 1000 ? plain(gb_per_s) + " GB/s" : plain(gb_per_s / 1000) + " TB/s";
}

std::vector<float> spread_labels(const std::vector<float>& wanted, float pitch, float low, float high) {
    const std::size_t count = wanted.size();
    if (count == 0) return {};
    if (static_cast<float>(count - 1) * pitch > high - low)
        pitch = (high - low) / static_cast<float>(std::max<std::size_t>(count - 1, 1));
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    // Groups of labels that touch stand around the mean of what they want; groups that come to touch become one.
    struct LabelGroup {
        float sum = 0;
        std::size_t count = 0;
        float top(float step, float least, float most) const {
            const float height = static_cast<float>(count - 1) * step;
            return std::clamp(sum / static_cast<float>(count) - height / 2, least, std::max(least, most - height));
        }
    };
    std::vector<LabelGroup> groups;
    for (const std::size_t i : order) {
        groups.push_back({wanted[i], 1});
        while (groups.size() > 1) {
            LabelGroup& last = groups[groups.size() - 1];
            LabelGroup& before = groups[groups.size() - 2];
            if (before.top(pitch, low, high) + static_cast<float>(before.count) * pitch <=
                last.top(pitch, low, high) + 1e-3f)
                break;
            before.sum += last.sum;
            before.count += last.count;
            groups.pop_back();
        }
    }
    std::vector<float> places(count);
    std::size_t next = 0;
    for (const LabelGroup& group : groups)
        for (std::size_t i = 0; i < group.count; ++i)
            places[order[next++]] = group.top(pitch, low, high) + static_cast<float>(i) * pitch;
    return places;
}

bool clip_line(const Rect& box, Point& a, Point& b) {
    float t0 = 0, t1 = 1;
    const float dx = b.x - a.x, dy = b.y - a.y;
    // Liang and Barsky: each side moves an end inwards.
    for (const auto& [toward, gap] :
         {std::pair{-dx, a.x - box.x0}, {dx, box.x1 - a.x}, {-dy, a.y - box.y0}, {dy, box.y1 - a.y}}) {
        if (toward == 0) {
            if (gap < 0) return false;
            continue;
        }
        const float t = gap / toward;
        if (toward < 0) t0 = std::max(t0, t);
        else t1 = std::min(t1, t);
    }
    if (t0 > t1) return false;
    const Point from = a;
    a = {from.x + t0 * dx, from.y + t0 * dy};
    b = {from.x + t1 * dx, from.y + t1 * dy};
    return true;
}

Category category(const Theme& theme, std::size_t i) {
    // Of Okabe and Ito's eight: without black; without blue on dark, without yellow on light, where they are hard to
    // see.
    static constexpr std::array<std::uint32_t, 6> kOnDark = {0x56b4e9, 0xe69f00, 0x009e73,
                                                             0xcc79a7, 0xf0e442, 0xd55e00};
    static constexpr std::array<std::uint32_t, 6> kOnLight = {0x0072b2, 0xc27a00, 0x009e73,
                                                              0xb8578f, 0x2f9fd8, 0xd55e00};
    const auto& colors = theme.dark ? kOnDark : kOnLight;
    return {rgb(colors[i % colors.size()]), static_cast<PlotMark>(i / colors.size() % 4)};
}

}  // namespace lanewise::viz
