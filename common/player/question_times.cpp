// Questions about recorded times, with the run's last step.
#include <algorithm>

#include <fmt/format.h>

#include "common/player/question_kinds.hpp"
#include "common/timing/compare.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::player {
namespace {

const QuestionSources::Times* times_at(const Asked& asked, const QuestionSources& sources) {
    if (asked.step + 1 != asked.steps.size()) return nullptr;
    const auto at = sources.times.find(asked.steps.trace->header.variant);
    return at == sources.times.end() ? nullptr : &at->second;
}

Question of_times(QuestionKind kind, const Asked& asked, const QuestionSources::Times& times) {
    Question question = question_at(kind, asked);
    question.against = times.other;
    question.n = times.own.n;
    question.size = times.own.size;
    return question;
}

}  // namespace

std::optional<Question> faster_question(const Asked& asked, const QuestionSources& sources) {
    const auto* times = times_at(asked, sources);
    if (!times) return std::nullopt;
    Question question = of_times(QuestionKind::faster, asked, *times);
    const int order = timing::compare_times(times->own, times->others);
    question.text = fmt::format("Recorded, not emulated ({}), {} values: is {} faster than {}?", times->from,
                                times->own.size.empty() ? fmt::format("{}", times->own.n) : times->own.size,
                                times->title, times->other_title);
    question.answer = order < 0 ? "yes" : order > 0 ? "no" : "same";
    const std::string times_text =
        fmt::format("{} takes {}, {} {}.", times->title, timing::time_text(times->own.median_us), times->other_title,
                    timing::time_text(times->others.median_us));
    for (const char* answer : {"yes", "no"})
        add_wrong(question, answer,
                  times_text +
                      (order == 0 ? " The difference lies within the spread (5th to 95th percentile): it is none."
                                  : " Steps are no time: what a step costs depends on what it waits for."),
                  "view:timings");
    add_wrong(question, "same", times_text + " Their spreads (5th to 95th percentile) do not overlap.", "view:timings");
    return question;
}

std::optional<Question> latency_question(const Asked& asked, const QuestionSources& sources) {
    if (!asked.part || asked.part->records.empty()) return std::nullopt;
    const auto found = sources.latency.find(asked.record().op);
    if (found == sources.latency.end()) return std::nullopt;
    Question question = question_at(QuestionKind::latency, asked);
    question.text = fmt::format(
        "After how many cycles can the result of this shuffle be used ({})? A quarter more or less is near "
        "enough.",
        sources.latency_from);
    question.answer = fmt::format("{:.0f}", found->second);
    add_wrong(
        question, "1",
        fmt::format(
            "Often believed: “a shuffle costs one cycle”. That is its issue interval: a multiprocessor can start one "
            "each cycle. The result can be used after {:.0f} cycles, its latency, and here the next step needs it.",
            found->second),
        "view:costs");
    return question;
}

std::optional<Question> slower_question(const Asked& asked, const QuestionSources& sources) {
    const auto* times = times_at(asked, sources);
    if (!times) return std::nullopt;
    const int order = timing::compare_times(times->own, times->others);
    if (order == 0) return std::nullopt;
    Question question = of_times(QuestionKind::percent_slower, asked, *times);
    const double slow = std::max(times->own.median_us, times->others.median_us);
    const double fast = std::min(times->own.median_us, times->others.median_us);
    const double percent = 100 * (slow / fast - 1);
    question.text = fmt::format(
        "{} takes {}. How many percent longer does {} take? (100 is twice as long; half as much again is near enough)",
        order < 0 ? times->title : times->other_title, timing::time_text(fast),
        order < 0 ? times->other_title : times->title);
    question.answer = fmt::format("{:.2g}", percent);
    if (percent >= 100) question.answer = fmt::format("{:.0f}", percent);
    const double ratio = slow / fast;
    // The ratio instead of the difference; not where that lies near the answer itself.
    if (ratio < percent / 1.5 || ratio > percent * 1.5)
        add_wrong(question, fmt::format("{:.2g}", ratio),
                  fmt::format("It takes {:.2g} times as long, which is {:.0f} percent longer.", ratio, percent),
                  "view:timings");
    return question;
}

}  // namespace lanewise::player
