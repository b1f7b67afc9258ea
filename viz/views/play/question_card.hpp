// The question that waits under the stage, what was answered, and how an exam came out.
#pragma once

#include <cstdint>
#include <string>

#include "common/player/prediction.hpp"
#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"
#include "viz/widgets/text_field.hpp"

namespace lanewise::viz {

// What the card shows.
struct QuestionState {
    const player::Prediction* prediction = nullptr;
    std::string step;      // "step 4 · xor 16": of the question
    std::string source;    // its line of the kernel file
    bool finished = false; // the run was seen to its end
};

// What the learner asks of it.
struct QuestionAsk {
    enum class Kind : std::uint8_t { none, answer, skip, go_on, show, again, leave, see } kind = Kind::none;
    std::string text = {};     // of an answer
    std::size_t answer = 0;    // show: which of Prediction::answers()

    explicit operator bool() const { return kind != Kind::none; }
};

class QuestionCard {
public:
    // A new question: the field is empty and takes the keyboard.
    void begin();
    // A click on a lane answers, or adds it to the lanes that are answered with.
    QuestionAsk click_lane(const player::Question& question, int lane);
    // Why the last answer was none; empty where it was one.
    std::string problem;

    float height(const Look& look, float width, const QuestionState& state) const;
    QuestionAsk draw(const Pane& pane, const QuestionState& state);
    // Where "see" was drawn last; empty: it was not.
    const Rect& see_box() const { return see_; }

private:
    static std::string see_label(const std::string& target);
    float answered_height(const Look& look, float width, const player::Answered& answered) const;
    void draw_answered(const Pane& pane, Rect& rest, const player::Answered& answered, QuestionAsk& ask, bool open,
                       bool stays);
    void draw_question(const Pane& pane, Rect& rest, const QuestionState& state, QuestionAsk& ask);
    void draw_summary(const Pane& pane, Rect rest, const QuestionState& state, QuestionAsk& ask) const;

    TextField field_;
    Rect see_;
    std::uint32_t lanes_ = 0;   // that were clicked
};

}  // namespace lanewise::viz
