// The picture of a Stepper: header, stage, source, formula, timeline, from above; what has no room is left out whole.
#include <algorithm>
#include <cmath>

#include "common/base/element.hpp"
#include "common/scene/held.hpp"
#include "common/scene/lane_facts.hpp"
#include "common/scene/outline.hpp"
#include "common/scene/utilization.hpp"
#include "common/terminal/palette.hpp"
#include "common/terminal/stage_picture.hpp"
#include "common/terminal/stage_rows.hpp"
#include "common/terminal/stepper.hpp"

namespace lanewise::terminal {

namespace {

constexpr int kLeastColumns = 40, kLeastRows = 12;

}  // namespace

class Picture {
public:
    Picture(const Stepper& stepper, int columns, int rows)
        : s_(stepper),
          run_(stepper.outline_),
          steps_(scene::steps_of(*stepper.run_)),
          screen_(columns, rows),
          colors_(palette(stepper.dark_)),
          at_(stepper.playhead_.step) {}

    Screen made() {
        if (screen_.columns() < kLeastColumns || screen_.rows() < kLeastRows) {
            screen_.put(0, 0,
                        fitted("Too small: " + std::to_string(screen_.columns()) + "×" +
                                   std::to_string(screen_.rows()) + "; 80×24 is enough.",
                               screen_.columns()));
            if (screen_.rows() > 1) screen_.put(0, 1, fitted(place_text(), screen_.columns()));
            return std::move(screen_);
        }
        if (s_.keys_) {
            draw_keys();
            return std::move(screen_);
        }
        int top = draw_header();
        int bottom = draw_footer();
        if (at_ >= run_.steps.size()) {
            screen_.put(1, top + 1, "This run recorded no steps.", colors_.quietly());
            int row = top + 3;
            for (const auto& finding : run_.findings)
                for (const std::string& line : wrapped("! " + finding.text, screen_.columns() - 2, 6))
                    if (row < bottom) screen_.put(1, row++, line, ink(colors_.warning));
            return std::move(screen_);
        }
        if (!s_.alone_) {
            bottom = draw_formula(bottom);
            const int wanted = stage_height(stage_rows(steps_, at_, s_.warp_), screen_.columns(), screen_.rows()),
                      spare = bottom - top - wanted - 1;
            bottom = draw_source(bottom, std::max(spare, 1));   // the line that runs is always there
        }
        draw_stage(screen_, {steps_, run_, at_, s_.warp_, s_.lane_, scale(), colors_}, top, bottom);
        return std::move(screen_);
    }

private:
    std::string place_text() const {
        return "step " + std::to_string(std::min(at_ + 1, run_.steps.size())) + " of " +
               std::to_string(run_.steps.size());
    }

    // --- header ---

    int draw_header() {
        const int columns = screen_.columns();
        int x = screen_.put(0, 0, "Lanewise ", ink(colors_.accent, true));
        x = screen_.put(x, 0, fitted(s_.request_.lesson_title, std::max(columns / 4, 8)) + "  ",
                        ink(colors_.strong, true));
        // Tabs around the present one, as many as fit.
        std::size_t first = 0;
        const auto& variants = s_.request_.variants;
        const auto width = [&](std::size_t from) {
            int sum = 0;
            for (std::size_t i = from; i <= s_.variant_; ++i) sum += width_of(variants[i].title) + 3;
            return sum;
        };
        while (first < s_.variant_ && x + width(first) > columns - 3) ++first;
        if (first > 0) x = screen_.put(x, 0, "‹ ", colors_.quietly());
        for (std::size_t i = first; i < variants.size(); ++i) {
            const std::string title = " " + variants[i].title + " ";
            if (x + width_of(title) + 2 > columns && i != s_.variant_) {
                screen_.put(std::min(x, columns - 1), 0, "›", colors_.quietly());
                break;
            }
            Style style = i == s_.variant_ ? Style{.strong = true, .reversed = true} : colors_.quietly();
            x = screen_.put(x, 0, fitted(title, columns - x), style) + 1;
        }
        screen_.put(0, 1, "● ", ink(colors_.result));
        const std::string &result = run_.result, &mistakes = run_.mistakes;
        const bool right = run_.right && mistakes.empty();
        std::string outcome = result.empty() ? mistakes : mistakes.empty() ? result : result + ", but: " + mistakes;
        if (!outcome.empty()) outcome = (right ? "✓ " : "! ") + outcome;
        const std::string origin = run_.origin +
                                   (run_.origin.find(run_.date) == std::string::npos && !run_.date.empty()
                                        ? " · " + run_.date
                                        : "");
        const int room = std::max(columns - 2 - width_of(outcome) - 2, columns / 3);
        const int end = screen_.put(2, 1, fitted(origin, room), colors_.quietly());
        screen_.put_right(end + 1, columns, 1, outcome, ink(right ? colors_.result : colors_.warning, !right));
        int y = 2;
        if (!run_.note.empty()) screen_.put(0, y++, fitted(run_.note, columns), colors_.quietly());
        if (s_.typing_)
            screen_.put(0, y++,
                        fitted("change: " + s_.typed_ + "▏  such as n 33 · Enter runs it · Esc leaves", columns),
                        ink(colors_.accent, true));
        const std::size_t lines = screen_.rows() >= 24 ? 3 : 1;   // of a sentence, where they are there
        for (const std::string& text : {s_.error_, run_.notice}) {
            if (text.empty()) continue;
            for (const std::string& line : wrapped("! " + text, columns, lines))
                screen_.put(0, y++, line, ink(colors_.warning));
        }
        if (at_ < run_.steps.size()) {
            // Of several, each has one line.
            const auto& found = run_.findings_at[at_];
            const std::size_t most = found.size() == 1 ? lines : 1;
            for (const std::size_t i : found)
                for (const std::string& line : wrapped("! " + run_.findings[i].text, columns, most))
                    if (y < 5) screen_.put(0, y++, line, ink(colors_.warning));
        }
        return y;
    }

