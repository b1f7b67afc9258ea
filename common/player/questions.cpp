#include "common/player/questions.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/player/question_kinds.hpp"
#include "common/timing/compare.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::player {

using run::VariantInfo;

namespace {

using steps::Steps;
using trace::Record;

// The lane to ask of: one that receives what is undefined; at every other step one whose rule leads elsewhere than it
// reads; else one that changes from step to step.
int lane_to_ask(const Record& record, std::size_t step) {
    std::vector<int> active, special;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const auto at = static_cast<std::size_t>(lane);
        if (!(record.active >> lane & 1u)) continue;
        active.push_back(lane);
        if (!trace::is_shuffle(record.op)) continue;
        if (record.undefined >> lane & 1u || unclamped_source(record.op, lane, record.arg[at]) != record.source[at])
            special.push_back(lane);
    }
    const bool any = special.empty() || (step % 2 == 1 && (record.undefined & record.active) == 0);
    const auto& from = any ? active : special;
    return from.empty() ? -1 : from[(5 + 7 * step) % from.size()];
}

std::optional<Question> make(QuestionKind kind, const Asked& asked, const QuestionSources& sources) {
    switch (kind) {
        case QuestionKind::source_lane: return source_question(asked);
        case QuestionKind::is_defined: return defined_question(asked);
        case QuestionKind::value_after: return value_question(asked);
        case QuestionKind::vote: return vote_question(asked);
        case QuestionKind::holds_total: return total_question(asked);
        case QuestionKind::element: return element_question(asked);
        case QuestionKind::active_threads: return threads_question(asked, false);
        case QuestionKind::active_warps: return threads_question(asked, true);
        case QuestionKind::sectors: return sector_question(asked);
        case QuestionKind::wavefronts: return wavefront_question(asked);
        case QuestionKind::barriers: return barrier_question(asked);
        case QuestionKind::ordered: return ordered_question(asked);
        case QuestionKind::orders_memory: return orders_memory_question(asked);
        case QuestionKind::waits: return waits_question(asked);
        case QuestionKind::latency: return latency_question(asked, sources);
        case QuestionKind::faster: return faster_question(asked, sources);
        case QuestionKind::percent_slower: return slower_question(asked, sources);
        case QuestionKind::written: break;
    }
    return std::nullopt;
}

bool is_last_shuffle(const Asked& asked) {
    const auto& steps = asked.steps.steps;
    return std::none_of(steps.begin() + static_cast<std::ptrdiff_t>(asked.step) + 1, steps.end(),
                        [](const steps::Step& step) { return step.kind == StepKind::shuffle; });
}

bool has_shared_memory(const Asked& asked) {
    const auto& arrays = asked.steps.trace->arrays;
    return std::any_of(arrays.begin(), arrays.end(),
                       [](const trace::Array& array) { return array.space == Space::shared; });
}

// What is asked of such a step by itself.
std::vector<QuestionKind> kinds_of(const Asked& asked) {
    using enum QuestionKind;
    if (!asked.part || asked.part->records.empty() || asked.record().active == 0) return {};
    const Record& record = asked.record();
    switch (asked.steps.steps[asked.step].kind) {
        case StepKind::shuffle: {
            const auto at = static_cast<std::size_t>(asked.lane);
            const bool edge = unclamped_source(record.op, asked.lane, record.arg[at]) != record.source[at];
            std::vector<QuestionKind> kinds{source_lane};
            if (edge || record.undefined >> asked.lane & 1u) kinds.push_back(is_defined);
            kinds.insert(kinds.end(), {value_after, holds_total});
            if (is_last_shuffle(asked) && has_shared_memory(asked)) kinds.push_back(orders_memory);
            return kinds;
        }
        case StepKind::vote: return {vote};
        case StepKind::load: return asked.part->records.size() > 1
                                        ? std::vector{element, active_threads, wavefronts, ordered}
                                        : std::vector{sectors, wavefronts, ordered};
        case StepKind::store: return asked.part->records.size() > 1
                                         ? std::vector{element, active_threads, wavefronts, ordered}
                                                                    : std::vector{sectors, wavefronts};
        case StepKind::block_barrier: return {barriers};
        case StepKind::warp_barrier: return {orders_memory};
        case StepKind::fence: return {waits};
        default: return {};
    }
}

bool asks_here(const TextQuestion& asked, const Steps& steps, std::size_t step, const WarpRef& warp) {
    const Link& link = asked.link;
    if (!link.changes.empty() || link.step != step || link.variant != steps.trace->header.variant) return false;
    for (const steps::WarpStep& part : steps.steps[step].warps) return part.warp == warp;   // the first alone
    return !steps.warps.empty() && steps.warps.front() == warp;
}

