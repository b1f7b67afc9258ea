// Predict, then reveal: while a question is open, all views draw the run as far as it is known.
#include <algorithm>
#include <cstdlib>

#include "common/run/run.hpp"
#include "viz/app/app.hpp"

namespace lanewise::viz {
namespace {

using player::PredictMode;

// What is known is made anew for each step, between two frames: of so many parts of steps that takes some milliseconds.
constexpr std::size_t kMostParts = 6000;

std::size_t parts_of(const steps::Steps& steps) {
    std::size_t parts = 0;
    for (const steps::Step& step : steps.steps) parts += step.warps.size();
    return parts;
}

std::string line_of(const std::string& source, int line) {
    std::size_t at = 0;
    for (int k = 1; k < line && at != std::string::npos; ++k) {
        at = source.find('\n', at);
        if (at != std::string::npos) ++at;
    }
    if (line < 1 || at == std::string::npos) return {};
    const std::string text = source.substr(at, source.find('\n', at) - at);
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first);
}

}  // namespace

void App::keep_answers(const std::filesystem::path& path) {
    answers_ = player::AnswerFile(path);
    scores_ = answers_.scores();
}

// Off, gentle, exam, and off again.
void App::next_predict_mode() {
    predict(prediction_.mode() == PredictMode::off      ? PredictMode::gentle
            : prediction_.mode() == PredictMode::gentle ? PredictMode::exam
                                                        : PredictMode::off);
}

void App::predict(PredictMode mode) {
    again_ = true;
    if (mode != PredictMode::off && comparing())
        return notify("Questions are about one run: close the comparison first (Esc).");
    if (!shown_[0] && !whole_) return;
    const std::shared_ptr<const RunView> all = whole_ ? whole_ : shown_[0];
    if (mode != PredictMode::off && parts_of(all->steps()) > kMostParts)
        return notify("This run is too long for questions: choose fewer values (n, in the line under the header).");
    playhead_.playing = false;
    if (mode != PredictMode::off) view_ = View::stage;
    if (mode == PredictMode::off) {
        whole_ = nullptr;
        prediction_.begin(mode, 0);
        shown_[0] = all;
        playhead_.count = all->steps().size();
        return;
    }
    whole_ = all;
    begin_questions(mode, playhead_.step);
}

void App::begin_as_asked() {
    const bool exam = request_.predict == "exam";
    predict(exam ? PredictMode::exam : PredictMode::gentle);
    if (whole_ && !exam) go_predicted(playhead_.step + 1);
}

// The question stands before its step, whether or not that was seen.
void App::ask_of_text(const player::Link& link) {
    if (prediction_.mode() == PredictMode::exam)
        return notify("An exam is under way: end it first (Q). Then the text asks.");
    const auto& asked = sources_.text;
    const auto at = std::find_if(asked.begin(), asked.end(), [&](const player::TextQuestion& each) {
        return each.link.variant == link.variant && each.link.step == link.step && each.link.lane == link.lane &&
               each.link.ask == link.ask && each.link.changes == link.changes && each.link.is == link.is;
    });
    if (at == asked.end()) return;
    if (!whole_) predict(PredictMode::gentle);
    if (!whole_) return;   // too long for questions, which was said
    try {
        const player::Question question = player::question_of_text(whole_->steps(), *at, sources_);
        prediction_.ask(question);
        selection_.warp = question.warp;
        selection_.pinned_lane = question.lane;
        question_card_.begin();
        show_known();
    } catch (const Error& error) {
        notify(error.what());
    }
}

// Of the run that `whole_` is, where the learner is at `step`.
void App::begin_questions(PredictMode mode, std::size_t step) {
    // An exam begins before the first step; gentle questions continue from what is seen.
    prediction_.begin(mode, mode == PredictMode::exam ? 0 : std::min(step + 1, whole_->steps().size()));
    exam_kept_ = false;
    go_predicted(mode == PredictMode::exam ? 0 : step);
}

