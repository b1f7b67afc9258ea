// Words of memory on the stage, and the lines between them and the lanes.
#include <algorithm>

#include "common/scene/cell_text.hpp"
#include "viz/views/stage/stage_paint.hpp"

namespace lanewise::viz {

void StagePaint::word_line(const WordLine& line, const ArcStyle& style) const {
    if (!line.bends) {
        arc(brush, line.from, line.to, style);
        return;
    }
    arc(brush, line.from, line.over, style);
    if (style.progress >= 1) hairline(brush, line.over, line.under, style.color, style.thickness);
    arc(brush, line.under, line.to, style);
}

void StagePaint::words(const Scene& scene, const Band& band) const {
    const Theme& colors = brush.colors();
    const bool reads = band.reads_height > 0;
    const bool writes = band.writes_height > 0;
    // Words of one sector are on one slab.
    for (const WordBracket& bracket : band.brackets) {
        if (bracket.shared) continue;
        for (const WordRow& row : band.word_rows) {
            const float y = bracket.below ? row.strip.y1 : row.strip.y0;
            if (std::abs(bracket.box.center().y - y) > brush.px(8)) continue;
            fill(brush,
                 {bracket.box.x0 - brush.px(1), row.strip.y0 - brush.px(1.5f), bracket.box.x1 + brush.px(1),
                  row.strip.y1 + brush.px(1.5f)},
                 colors.raised, brush.px(1));
        }
    }
    for (const WordLine& each : band.lines) {
        const Word& word = band.words[each.word];
        const bool lit = each.lane == lane;
        const Color own = mix(value_color(word.type, word.bits()), colors.strong, 0.12);
        ArcStyle style{with_alpha(own, lane >= 0 ? 0.4 : 0.85), brush.px(1.4f), 12, travel};
        if (lit) style = {colors.accent, brush.px(each.bends ? 2 : 3), 20, travel};
        word_line(each, style);
        // Where what was read becomes what is written stands a dot instead of an arrow.
        if (reads && writes && each.write) circle(brush, each.from, brush.px(lit ? 4.5f : 3), style.color);
        const bool arrives = each.write || !writes;
        if (arrives && travel >= 1)
            arrow_head(brush, {each.to.x, each.to.y + brush.px(2)}, brush.px(lit ? 4.5f : 3), style.color);
    }
    if (settled) word_heads(band);
    CellWidths widths;
    for (const Word& each : band.words) {
        if (each.texts.empty()) widths.add(each.text);
        for (const std::string& text : each.texts) widths.add(text);
    }
    // The elements of a wide access stand close under one another, in a frame.
    const bool wide =
        std::any_of(band.words.begin(), band.words.end(), [](const Word& each) { return !each.texts.empty(); });
    Face face = cell_face(brush.look, scene.cell - brush.px(wide ? 2.5f : 1), widths);
    if (wide && (face == Face::figure || face == Face::small)) face = Face::tiny;
    for (const Word& each : band.words) word(scene, each, face);
}

// Memory is square where lanes are round, and has its value's colour as an edge rather than a ground.
void StagePaint::word(const Scene&, const Word& word, Face face) const {
    const Theme& colors = brush.colors();
    const bool lit = lane >= 0 && ((word.lanes >> lane) & 1u);
    const Color own = value_color(word.type, word.bits());
    const Color edge = lit ? colors.accent : mix(own, colors.strong, 0.15);
    const float thick = brush.px(lit ? 2.0f : 1.0f);
    const Rect& box = word.box;
    word_shape(brush, box, word.shared, mix(colors.panel, own, 0.16), edge, thick);
    if (!settled) return;
    if (word.texts.empty()) {
        number_in(brush, face, box, colors.text, word.text);
    } else {
        const Rect inner = box.inset(brush.px(0.75f), brush.px(2));
        const float height = inner.height() / static_cast<float>(word.texts.size());
        for (std::size_t k = 0; k < word.texts.size(); ++k) {
            const Rect line{inner.x0, inner.y0 + height * static_cast<float>(k), inner.x1,
                            inner.y0 + height * static_cast<float>(k + 1)};
            const Color ground = mix(colors.panel, value_color(word.type, word.values[k]), 0.3);
            fill(brush, {line.x0, line.y0 + brush.px(0.5f), line.x1, line.y1 - brush.px(0.5f)}, ground);
            number_in(brush, face, line, colors.text, word.texts[k]);
        }
    }
    if (!word.tag.empty())
        text_in(brush, Face::tiny, word.tag_box, word.waits ? colors.warning : colors.quiet, word.tag);
}

void StagePaint::word_heads(const Band& band) const {
    const Theme& colors = brush.colors();
    for (const WordBracket& bracket : band.brackets) {
        const Rect& box = bracket.box;
        const Color color = bracket.shared ? colors.quiet : colors.step_access;
        const float back = bracket.below ? box.y1 : box.y0;
        hairline(brush, {box.x0, back}, {box.x1, back}, color, brush.px(1.2f));
        for (const float x : {box.x0, box.x1}) hairline(brush, {x, box.y0}, {x, box.y1}, color, brush.px(1.2f));
        if (bracket.label.empty()) continue;
        fill(brush, bracket.label_box, colors.ground);
        text_in(brush, Face::tiny, bracket.label_box, colors.quiet, bracket.label, Align::left);
    }
    for (const WordRow& row : band.word_rows) {
        if (!row.write) fill(brush, row.caption_box, colors.ground);
        text_in(brush, Face::small, row.caption_box, colors.quiet, row.caption, Align::left);
    }
}

}  // namespace lanewise::viz
