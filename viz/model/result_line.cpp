#include "viz/model/result_line.hpp"

#include "common/scene/sums/absorbed.hpp"

namespace lanewise::viz {

void warning_sign(const Brush& brush, Point middle, float radius) {
    const Color color = brush.colors().warning;
    const float half = radius * 1.1f;
    triangle(brush, {middle.x, middle.y - radius}, {middle.x + half, middle.y + radius * 0.9f},
                                  {middle.x - half, middle.y + radius * 0.9f}, color);
    const Color ink = text_on(color);
    const float bar = radius * 0.13f;
    fill(brush, {middle.x - bar, middle.y - radius * 0.35f, middle.x + bar, middle.y + radius * 0.35f}, ink);
    fill(brush, {middle.x - bar, middle.y + radius * 0.5f, middle.x + bar, middle.y + radius * 0.75f}, ink);
}

float draw_result(const Brush& brush, const Rect& where, const RunView& run_view, Face face, Align align,
                  std::size_t place) {
    std::string text = run_view.outline.result;
    const std::string mistakes = mistakes_found(run_view, place);
    const bool right = run_view.outline.right && mistakes.empty();
    // It may come out right and be wrong.
    if (!mistakes.empty() && run_view.outline.right) {
        text = text.empty() ? mistakes : text + ", but: " + mistakes;
        // The mistake must be shown; the total is one more figure.
        if (text_width(brush.look, face, text) > where.width() - brush.px(20)) text = "right, but: " + mistakes;
    }
    if (right && !text.empty())
        if (const std::string absorbed = absorbed_text(*run_view.run, [&] { return run_view.exact(true); });
            !absorbed.empty())
            text += ", but " + absorbed + ": R shows where";
    if (text.empty()) return 0;
    const Color ink = right ? brush.colors().good : brush.colors().warning;
    const float sign = brush.px(20);
    const std::string fitted = fit_text(brush.look, face, text, where.width() - sign);
    const float width = text_width(brush.look, face, fitted) + sign;
    if (where.width() < brush.px(60)) return 0;
    const float x = align == Align::right ? where.x1 - width : where.x0;
    const Point c{x + brush.px(7), where.center().y};
    if (right) {
        const float r = brush.px(4);
        hairline(brush, {c.x - r, c.y}, {c.x - r * 0.2f, c.y + r * 0.8f}, ink, brush.px(1.8f));
        hairline(brush, {c.x - r * 0.2f, c.y + r * 0.8f}, {c.x + r, c.y - r * 0.8f}, ink, brush.px(1.8f));
    } else {
        warning_sign(brush, c, brush.px(6));
    }
    text_in(brush, face, {x + sign, where.y0, where.x1, where.y1}, right ? brush.colors().text : ink, fitted,
            Align::left);
    return width;
}

}  // namespace lanewise::viz