// To step `to`, or as far as there is no question on the way.
void App::go_predicted(std::size_t to) {
    const bool was_open = prediction_.open() != nullptr;
    const std::size_t shown = prediction_.go(whole_->steps(), selection_.warp, to);
    show_known();
    if (shown != kNoStep) playhead_.go_to(shown);
    if (prediction_.open() && !was_open) {
        question_card_.begin();
        selection_.pinned_lane = prediction_.open()->lane;
    }
    again_ = true;
}

// What all views draw: the run as far as it is known.
void App::show_known() {
    const std::size_t known = std::min(prediction_.known(), whole_->steps().size());
    if (known == 0) shown_[0] = nullptr;
    else if (known == whole_->steps().size()) shown_[0] = whole_;
    else if (!shown_[0] || shown_[0]->steps().size() != known || shown_of_ != whole_)
        shown_[0] = std::make_shared<const RunView>(player::first_steps(whole_->run, known));
    shown_of_ = whole_;
    playhead_.count = known;
    if (playhead_.step >= known) playhead_.step = known == 0 ? 0 : known - 1;
}

// Moves that would lead past what is known; false for all else.
bool App::apply_predicted(const Intent& intent) {
    using Kind = Intent::Kind;
    if (!whole_) return false;
    const auto& steps = whole_->steps();
    const std::size_t here = shown_[0] ? playhead_.step : kNoStep;
    switch (intent.kind) {
        case Kind::step_forward:
        case Kind::toggle_play: go_predicted(here + 1); return true;
        case Kind::stage_forward:
            go_predicted(here == kNoStep ? 0 : player::step_of_next_stage(steps, here, 1));
            return true;
        case Kind::last: go_predicted(steps.size()); return true;
        case Kind::timings:
        case Kind::roofline:
        case Kind::measure:
        case Kind::table:
        case Kind::rounding:
        case Kind::tree:
        case Kind::export_run:
            if (!prediction_.open()) return false;
            notify("That would show the answer. Answer the question under the stage first, or end the questions (Q).");
            return true;
        case Kind::compare:
        case Kind::compare_with: predict(PredictMode::off); return false;
        default: return false;
    }
}

void App::answer_question(const std::string& given) {
    if (!prediction_.open()) return;
    const player::Question question = *prediction_.open();
    const player::Marked marked = prediction_.answer(given);
    if (!marked.understood) {
        question_card_.problem = "'" + given.substr(0, 24) + "' is no answer here; give " +
                                 std::string(player::answer_form(question.kind)) + ".";
        return;
    }
    if (!answers_.add(presentation_.lesson, names_[0], question, given, marked.right))
        notify("The answer could not be kept in " + player::AnswerFile::usual_path().string() + ".");
    scores_ = answers_.scores();
    after_answer(question);
}

void App::after_answer(const player::Question& question) {
    again_ = true;
    question_card_.begin();
    if (prediction_.open()) {
        selection_.pinned_lane = prediction_.open()->lane;
        return;
    }
    // The step comes in, with its arcs under way.
    show_known();
    playhead_.go_to(question.step);
    selection_.pinned_lane = question.lane;
    finish_exam();
}

void App::finish_exam() {
    if (prediction_.mode() != PredictMode::exam || exam_kept_ || prediction_.known() < whole_->steps().size()) return;
    if (prediction_.asked() == 0) return;
    exam_kept_ = true;
    answers_.add_exam(presentation_.lesson, names_[0], prediction_.right(), prediction_.asked());
    scores_ = answers_.scores();
}

QuestionState App::question_state() const {
    QuestionState state{&prediction_, {}, {}, false};
    state.finished = whole_ && !prediction_.open() && prediction_.known() >= whole_->steps().size();
    const std::size_t step = prediction_.open() ? prediction_.open()->step : 0;
    if (!prediction_.open() || step >= whole_->outline.steps.size()) return state;
    const scene::StepHead& head = whole_->outline.steps[step];
    state.step = "step " + std::to_string(step + 1) + " · " + head.label;
    state.source = line_of(whole_->run->source, whole_->steps().steps[step].line);
    return state;
}

