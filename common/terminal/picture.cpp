// The picture of a Stepper: header, stage, source, formula, timeline, from above; what has no room is left out whole.
#include <algorithm>
#include <cmath>

#include "common/base/element.hpp"
#include "common/shown/lane_facts.hpp"
#include "common/shown/viridis.hpp"
#include "common/shown/warps.hpp"
#include "common/shown/work.hpp"
#include "common/terminal/stepper.hpp"

namespace lanewise::terminal {

namespace {

constexpr int kLeastColumns = 40, kLeastRows = 12;
constexpr int kLabels = 11;   // columns of a row's name

struct Palette {
    Rgb accent, result, warning, quiet, strong, keyword, comment, literal, intrinsic, lit;
};
constexpr Palette kDark{{255, 180, 84}, {125, 219, 122}, {255, 143, 107}, {152, 162, 176}, {243, 245, 248}, {143, 184, 240}, {139, 149, 163}, {214, 168, 232}, {127, 214, 201}, {53, 41, 26}};
constexpr Palette kLight{{146, 72, 0}, {29, 107, 39}, {168, 58, 18}, {86, 96, 109}, {18, 22, 28}, {31, 79, 154}, {86, 96, 109}, {122, 50, 145}, {11, 98, 90}, {255, 233, 204}};

// One line of the stage: a name and a word for each lane.
struct Row {
    enum class Kind { numbers, value, text };
    struct Cell {
        bool has = false;
        bool is_value = false;
        Element type = Element::f32;
        std::uint64_t bits = 0;
        std::string text;
    };
    std::string label;
    Kind kind = Kind::text;
    Style style;
    std::vector<Cell> cells;
};

Rgb ink_on(const Rgb& ground) {
    const double light = 0.2126 * ground[0] + 0.7152 * ground[1] + 0.0722 * ground[2];
    return light > 110 ? Rgb{0, 0, 0} : Rgb{255, 255, 255};
}

}  // namespace

class Picture {
public:
    Picture(const Stepper& stepper, int columns, int rows)
        : s_(stepper), run_(*stepper.run_), steps_(run_.steps), screen_(columns, rows), colors_(stepper.dark_ ? kDark : kLight),
          at_(stepper.playhead_.step) {}

    Screen made() {
        if (screen_.columns() < kLeastColumns || screen_.rows() < kLeastRows) {
            screen_.put(0, 0, fitted("Too small: " + std::to_string(screen_.columns()) + "×" + std::to_string(screen_.rows()) + "; 80×24 is enough.", screen_.columns()));
            if (screen_.rows() > 1) screen_.put(0, 1, fitted(place_words(), screen_.columns()));
            return std::move(screen_);
        }
        if (s_.keys_) {
            draw_keys();
            return std::move(screen_);
        }
        int top = draw_header();
        int bottom = draw_footer();
        if (at_ >= steps_.size()) {
            screen_.put(1, top + 1, "This run recorded no steps.", quiet());
            return std::move(screen_);
        }
        if (!s_.alone_) {
            bottom = draw_formula(bottom);
            const std::vector<Row> rows = stage_rows();
            const int wanted = stage_height(rows), spare = bottom - top - wanted - 1;
            bottom = draw_source(bottom, std::max(spare, 1));   // the line that runs is always there
        }
        draw_stage(top, bottom);
        return std::move(screen_);
    }

private:
    Style ink(const Rgb& color, bool strong = false) const { return {.ink = color, .strong = strong}; }
    Style quiet() const { return {.ink = colors_.quiet, .faint = false}; }

    std::string place_words() const { return "step " + std::to_string(std::min(at_ + 1, steps_.size())) + " of " + std::to_string(steps_.size()); }

    // --- header ---

