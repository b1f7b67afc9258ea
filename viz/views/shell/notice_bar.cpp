#include "viz/views/shell/notice_bar.hpp"

#include <algorithm>

namespace lanewise::viz {
namespace {

float offer_width(const Look& look, const Notice& notice) {
    return notice.offer.empty() ? 0 : text_width(look, Face::strong, notice.offer) + look.px(40);
}

float text_width_of(const Look& look, const Notice& notice, float width) {
    return std::max(width - look.px(92) - offer_width(look, notice), look.px(60));
}

}  // namespace

float NoticeBar::height(const Look& look, const Notice& notice, float width) {
    if (notice.sentence.empty()) return 0;
    const Brush measure{nullptr, look};
    return paragraph(measure, Face::body, {}, text_width_of(look, notice, width), 0, notice.sentence, 1.4f) +
           look.px(16);
}

Intent NoticeBar::draw(const Pane& pane, const Notice& notice) {
    const Theme& colors = pane.colors();
    const Rect& box = pane.box;
    const Color kind = notice.good ? colors.good : colors.warning;
    fill(pane.brush, box, mix(colors.panel, kind, colors.dark ? 0.16 : 0.12));
    fill(pane.brush, {box.x0, box.y0, box.x0 + pane.px(4), box.y1}, kind);
    paragraph(pane.brush, Face::body, {box.x0 + pane.px(20), box.y0 + pane.px(8)},
              text_width_of(pane.look(), notice, box.width()), colors.strong, notice.sentence, 1.4f);
    Intent intent;
    // A cross closes it.
    const Point c{box.x1 - pane.px(24), box.center().y};
    const Rect cross{c.x - pane.px(14), c.y - pane.px(14), c.x + pane.px(14), c.y + pane.px(14)};
    if (pane.hovers(cross)) fill(pane.brush, cross, with_alpha(colors.text, 0.12), pane.px(6));
    const float r = pane.px(4.5f);
    hairline(pane.brush, {c.x - r, c.y - r}, {c.x + r, c.y + r}, colors.text, pane.px(1.6f));
    hairline(pane.brush, {c.x - r, c.y + r}, {c.x + r, c.y - r}, colors.text, pane.px(1.6f));
    if (pane.button(cross)) intent = {Intent::Kind::dismiss, 0};
    if (!notice.offer.empty()) {
        const float width = text_width(pane.look(), Face::strong, notice.offer) + pane.px(24);
        const Rect button{cross.x0 - pane.px(8) - width, c.y - pane.px(14), cross.x0 - pane.px(8), c.y + pane.px(14)};
        fill(pane.brush, button, mix(colors.panel, colors.accent, pane.hovers(button) ? 0.4 : 0.24), pane.px(6));
        text_in(pane.brush, Face::strong, button, colors.accent, notice.offer);
        if (pane.button(button)) intent = notice.accepted;
    }
    return intent;
}

}  // namespace lanewise::viz