void App::draw_questions(const Look& look, Rect& stage) {
    if (!whole_) return;
    finish_exam();   // a run may end with steps that have no question
    const QuestionState state = question_state();
    // Half of the stage at most; but two lines of a question with their field are in sight in any window.
    const float height = std::min({question_card_.height(look, stage.width(), state),
                                   std::max(stage.height() * 0.5f, look.px(124)), stage.height()});
    const Pane pane(look, "question", stage.cut_bottom(height), look.colors().panel);
    apply_question(question_card_.draw(pane, state));
}

void App::apply_question(const QuestionAsk& ask) {
    using Kind = QuestionAsk::Kind;
    switch (ask.kind) {
        case Kind::none: return;
        case Kind::answer: answer_question(ask.text); break;
        case Kind::skip:
            if (prediction_.open()) {
                const player::Question question = *prediction_.open();
                prediction_.skip();
                after_answer(question);
            }
            break;
        case Kind::go_on: go_predicted(playhead_.step + 1); break;
        case Kind::show: {
            const player::Question& question = prediction_.answers()[ask.answer].question;
            playhead_.go_to(question.step);
            selection_.warp = question.warp;
            selection_.pinned_lane = question.lane;
            break;
        }
        case Kind::again: begin_questions(PredictMode::exam, 0); break;
        case Kind::leave: predict(PredictMode::off); break;
        case Kind::see:
            if (const player::Answered* last = prediction_.last_answered())
                follow(player::parse_link(last->marked.refuted_by));
            break;
    }
    again_ = true;
}

// A click on a lane of the stage while a question is open is an answer. `pinned`: the lane that was pinned before.
void App::take_clicked_lane(int pinned) {
    if (!whole_ || !prediction_.open() || selection_.pinned_lane == pinned) return;
    const int clicked = selection_.pinned_lane >= 0 ? selection_.pinned_lane : pinned;
    selection_.pinned_lane = pinned;
    apply_question(question_card_.click_lane(*prediction_.open(), clicked));
}

// What was answered, beside what happened: the arc of a wrong source lane, at its step.
void App::draw_wrong_answer(const Pane& pane) const {
    if (!whole_ || prediction_.known() <= playhead_.step) return;
    const auto& answers = prediction_.answers();
    const auto wrong = std::find_if(answers.begin(), answers.end(), [&](const player::Answered& answer) {
        return answer.question.kind == player::QuestionKind::source_lane && answer.marked.understood &&
               !answer.marked.right && answer.question.step == playhead_.step &&
               answer.question.warp == selection_.warp;
    });
    if (wrong == answers.end()) return;
    const Scene& scene = stage_.scene();
    const std::size_t first = wrong->given.find_first_of("0123456789");
    if (first == std::string::npos) return;
    const int lane = std::atoi(wrong->given.c_str() + first);
    const int reader = wrong->question.lane;
    for (const Band& band : scene.bands) {
        if (!band.present || band.arcs.empty() || lane < 0 || lane >= scene.lanes) continue;
        const auto x_of = [&](int of) { return scene.lanes_x0 + scene.cell * (static_cast<float>(of) + 0.5f); };
        const Arc& any = band.arcs.front();
        const Point from{x_of(lane), any.from.y}, to{x_of(reader), any.to.y};
        ArcStyle style{pane.colors().warning, pane.px(2.2f), 24, 1};
        arc(pane.brush, from, to, style);
        const std::string label = "lane " + std::to_string(reader) + ": you said " + std::to_string(lane);
        const float width = text_width(pane.look(), Face::caption, label) + pane.px(14);
        pill(pane.brush, {std::clamp(from.x - width / 2, pane.box.x0, pane.box.x1 - width), from.y + pane.px(6)}, label,
             Face::caption, pane.colors().panel, pane.colors().warning, pane.colors().warning);
    }
}

}  // namespace lanewise::viz
