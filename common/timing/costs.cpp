#include "common/timing/costs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace lanewise::timing {
namespace {

// Further from a figure than this, as a factor, a quoted one is not about it.
constexpr double kNear = 1.5;

double factor(double a, double b) { return std::max(a, b) / std::min(a, b); }

std::string cycles(double value) {
    return fmt::format("{} cycle{}", cost_number(value), cost_number(value) == "1" ? "" : "s");
}

// "one shuffle a cycle", "3.99 additions a cycle", "one load every 8.2 cycles"
std::string pace_text(double per_cycle, const std::string& noun) {
    if (per_cycle > 0.95 && per_cycle < 1.05) return fmt::format("one {} a cycle", noun);
    if (per_cycle >= 1.05) return fmt::format("{} {}s a cycle", cost_number(per_cycle), noun);
    return fmt::format("one {} every {}", noun, cycles(1 / per_cycle));
}

}  // namespace

std::string cost_number(double value) {
    if (value == 0) return "0";
    const double size = std::abs(value);
    if (size < 0.0995) return fmt::format("{:.2g}", value);
    std::string text = size < 9.995   ? fmt::format("{:.2f}", value)
                       : size < 99.95 ? fmt::format("{:.1f}", value)
                                      : fmt::format("{:.0f}", value);
    if (text.find('.') == std::string::npos) return text;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

std::string cost_text(const Cost& row) {
    if (!row.lacking.empty()) return row.lacking;
    const CostInfo* const info = cost_info(row.id);
    const std::string noun = info ? info->noun : "operation";
    const CostWait wait = info ? info->wait : CostWait::answer;
    std::vector<std::string> parts;
    if (row.throughput)
        parts.push_back(fmt::format("throughput of an SM{}: {}", info && info->shared ? " while all work" : "",
                                    pace_text(row.throughput.median, noun)));
    if (row.latency) {
        const std::string time = cycles(row.latency.median);
        if (wait == CostWait::nothing) parts.push_back(fmt::format("a warp by itself starts one every {}", time));
        else if (parts.empty()) parts.push_back(fmt::format("a {} takes {}", noun, time));
        else if (wait == CostWait::leave) parts.push_back(fmt::format("the warp goes on {} later", time));
        else parts.push_back(fmt::format("latency: {}", time));
    }
    if (row.gpu_ns > 0)
        parts.push_back(fmt::format("one lane's takes {} ns of the whole GPU", cost_number(row.gpu_ns)));
    if (parts.empty()) return "Nothing was measured.";
    std::string text = fmt::format("{}.", fmt::join(parts, "; "));
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

std::string quoted_text(const Cost& row) {
    if (row.quoted <= 0 || !row.latency) return {};
    const double times = row.latency.median / row.quoted;
    const std::string quoted = fmt::format("Commonly quoted: {}", cycles(row.quoted));
    const double interval = row.throughput ? 1 / row.throughput.median : 0;
    if (interval > 0 && factor(row.quoted, interval) < kNear && times >= kNear)
        return fmt::format("{}; that is the throughput, not the latency, which is {} times as long.", quoted,
                           cost_number(times));
    if (factor(row.quoted, row.latency.median) < kNear)
        return fmt::format("{}, about the latency, which is {} here.", quoted, cycles(row.latency.median));
    return fmt::format("{}; the latency here is {} times that.", quoted, cost_number(times));
}

std::string cost_origin(const CostTable& table) {
    return fmt::format("{} · {} {}", table.gpu, table.recorded ? "recorded" : "measured", table.date);
}

}  // namespace lanewise::timing