    int draw_header() {
        const int columns = screen_.columns();
        int x = screen_.put(0, 0, "Lanewise ", ink(colors_.accent, true));
        x = screen_.put(x, 0, fitted(s_.request_.lesson_title, std::max(columns / 4, 8)) + "  ", ink(colors_.strong, true));
        // Tabs around the present one, as many as fit.
        std::size_t first = 0;
        const auto& variants = s_.request_.variants;
        const auto width = [&](std::size_t from) {
            int sum = 0;
            for (std::size_t i = from; i <= s_.variant_; ++i) sum += width_of(variants[i].title) + 3;
            return sum;
        };
        while (first < s_.variant_ && x + width(first) > columns - 3) ++first;
        if (first > 0) x = screen_.put(x, 0, "‹ ", quiet());
        for (std::size_t i = first; i < variants.size(); ++i) {
            const std::string title = " " + variants[i].title + " ";
            if (x + width_of(title) + 2 > columns && i != s_.variant_) {
                screen_.put(std::min(x, columns - 1), 0, "›", quiet());
                break;
            }
            Style style = i == s_.variant_ ? Style{.strong = true, .reversed = true} : quiet();
            x = screen_.put(x, 0, fitted(title, columns - x), style) + 1;
        }
        screen_.put(0, 1, "● ", ink(colors_.result));
        const std::string result = shown::result_words(run_), mistakes = shown::mistakes_found(run_.trace, s_.findings_);
        const bool right = shown::came_out_right(run_) && mistakes.empty();
        std::string told = result.empty() ? mistakes : mistakes.empty() ? result : result + ", but: " + mistakes;
        if (!told.empty()) told = (right ? "✓ " : "! ") + told;
        const std::string origin = run_.origin + (run_.origin.find(run_.trace.header.date) == std::string::npos && !run_.trace.header.date.empty() ? " · " + run_.trace.header.date : "");
        const int room = std::max(columns - 2 - width_of(told) - 2, columns / 3);
        const int end = screen_.put(2, 1, fitted(origin, room), quiet());
        screen_.put_right(end + 1, columns, 1, told, ink(right ? colors_.result : colors_.warning, !right));
        int y = 2;
        for (const std::string& text : {s_.error_, run_.notice})
            if (!text.empty()) screen_.put(0, y++, fitted("! " + text, columns), ink(colors_.warning));
        if (at_ < steps_.size())
            for (const std::size_t i : s_.findings_[at_])
                if (y < 5) screen_.put(0, y++, fitted("! " + shown::finding_words(run_.trace.findings[i]), columns), ink(colors_.warning));
        return y;
    }

    // --- timeline and keys ---

    int draw_footer() {
        const int columns = screen_.columns(), last = screen_.rows() - 1;
        const std::string hints = "Space play  ←→ step  ↑↓ lane  W warp  Tab variant  ? keys  Q end";
        int x = screen_.put(0, last, s_.playhead_.playing ? "▶ " : "  ", ink(colors_.accent, true));
        x = screen_.put(x, last, place_words(), {.strong = true});
        if (s_.playhead_.speed != 1) {
            const int hundredths = static_cast<int>(std::lround(s_.playhead_.speed * 100));
            x = screen_.put(x, last, "  speed " + std::to_string(hundredths / 100) + "." + std::to_string(hundredths / 10 % 10) + "×", quiet());
        }
        screen_.put_right(x + 2, columns, last, hints, quiet());
        if (steps_.size() == 0) return last;
        draw_labels(last - 1);
        draw_bars(last - 2);
        return last - 2;
    }

    Rgb kind_color(steps::StepKind kind) const {
        using steps::StepKind;
        switch (kind) {
            case StepKind::shuffle: case StepKind::reduce: return s_.dark_ ? Rgb{86, 180, 233} : Rgb{0, 114, 178};
            case StepKind::load: case StepKind::store: return s_.dark_ ? Rgb{185, 163, 227} : Rgb{111, 79, 176};
            case StepKind::atomic: return s_.dark_ ? Rgb{230, 194, 41} : Rgb{124, 100, 0};
            case StepKind::vote: case StepKind::active_mask: return s_.dark_ ? Rgb{47, 191, 148} : Rgb{0, 113, 79};
            default: return s_.dark_ ? Rgb{232, 132, 90} : Rgb{185, 71, 0};
        }
    }

