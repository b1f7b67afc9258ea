// Predict, then reveal: questions about a step of a run, their answers from its records, and what a wrong answer reveals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/warp.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::lesson {

enum class QuestionKind : std::uint8_t {
    source_lane,   // which lane does this lane read
    is_defined,    // is what it receives defined
    value_after,   // what does it hold afterwards
    holds_total,   // which lanes hold the sum of all inputs, each once
    barriers,      // how many block barriers the block has passed
    sectors,       // how many 32-byte sectors a request of the warp touches
};
const char* question_kind_name(QuestionKind kind);   // "source_lane"

// An answer that a known misconception leads to, and the sentence that mends it.
struct WrongAnswer {
    std::string answer;
    std::string reveals;
};

struct Question {
    QuestionKind kind = QuestionKind::source_lane;
    std::size_t step = 0;        // that the answer is in: it and later ones are to be hidden while the question is open
    WarpRef warp;
    int lane = -1;               // that it is about; -1: the warp
    std::uint32_t record = 0;    // trace::Record::index, in the warp, of the record that holds the answer
    std::string text;
    std::string answer;          // a number, "yes" or "no", or lanes: "0-7, 9"
    std::vector<WrongAnswer> wrong = {};   // none of them the answer
};

// The questions that the warp's part in the step gives; none where there is nothing to predict. Pure: the same steps, the
// same questions.
std::vector<Question> questions_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp);

// What an answer comes to.
struct Marked {
    bool understood = false;   // false: neither a number, nor yes or no, nor lanes
    bool right = false;
    std::string reveals;       // of a wrong answer that a known misconception leads to; else empty
};

// Compares as people write: "lane 5" is 5, 6.0 is 6, "all" and "0-31" are all lanes, y is yes. A value with a fraction
// may be off by half a percent; whole numbers must be exact.
Marked mark(const Question& question, const std::string& answer);

}  // namespace lanewise::lesson
