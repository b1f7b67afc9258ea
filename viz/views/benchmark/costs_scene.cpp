#include "viz/views/benchmark/costs_scene.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/base/wrap.hpp"

namespace lanewise::viz {
namespace {

constexpr float kLeastCostRow = 13.2f, kMostCostRow = 24;   // heights
constexpr float kGroup = 20, kCostHead = 18;
constexpr float kFigure = 52;                       // room for a bar's figure behind it
constexpr std::size_t kCardColumns = 70;

std::string tick_text(double value) { return timing::cost_number(value); }

LogAxis axis_of_bars(const std::vector<double>& values, float from, float to) {
    return values.empty() ? LogAxis{1, 10, from, to} : axis_of(values, from, to, 0.03);
}

CostBar bar_of(const timing::CostFigure& figure, const LogAxis& axis, const Rect& row) {
    if (!figure) return {};
    const float half = row.height() * 0.32f;
    const float x = std::max(axis.at(figure.median), axis.from + 1);
    return {{axis.from, row.center().y - half, x, row.center().y + half}, axis.at(figure.low), axis.at(figure.high),
            timing::cost_number(figure.median)};
}

}  // namespace

bool is_sent(const timing::Cost& cost) {
    const timing::CostInfo* const info = timing::cost_info(cost.id);
    return info && info->wait == timing::CostWait::nothing;
}

CostScene cost_scene(const timing::CostTable& table, const Rect& box, float scale) {
    CostScene scene;
    std::vector<double> cycles, rates;
    std::size_t groups = 0;
    bool any_gpu = false;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const timing::Cost& row = table.rows[i];
        groups += i == 0 || row.group != table.rows[i - 1].group;
        any_gpu = any_gpu || row.gpu_ns > 0;
        if (row.latency) cycles.insert(cycles.end(), {row.latency.low, row.latency.high});
        if (row.throughput) {
            cycles.push_back(1 / row.throughput.median);
            rates.insert(rates.end(), {row.throughput.low, row.throughput.high});
        }
        if (row.quoted > 0) cycles.push_back(row.quoted);
    }
    std::erase_if(cycles, [](double value) { return !(value > 0); });
    std::erase_if(rates, [](double value) { return !(value > 0); });

    Rect rest = box;
    scene.names = rest.cut_left(std::min(scale * 212, box.width() * 0.22f));
    rest.cut_left(scale * 12);
    if (any_gpu) scene.gpus = rest.cut_right(scale * 104);
    scene.rates = rest.cut_right(rest.width() * 0.3f);
    rest.cut_right(scale * 26);
    scene.waits = rest;
    const float figure = scale * kFigure;
    scene.wait_axis = axis_of_bars(cycles, scene.waits.x0, std::max(scene.waits.x1 - figure, scene.waits.x0 + 1));
    scene.rate_axis = axis_of_bars(rates, scene.rates.x0, std::max(scene.rates.x1 - figure, scene.rates.x0 + 1));
    scene.wait_ticks = decimal_ticks(scene.wait_axis, scale * 46, tick_text);
    scene.rate_ticks = decimal_ticks(scene.rate_axis, scale * 46, tick_text);

    const float head = scale * kCostHead;
    const float room = box.height() - head - scale * kGroup * static_cast<float>(groups);
    const float height = std::clamp(room / std::max<float>(1, static_cast<float>(table.rows.size())),
                                    scale * kLeastCostRow, scale * kMostCostRow);
    float y = box.y0 + head;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const timing::Cost& cost = table.rows[i];
        if (i == 0 || cost.group != table.rows[i - 1].group) {
            scene.groups.push_back({cost.group, {box.x0, y, box.x1, y + scale * kGroup}});
            y += scale * kGroup;
        }
        CostRow row;
        row.cost = &cost;
        row.box = {box.x0, y, box.x1, y + height};
        row.name = {scene.names.x0, y, scene.names.x1, y + height};
        row.lacking = cost.lacking;
        row.sent = is_sent(cost);
        row.wait = bar_of(cost.latency, scene.wait_axis, row.box);
        row.rate = bar_of(cost.throughput, scene.rate_axis, row.box);
        if (cost.throughput) row.start = scene.wait_axis.at(1 / cost.throughput.median);
        if (cost.quoted > 0) row.quoted = scene.wait_axis.at(cost.quoted);
        if (cost.gpu_ns > 0) row.gpu = fmt::format("{} ns", timing::cost_number(cost.gpu_ns));
        scene.rows.push_back(std::move(row));
        y += height;
    }
    scene.bottom = y;
    return scene;
}

std::vector<std::string> cost_lines(const timing::Cost& cost) {
    std::vector<std::string> lines{cost.name};
    const auto add = [&](const std::string& prose) {
        for (std::string& line : wrapped(prose, kCardColumns)) lines.push_back(std::move(line));
    };
    add(timing::cost_text(cost));
    add(timing::quoted_text(cost));
    if (const timing::CostInfo* info = timing::cost_info(cost.id)) add(info->what);
    const auto spread = [](const timing::CostFigure& figure) {
        return fmt::format("{} to {} of {} samples", timing::cost_number(figure.low), timing::cost_number(figure.high),
                           figure.samples);
    };
    if (cost.latency)
        add(fmt::format("Cycles from the 5th to the 95th percentile: {}; {} ns.", spread(cost.latency),
                        timing::cost_number(cost.latency_ns)));
    if (cost.throughput) add(fmt::format("Starts a cycle: {}.", spread(cost.throughput)));
    return lines;
}

}  // namespace lanewise::viz
