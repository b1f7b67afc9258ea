#include "common/player/prediction.hpp"

#include <algorithm>

namespace lanewise::player {

using run::Run;

namespace {

constexpr std::size_t kGentleSteps = 3;   // from one question to the next, of those that have questions

}  // namespace

const char* predict_mode_name(PredictMode mode) {
    switch (mode) {
        case PredictMode::gentle: return "gentle";
        case PredictMode::exam: return "exam";
        default: return "off";
    }
}

std::vector<Question> questions_before(const steps::Steps& steps, std::size_t step, const WarpRef& warp,
                                       PredictMode mode, const QuestionSources& sources) {
    if (mode == PredictMode::off) return {};
    std::vector<Question> questions = questions_of(steps, step, warp, sources);
    if (mode == PredictMode::exam || questions.empty()) return questions;
    const auto first_made =
        std::find_if(questions.begin(), questions.end(), [](const Question& q) { return !q.of_text; });
    if (first_made != questions.begin()) return {questions.begin(), first_made};
    std::size_t before = 0;
    for (std::size_t k = 0; k < step; ++k) before += questions_of(steps, k, warp).empty() ? 0 : 1;
    if (before % kGentleSteps != 0) return {};
    // One of them, another kind each time.
    return {questions[before / kGentleSteps % questions.size()]};
}

std::shared_ptr<const Run> first_steps(const std::shared_ptr<const Run>& run, std::size_t count) {
    if (count >= run->steps.size()) return run;
    auto known = std::make_shared<Run>(*run);
    known->steps.trace = &known->trace;
    known->steps.steps.resize(count);
    for (auto& held : known->steps.lane_values_of) {
        const auto later = std::find_if(held.begin(), held.end(), [&](const auto& from) { return from.row > count; });
        held.erase(later, held.end());
    }
    known->results.clear();
    known->note.clear();
    known->trace.outputs.clear();
    known->trace.plain.clear();
    known->trace.reruns.clear();
    known->trace.verdict = trace::Verdict::not_checked;
    std::erase_if(known->trace.findings, [&](const trace::Finding& finding) {
        return std::none_of(known->steps.steps.begin(), known->steps.steps.end(),
                            [&](const steps::Step& step) { return step.line == finding.line; });
    });
    return known;
}

void Prediction::begin(PredictMode mode, std::size_t known) {
    mode_ = mode;
    known_ = mode == PredictMode::off ? kNoStep : known;
    asked_.clear();
    last_answered_.reset();
    answers_.clear();
}

std::size_t Prediction::go(const steps::Steps& steps, const WarpRef& warp, std::size_t to) {
    if (!on()) return to;
    last_answered_.reset();
    to = std::min(to, steps.size() == 0 ? 0 : steps.size() - 1);
    while (known_ <= to && asked_.empty() && known_ < steps.size()) {
        asked_ = questions_before(steps, known_, warp, mode_, *sources_);
        if (asked_.empty()) ++known_;
    }
    return known_ == 0 ? kNoStep : std::min(to, known_ - 1);
}

void Prediction::ask(const Question& question) {
    known_ = question.step;
    asked_ = {question};
    last_answered_.reset();
}

void Prediction::close(Answered answered) {
    answers_.push_back(answered);
    last_answered_ = std::move(answered);
    asked_.erase(asked_.begin());
    if (asked_.empty()) ++known_;
}

Marked Prediction::answer(const std::string& given) {
    if (asked_.empty()) return {};
    const Marked marked = mark(asked_.front(), given);
    if (marked.understood) close({asked_.front(), given, marked});
    return marked;
}

void Prediction::skip() {
    if (!asked_.empty()) close({asked_.front(), "", {}});
}

int Prediction::right() const {
    return static_cast<int>(
        std::count_if(answers_.begin(), answers_.end(), [](const Answered& a) { return a.marked.right; }));
}

int Prediction::asked() const {
    return static_cast<int>(std::count_if(answers_.begin(), answers_.end(), [&](const Answered& a) {
        return mode_ == PredictMode::exam || a.marked.understood;
    }));
}

}  // namespace lanewise::player