Question make_asked(const Steps& steps, const TextQuestion& asked, const WarpRef& warp,
                    const QuestionSources& sources) {
    const Link& link = asked.link;
    const Asked place{steps, *link.step, steps.steps[*link.step].find(warp), warp, link.lane, link.lane >= 0};
    Question question;
    if (link.ask == QuestionKind::written) {
        question.kind = QuestionKind::written;
        question.step = *link.step;
        question.warp = warp;
        question.lane = link.lane;
        question.answer = link.is;
    } else {
        const auto made = make(*link.ask, place, sources);
        if (!made)
            throw Error(fmt::format("The text asks '{}' (ask:{}), but step {} of {} has no such question{}.",
                                    asked.text, question_kind_name(*link.ask), *link.step + 1, link.variant,
                                    link.lane >= 0 ? fmt::format(" of lane {}", link.lane) : ""));
        question = *made;
    }
    for (const auto& [answer, reveals, target] : asked.wrong) add_wrong(question, answer, reveals, target);
    question.text = asked.text;
    question.of_text = true;
    return question;
}

}  // namespace

QuestionSources question_sources(const run::LessonContents& lesson) {
    QuestionSources sources{questions_of_text(lesson.text), {}, {}, {}};
    constexpr std::pair<trace::Op, std::string_view> kCosts[] = {{trace::Op::shfl_xor, "shuffle_xor"},
                                                                 {trace::Op::shfl_down, "shuffle_down"},
                                                                 {trace::Op::shfl_idx, "shuffle_idx"}};
    for (const timing::Cost& cost : lesson.costs.rows)
        for (const auto& [op, id] : kCosts)
            if (cost.id == id && cost.latency) sources.latency[op] = cost.latency.median;
    if (!sources.latency.empty()) sources.latency_from = timing::costs_from(lesson.costs);
    // The row of a variant on the most values, of those of the GPU.
    const auto row_of = [&](const timing::TimingTable& table, const std::string& name, const timing::Timing* like) {
        const timing::Timing* best = nullptr;
        for (const timing::Timing& row : table.rows)
            if (row.variant == name && timing::is_timed(row) && !row.on_cpu && row.within_bound &&
                (!like || (row.n == like->n && row.size == like->size)) && (!best || row.n > best->n))
                best = &row;
        return best;
    };
    const auto title_of = [&](const std::string& name) {
        for (const VariantInfo& variant : lesson.variants)
            if (variant.name == name && !variant.title.empty()) return variant.title;
        return name;
    };
    for (std::size_t i = 0; i < lesson.variants.size(); ++i) {
        const VariantInfo& variant = lesson.variants[i];
        std::string other = variant.compared_with;
        if (other.empty() && i > 0) other = lesson.variants[i - 1].name;
        if (other.empty() || other == variant.name) continue;
        for (const timing::TimingTable* table : {&lesson.timings, &lesson.shapes}) {
            const timing::Timing* own = row_of(*table, variant.name, nullptr);
            const timing::Timing* others = own ? row_of(*table, other, own) : nullptr;
            if (others && !sources.times.contains(variant.name))
                sources.times[variant.name] = {title_of(variant.name), title_of(other),         other, *own,
                                               *others,                timing::times_from(*table)};
        }
    }
    return sources;
}

std::vector<Question> questions_of(const Steps& steps, std::size_t step, const WarpRef& warp,
                                   const QuestionSources& sources) {
    std::vector<Question> questions;
    if (step >= steps.size()) return questions;
    const auto was_recorded = [&](const TextQuestion& asked) {
        return asked.link.ask != QuestionKind::latency || !sources.latency.empty();
    };
    for (const TextQuestion& asked : sources.text)
        if (asks_here(asked, steps, step, warp) && was_recorded(asked))
            questions.push_back(make_asked(steps, asked, warp, sources));
    const auto add = [&](const std::optional<Question>& made) {
        if (!made) return;
        const bool asked = std::any_of(questions.begin(), questions.end(), [&](const Question& each) {
            return each.kind == made->kind && each.lane == made->lane;
        });
        if (!asked) questions.push_back(*made);
    };
    Asked asked{steps, step, steps.steps[step].find(warp), warp, -1, false};
    if (asked.part && !asked.part->records.empty()) asked.lane = lane_to_ask(asked.record(), step);
    for (const QuestionKind kind : kinds_of(asked)) add(make(kind, asked, sources));
    add(faster_question(asked, sources));
    add(slower_question(asked, sources));
    return questions;
}

Question question_of_text(const Steps& steps, const TextQuestion& asked, const QuestionSources& sources) {
    if (!asked.link.step || *asked.link.step >= steps.size() || steps.warps.empty() || !asked.link.ask)
        throw Error(fmt::format("The text asks '{}' of step {}, but the run has {} steps.", asked.text,
                                asked.link.step ? *asked.link.step + 1 : 0, steps.size()));
    const auto& parts = steps.steps[*asked.link.step].warps;
    return make_asked(steps, asked, parts.empty() ? steps.warps.front() : parts.front().warp, sources);
}

}  // namespace lanewise::player
