#include "viz/views/benchmark/plot_paint.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanewise::viz {

void paint_axes(const Brush& brush, const Axes& axes) {
    const Theme& colors = brush.colors();
    const Rect& area = axes.area;
    const Color grid = mix(colors.panel, colors.line, 0.75);
    for (const Tick& tick : axes.x_ticks) {
        const float x = std::round(axes.x.at(tick.value));
        hairline(brush, {x, area.y0}, {x, area.y1}, tick.label.empty() ? with_alpha(grid, 0.5) : grid);
        text_in(brush, Face::small, {x, area.y1 + brush.px(3), x, area.y1 + brush.px(19)}, colors.quiet, tick.label);
    }
    for (const Tick& tick : axes.y_ticks) {
        const float y = std::round(axes.y.at(tick.value));
        hairline(brush, {area.x0, y}, {area.x1, y}, tick.label.empty() ? with_alpha(grid, 0.5) : grid);
        text_in(brush, Face::small, {area.x0 - brush.px(80), y - brush.px(8), area.x0 - brush.px(8), y + brush.px(8)},
                colors.quiet, tick.label, Align::right);
    }
    hairline(brush, {area.x0, area.y1}, {area.x1, area.y1}, colors.faint);
    text_in(brush, Face::caption, {area.x0, area.y1 + brush.px(20), area.x1, area.y1 + brush.px(40)}, colors.quiet,
            axes.x_title, Align::right);
    text_in(brush, Face::caption, {area.x0 - brush.px(58), area.y0 - brush.px(22), area.x1, area.y0 - brush.px(6)},
            colors.quiet, axes.y_title, Align::left);
}

void paint_mark(const Brush& brush, Point at, float radius, const Category& category, bool hollow) {
    const auto corners = [&](float r) -> std::vector<Point> {
        switch (category.mark) {
            case PlotMark::square:
                return {{at.x - r, at.y - r}, {at.x + r, at.y - r}, {at.x + r, at.y + r}, {at.x - r, at.y + r}};
            case PlotMark::diamond:
                return {
                    {at.x, at.y - 1.3f * r}, {at.x + 1.3f * r, at.y}, {at.x, at.y + 1.3f * r}, {at.x - 1.3f * r, at.y}};
            case PlotMark::triangle:
                return {
                    {at.x, at.y - 1.25f * r}, {at.x + 1.2f * r, at.y + 0.9f * r}, {at.x - 1.2f * r, at.y + 0.9f * r}};
            case PlotMark::disc: break;
        }
        return {};
    };
    const float inner = radius - brush.px(1.5f);
    if (category.mark == PlotMark::disc) {
        circle(brush, at, radius, category.color);
        if (hollow) circle(brush, at, inner, brush.colors().panel);
        return;
    }
    brush.canvas->polygon(corners(radius * 0.92f), category.color);
    if (hollow) brush.canvas->polygon(corners(inner * 0.92f), brush.colors().panel);
}

void paint_dashed(const Brush& brush, const std::vector<Point>& points, Color color, float thickness, float dash) {
    bool stroke = true;
    float left = dash;
    for (std::size_t i = 1; i < points.size(); ++i) {
        Point from = points[i - 1];
        const Point to = points[i];
        for (float length = std::hypot(to.x - from.x, to.y - from.y); length > 0.01f;) {
            const float step = std::min(left, length);
            const Point next{from.x + (to.x - from.x) * step / length, from.y + (to.y - from.y) * step / length};
            if (stroke) brush.canvas->polyline(std::array{from, next}, color, thickness);
            from = next;
            length -= step;
            left -= step;
            if (left > 0.01f) continue;
            stroke = !stroke;
            left = dash;
        }
    }
}

namespace {

constexpr float kLead = 26, kSample = 18, kLabelPitch = 17;

std::string unsigned_of(const EndLabel& label) {
    return label.figure.empty() ? label.name : label.name + "  " + label.figure;
}

}  // namespace