    // The steps' names around the present one: "load in │ xor 16 │ xor 8".
    void draw_labels(int y) {
        const int columns = screen_.columns();
        std::size_t first = at_, last = at_;
        int used = width_of(steps_.steps[at_].label) + 2 + 4;
        for (bool grown = true; grown;) {
            grown = false;
            if (last + 1 < steps_.size() && used + width_of(steps_.steps[last + 1].label) + 3 <= columns) used += width_of(steps_.steps[++last].label) + 3, grown = true;
            if (first > 0 && used + width_of(steps_.steps[first - 1].label) + 3 <= columns) used += width_of(steps_.steps[--first].label) + 3, grown = true;
        }
        int x = screen_.put(0, y, first > 0 ? "‹ " : "  ", quiet());
        for (std::size_t k = first; k <= last; ++k) {
            const Rgb color = kind_color(steps_.steps[k].kind);
            Style style = ink(color);
            if (k == at_) style = {.ink = ink_on(color), .ground = color, .strong = true};
            x = screen_.put(x, y, k == at_ ? "[" + steps_.steps[k].label + "]" : steps_.steps[k].label, style);
            if (k < last) x = screen_.put(x, y, k + 1 == at_ || k == at_ ? " " : " · ", quiet());
        }
        if (last + 1 < steps_.size()) screen_.put(columns - 1, y, "›", quiet());
    }

    // How many of the block's lanes work at each step, a sign a step.
    void draw_bars(int y) {
        static constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
        const shown::Work work = shown::work_of(steps_, s_.warp_);
        const int columns = screen_.columns();
        const std::string name = "lanes ";
        int x = screen_.put(0, y, name, quiet());
        const int each = steps_.size() * 3 + name.size() < static_cast<std::size_t>(columns) - 30 ? 3 : 1;
        const auto room = static_cast<std::size_t>(std::max((columns - x - 30) / each, 8));
        const std::size_t first = steps_.size() <= room ? 0 : std::min(at_ > room / 2 ? at_ - room / 2 : 0, steps_.size() - room);
        for (std::size_t k = first; k < std::min(first + room, steps_.size()); ++k) {
            const std::uint32_t lanes = work.steps[k].adding ? work.steps[k].adding : work.steps[k].lanes;
            const auto level = lanes == 0 ? 0 : std::min<std::size_t>(7, lanes * 8 / std::max(work.threads, 1u));
            Style style = ink(work.steps[k].adding ? colors_.result : colors_.quiet, k == at_);
            style.reversed = k == at_;
            for (int i = 0; i < each - (each > 1 ? 1 : 0); ++i) x = screen_.put(x, y, lanes == 0 ? " " : kBars[level], style);
            if (each > 1) ++x;
        }
        const auto& now = work.steps[at_];
        const std::string words = std::to_string(now.adding ? now.adding : now.lanes) + " of " + std::to_string(work.threads) + (now.adding ? " add" : " at work");
        screen_.put_right(x + 1, columns, y, words, quiet());
    }

    // --- formula and source, above the timeline ---

    int draw_formula(int bottom) {
        const int columns = screen_.columns();
        if (s_.lane_ < 0) {
            screen_.put(0, bottom - 1, fitted("↓ looks at a lane", columns), quiet());
            return bottom - 1;
        }
        const std::string formula = steps::formula(steps_, at_, s_.warp_, s_.lane_);
        std::string values;
        for (const shown::ValueRow& row : shown::value_rows(steps_, at_, s_.warp_, s_.lane_)) {
            values += (values.empty() ? "" : "  ") + row.label + (row.word.empty() ? "" : " " + row.word) + " ";
            values += row.is_value ? format_element(row.type, row.bits) + " 0x" + format_bits(row.type, row.bits) : row.text;
        }
        if (steps_.input_count > 0) {
            const steps::Provenance inputs = steps_.provenances[steps_.holding(at_, s_.warp_).inputs[static_cast<std::size_t>(s_.lane_)]];
            values += (values.empty() ? "" : "  ") + shown::inputs_words(inputs, steps_.input_count);
        }
        screen_.put(0, bottom - 2, fitted(formula.empty() ? "lane " + std::to_string(s_.lane_) + ": idle in this step" : formula, columns), ink(colors_.accent));
        screen_.put(0, bottom - 1, fitted(values, columns), {});
        return bottom - 2;
    }

