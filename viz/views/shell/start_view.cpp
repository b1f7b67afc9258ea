#include "viz/views/shell/start_view.hpp"

#include <algorithm>
#include <string_view>

namespace lanewise::viz {
namespace {

constexpr float kLessonRow = 68;
constexpr float kStartHead = 124;
constexpr float kWidth = 860;

void tick(const Brush& brush, Point c, float r, Color color, float width) {
    hairline(brush, {c.x - r, c.y}, {c.x - r * 0.2f, c.y + r * 0.75f}, color, width);
    hairline(brush, {c.x - r * 0.2f, c.y + r * 0.75f}, {c.x + r, c.y - r * 0.8f}, color, width);
}

// What two lines hold of a paragraph: whole sentences where there is room for any.
void two_lines(const Pane& pane, const Rect& where, std::string_view sentence, Color color) {
    const auto lines_of = [&](std::string_view text) {
        return fit_lines(pane.look(), Face::body, text, where.width(), 2);
    };
    std::vector<std::string> lines = lines_of(sentence);
    const auto cut = [](const std::vector<std::string>& all) { return !all.empty() && all.back().ends_with("…"); };
    for (std::size_t end = sentence.size(); cut(lines) && end > 0;) {
        end = sentence.find_last_of(".?!", end - 1);
        if (end == std::string_view::npos) break;
        if (end + 1 >= sentence.size() || sentence[end + 1] != ' ') continue;
        if (const std::vector<std::string> shorter = lines_of(sentence.substr(0, end + 1)); !cut(shorter))
            lines = shorter;
    }
    const float pitch = pane.px(18);
    float y = where.y0;
    for (const std::string& line : lines) {
        text_in(pane.brush, Face::body, {where.x0, y, where.x1, y + pitch}, color, line, Align::left);
        y += pitch;
    }
}

}  // namespace

std::string lesson_number(const std::string& name) {
    const std::size_t first = name.find_first_not_of('0');
    const std::size_t end = name.find_first_not_of("0123456789");
    if (end == 0 || first == std::string::npos) return {};
    return name.substr(std::min(first, end), (end == std::string::npos ? name.size() : end) - std::min(first, end));
}

std::string lesson_command(const std::string& name) { return "./lessons/run " + name; }

std::string progress_text(const LessonRow& row) {
    if (row.done) return "done";
    if (row.walked > 0)
        return (row.of > 0 ? std::to_string(row.walked) + " of " + std::to_string(row.of)
                           : std::to_string(row.walked)) +
               " variants to the end";
    return row.opened ? "begun" : "new";
}

bool StartView::move(int by, int count) {
    if (count == 0) return false;
    chosen = chosen < 0 ? (by > 0 ? 0 : count - 1) : std::clamp(chosen + by, 0, count - 1);
    show_chosen_ = true;
    return true;
}

Intent StartView::draw(const Pane& pane, const std::vector<LessonRow>& lessons, const std::string& ladder_source) {
    const Theme& colors = pane.colors();
    const Brush& brush = pane.brush;
    const float width = std::min(pane.px(kWidth), pane.box.width() - pane.px(48));
    const float left = pane.box.center().x - width / 2;
    const float top = pane.box.y0 - pane.scrolled;
    text_in(brush, Face::heading, {left, top + pane.px(18), left + width, top + pane.px(48)}, colors.strong,
            "See what every lane of a warp does", Align::left);
    const auto done =
        static_cast<int>(std::count_if(lessons.begin(), lessons.end(), [](const LessonRow& row) { return row.done; }));
    text_in(brush, Face::body, {left, top + pane.px(48), left + width, top + pane.px(70)}, colors.quiet,
            "One sum, made faster lesson by lesson; then the instructions it is made of, and what is built from it." +
                (done > 0 ? "  ·  " + std::to_string(done) + " of " + std::to_string(lessons.size()) + " done"
                          : std::string()),
            Align::left);
    text_in(brush, Face::caption, {left, top + pane.px(72), left + width, top + pane.px(90)}, colors.quiet,
            "↑ ↓ choose · Enter opens · Esc goes back", Align::left);
    text_in(brush, Face::caption, {left, top + pane.px(92), left + width - pane.px(16), top + pane.px(110)},
            colors.quiet,
            ladder_source.empty()
                ? ""
                : fit_text(pane.look(), Face::caption, "times, and speed-up over the previous lesson: " + ladder_source,
                           width - pane.px(16)),
            Align::left);

    Intent intent;
    const float rail = left + pane.px(22);
    float y = top + pane.px(kStartHead);
    for (std::size_t i = 0; i < lessons.size(); ++i) {
        const LessonRow& row = lessons[i];
        const Rect box{left, y, left + width, y + pane.px(kLessonRow - 6)};
        const Point node{rail, box.center().y};
        // The path between the lessons, lit as far as it was gone.
        if (i + 1 < lessons.size()) {
            const Color path = row.done ? with_alpha(colors.good, 0.7) : colors.line;
            hairline(brush, {rail, node.y + pane.px(17)}, {rail, node.y + pane.px(kLessonRow - 17)}, path, pane.px(2));
        }
        const bool hovered = pane.hovers(box);
        const bool marked = hovered || static_cast<int>(i) == chosen;
        const Rect card{left + pane.px(52), box.y0, box.x1, box.y1};
        if (row.next || marked)
            fill(brush, card, marked ? colors.raised : mix(colors.panel, colors.accent, 0.1), pane.px(8));
        // What Enter opens: the one to continue with, until another is chosen.
        const bool enters = chosen >= 0 ? static_cast<int>(i) == chosen : row.next;
        if (enters) outline(brush, card, with_alpha(colors.accent, 0.7), pane.px(8), pane.px(1.2f));

        const float r = pane.px(15);
        if (row.done) circle(brush, node, r, mix(colors.panel, colors.good, 0.24));
        ring(brush, node, r,
             row.done     ? colors.good
             : row.next   ? colors.accent
             : row.opened ? colors.text
                          : colors.quiet,
             pane.px(1.6f));
        const Rect number{node.x - r, node.y - r, node.x + r, node.y + r};
        if (row.done) tick(brush, node, pane.px(5.5f), colors.good, pane.px(2));
        else text_in(brush, Face::strong, number, row.next ? colors.accent : colors.text, lesson_number(row.name));

        // What is done here: right, with room of its own.
        std::string state = row.here ? "this lesson · " + progress_text(row) : progress_text(row);
        if (!row.answers.empty()) state += (state.empty() ? "" : " · ") + row.answers;
        const std::string way = row.here    ? "go back to it"
                                : row.built ? (row.next ? "next →" : "open →")
                                            : lesson_command(row.name);
        const Face way_face = row.built || row.here ? Face::strong : Face::small;
        const float side = std::max(
            {text_width(pane.look(), Face::caption, state), text_width(pane.look(), way_face, way), pane.px(90)});
        const Rect right{card.x1 - pane.px(16) - side, card.y0 + pane.px(10), card.x1 - pane.px(16),
                         card.y1 - pane.px(10)};
        text_in(brush, Face::caption, {right.x0, right.y0, right.x1, right.y0 + pane.px(20)},
                row.done ? colors.good : colors.quiet, state, Align::right);
        text_in(brush, way_face, {right.x0, right.y1 - pane.px(22), right.x1, right.y1},
                marked || row.next ? colors.accent : colors.quiet, way, Align::right);

        const Rect text_box{card.x0 + pane.px(16), card.y0 + pane.px(3), right.x0 - pane.px(20), card.y1};
        text_in(brush, Face::title, {text_box.x0, text_box.y0, text_box.x1, text_box.y0 + pane.px(21)}, colors.strong,
                fit_text(pane.look(), Face::title, row.title, text_box.width()), Align::left);
        text_in(brush, Face::figure, {text_box.x0, text_box.y0, text_box.x1, text_box.y0 + pane.px(21)}, colors.text,
                row.ladder, Align::right);
        two_lines(pane, {text_box.x0, text_box.y0 + pane.px(20), text_box.x1, text_box.y1}, row.opening, colors.text);
        if (pane.button(box)) intent = {Intent::Kind::lesson, i};
        if (show_chosen_ && static_cast<int>(i) == chosen) pane.keep_in_sight(box.y0 - top, box.y1 - top);
        y += pane.px(kLessonRow);
    }
    show_chosen_ = false;
    if (lessons.empty()) {
        text_in(brush, Face::body, {left, y, left + width, y + pane.px(30)}, colors.text,
                "No lessons were found beside this one; ./lessons/run lists those of a checkout.", Align::left);
        y += pane.px(40);
    }
    pane.content_height(y - top + pane.px(16));
    return intent;
}

}  // namespace lanewise::viz
