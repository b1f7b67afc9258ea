#include "viz/views/play/question_card.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/lanes.hpp"

namespace lanewise::viz {
namespace {

using player::Answered;
using player::Question;
using player::QuestionKind;

constexpr std::size_t kMostMistakes = 4;   // of an exam, a line each

std::string verdict_of(const Answered& answered) {
    if (answered.given.empty()) return "Skipped. It is " + answered.question.answer + ".";
    if (answered.marked.right) return "Right: " + answered.question.answer + ".";
    return "Not " + answered.given.substr(0, 24) + ": it is " + answered.question.answer + ".";
}

std::string_view how_to_answer(QuestionKind kind) {
    switch (kind) {
        case QuestionKind::source_lane: return "click the lane on the stage, or type its number";
        case QuestionKind::holds_total: return "click the lanes, or type 0-7, 9 or all; then Enter";
        case QuestionKind::is_defined:
        case QuestionKind::ordered:
        case QuestionKind::orders_memory:
        case QuestionKind::waits:
        case QuestionKind::faster:
            return player::answer_form(kind);
        case QuestionKind::written: return "type it, then Enter";
        default: return "type a number, then Enter";
    }
}

bool text_button(const Pane& pane, Rect& row, std::string_view label, bool strong) {
    const Rect box = row.cut_left(text_width(pane.look(), Face::strong, label) + pane.px(24));
    row.cut_left(pane.px(8));
    const Theme& colors = pane.colors();
    const Rect face = box.inset(0, pane.px(2));
    fill(pane.brush, face,
         strong ? mix(colors.panel, colors.accent, pane.hovers(box) ? 0.42 : 0.26)
                : pane.hovers(box) ? colors.raised : mix(colors.panel, colors.raised, 0.6),
         pane.px(6));
    text_in(pane.brush, Face::strong, box, strong ? colors.accent : colors.text, label);
    return pane.button(box);
}

}  // namespace

void QuestionCard::begin() {
    field_.begin("");
    lanes_ = 0;
    problem.clear();
}

QuestionAsk QuestionCard::click_lane(const Question& question, int lane) {
    if (lane < 0 || lane >= kWarpSize) return {};
    if (question.kind == QuestionKind::source_lane)
        return {QuestionAsk::Kind::answer, fmt::format("{}", lane)};
    if (question.kind == QuestionKind::holds_total) {
        lanes_ ^= 1u << lane;
        field_.replace(lanes_ == 0 ? "" : lane_ranges(lanes_));
    }
    return {};
}

float QuestionCard::answered_height(const Look& look, float width, const Answered& answered) const {
    const Brush measure{nullptr, look};
    return look.px(26) +
           (answered.marked.reveals.empty()
                ? 0
                : paragraph(measure, Face::body, {}, width, 0, answered.marked.reveals, 1.35f) + look.px(6));
}

float QuestionCard::height(const Look& look, float width, const QuestionState& state) const {
    const player::Prediction& asked = *state.prediction;
    const float inner = width - look.px(32);
    float height = look.px(14);
    if (asked.last_answered()) height += answered_height(look, inner, *asked.last_answered());
    if (asked.open()) {
        const Brush measure{nullptr, look};
        height += look.px(20 + 38 + 8) + paragraph(measure, Face::title, {}, inner, 0, asked.open()->text, 1.3f);
        if (!problem.empty()) height += look.px(22);
    } else if (state.finished && asked.mode() == player::PredictMode::exam) {
        const auto wrong = static_cast<std::size_t>(asked.asked() - asked.right());
        height += look.px(64) + look.px(24) * static_cast<float>(std::min(wrong, kMostMistakes));
    } else {
        height += look.px(24);
    }
    return height;
}

QuestionAsk QuestionCard::draw(const Pane& pane, const QuestionState& state) {
    const Theme& colors = pane.colors();
    const player::Prediction& asked = *state.prediction;
    QuestionAsk ask;
    fill(pane.brush, pane.box, mix(colors.panel, colors.accent, colors.dark ? 0.05 : 0.04));
    fill(pane.brush, {pane.box.x0, pane.box.y0, pane.box.x1, pane.box.y0 + pane.px(2)}, colors.accent);
    Rect rest = pane.box.inset(pane.px(16), pane.px(7));
    if (asked.last_answered())
        draw_answered(pane, rest, *asked.last_answered(), ask, asked.open() != nullptr, asked.open() || state.finished);
    if (asked.open()) {
        draw_question(pane, rest, state, ask);
    } else if (state.finished && asked.mode() == player::PredictMode::exam) {
        draw_summary(pane, rest, state, ask);
    } else {
        // Nothing waits: what comes next, and how to leave.
        const bool exam = asked.mode() == player::PredictMode::exam;
        std::string text = exam ? fmt::format("Exam: {} of {} right so far.", asked.right(), asked.asked())
                                 : "Questions, gentle: one every few steps, before you see the answer.";
        if (state.finished) text = fmt::format("The end of this run: {} of {} right.", asked.right(), asked.asked());
        const float keys = rest.x1 - pane.px(state.finished ? 92 : 176);
        const float room = keys - rest.x0 - pane.px(8);
        if (!exam && !state.finished && text_width(pane.look(), Face::body, text) > room) text = "Questions: gentle.";
        text_in(pane.brush, Face::body, rest, colors.quiet, fit_text(pane.look(), Face::body, text, room), Align::left);
        if (!state.finished) key_hint(pane.brush, {keys, rest.center().y - pane.px(8.5f)}, "→", "continue");
        key_hint(pane.brush, {rest.x1 - pane.px(92), rest.center().y - pane.px(8.5f)}, "Q", exam ? "end it" : "exam");
    }
    return ask;
}

// What refutes the answer, as the label of a button.
std::string QuestionCard::see_label(const std::string& target) {
    const player::Link link = player::parse_link(target);
    if (link.view == run::View::costs) return "See the costs";
    if (link.view) return "See the times";
    if (!link.step) return "See that variant";
    if (link.lane >= 0) return fmt::format("See lane {} at step {}", link.lane, link.step.value_or(0) + 1);
    return fmt::format("See step {}", link.step.value_or(0) + 1);
}

void QuestionCard::draw_answered(const Pane& pane, Rect& rest, const Answered& answered, QuestionAsk& ask, bool open,
                                 bool stays) {
    const Theme& colors = pane.colors();
    Rect row = rest.cut_top(pane.px(26));
    const std::string verdict = verdict_of(answered);
    const Color ink = answered.marked.right ? colors.good : answered.given.empty() ? colors.quiet : colors.warning;
    text_in(pane.brush, Face::strong, row, ink, verdict, Align::left);
    row.cut_left(text_width(pane.look(), Face::strong, verdict) + pane.px(16));
    if (!stays) {
        if (text_button(pane, row, "Go on (Enter)", true)) ask.kind = QuestionAsk::Kind::go_on;
    }
    see_ = {};
    // The step is there to be seen once its last question is answered.
    if (!open && !answered.marked.refuted_by.empty()) {
        see_ = row;
        if (text_button(pane, row, see_label(answered.marked.refuted_by), false)) ask.kind = QuestionAsk::Kind::see;
        see_.x1 = row.x0;
    }
    if (!stays) {
        text_in(pane.brush, Face::caption, row, colors.quiet,
                answered.question.lane >= 0 ? fmt::format("the step is shown now, lane {} lit", answered.question.lane)
                                            : "the step is shown now",
                Align::left);
    }
    if (answered.marked.reveals.empty()) return;
    const float height = paragraph(pane.brush, Face::body, {rest.x0, rest.y0}, rest.width(), colors.text,
                                   answered.marked.reveals, 1.35f);
    rest.cut_top(height + pane.px(6));
}

void QuestionCard::draw_question(const Pane& pane, Rect& rest, const QuestionState& state, QuestionAsk& ask) {
    const Theme& colors = pane.colors();
    const player::Prediction& asked = *state.prediction;
    const Question& question = *asked.open();
    Rect head = rest.cut_top(pane.px(20));
    const bool exam = asked.mode() == player::PredictMode::exam;
    const std::string score = exam ? fmt::format("exam · {} of {} right", asked.right(), asked.asked())
                                   : "Esc skips";
    text_in(pane.brush, Face::caption, head, colors.quiet, score, Align::right);
    text_in(pane.brush, Face::caption, head, colors.accent, state.step, Align::left);
    head.cut_left(text_width(pane.look(), Face::caption, state.step) + pane.px(12));
    head.cut_right(text_width(pane.look(), Face::caption, score) + pane.px(12));
    text_in(pane.brush, Face::small, head, colors.quiet, fit_text(pane.look(), Face::small, state.source, head.width()),
            Align::left);
    rest.cut_top(
        paragraph(pane.brush, Face::title, {rest.x0, rest.y0}, rest.width(), colors.strong, question.text, 1.3f) +
        pane.px(4));
    Rect row = rest.cut_top(pane.px(34));
    const bool faster = question.kind == QuestionKind::faster;
    const bool choices = faster || question.kind == QuestionKind::is_defined || question.answer == "yes" ||
                       question.answer == "no";
    if (choices) {
        for (const char* choice : {"yes", "no", "same"})
            if ((faster || choice[0] != 's') && text_button(pane, row, choice, true))
                ask = {QuestionAsk::Kind::answer, choice};
    }
    const Rect field = row.cut_left(pane.px(choices ? 90.0f : 170.0f));
    row.cut_left(pane.px(8));
    if (field_.draw(pane.look(), "##answer", field.inset(0, pane.px(2)), !problem.empty()) ||
        text_button(pane, row, "Answer", true)) {
        const std::string given = field_.text();
        if (!given.empty()) ask = {QuestionAsk::Kind::answer, given};
        else if (!exam) ask = {QuestionAsk::Kind::skip};
    }
    if (text_button(pane, row, exam ? "I do not know" : "Skip", false)) ask = {QuestionAsk::Kind::skip};
    text_in(pane.brush, Face::caption, row, colors.quiet,
            fit_text(pane.look(), Face::caption, how_to_answer(question.kind), row.width()), Align::left);
    if (!problem.empty())
        text_in(pane.brush, Face::body, rest.cut_top(pane.px(22)), colors.warning,
                fit_text(pane.look(), Face::body, problem, rest.width()), Align::left);
}

void QuestionCard::draw_summary(const Pane& pane, Rect rest, const QuestionState& state, QuestionAsk& ask) const {
    const Theme& colors = pane.colors();
    const player::Prediction& asked = *state.prediction;
    Rect row = rest.cut_top(pane.px(34));
    const std::string score = fmt::format("Exam: {} of {} right.", asked.right(), asked.asked());
    text_in(pane.brush, Face::title, row, asked.right() == asked.asked() ? colors.good : colors.strong, score,
            Align::left);
    row.cut_left(text_width(pane.look(), Face::title, score) + pane.px(16));
    if (text_button(pane, row, "Again", false)) ask.kind = QuestionAsk::Kind::again;
    if (text_button(pane, row, "Leave the exam (Esc)", false)) ask.kind = QuestionAsk::Kind::leave;
    text_in(pane.brush, Face::caption, row, colors.quiet, "kept: H shows it with the lesson", Align::right);
    std::size_t shown = 0;
    std::size_t wrong = 0;
    const auto& answers = asked.answers();
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i].marked.right) continue;
        ++wrong;
        if (shown == kMostMistakes) continue;
        ++shown;
        const Rect line = rest.cut_top(pane.px(24));
        if (pane.hovers(line)) fill(pane.brush, line, colors.raised, pane.px(5));
        const std::string text = fmt::format("step {}: {} {}", answers[i].question.step + 1, answers[i].question.text,
                                              verdict_of(answers[i]));
        text_in(pane.brush, Face::body, line.inset(pane.px(6), 0), colors.text,
                fit_text(pane.look(), Face::body, text + " " + answers[i].marked.reveals, line.width() - pane.px(70)),
                Align::left);
        text_in(pane.brush, Face::strong, line.inset(pane.px(6), 0), colors.accent, "show", Align::right);
        if (pane.button(line)) ask = {QuestionAsk::Kind::show, {}, i};
    }
    if (wrong > shown)
        text_in(pane.brush, Face::caption, rest.cut_top(pane.px(20)), colors.quiet,
                fmt::format("and {} more", wrong - shown), Align::left);
}

}  // namespace lanewise::viz