    // The line that runs in the middle of `height` lines.
    int draw_source(int bottom, int height) {
        const int line = steps_.steps[at_].line, total = static_cast<int>(s_.code_.size());
        if (line < 1 || line > total) return bottom;
        const int first = std::clamp(line - height / 2, 1, std::max(1, total - height + 1)), top = bottom - height;
        for (int i = 0; i < height && first + i <= total; ++i) {
            const int number = first + i, y = top + i;
            const bool lit = number == line;
            const shown::CodeLine& code = s_.code_[static_cast<std::size_t>(number - 1)];
            Style ground;
            if (lit) ground.ground = colors_.lit;
            screen_.put(0, y, std::string(static_cast<std::size_t>(screen_.columns()), ' '), ground);
            Style numbered = lit ? ink(colors_.accent, true) : quiet();
            numbered.ground = ground.ground;
            const std::string text = std::to_string(number);
            screen_.put(5 - static_cast<int>(text.size()), y, text, numbered);
            screen_.put(6, y, lit ? "▶" : "│", numbered);
            int x = 8;
            for (const shown::Token& token : code.tokens) {
                Style style = code_style(token.kind);
                style.ground = ground.ground;
                style.strong = lit;
                x = screen_.put(x, y, code.text.substr(token.begin, token.size), style);
            }
        }
        return top;
    }

    Style code_style(shown::TokenKind kind) const {
        switch (kind) {
            case shown::TokenKind::keyword: return ink(colors_.keyword);
            case shown::TokenKind::intrinsic: return ink(colors_.intrinsic);
            case shown::TokenKind::literal: return ink(colors_.literal);
            case shown::TokenKind::comment: return ink(colors_.comment);
            default: return {};
        }
    }

    // --- stage ---

    std::vector<Row> stage_rows() const {
        std::vector<Row> rows;
        if (at_ >= steps_.size()) return rows;
        const int lanes = shown::lanes_of(steps_, s_.warp_);
        const auto room = static_cast<std::size_t>(lanes);
        Row numbers{"lane", Row::Kind::numbers, quiet(), std::vector<Row::Cell>(room)};
        for (int lane = 0; lane < lanes; ++lane) numbers.cells[static_cast<std::size_t>(lane)] = {true, false, Element::f32, 0, std::to_string(lane)};
        rows.push_back(std::move(numbers));
        const steps::WarpStep* part = steps_.steps[at_].find(s_.warp_);
        const auto kind = steps_.steps[at_].kind;
        const bool exchanges = kind == steps::StepKind::shuffle || kind == steps::StepKind::reduce;
        if (!(part && exchanges)) rows.push_back(held("holds", at_ == 0 ? steps::kNoStep : at_ - 1, lanes));
        if (part) {
            add_rows(rows, lanes);
            if (kind == steps::StepKind::shuffle) {
                Row from{"from lane", Row::Kind::text, ink(colors_.accent), std::vector<Row::Cell>(room)};
                for (std::size_t lane = 0; lane < room; ++lane)
                    if (part->lanes[lane].active) from.cells[lane] = {true, false, Element::f32, 0, part->lanes[lane].source < 0 ? "?" : std::to_string(part->lanes[lane].source)};
                rows.insert(rows.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(rows.size())), std::move(from));
            }
        }
        if (!(part && exchanges)) rows.push_back(held("then holds", at_, lanes));
        return rows;
    }

    Row held(const std::string& label, std::size_t k, int lanes) const {
        Row row{label, Row::Kind::value, {}, std::vector<Row::Cell>(static_cast<std::size_t>(lanes))};
        const steps::Holding& holding = steps_.holding(k, s_.warp_);
        for (std::size_t lane = 0; lane < row.cells.size(); ++lane)
            if ((holding.known >> lane) & 1u) row.cells[lane] = {true, true, holding.type, holding.bits[lane], ""};
        return row;
    }

    // What value_rows() tells of each lane, one under the other; words of memory as their places.
    void add_rows(std::vector<Row>& rows, int lanes) const {
        const std::size_t first = rows.size();
        for (int lane = 0; lane < lanes; ++lane) {
            std::size_t at = first;
            for (const shown::ValueRow& told : shown::value_rows(steps_, at_, s_.warp_, lane)) {
                const std::size_t bracket = told.word.find('[');
                if (bracket != std::string::npos) put_cell(rows, at, told.word.substr(0, bracket) + "[ ]", Row::Kind::text, quiet(), lane, lanes, {true, false, Element::f32, 0, told.word.substr(bracket + 1, told.word.size() - bracket - 2)});
                using Role = shown::ValueRow::Role;
                const Style style = told.role == Role::source ? ink(colors_.accent) : told.role == Role::result ? ink(colors_.result) : told.role == Role::warning ? ink(colors_.warning) : Style{};
                const Row::Cell cell = told.is_value ? Row::Cell{true, true, told.type, told.bits, ""} : Row::Cell{true, false, Element::f32, 0, told.text == "undefined" ? "undef" : told.text == "not recorded" ? "·" : told.text};
                put_cell(rows, at, told.label, Row::Kind::value, style, lane, lanes, cell);
            }
        }
    }

