#include "viz/views/shell/text_view.hpp"

#include <algorithm>

#include "common/base/error.hpp"
#include "viz/views/shell/styled_text.hpp"
#include "viz/widgets/code_text.hpp"

namespace lanewise::viz {
namespace {

std::string plain(const std::vector<Span>& spans) {
    std::string all;
    for (const Span& span : spans) all += span.text;
    return all;
}

}  // namespace

void TextView::set_text(const std::string& markdown) {
    blocks_ = read_markdown(markdown);
    links_.clear();
    places_.clear();
    commands_.clear();
    targets_.clear();
    chosen_ = first_seen_ = last_seen_ = -1;
    const auto note = [&](const std::vector<Span>& spans) {
        for (const Span& span : spans) {
            if (span.link.empty()) continue;
            try {
                if (!places_.contains(span.link)) {
                    links_.push_back(player::parse_link(span.link));
                    places_[span.link] = links_.size() - 1;
                }
                targets_.push_back({Intent::Kind::link, places_[span.link]});
            } catch (const Error&) {
                // A page or a file elsewhere: shown as a link that the window does not follow.
            }
        }
    };
    for (const TextBlock& block : blocks_) {
        note(block.spans);
        for (const auto& cell : block.cells) note(cell);
        if (block.kind != BlockKind::code) continue;
        targets_.push_back({Intent::Kind::copy_text, commands_.size()});
        commands_.push_back(plain(block.spans));
        while (commands_.back().ends_with('\n')) commands_.back().pop_back();
    }
}

std::size_t TextView::targets_in(const TextBlock& block) const {
    if (block.kind == BlockKind::code) return 1;
    std::size_t count = 0;
    const auto links_in = [&](const std::vector<Span>& spans) {
        for (const Span& span : spans) count += places_.contains(span.link) ? 1 : 0;
    };
    links_in(block.spans);
    for (const auto& cell : block.cells) links_in(cell);
    return count;
}

void TextView::choose_target(bool forward) {
    const auto count = static_cast<int>(targets_.size());
    if (count == 0) return;
    // Where one was read on since, from what is in sight.
    const bool away = !show_chosen_ && first_seen_ >= 0 && (chosen_ < first_seen_ || chosen_ > last_seen_);
    chosen_ = away          ? (forward ? first_seen_ : last_seen_)
              : chosen_ < 0 ? (forward ? 0 : count - 1)
                            : (chosen_ + (forward ? 1 : count - 1)) % count;
    show_chosen_ = true;
}

Intent TextView::of_target() const {
    return chosen_ >= 0 ? targets_[static_cast<std::size_t>(chosen_)] : Intent{};
}

Intent TextView::draw(const Pane& pane) {
    const Theme& colors = pane.colors();
    Intent intent;
    const float left = pane.box.x0 + pane.px(18);
    const float width = pane.box.width() - pane.px(36);
    // The place that was read is kept while the text is covered.
    float down = pane.scrolled;
    if (covered != was_covered_) {
        if (covered) read_to_ = pane.scrolled;
        down = covered ? 0 : read_to_;
        ImGui::SetScrollY(down);
        was_covered_ = covered;
    }
    const float top = pane.box.y0 - down;
    float y = top + pane.px(14);
    hovered_term_.clear();
    int target = 0;   // links and commands so far
    std::size_t command = 0;
    first_seen_ = last_seen_ = -1;
    const auto mark = [&](const Rect& box) {
        if (box.y0 >= pane.box.y0 && box.y1 <= pane.box.y1) {
            if (first_seen_ < 0) first_seen_ = target;
            last_seen_ = target;
        }
        if (target++ != chosen_ || !show_chosen_ || box.empty()) return;
        pane.keep_in_sight(box.y0 - top, box.y1 - top);
        show_chosen_ = false;
    };
    const auto flow = [&](const std::vector<Span>& spans, Face face, Color color, float indent, float leading,
                          float room) {
        Flow lines(pane, face, color, left + indent, y, room - indent, leading);
        for (const Span& span : spans) {
            const bool leads = places_.contains(span.link);
            const std::string clicked = lines.add(span, leads && target == chosen_);
            if (const auto at = places_.find(clicked); at != places_.end()) intent = {Intent::Kind::link, at->second};
            if (leads) mark(lines.target);
            if (const auto at = places_.find(lines.hovered); at != places_.end())
                hovered_term_ = links_[at->second].term;
        }
        return lines.bottom();
    };
    if (covered) {
        Span why;
        why.text = "The text may give the answer: it is back when you have answered.";
        y = flow({why}, Face::body, colors.quiet, 0, 1.52f, width);
    }
    bool predictions = false;
    std::vector<float> columns;   // of the table that is drawn
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const TextBlock& block = blocks_[b];
        if (block.kind == BlockKind::heading && block.level <= 2) predictions = plain(block.spans) == "Predict";
        if (covered && !predictions) {
            target += static_cast<int>(targets_in(block));
            command += block.kind == BlockKind::code ? 1 : 0;
            continue;
        }
        const float quote = block.quoted ? pane.px(14) : 0;
        const float began = y;
        switch (block.kind) {
            case BlockKind::heading:
                if (b > 0) y += pane.px(block.level == 1 ? 18 : 12);
                y = flow(block.spans, block.level == 1 ? Face::heading : Face::title,
                         block.level == 1 ? colors.strong : colors.accent, quote, 1.4f, width) + pane.px(6);
                break;
            case BlockKind::paragraph:
                y = flow(block.spans, Face::body, colors.text, quote, 1.52f, width) + pane.px(9);
                break;
            case BlockKind::item: {
                const float indent = quote + pane.px(18.0f * static_cast<float>(block.level + 1));
                const float line = (*pane.look().fonts)[Face::body].em * 1.52f;
                const std::string bullet = block.number > 0 ? std::to_string(block.number) + "." : "•";
                text_in(pane.brush, Face::body, {left + indent - pane.px(18), y, left + indent, y + line}, colors.quiet,
                        bullet, Align::left);
                y = flow(block.spans, Face::body, colors.text, indent, 1.52f, width) + pane.px(4);
                const bool last = b + 1 == blocks_.size() || blocks_[b + 1].kind != BlockKind::item;
                if (last) y += pane.px(5);
                break;
            }
            case BlockKind::code: {
                // A command that is cut off cannot be typed: long lines continue below, indented.
                const std::string code = plain(block.spans);
                const float pitch = pane.px(17);
                const int columns = static_cast<int>((width - pane.px(18)) / (*pane.look().fonts)[Face::small].digit);
                std::vector<std::pair<std::string_view, CodePiece>> lines;
                for (std::string_view rest = code; !rest.empty();) {
                    const std::size_t end = std::min(rest.find('\n'), rest.size());
                    const std::string_view line = rest.substr(0, end);
                    for (const CodePiece& piece : wrap_code(line, columns)) lines.emplace_back(line, piece);
                    rest.remove_prefix(std::min(end + 1, rest.size()));
                }
                const Rect box{left, y, left + width, y + pitch * static_cast<float>(lines.size()) + pane.px(14)};
                fill(pane.brush, box, colors.raised, pane.px(5));
                if (target == chosen_) outline(pane.brush, box, colors.focus, pane.px(5), pane.px(1.5f));
                mark(box);
                if (pane.hovers(box)) hint_card(pane.look(), "click, or J and Enter: copy");
                if (pane.button(box)) intent = {Intent::Kind::copy_text, command};
                ++command;
                Rect row{box.x0 + pane.px(10), y + pane.px(7), box.x1 - pane.px(6), y + pane.px(7) + pitch};
                for (const auto& [line, piece] : lines) {
                    Rect text_box = row;
                    text_box.x0 += static_cast<float>(piece.indent) * (*pane.look().fonts)[Face::small].digit;
                    const std::string_view part = line.substr(piece.begin, piece.size);
                    text_in(pane.brush, Face::small, text_box, colors.text,
                            fit_text(pane.look(), Face::small, part, text_box.width()), Align::left);
                    row = row.moved(0, pitch);
                }
                y = box.y1 + pane.px(10);
                break;
            }
            case BlockKind::rule:
                hairline(pane.brush, {left, y + pane.px(6)}, {left + width, y + pane.px(6)}, colors.line);
                y += pane.px(14);
                break;
            case BlockKind::table_row: {
                if (b == 0 || blocks_[b - 1].kind != BlockKind::table_row) {
                    const auto end = std::find_if(blocks_.begin() + static_cast<std::ptrdiff_t>(b), blocks_.end(),
                                                  [](const auto& each) { return each.kind != BlockKind::table_row; });
                    columns = column_widths(pane, {blocks_.begin() + static_cast<std::ptrdiff_t>(b), end}, width);
                }
                float bottom = y, indent = 0;
                for (std::size_t c = 0; c < block.cells.size(); ++c) {
                    bottom = std::max(bottom, flow(block.cells[c], block.header ? Face::strong : Face::body,
                                                   block.header ? colors.strong : colors.text, indent, 1.4f,
                                                   indent + columns[c] - column_gap(pane)));
                    indent += columns[c];
                }
                y = bottom + pane.px(4);
                hairline(pane.brush, {left, y - pane.px(2)}, {left + width, y - pane.px(2)}, colors.line);
                if (b + 1 == blocks_.size() || blocks_[b + 1].kind != BlockKind::table_row) y += pane.px(8);
                break;
            }
        }
        if (block.quoted) fill(pane.brush, {left, began, left + pane.px(3), y - pane.px(6)}, colors.accent);
    }
    if (!next_lesson.empty() && !covered) {
        y += pane.px(12);
        const Rect box{left, y, left + width, y + pane.px(54)};
        fill(pane.brush, box, mix(colors.panel, colors.accent, pane.hovers(box) ? 0.3 : 0.16), pane.px(8));
        const Rect text_box{box.x0 + pane.px(14), box.y0, box.x1 - pane.px(30), box.y1};
        key_hint(pane.brush, {text_box.x0, box.y0 + pane.px(7)}, "N", "next lesson");
        text_in(pane.brush, Face::strong, {text_box.x0, box.y0 + pane.px(24), text_box.x1, box.y1 - pane.px(7)},
                colors.strong, fit_text(pane.look(), Face::strong, next_lesson, text_box.width()), Align::left);
        text_in(pane.brush, Face::title, {text_box.x1, box.y0, box.x1 - pane.px(12), box.y1}, colors.accent, "→",
                Align::right);
        if (pane.button(box)) intent = {Intent::Kind::next_lesson, 0};
        y = box.y1;
    }
    height = y - top + pane.px(16);
    scrolled = pane.scrolled;
    pane.content_height(height);
    return intent;
}

}  // namespace lanewise::viz
