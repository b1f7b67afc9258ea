// What stands around the panels of a comparison: what it comes to, in a sentence, and the sources with the lines that
// differ.
#include <algorithm>

#include "common/timing/times_text.hpp"
#include "viz/views/compare/compare_view.hpp"

namespace lanewise::viz {
namespace {

using Kind = Intent::Kind;

// Widths at scale 1.
constexpr float kTextWidth = 0.172f, kLeastText = 236, kMostText = 400;
constexpr float kSourceWidth = 0.22f, kLeastSource = 300, kMostSource = 470;
// Sources that were not asked for leave this much to the panels: values of four digits are then apart.
constexpr float kRoomForPanels = 1440;
// Lower than this at scale 1 only what differs is shown; the pointer shows all of it.
constexpr float kLowWindow = 420;
// Narrower than this either the text or the sources are drawn next to the panels.
constexpr float kBoth = 1120;
constexpr float kButtons = 190, kKeys = 100;   // width of both buttons; of keys alone

// A key and what it shows; lit while that is in sight.
bool panel_button(const Pane& pane, const Rect& box, const char* key, const char* what, bool on) {
    if (pane.hovers(box)) hint_card(pane.look(), std::string(key) + ": " + what);
    if (pane.hovers(box) || on) fill(pane.brush, box, pane.colors().raised, pane.px(5));
    key_hint(pane.brush, {box.x0 + pane.px(6), box.center().y - pane.px(8.5f)}, key,
             box.width() > pane.px(40) ? what : "");
    if (on)
        fill(pane.brush, {box.x0 + pane.px(6), box.y1 - pane.px(2), box.x1 - pane.px(6), box.y1}, pane.colors().accent);
    return pane.button(box);
}

std::string second_line(const ComparisonSentence& sentence) {
    return (sentence.equal.empty() ? "" : "Equal: " + sentence.equal + ". ") + sentence.input;
}

}  // namespace

const ComparisonSentence& CompareView::sentence_of(const std::vector<CompareSide>& shown,
                                                   const timing::TimingTable& times) {
    std::vector<const run::Run*> runs;
    std::vector<ComparedRun> compared;
    for (const CompareSide& side : shown) {
        runs.push_back(side.run_view->run.get());
        compared.push_back({side.name, runs.back(), side.title});
    }
    const std::string from = timing::times_from(times) + std::to_string(times.rows.size());
    if (runs != sentence_runs_ || from != sentence_times_) {
        sentence_ = comparison_sentence(compared, times);
        sentence_runs_ = runs;
        sentence_times_ = from;
    }
    return sentence_;
}

void CompareView::toggle_text() {
    show_text = !show_text;
    if (show_text && places_.narrow) show_sources = false;
}

void CompareView::toggle_sources() {
    show_sources = !sources_shown();
    if (*show_sources && places_.narrow) show_text = false;
}

void CompareView::place_around(const Look& look, Rect& body, std::size_t count) {
    places_ = {};
    if (count < 2) return;
    const float scale = look.scale;
    const bool low = body.height() < kLowWindow * scale;
    const float room = body.width() - look.px((low ? kKeys : kButtons) + 48);
    std::size_t lines = fit_lines(look, Face::strong, sentence_.headline(), room, 2).size();
    if (!low) lines += fit_lines(look, Face::caption, second_line(sentence_), room, 2).size();
    lines = std::max<std::size_t>(lines, low ? 1 : 2);
    places_.sentence = body.cut_top(look.px(12 + 17 * static_cast<float>(lines)));
    places_.low = low;
    places_.narrow = body.width() < kBoth * scale;
    if (show_text) {
        const float width = std::clamp(body.width() / scale * kTextWidth, kLeastText, kMostText) * scale;
        places_.text = body.cut_left(std::min(width, body.width() * 0.4f));
    }
    const float width = std::clamp(body.width() / scale * kSourceWidth, kLeastSource, kMostSource) * scale;
    if (show_sources.value_or(body.width() - width >= kRoomForPanels * scale))
        places_.sources = body.cut_right(std::min(width, body.width() * 0.45f));
}

Intent CompareView::draw_sentence(const Pane& pane, const Rect& where, bool ready) const {
    const Theme& colors = pane.colors();
    Intent intent;
    Rect rest = where.inset(pane.px(16), pane.px(6));
    hairline(pane.brush, {where.x0, where.y1 - 1}, {where.x1, where.y1 - 1}, colors.line);
    const bool keys = places_.low;
    const float room = pane.px(keys ? kKeys : kButtons);
    Rect buttons = Rect{rest.x1 - room, rest.y0, rest.x1, rest.y0 + pane.px(24)};
    if (panel_button(pane, buttons.cut_right(pane.px(keys ? 29 : 86)), "S", "sources", sources_shown()))
        intent = {Kind::panel, 1};
    buttons.cut_right(pane.px(6));
    if (panel_button(pane, buttons.cut_right(pane.px(keys ? 29 : 92)), "L", "the lesson", show_text))
        intent = {Kind::panel, 0};
    buttons.cut_right(pane.px(6));
    const bool hidden =
        std::any_of(places_.panels.begin(), places_.panels.end(), [](const Rect& r) { return r.empty(); });
    if (hidden && panel_button(pane, buttons.cut_right(pane.px(29)), "X", "another side: two fit here", false))
        intent = {Kind::side, 0};
    rest.x1 -= room + pane.px(16);
    if (!ready) return intent;
    const float pitch = pane.px(17);
    float y = rest.y0;
    const auto lines = [&](Face face, Color ink, const std::string& text) {
        const auto left = static_cast<std::size_t>(std::max(0.0f, (rest.y1 - y + 1) / pitch));
        if (left == 0) return;
        for (const std::string& line :
             fit_lines(pane.look(), face, text, rest.width(), std::min<std::size_t>(left, 2))) {
            text_in(pane.brush, face, {rest.x0, y, rest.x1, y + pitch}, ink, line, Align::left);
            y += pitch;
        }
    };
    lines(Face::strong, colors.strong, sentence_.headline());
    if (!places_.low)
        lines(Face::caption, sentence_.same_input ? colors.quiet : colors.warning, second_line(sentence_));
    if (pane.hovers(rest)) hint_card(pane.look(), sentence_.text() + "\n" + sentence_.input);
    return intent;
}

Intent CompareView::draw_sources(const Look& look, const std::vector<CompareSide>& shown, Selection& selection) {
    const std::size_t other = chosen == 0 ? 1 : chosen;
    const auto side = [&](std::size_t s) {
        return DiffView::Side{shown[s].title, shown[s].run_view, scene_.sides[s].step};
    };
    const DiffView::Sides both{side(0), side(other)};
    Rect box = places_.sources;
    const Pane ground(look, "sources head", box, look.colors().panel);
    hairline(ground.brush, {box.x0, box.y0}, {box.x0, box.y1}, look.colors().line);
    box.x0 += 1;
    sources.draw_title(ground, box.cut_top(look.px(30)), both);
    const Pane pane(look, "sources", box, 0, Pane::Scroll::vertical);
    const DiffView::Asked asked = sources.draw(pane, both, selection);
    if (asked.step == kNoStep) return {};
    return {Kind::go_to, steps.place_of(asked.side == 0 ? 0 : other, asked.step)};
}

}  // namespace lanewise::viz