    // Into the first row from `at` on of that label; a new one where there is none.
    static void put_cell(std::vector<Row>& rows, std::size_t& at, const std::string& label, Row::Kind kind, const Style& style, int lane, int lanes, Row::Cell cell) {
        std::size_t i = at;
        while (i < rows.size() && rows[i].label != label) ++i;
        if (i == rows.size()) rows.push_back({label, kind, style, std::vector<Row::Cell>(static_cast<std::size_t>(lanes))});
        rows[i].cells[static_cast<std::size_t>(lane)] = std::move(cell);
        at = i + 1;
    }

    // Lanes beside each other, and columns for each: as many lanes as leave every number whole, if they fit below each
    // other; else with fewer digits.
    struct Grid {
        int across = 32;
        int cell = 4;
        int gap = 0;   // lines between groups of lanes
    };
    Grid grid_of(const std::vector<Row>& rows, int height) const {
        int longest = 2;
        for (const Row& row : rows)
            for (const Row::Cell& each : row.cells)
                if (each.has) longest = std::max(longest, width_of(each.is_value ? format_element(each.type, each.bits) : each.text));
        const int lanes = rows.empty() ? 32 : static_cast<int>(rows.front().cells.size()), columns = screen_.columns() - kLabels;
        Grid best{};
        bool found = false;
        for (int across = 32; across >= 4; across /= 2) {
            const int cell = std::min(columns / std::min(across, std::max(lanes, 1)), 12), groups = (lanes + across - 1) / across;
            const int lines = groups * static_cast<int>(rows.size());
            if (cell < 3 || (lines > height && found)) continue;
            if (lines > height) break;
            best = {across, cell, lines + groups - 1 <= height ? 1 : 0};
            found = true;
            if (cell > longest) break;
        }
        if (!found) best = {16, std::max(columns / 16, 3), 0};
        return best;
    }

    int stage_height(const std::vector<Row>& rows) const {
        const Grid grid = grid_of(rows, screen_.rows() - 9);
        const int lanes = rows.empty() ? 0 : static_cast<int>(rows.front().cells.size()), groups = (lanes + grid.across - 1) / grid.across;
        return 1 + groups * (static_cast<int>(rows.size()) + grid.gap);
    }

    void draw_stage(int top, int bottom) {
        const steps::Step& step = steps_.steps[at_];
        const steps::WarpStep* part = step.find(s_.warp_);
        const std::uint32_t active = shown::active_lanes(steps_, part);
        int lanes_at_work = 0;
        for (int lane = 0; lane < 32; ++lane) lanes_at_work += (active >> lane) & 1u;
        int x = screen_.put(0, top, shown::warp_name(steps_, s_.warp_), {.strong = true});
        x = screen_.put(x, top, "  " + step.label, ink(kind_color(step.kind), true));
        screen_.put(x, top, part ? "  " + std::to_string(lanes_at_work) + (lanes_at_work == 1 ? " lane at work" : " lanes at work") : "  has no part in this step", quiet());
        const std::string source = "line " + std::to_string(step.line);
        screen_.put_right(x + 24, screen_.columns(), top, source, ink(colors_.accent));
        std::vector<Row> rows = stage_rows();
        const int height = bottom - top - 1;
        // Where it is tight, what a lane held goes first, then what it holds then: what it reads and writes stays.
        for (const char* spare : {"holds", "then holds"}) {
            const Grid tight = grid_of(rows, height);
            const int all = static_cast<int>(rows.front().cells.size()), need = (all + tight.across - 1) / tight.across * static_cast<int>(rows.size());
            if (need > height && rows.size() > 4) std::erase_if(rows, [&](const Row& row) { return row.label == spare; });
        }
        const Grid grid = grid_of(rows, height);
        const int lanes = static_cast<int>(rows.front().cells.size());
        const int source_lane = part && s_.lane_ >= 0 && step.kind == steps::StepKind::shuffle ? part->lanes[static_cast<std::size_t>(s_.lane_)].source : -1;
        const int across = std::min(grid.across, lanes);
        // The group that is looked at comes into sight where not all fit.
        const int groups = (lanes + across - 1) / across, lines = static_cast<int>(rows.size()) + grid.gap, fit = std::max(1, (height + grid.gap) / std::max(lines, 1));
        int first_group = 0;
        if (groups > fit && s_.lane_ >= 0) first_group = std::clamp(s_.lane_ / across, 0, groups - fit);
        int y = top + 1;
        for (int group = first_group; group < groups; ++group) {
            for (const Row& row : rows) {
                if (y >= bottom) return;
                screen_.put(0, y, fitted_label(row.label), quiet());
                for (int i = 0; i < across && group * across + i < lanes; ++i) {
                    const int lane = group * across + i;
                    const bool is_source = lane == source_lane && (row.label == "before" || row.kind == Row::Kind::numbers);
                    draw_cell(row, lane, kLabels + i * grid.cell, y, grid.cell, is_source, part && !((active >> lane) & 1u));
                }
                ++y;
            }
            y += grid.gap;
        }
    }

