// Predict, then reveal: questions about a step of a run, their answers from its records, and what a wrong answer
// reveals.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/warp.hpp"
#include "common/player/text_links.hpp"
#include "common/run/lesson_contents.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::player {

// Names and what can answer them are in kKinds (question_marks.cpp).
enum class QuestionKind : std::uint8_t {
    source_lane,     // which lane does this lane read
    is_defined,      // is what it receives defined
    value_after,     // what does it hold afterwards
    vote,            // what does a vote give it
    holds_total,     // which lanes hold all inputs, each once
    element,         // which element of an array does it access
    active_threads,  // how many threads of the block are active
    active_warps,    // how many warps of the block have active lanes
    sectors,         // how many 32-byte sectors a request of the warp touches
    wavefronts,      // how many wavefronts the warp's shared-memory requests take
    barriers,        // how many block barriers the block has passed
    ordered,         // does the store of a word surely come before its load by another lane
    orders_memory,   // does a shuffle or a barrier order memory among its lanes
    waits,           // does a fence wait for other blocks
    latency,         // of a shuffle, in cycles, as recorded
    faster,          // is this variant faster than another, by recorded times
    percent_slower,  // how many percent longer does the slower one take
    written,         // of the lesson's text, with its answer
};
const char* question_kind_name(QuestionKind kind);   // "source_lane"
// Throws Error that names those there are.
QuestionKind question_kind_named(std::string_view name);
// What an answer to it is: "yes or no", "lanes, such as 0-7, or all", "a number".
std::string_view answer_form(QuestionKind kind);

// An answer that a known misconception leads to, the sentence that mends it, and the target of a link to what refutes
// it (text_links.hpp): a step of this run, or the times.
struct WrongAnswer {
    std::string answer;
    std::string reveals;
    std::string refuted_by = {};
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
    std::vector<std::pair<std::uint32_t, std::uint32_t>> records = {};   // (warp, index): all that hold the answer,
                                                                        // where they are several
    std::string against = {};    // of times: the other variant
    std::uint64_t n = 0;         // of times: on so many values
    std::string size = {};       // of times: "1024×2048", where that matters
    bool of_text = false;        // the lesson's text asks it
};

// A question that the lesson's text asks: its text, and the link after it.
struct TextQuestion {
    std::string text;
    Link link;
    std::vector<WrongAnswer> wrong = {};   // those of the link, given by the text's own paragraphs
};
// The links with `ask:` of a text, each with the text of its paragraph before it. Throws Error where a `wrong:` names a
// claim that no paragraph begins with.
std::vector<TextQuestion> questions_of_text(std::string_view markdown);

// What questions are made of besides the run.
struct QuestionSources {
    // Recorded times of a variant, and of the one that it is compared with.
    struct Times {
        std::string title, other_title, other;
        timing::Timing own, others;
        std::string from;      // "NVIDIA H200 · recorded 2026-11-21"
    };
    std::vector<TextQuestion> text;
    std::map<std::string, Times> times;   // by variant
    std::map<trace::Op, double> latency;  // cycles, of those that were recorded
    std::string latency_from;             // "NVIDIA H200 · recorded 2026-11-21"
};
QuestionSources question_sources(const run::LessonContents& lesson);

// The questions that the warp's part in the step gives, those of the lesson's text first; with the last step come those
// about times. None where there is nothing to predict. Pure: the same steps, the same questions.
std::vector<Question> questions_of(const steps::Steps& steps, std::size_t step, const WarpRef& warp,
                                   const QuestionSources& sources = {});

// The question that a link of the text asks of this run, of the first warp with a part in its step. Throws Error where
// the run has no such question.
Question question_of_text(const steps::Steps& steps, const TextQuestion& asked, const QuestionSources& sources);

// What an answer comes to.
struct Marked {
    bool understood = false;   // false: neither a number, nor yes or no, nor lanes
    bool right = false;
    std::string reveals;       // of a wrong answer that a known misconception leads to; else empty
    std::string refuted_by = {};   // as of WrongAnswer
};

// Compares as people write: "lane 5" is 5, 6.0 is 6, "all" and "0-31" are all lanes, y is yes, 0xff is 255. A value
// with a fraction may be off by half a percent, a difference of times by half; whole numbers must be exact.
Marked mark(const Question& question, const std::string& answer);

}  // namespace lanewise::player