float label_width(const Look& look, const std::vector<EndLabel>& labels) {
    float width = 0;
    for (const EndLabel& label : labels) width = std::max(width, text_width(look, Face::caption, unsigned_of(label)));
    return labels.empty() ? 0 : width + look.px(kLead + kSample + 10);
}

std::vector<Rect> place_labels(const Look& look, const Rect& column, const std::vector<EndLabel>& labels) {
    std::vector<float> wanted;
    for (const EndLabel& label : labels) wanted.push_back(label.from.y);
    const float half = look.px(kLabelPitch) / 2;
    std::vector<Rect> boxes;
    for (const float y : spread_labels(wanted, look.px(kLabelPitch), column.y0 + half, column.y1 - half))
        boxes.push_back({column.x0 + look.px(kLead), y - half, column.x1, y + half});
    return boxes;
}

std::vector<Rect> paint_labels(const Pane& pane, const Rect& column, const std::vector<EndLabel>& labels, int lit) {
    const std::vector<Rect> boxes = place_labels(pane.look(), column, labels);
    const Theme& colors = pane.colors();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const EndLabel& label = labels[i];
        const Rect& box = boxes[i];
        const float y = box.center().y;
        const bool dim = lit >= 0 && lit != static_cast<int>(i);
        const Color own = dim ? with_alpha(label.category.color, 0.35) : label.category.color;
        const float x0 = label.from.x + pane.px(6);
        pane.brush.canvas->polyline(
            std::array{Point{x0, label.from.y}, Point{std::max(x0, box.x0 - pane.px(12)), y}, Point{box.x0, y}},
            with_alpha(label.category.color, dim ? 0.15 : 0.45), pane.px(1));
        if (label.dashed)
            paint_dashed(pane.brush, {{box.x0 + pane.px(1), y}, {box.x0 + pane.px(15), y}}, own, pane.px(1.6f),
                         pane.px(3));
        else paint_mark(pane.brush, {box.x0 + pane.px(8), y}, pane.px(3.8f), {own, label.category.mark}, label.hollow);
        const Rect text{box.x0 + pane.px(kSample), box.y0, box.x1, box.y1};
        const Color ink = dim ? colors.quiet : label.strong || lit >= 0 ? colors.strong : colors.text;
        const std::string name = fit_text(pane.look(), Face::caption, label.name,
                                          text.width() - text_width(pane.look(), Face::caption, "  " + label.figure));
        text_in(pane.brush, Face::caption, text, ink, name, Align::left);
        const float used = text_width(pane.look(), Face::caption, name + "  ");
        text_in(pane.brush, Face::caption, {text.x0 + used, text.y0, text.x1, text.y1}, colors.quiet, label.figure,
                Align::left);
    }
    return boxes;
}

void lines_card(const Look& look, const std::vector<std::string>& lines) {
    const ImVec2 at = ImGui::GetIO().MousePos;
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    ScreenCanvas screen(ImGui::GetForegroundDrawList());
    const Brush brush{&screen, look};
    float width = 0;
    for (const std::string& line : lines)
        width = std::max(width, text_width(look, &line == &lines.front() ? Face::strong : Face::caption, line));
    const float pitch = look.px(18);
    width += look.px(22);
    const float height = pitch * static_cast<float>(lines.size()) + look.px(14);
    const float x =
        at.x + look.px(16) + width < display.x ? at.x + look.px(16) : std::max(0.0f, at.x - look.px(16) - width);
    const float y = std::clamp(at.y - height / 2, look.px(4), std::max(look.px(4), display.y - height - look.px(4)));
    const Rect card{x, y, x + width, y + height};
    fill(brush, card, look.colors().raised, look.px(6));
    outline(brush, card, look.colors().line, look.px(6), look.px(1));
    Rect rest = card.inset(look.px(11), look.px(7));
    for (const std::string& line : lines) {
        const bool first = &line == &lines.front();
        text_in(brush, first ? Face::strong : Face::caption, rest.cut_top(pitch),
                first ? look.colors().strong : look.colors().text, line, Align::left);
    }
}

}  // namespace lanewise::viz