    // --- timeline and keys ---

    int draw_footer() {
        const int columns = screen_.columns(), last = screen_.rows() - 1;
        int x = screen_.put(0, last, s_.playhead_.playing ? "▶ " : "  ", ink(colors_.accent, true));
        x = screen_.put(x, last, place_text(), {.strong = true});
        if (s_.playhead_.speed != 1) {
            const int hundredths = static_cast<int>(std::lround(s_.playhead_.speed * 100));
            x = screen_.put(
                x, last,
                "  speed " + std::to_string(hundredths / 100) + "." + std::to_string(hundredths / 10 % 10) + "×",
                colors_.quietly());
        }
        // As many as fit; the last two always.
        std::vector<std::string> hints = {"Space play",  "←→ step", "↑↓ lane", "W warp",
                                          "Tab variant", "? keys",  "Q quit"};
        const auto joined = [&] {
            std::string all;
            for (const std::string& hint : hints) all += (all.empty() ? "" : "  ") + hint;
            return all;
        };
        while (hints.size() > 2 && width_of(joined()) > columns - x - 2) hints.erase(hints.end() - 3);
        screen_.put_right(x + 2, columns, last, joined(), colors_.quietly());
        if (run_.steps.size() == 0) return last;
        draw_labels(last - 1);
        draw_bars(last - 2);
        return last - 2;
    }

    // The steps' names around the present one: "load in │ xor 16 │ xor 8".
    void draw_labels(int y) {
        const int columns = screen_.columns();
        std::size_t first = at_, last = at_;
        int used = width_of(run_.steps[at_].label) + 2 + 4;
        for (bool grown = true; grown;) {
            grown = false;
            if (last + 1 < run_.steps.size() && used + width_of(run_.steps[last + 1].label) + 3 <= columns)
                used += width_of(run_.steps[++last].label) + 3, grown = true;
            if (first > 0 && used + width_of(run_.steps[first - 1].label) + 3 <= columns)
                used += width_of(run_.steps[--first].label) + 3, grown = true;
        }
        int x = screen_.put(0, y, first > 0 ? "‹ " : "  ", colors_.quietly());
        for (std::size_t k = first; k <= last; ++k) {
            const Rgb color = colors_.of_step(run_.steps[k].kind);
            Style style = ink(color);
            if (k == at_) style = {.ink = ink_on(color), .ground = color, .strong = true};
            x = screen_.put(x, y, k == at_ ? "[" + run_.steps[k].label + "]" : run_.steps[k].label, style);
            if (k < last) x = screen_.put(x, y, k + 1 == at_ || k == at_ ? " " : " · ", colors_.quietly());
        }
        if (last + 1 < run_.steps.size()) screen_.put(columns - 1, y, "›", colors_.quietly());
    }

    // How many of the block's lanes work at each step, a sign a step.
    void draw_bars(int y) {
        static constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
        const scene::Utilization work = scene::utilization_of(steps_, s_.warp_);
        const int columns = screen_.columns();
        const std::string name = "lanes ";
        int x = screen_.put(0, y, name, colors_.quietly());
        const int each = run_.steps.size() * 3 + name.size() < static_cast<std::size_t>(columns) - 30 ? 3 : 1;
        const auto room = static_cast<std::size_t>(std::max((columns - x - 30) / each, 8));
        const std::size_t first =
            run_.steps.size() <= room ? 0 : std::min(at_ > room / 2 ? at_ - room / 2 : 0, run_.steps.size() - room);
        for (std::size_t k = first; k < std::min(first + room, run_.steps.size()); ++k) {
            const std::uint32_t lanes = work.steps[k].adding ? work.steps[k].adding : work.steps[k].lanes;
            const auto level = lanes == 0 ? 0 : std::min<std::size_t>(7, lanes * 8 / std::max(work.threads, 1u));
            Style style = ink(work.steps[k].adding ? colors_.result : colors_.quiet, k == at_);
            style.reversed = k == at_;
            for (int i = 0; i < each - (each > 1 ? 1 : 0); ++i)
                x = screen_.put(x, y, lanes == 0 ? " " : kBars[level], style);
            if (each > 1) ++x;
        }
        const std::string text = scene::work_text(run_.steps[at_].kind, work.steps[at_], work.threads);
        screen_.put_right(x + 1, columns, y, text, colors_.quietly());
    }

