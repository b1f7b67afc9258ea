#include "viz/views/shell/styled_text.hpp"

#include <algorithm>
#include <numeric>

namespace lanewise::viz {
namespace {

Face face_of(const Span& span, Face face) {
    if (span.code) return Face::code;
    return (span.strong || span.emphasis) && face == Face::body ? Face::strong : face;
}

float pad_of(const Pane& pane, const Span& span) { return span.code ? pane.px(2) : 0; }

// Of a word that has no room in a line, how much of it goes there: to behind an underscore, if one fits, else as many
// letters as do; one at least.
std::size_t part_that_fits(const Look& look, Face face, std::string_view text, float room) {
    std::size_t fits = 0, behind = 0;
    for (std::size_t end = 1; end <= text.size(); ++end) {
        if (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80) continue;   // within a letter
        if (fits > 0 && text_width(look, face, text.substr(0, end)) > room) break;
        fits = end;
        if (text[end - 1] == '_') behind = end;
    }
    return behind > 0 && fits < text.size() ? behind : fits;
}

// What a cell needs: for its longest word, and to be one line.
struct Need {
    float word = 0, line = 0;
};

Need need_of(const Pane& pane, const std::vector<Span>& cell, Face base) {
    Need need;
    for (const Span& span : cell) {
        const Face face = face_of(span, base);
        const float pad = 2 * pad_of(pane, span);
        for (std::string_view rest = span.text; !rest.empty();) {
            const std::size_t end = std::min(rest.find_first_of(" \n"), rest.size());
            const float width = text_width(pane.look(), face, rest.substr(0, end)) + (end > 0 ? pad : 0);
            need.word = std::max(need.word, width);
            need.line += width + (end < rest.size() ? text_width(pane.look(), face, " ") : 0);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return need;
}

}  // namespace

std::string Flow::add(const Span& span, bool marked) {
    marked_ = marked;
    target = {};
    const Theme& colors = pane_.colors();
    const Face face = face_of(span, face_);
    const Color color = !span.link.empty() ? colors.accent : span.strong ? colors.strong : color_;
    std::string clicked;
    std::string_view rest = span.text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find_first_of(" \n"), rest.size());
        if (piece(face, color, rest.substr(0, end), span)) clicked = span.link;
        if (end < rest.size()) {
            if (rest[end] == '\n') new_line();
            else x_ += text_width(pane_.look(), face, " ");
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return clicked;
}

void Flow::new_line() {
    x_ = 0;
    y_ += step_;
}

// A word, or the rest of one. Returns whether it is a link that was clicked.
bool Flow::piece(Face face, Color color, std::string_view text, const Span& span) {
    if (text.empty()) return false;
    const float pad = pad_of(pane_, span);
    const float width = text_width(pane_.look(), face, text) + 2 * pad;
    if (x_ > 0 && x_ + width > width_) new_line();
    if (width > width_) {
        const std::size_t part = part_that_fits(pane_.look(), face, text, width_ - 2 * pad);
        if (part < text.size()) {
            const bool clicked = piece(face, color, text.substr(0, part), span);
            new_line();
            return piece(face, color, text.substr(part), span) || clicked;
        }
    }
    const Rect box{left_ + x_, y_, left_ + x_ + width, y_ + step_};
    x_ += width;
    if (!span.link.empty() && target.empty()) target = box;
    if (!box.overlaps(pane_.box)) return false;
    if (span.code) fill(pane_.brush, box.inset(0, pane_.px(1.5f)), pane_.colors().raised, pane_.px(3));
    text_in(pane_.brush, face, box.inset(pad, 0), color, text, Align::left);
    if (span.link.empty()) return false;
    if (marked_) outline(pane_.brush, box.inset(-pane_.px(2), 0), pane_.colors().focus, pane_.px(3), pane_.px(1.5f));
    if (pane_.hovers(box)) hovered = span.link;
    hairline(pane_.brush, {box.x0, box.y1 - pane_.px(2)}, {box.x1, box.y1 - pane_.px(2)}, with_alpha(color, 0.6),
             pane_.px(1));
    return pane_.button(box);
}

float column_gap(const Pane& pane) { return pane.px(10); }

std::vector<float> column_widths(const Pane& pane, std::span<const TextBlock> rows, float width) {
    std::vector<Need> needs;
    for (const TextBlock& row : rows) {
        if (row.cells.size() > needs.size()) needs.resize(row.cells.size());
        for (std::size_t c = 0; c < row.cells.size(); ++c) {
            const Need need = need_of(pane, row.cells[c], row.header ? Face::strong : Face::body);
            needs[c].word = std::max(needs[c].word, need.word);
            needs[c].line = std::max(needs[c].line, need.line);
        }
    }
    const auto sum = [&](float Need::*of) {
        return std::accumulate(needs.begin(), needs.end(), 0.0f,
                               [&](float all, const Need& each) { return all + each.*of; });
    };
    const float room = std::max(width - column_gap(pane) * static_cast<float>(needs.size()), 1.0f);
    const float lines = std::max(sum(&Need::line), 1.0f), words = std::max(sum(&Need::word), 1.0f);
    std::vector<float> widths;
    for (const Need& need : needs) {
        float own = need.line;
        if (lines > room && words < room) own = need.word + (room - words) * (need.line - need.word) / (lines - words);
        else if (lines > room) own = room * need.word / words;
        widths.push_back(own + column_gap(pane));
    }
    return widths;
}

}  // namespace lanewise::viz