    // "warp_su…[ ]": what it is must stay.
    static std::string fitted_label(const std::string& label) {
        const bool word = label.ends_with("[ ]");
        return word ? fitted(label.substr(0, label.size() - 3), kLabels - 4) + "[ ]" : fitted(label, kLabels - 1);
    }

    void draw_cell(const Row& row, int lane, int x, int y, int width, bool is_source, bool idle) {
        const Row::Cell& cell = row.cells[static_cast<std::size_t>(lane)];
        const bool looked_at = lane == s_.lane_;
        // A sign marks the lane, and the lane it reads: colour is not the only one.
        if (looked_at) screen_.put(x, y, "▸", ink(colors_.accent, true));
        else if (is_source) screen_.put(x, y, "•", ink(colors_.accent, true));
        if (!cell.has) {
            if (row.kind == Row::Kind::value) screen_.put_right(x + 1, x + width, y, "·", quiet());
            return;
        }
        const std::string text = cell.is_value ? format_element(cell.type, cell.bits, width - 1) : fitted(cell.text, width - 1);
        Style style = row.style;
        if (cell.is_value) {
            const Rgb ground = shown::viridis(0.06 + 0.94 * scale().place(element_to_double(cell.type, cell.bits)));
            style = {.ink = ink_on(ground), .ground = ground};
            screen_.put(x + 1, y, std::string(static_cast<std::size_t>(width - 1), ' '), style);
        }
        style.strong = looked_at || is_source;
        style.faint = idle && !cell.is_value;
        screen_.put_right(x + 1, x + width, y, text, style);
    }

    const shown::ValueScale& scale() const {
        const auto& warps = steps_.warps;
        const auto at = static_cast<std::size_t>(std::find(warps.begin(), warps.end(), s_.warp_) - warps.begin());
        return s_.scales_.at(at < s_.scales_.size() ? at : 0);
    }

    // --- keys ---

    void draw_keys() {
        const auto rows = lesson::key_rows(lesson::Surface::terminal);
        screen_.put(2, 0, "Keys", {.strong = true});
        int y = 2;
        const int columns = static_cast<int>(rows.size()) + 3 > screen_.rows() ? 2 : 1, wide = screen_.columns() / columns;
        const int half = (static_cast<int>(rows.size()) + columns - 1) / columns;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const int x = 2 + static_cast<int>(i) / half * wide, line = y + static_cast<int>(i) % half;
            screen_.put(x, line, rows[i].first, ink(colors_.accent));
            screen_.put(x + 11, line, fitted(rows[i].second, wide - 14), {});
        }
    }

    const Stepper& s_;
    const lesson::Run& run_;
    const steps::Steps& steps_;
    Screen screen_;
    const Palette& colors_;
    std::size_t at_;
};

Screen Stepper::draw(int columns, int rows) const { return Picture(*this, columns, rows).made(); }

}  // namespace lanewise::terminal