    // --- formula and source, above the timeline ---

    int draw_formula(int bottom) {
        const int columns = screen_.columns();
        if (s_.lane_ < 0) {
            screen_.put(0, bottom - 1, fitted("↓ looks at a lane", columns), colors_.quietly());
            return bottom - 1;
        }
        const std::string formula = scene::formula_line(steps_, at_, s_.warp_, s_.lane_);
        std::string values;
        for (const scene::ValueRow& row : scene::value_rows(steps_, at_, s_.warp_, s_.lane_)) {
            values += (values.empty() ? "" : "  ") + row.label + (row.word.empty() ? "" : " " + row.word) + " ";
            values +=
                row.is_value ? format_element(row.type, row.bits) + " 0x" + format_bits(row.type, row.bits) : row.text;
        }
        if (const std::string inputs = scene::inputs_held(steps_, at_, s_.warp_, s_.lane_).text; !inputs.empty())
            values += (values.empty() ? "" : "  ") + inputs;
        const std::size_t most = screen_.rows() >= 24 ? 2 : 1;
        const auto lane_lines = wrapped(
            formula.empty() ? "lane " + std::to_string(s_.lane_) + ": idle in this step" : formula, columns, most);
        const auto held = wrapped(values, columns, most);
        int y = bottom - static_cast<int>(lane_lines.size() + std::max<std::size_t>(held.size(), 1));
        const int top = y;
        for (const std::string& line : lane_lines) screen_.put(0, y++, line, ink(colors_.accent));
        for (const std::string& line : held) screen_.put(0, y++, line, {});
        return top;
    }

    // The line that runs in the middle of `height` lines.
    int draw_source(int bottom, int height) {
        const int line = run_.steps[at_].line, total = static_cast<int>(s_.code_.size());
        if (line < 1 || line > total) return bottom;
        const int first = std::clamp(line - height / 2, 1, std::max(1, total - height + 1)), top = bottom - height;
        for (int i = 0; i < height && first + i <= total; ++i) {
            const int number = first + i, y = top + i;
            const bool lit = number == line;
            const scene::CodeLine& code = s_.code_[static_cast<std::size_t>(number - 1)];
            Style ground;
            if (lit) ground.ground = colors_.lit;
            screen_.put(0, y, std::string(static_cast<std::size_t>(screen_.columns()), ' '), ground);
            Style numbered = lit ? ink(colors_.accent, true) : colors_.quietly();
            numbered.ground = ground.ground;
            const std::string text = std::to_string(number);
            screen_.put(5 - static_cast<int>(text.size()), y, text, numbered);
            screen_.put(6, y, lit ? "▶" : "│", numbered);
            int x = 8;
            for (const scene::Token& token : code.tokens) {
                Style style = colors_.of_code(token.kind);
                style.ground = ground.ground;
                style.strong = lit;
                x = screen_.put(x, y, code.text.substr(token.begin, token.size), style);
            }
        }
        return top;
    }

    const scene::ValueScale& scale() const {
        const auto& warps = run_.warps;
        const auto at = static_cast<std::size_t>(std::find(warps.begin(), warps.end(), s_.warp_) - warps.begin());
        return s_.scales_.at(at < s_.scales_.size() ? at : 0);
    }

    // --- keys ---

    void draw_keys() {
        const auto rows = player::key_rows(player::Surface::terminal);
        screen_.put(2, 0, "Keys", {.strong = true});
        int y = 2;
        const int columns = static_cast<int>(rows.size()) + 3 > screen_.rows() ? 2 : 1,
                  wide = screen_.columns() / columns;
        const int half = (static_cast<int>(rows.size()) + columns - 1) / columns;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const int x = 2 + static_cast<int>(i) / half * wide, line = y + static_cast<int>(i) % half;
            screen_.put(x, line, rows[i].first, ink(colors_.accent));
            screen_.put(x + 11, line, fitted(rows[i].second, wide - 14), {});
        }
        // What this picture lacks, and how to have it.
        y = std::min(y + half + 1, screen_.rows() - 3);
        for (const char* text : {"Not here: memory, comparison, summation tree, boxes, rounding, table, times.",
                                 "--text --compare A,B, --tree, --boxes, --rounding, --table and --time do;",
                                 "memory is in the window and on the page of --export FILE.html."})
            screen_.put(2, y++, fitted(text, screen_.columns() - 3), colors_.quietly());
    }

    const Stepper& s_;
    const scene::Outline& run_;
    const steps::Steps& steps_;
    Screen screen_;
    const Palette& colors_;
    std::size_t at_;
};

Screen Stepper::draw(int columns, int rows) const { return Picture(*this, columns, rows).made(); }

}  // namespace lanewise::terminal
