#include "viz/views/shell/source_view.hpp"

#include <algorithm>
#include <iterator>

#include "viz/model/result_line.hpp"

namespace lanewise::viz {
namespace {

int lit_line(const RunView* run_view, const Playhead& playhead) {
    return run_view && playhead.step < run_view->outline.steps.size() ? run_view->outline.steps[playhead.step].line : 0;
}

// The lines that findings name, in order.
std::vector<int> found_lines(const RunView* run_view) {
    std::vector<int> lines;
    if (!run_view) return lines;
    for (const FindingNote& finding : run_view->outline.findings) {
        lines.push_back(finding.line);
        lines.push_back(finding.other_line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

}  // namespace

void SourceView::set_source(const std::string& name, const std::string& source) {
    file = name;
    lines_ = read_code(source);
    beyond_ascii.clear();
    for (const std::string* text : {&name, &source})
        std::copy_if(text->begin(), text->end(), std::back_inserter(beyond_ascii),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    shown_line_ = -1;
}

void SourceView::set_problem(int line, const std::string& sentence) {
    problem_line_ = sentence.empty() ? 0 : line;
    problem_ = sentence;
    shown_line_ = -1;
}

void SourceView::draw_title(const Pane& pane, const Rect& where, const RunView* run_view,
                            const Playhead& playhead) const {
    const int lit = problem_line_ > 0 ? problem_line_ : lit_line(run_view, playhead);
    const Rect head = where.inset(pane.px(16), 0);
    text_in(pane.brush, Face::code, head, pane.colors().quiet, file, Align::left);
    if (lit > 0)
        text_in(pane.brush, Face::code, head, problem_line_ > 0 ? pane.colors().warning : pane.colors().accent,
                "line " + std::to_string(lit), Align::right);
}

Intent SourceView::draw(const Pane& body, const RunView* run_view, const Playhead& playhead, Selection& selection) {
    const Theme& colors = body.colors();
    // A line that does not compile comes before the one that ran: the text is no longer that of the run.
    const int lit = problem_line_ > 0 ? problem_line_ : lit_line(run_view, playhead);
    const Color lit_color = problem_line_ > 0 ? colors.warning : colors.accent;
    const Brush& brush = body.brush;
    const float digit = (*body.look().fonts)[Face::code].digit;
    const float left = body.px(12) + digit * 3.5f;
    const float pitch = body.px(18);
    const int columns = static_cast<int>((body.box.width() - left - body.px(14)) / digit);
    const std::vector<int> belonging = run_view ? belonging_.of(*run_view, selection) : std::vector<int>();
    const std::vector<int> found = found_lines(run_view);
    Intent intent;
    float y = body.px(2);
    float lit_y = -1, lit_height = pitch;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        const int number = static_cast<int>(i) + 1;
        const auto pieces = wrap_code(lines_[i].text, columns);
        const auto problem_lines =
            number == problem_line_ ? wrap_code(problem_, columns) : decltype(wrap_code(problem_, columns))();
        const float code_height = pitch * static_cast<float>(pieces.size());
        const float height = code_height + pitch * static_cast<float>(problem_lines.size());
        const float top = body.box.y0 + y - body.scrolled;
        const Rect row{body.box.x0, top, body.box.x1, top + height};
        if (number == lit) {
            lit_y = y;
            lit_height = height;
        }
        if (row.overlaps(body.box)) {
            const bool hovered = body.hovers(row);
            if (number == lit) {
                fill(brush, row, problem_line_ > 0 ? mix(colors.panel, colors.warning, 0.16) : colors.accent_ground);
                fill(brush, {row.x0, row.y0, row.x0 + body.px(3), row.y1}, lit_color);
            } else if (hovered || selection.now.line == number) {
                fill(brush, row, mix(colors.panel, colors.raised, 0.6));
            }
            // The line of a step, or of a word, that is pointed at elsewhere.
            if (std::binary_search(belonging.begin(), belonging.end(), number)) {
                if (number != lit) fill(brush, row, colors.raised);
                fill(brush, {row.x0, row.y0 + body.px(3), row.x0 + body.px(number == lit ? 5 : 3), row.y1 - body.px(3)},
                     colors.accent, body.px(1));
            }
            if (hovered) selection.next.line = number;
            if (std::binary_search(found.begin(), found.end(), number))
                warning_sign(brush, {row.x0 + left - digit * 0.55f, top + pitch / 2}, body.px(5));
            text_in(brush, Face::small, {row.x0, top, row.x0 + left - digit * 1.2f, top + pitch},
                    number == lit ? lit_color : colors.quiet, std::to_string(number), Align::right);
            const float baseline = (pitch - line_height(body.look(), Face::code)) / 2;
            for (std::size_t p = 0; p < pieces.size(); ++p) {
                code_piece(brush, Face::code, {row.x0 + left, top + baseline + pitch * static_cast<float>(p)},
                           lines_[i], pieces[p]);
            }
            for (std::size_t p = 0; p < problem_lines.size(); ++p) {
                const float y0 = top + code_height + pitch * static_cast<float>(p);
                text_in(brush, Face::code, {row.x0 + left, y0, row.x1, y0 + pitch}, colors.warning,
                        std::string_view(problem_).substr(problem_lines[p].begin, problem_lines[p].size), Align::left);
            }
            // A line that ran leads to the next of its steps.
            if (hovered && run_view) {
                const auto& steps = run_view->outline.steps;
                for (std::size_t k = 1; k <= steps.size(); ++k) {
                    const std::size_t step = (playhead.step + k) % steps.size();
                    if (steps[step].line != number) continue;
                    if (body.button(row)) intent = {Intent::Kind::go_to, step};
                    break;
                }
            }
        }
        y += height;
    }
    body.content_height(y + body.px(10));
    const Point size{body.box.width(), body.box.height()};
    if (lit_y >= 0 && (lit != shown_line_ || size.x != shown_in_.x || size.y != shown_in_.y)) {
        body.keep_in_sight(lit_y, lit_y + std::min(lit_height, size.y));
        shown_line_ = lit;
        shown_in_ = size;
    }
    return intent;
}

}  // namespace lanewise::viz
