// One question of a kind about a step; only for questions.cpp.
#pragma once

#include <optional>
#include <string>

#include "common/player/questions.hpp"

namespace lanewise::player {

// Where a question is asked.
struct Asked {
    const steps::Steps& steps;
    std::size_t step;
    const steps::WarpStep* part;  // of the warp in that step; null: it has none
    WarpRef warp;
    int lane;  // -1: none was named
    bool lane_named = false;   // a text names it: no other lane will do

    // The part's first record. Only where there is a part.
    const trace::Record& record() const { return steps.trace->records[part->records.front()]; }
};

// Of that kind, there; without text and answer.
Question question_at(QuestionKind kind, const Asked& asked, int lane = -1);
// A wrong answer is kept where it is not the right one, and not known already.
void add_wrong(Question& question, const std::string& answer, const std::string& reveals,
               const std::string& refuted_by);

// Each gives nothing where the step has no such question.
std::optional<Question> source_question(const Asked& asked);
std::optional<Question> defined_question(const Asked& asked);
std::optional<Question> value_question(const Asked& asked);
std::optional<Question> vote_question(const Asked& asked);
std::optional<Question> total_question(const Asked& asked);
std::optional<Question> element_question(const Asked& asked);
std::optional<Question> threads_question(const Asked& asked, bool warps);
std::optional<Question> sector_question(const Asked& asked);
std::optional<Question> wavefront_question(const Asked& asked);
std::optional<Question> barrier_question(const Asked& asked);
std::optional<Question> ordered_question(const Asked& asked);
std::optional<Question> orders_memory_question(const Asked& asked);
std::optional<Question> waits_question(const Asked& asked);
std::optional<Question> latency_question(const Asked& asked, const QuestionSources& sources);
std::optional<Question> faster_question(const Asked& asked, const QuestionSources& sources);
std::optional<Question> slower_question(const Asked& asked, const QuestionSources& sources);

// What a shuffle's rule says before any clamp.
int unclamped_source(trace::Op op, int lane, int arg);

}  // namespace lanewise::player
