#include "viz/views/shell/header_bar.hpp"

#include <algorithm>

namespace lanewise::viz {
namespace {

constexpr float kHeaderLine = 46;
constexpr float kTabs = 38;
constexpr float kBars = 50;    // room of the menu's button

// "05_warp_shuffle" -> "05"
std::string number_of(const std::string& lesson) {
    const std::size_t end = lesson.find_first_not_of("0123456789");
    return lesson.substr(0, end == std::string::npos ? lesson.size() : end);
}

const std::string& tab_title(const run::VariantInfo& variant) {
    return variant.title.empty() ? variant.name : variant.title;
}

float tab_width(const Look& look, const run::VariantInfo& variant) {
    return text_width(look, Face::strong, tab_title(variant)) + look.px(variant.declared_wrong ? 42 : 24);
}

float tabs_width(const Look& look, const run::Presentation& presentation) {
    float width = 0;
    for (const run::VariantInfo& variant : presentation.variants) width += tab_width(look, variant) + look.px(4);
    return width;
}

float title_width(const Look& look, const run::Presentation& presentation) {
    return look.px(kBars) + text_width(look, Face::title, "Lanewise") + look.px(16) +
           text_width(look, Face::title, number_of(presentation.lesson) + "  " + presentation.title) + look.px(24);
}

// Room kept for "recorded on NVIDIA H200 · 2026-11-21 · memory from the emulator".
constexpr float kBadge = 430;

bool one_line(const Look& look, const run::Presentation& presentation, float width) {
    return title_width(look, presentation) + tabs_width(look, presentation) + look.px(kBadge) <= width;
}

}  // namespace

float HeaderBar::height(const Look& look, const run::Presentation& presentation, float width) const {
    return look.px(!with_tabs || one_line(look, presentation, width) ? kHeaderLine : kHeaderLine + kTabs);
}

Rect HeaderBar::menu_button(const Look& look, const Rect& header) {
    return {header.x0 + look.px(9), header.y0 + look.px(7), header.x0 + look.px(41), header.y0 + look.px(39)};
}

Intent HeaderBar::draw(const Pane& pane, const run::Presentation& presentation, const std::string& origin) {
    const Brush& brush = pane.brush;
    const Theme& colors = pane.colors();
    Rect rest = pane.box;
    const bool single = one_line(pane.look(), presentation, rest.width());
    Rect line = rest.cut_top(pane.px(kHeaderLine));
    hairline(brush, {pane.box.x0, pane.box.y1 - 1}, {pane.box.x1, pane.box.y1 - 1}, colors.line);

    Intent intent;
    const Rect bars = menu_button(pane.look(), pane.box);
    if (menu_open || pane.hovers(bars)) fill(brush, bars, colors.raised, pane.px(6));
    for (const float y : {-4.5f, 0.0f, 4.5f}) {
        const Point c{bars.center().x, bars.center().y + pane.px(y)};
        fill(brush, {c.x - pane.px(7), c.y - pane.px(0.9f), c.x + pane.px(7), c.y + pane.px(0.9f)}, colors.text,
             pane.px(1));
    }
    if (pane.hovers(bars) && !menu_open) hint_card(pane.look(), "menu · F10");
    if (pane.button(bars)) intent = {Intent::Kind::menu, 0};
    line.cut_left(pane.px(kBars));
    text_in(brush, Face::title, line, colors.accent, "Lanewise", Align::left);
    line.cut_left(text_width(pane.look(), Face::title, "Lanewise") + pane.px(16));
    if (!with_tabs) return intent;
    const std::string title = number_of(presentation.lesson) + "  " + presentation.title;
    text_in(brush, Face::title, line, colors.strong, title, Align::left);
    line.cut_left(text_width(pane.look(), Face::title, title) + pane.px(24));

    // Where the data came from: always in sight.
    const float widest = line.width() - pane.px(20) - (single ? tabs_width(pane.look(), presentation) : 0);
    const std::string text = fit_text(pane.look(), Face::caption, origin, widest - pane.px(40));
    const float badge_width = text_width(pane.look(), Face::caption, text) + pane.px(38);
    const Rect badge = Rect{line.x1 - pane.px(14) - badge_width, 0, line.x1 - pane.px(14), pane.px(24)}.moved(
        0, line.center().y - pane.px(12));
    const bool on_gpu = origin.find("NVIDIA") != std::string::npos;
    const Color ink = on_gpu ? colors.good : colors.step_shuffle;
    fill(brush, badge, mix(colors.panel, ink, 0.14), pane.px(12));
    const Point dot{badge.x0 + pane.px(14), badge.center().y};
    if (on_gpu) circle(brush, dot, pane.px(3.5f), ink);
    else ring(brush, dot, pane.px(3.5f), ink, pane.px(1.5f));
    text_in(brush, Face::caption, {badge.x0 + pane.px(25), badge.y0, badge.x1, badge.y1}, colors.text, text,
            Align::left);
    if (pane.hovers(badge) && text != origin) hint_card(pane.look(), origin);
    line.x1 = badge.x0 - pane.px(12);

    const auto and_tabs = [&](const Rect& where) {
        const Intent tabs = draw_tabs(pane, presentation, where);
        return tabs ? tabs : intent;
    };
    if (single) return and_tabs(line);
    rest.y1 -= pane.px(1);
    return and_tabs({pane.box.x0 + pane.px(12), rest.y0, pane.box.x1 - pane.px(12), rest.y1 - pane.px(6)});
}

Intent HeaderBar::draw_tabs(const Pane& pane, const run::Presentation& presentation, const Rect& where) {
    const Brush& brush = pane.brush;
    const Theme& colors = pane.colors();
    Intent intent;
    const float total = tabs_width(pane.look(), presentation);
    const float spare = std::max(0.0f, total - where.width());
    // The shown variant stays in sight; the wheel moves the others by.
    float x = 0;
    for (std::size_t i = 0; i < presentation.variants.size(); ++i) {
        const float width = tab_width(pane.look(), presentation.variants[i]);
        if (i == tab && pane.wheel() == 0) {
            const float least = x + width - where.width() + pane.px(40);
            tabs_scroll = std::clamp(tabs_scroll, least, std::max(least, x - pane.px(40)));
        }
        x += width + pane.px(4);
    }
    tabs_scroll = std::clamp(tabs_scroll - pane.wheel() * pane.px(60), 0.0f, spare);

    brush.canvas->push_clip(where);
    x = where.x0 - tabs_scroll;
    const float height = pane.px(28);
    for (std::size_t i = 0; i < presentation.variants.size(); ++i) {
        const run::VariantInfo& variant = presentation.variants[i];
        const float width = tab_width(pane.look(), variant);
        const Rect box{x, where.center().y - height / 2, x + width, where.center().y + height / 2};
        const bool is_shown = i == tab || std::find(shown.begin(), shown.end(), i) != shown.end();
        const bool hovered = pane.hovers(box) && where.contains(pane.pointer());
        if (is_shown || hovered)
            fill(brush, box, is_shown ? colors.raised : mix(colors.panel, colors.raised, 0.5), pane.px(6));
        if (is_shown)
            fill(brush, {box.x0 + pane.px(10), box.y1 - pane.px(2.5f), box.x1 - pane.px(10), box.y1},
                 i == tab ? colors.accent : colors.quiet, pane.px(1));
        Rect label = box.inset(pane.px(12), 0);
        text_in(brush, Face::strong, label, is_shown ? colors.strong : colors.quiet, tab_title(variant), Align::left);
        if (variant.declared_wrong) {
            // A variant that its lesson declares wrong says so before it is opened.
            const Point c{box.x1 - pane.px(16), box.center().y};
            const float r = pane.px(3.5f);
            hairline(brush, {c.x - r, c.y - r}, {c.x + r, c.y + r}, colors.warning, pane.px(1.6f));
            hairline(brush, {c.x - r, c.y + r}, {c.x + r, c.y - r}, colors.warning, pane.px(1.6f));
        }
        if (hovered && with_hints && !variant.summary.empty()) hint_card(pane.look(), variant.summary);
        if (pane.button(box) && (hovered || !pane.hovers(box))) intent = {Intent::Kind::variant, i};
        x += width + pane.px(4);
    }
    brush.canvas->pop_clip();
    // More to either side: the ground closes over the cut.
    const auto fade = [&](float x0, float x1, bool left) {
        const Color solid = colors.panel;
        const Color clear = with_alpha(colors.panel, 0);
        const Color l = left ? solid : clear, r = left ? clear : solid;
        brush.canvas->gradient({x0, where.y0, x1, where.y1}, l, r, Canvas::Towards::right);
    };
    if (tabs_scroll > 1) fade(where.x0, where.x0 + pane.px(36), true);
    if (tabs_scroll < spare - 1) fade(where.x1 - pane.px(36), where.x1, false);
    return intent;
}

}  // namespace lanewise::viz
