// Predict, then reveal: which questions are asked on the way through a run, what is known so far, and what was
// answered.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/player/questions.hpp"
#include "common/run/run.hpp"

namespace lanewise::player {

enum class PredictMode : std::uint8_t {
    off,
    gentle,   // one question every few steps, and those of the lesson's text; they can be skipped
    exam,     // all of them, scored
};
const char* predict_mode_name(PredictMode mode);   // "gentle"

// The questions that are asked before the step is shown to who looks at `warp`. Pure.
std::vector<Question> questions_before(const steps::Steps& steps, std::size_t step, const WarpRef& warp,
                                       PredictMode mode, const QuestionSources& sources = {});

// The run as it is known after its first `count` steps: later steps, results and outputs are not in it, so that no view
// can show them. Findings of later steps neither.
std::shared_ptr<const run::Run> first_steps(const std::shared_ptr<const run::Run>& run, std::size_t count);

// One answer, and what it comes to.
struct Answered {
    Question question;
    std::string given;     // empty: skipped
    Marked marked;
};

class Prediction {
public:
    PredictMode mode() const { return mode_; }
    bool on() const { return mode_ != PredictMode::off; }
    // What the lesson asks and has recorded; kept.
    void use(std::shared_ptr<const QuestionSources> sources) { sources_ = std::move(sources); }
    // Begins; the first `known` steps have been seen. Off: all is known.
    void begin(PredictMode mode, std::size_t known);

    // The learner wants to see step `to`. Returns the step to show: that one, or the last before the first question;
    // then open() is it. kNoStep: there is nothing to show yet.
    std::size_t go(const steps::Steps& steps, const WarpRef& warp, std::size_t to);

    // Asks that question, whatever would be asked next: its step and what follows are known no longer.
    void ask(const Question& question);

    // The question that waits for an answer; null where none does.
    const Question* open() const { return asked_.empty() ? nullptr : &asked_.front(); }
    // Of the questions of this step: the open one is the first of so many that are left.
    std::size_t left() const { return asked_.size(); }
    // Steps that can be shown.
    std::size_t known() const { return known_; }

    // The answer to the open question; it is closed where the answer is understood, and where it was the step's last
    // the step is known from then on.
    Marked answer(const std::string& given);
    // Leaves it unanswered; in an exam that is no right answer.
    void skip();
    // What was answered last, until the learner continues.
    const Answered* last_answered() const { return last_answered_ ? &*last_answered_ : nullptr; }
    void go_on() { last_answered_.reset(); }

    const std::vector<Answered>& answers() const { return answers_; }
    int right() const;
    int asked() const;   // answers that count: in gentle mode not those that were skipped

private:
    void close(Answered answered);

    std::shared_ptr<const QuestionSources> sources_ = std::make_shared<QuestionSources>();
    PredictMode mode_ = PredictMode::off;
    std::size_t known_ = 0;
    std::vector<Question> asked_;   // of one step, the open one first
    std::optional<Answered> last_answered_;
    std::vector<Answered> answers_;
};

}  // namespace lanewise::player
