#include "common/player/questions.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "common/base/lanes.hpp"
#include "common/steps/memory_cost.hpp"

namespace lanewise::lesson {
namespace {

using steps::LaneView;
using steps::Steps;
using steps::WarpStep;
using trace::Effect;
using trace::Op;
using trace::Record;

// A wrong answer is kept where it is not the right one, and not known already.
void add_wrong(Question& question, const std::string& answer, const std::string& reveals) {
    const auto same = [&](const WrongAnswer& known) { return known.answer == answer; };
    if (answer != question.answer && std::none_of(question.wrong.begin(), question.wrong.end(), same))
        question.wrong.push_back({answer, reveals});
}

// What a shuffle's rule says before any clamp.
int unclamped(Op op, int lane, int arg) {
    const int low = arg & 31;
    return op == Op::shfl_xor ? lane ^ low : op == Op::shfl_down ? lane + low : op == Op::shfl_up ? lane - low : low;
}

// The lane to ask of: one that receives what is undefined; at every other step one whose rule leads elsewhere than it
// reads; else one that changes from step to step.
int lane_to_ask(const Record& record, std::size_t step) {
    std::vector<int> active, special;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const auto at = static_cast<std::size_t>(lane);
        if (!(record.active >> lane & 1u)) continue;
        active.push_back(lane);
        if (record.undefined >> lane & 1u || unclamped(record.op, lane, record.arg[at]) != record.source[at])
            special.push_back(lane);
    }
    const bool any = special.empty() || (step % 2 == 1 && (record.undefined & record.active) == 0);
    const auto& from = any ? active : special;
    return from[(5 + 7 * step) % from.size()];
}

Question of(QuestionKind kind, const Record& record, std::size_t step, const WarpRef& warp, int lane = -1) {
    Question question;
    question.kind = kind;
    question.step = step;
    question.warp = warp;
    question.lane = lane;
    question.record = record.index;
    return question;
}

Question source_question(const Record& record, std::size_t step, const WarpRef& warp, int lane) {
    const auto at = static_cast<std::size_t>(lane);
    const int arg = record.arg[at], low = arg & 31, wanted = unclamped(record.op, lane, arg);
    Question question = of(QuestionKind::source_lane, record, step, warp, lane);
    const char* names[] = {"idx", "up", "down", "xor"};
    question.text = fmt::format("{} {}{}: which lane does lane {} read?", names[static_cast<int>(record.op)], arg,
                                record.width == kWarpSize ? "" : fmt::format(" within {} lanes", record.width), lane);
    question.answer = std::to_string(record.source[at]);
    const auto wrong = [&](int source, const char* reveals) { add_wrong(question, std::to_string(source), reveals); };
    if (record.op == Op::shfl_xor) {
        wrong(wanted, "The rule leads past the lane's group: there a lane keeps its own value.");
        wrong((lane + low) % kWarpSize, "xor flips bits of the lane's number; it adds nothing, so nothing is carried.");
        wrong(lane - low, "xor flips bits of the lane's number; it subtracts nothing.");
    } else if (record.op == Op::shfl_down) {
        wrong(lane - low, "down moves values down: a lane reads the lane above it.");
        wrong(wanted, "Past the edge of its group a lane keeps its own value; it is defined, and no other lane's.");
        wrong(wanted % kWarpSize, "down does not wrap around: past the edge a lane keeps its own value.");
    } else if (record.op == Op::shfl_up) {
        wrong(lane + low, "up moves values up: a lane reads the lane below it.");
        wrong((wanted + kWarpSize) % kWarpSize,
              "up does not wrap around: before the first lane a lane keeps its own value.");
    } else {
        wrong(arg, "The argument counts modulo the width, within the lane's own group.");
        wrong(lane, "idx names the lane that is read, not the one that is given to.");
    }
    return question;
}

Question defined_question(const Record& record, std::size_t step, const WarpRef& warp, int lane) {
    Question question = of(QuestionKind::is_defined, record, step, warp, lane);
    question.text = fmt::format("Is what lane {} receives defined? (mask 0x{:08x})", lane, record.mask);
    question.answer = record.undefined >> lane & 1u ? "no" : "yes";
    add_wrong(question, "no",
              "Past the edge of its group a lane keeps its own value: that is defined. Only a source that "
              "does not take part is undefined.");
    add_wrong(question, "yes", "The lane it reads does not take part, so CUDA leaves open what it receives.");
    return question;
}

void add_value_question(std::vector<Question>& questions, const Record& record, const LaneView& view, std::size_t step,
                        const WarpRef& warp, int lane) {
    if (!view.has_after || view.undefined) return;
    Question question = of(QuestionKind::value_after, record, step, warp, lane);
    const auto shown = [&](std::uint64_t bits) { return format_element(record.type, bits); };
    question.text = fmt::format("Lane {} holds {}. What does it hold after this step?", lane, shown(view.before));
    question.answer = shown(view.after);
    if (view.effect == Effect::join)
        add_wrong(question, shown(view.received), "The statement joins what is received to the lane's own value.");
    if (view.effect == Effect::replace)
        add_wrong(question, shown(view.before), "The statement replaces the lane's value by what it receives.");
    if (view.effect == Effect::keep)
        add_wrong(question, shown(view.received), "The lane receives a value and does not use it.");
    questions.push_back(std::move(question));
}

// After the run's last shuffle, of a run of one warp: which lanes hold each input once.
void add_total_question(std::vector<Question>& questions, const Steps& steps, const WarpStep& part, std::size_t step) {
    const Record& record = steps.trace->records[part.records.front()];
    if (steps.warps.size() != 1 || steps.input_count < 2 || steps.input_count > kWarpSize) return;
    for (std::size_t later = step + 1; later < steps.size(); ++later)
        if (steps.steps[later].kind == StepKind::shuffle) return;
    std::uint32_t holders = 0;
    bool joins = false;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        if (!part.lanes[lane].active) continue;
        joins = joins || part.lanes[lane].effect == Effect::join;
        const auto held = steps.provenances.at(part.lanes[lane].inputs_after);
        if (held.count() == steps.input_count && !held.counted_twice() && !held.undefined && !held.unknown)
            holders |= 1u << lane;
    }
    if (!joins || holders == 0) return;
    Question question = of(QuestionKind::holds_total, record, step, part.warp);
    question.text = "After this step: which lanes hold each input exactly once?";
    question.answer = lane_ranges(holders);
    add_wrong(question, lane_ranges(record.active),
              "Not every lane: near the edge a lane read itself, so that its value counts some inputs twice.");
    add_wrong(question, "0",
              "Which lane ends with the total depends on the shuffle: xor all, down the first, up the last.");
    add_wrong(question, "31",
              "Which lane ends with the total depends on the shuffle: xor all, down the first, up the last.");
    questions.push_back(std::move(question));
}

void add_shuffle_questions(std::vector<Question>& questions, const Steps& steps, const WarpStep& part,
                           std::size_t step) {
    const Record& record = steps.trace->records[part.records.front()];
    if (record.active == 0) return;
    const int lane = lane_to_ask(record, step);
    const auto at = static_cast<std::size_t>(lane);
    const bool edge = unclamped(record.op, lane, record.arg[at]) != record.source[at];
    if (record.source[at] >= 0) questions.push_back(source_question(record, step, part.warp, lane));
    if (edge || record.undefined >> lane & 1u) questions.push_back(defined_question(record, step, part.warp, lane));
    if (part.parts.empty()) add_value_question(questions, record, part.lanes[at], step, part.warp, lane);
    add_total_question(questions, steps, part, step);
}

void add_sector_question(std::vector<Question>& questions, const Steps& steps, const WarpStep& part, std::size_t step) {
    const Record& record = steps.trace->records[part.records.front()];
    const trace::Array& array = steps.trace->arrays[record.array];
    if (part.records.size() != 1 || !trace::is_access(record.op) || array.space != Space::global) return;
    const int lanes = std::popcount(record.active);
    if (lanes < 2) return;
    Question question = of(QuestionKind::sectors, record, step, part.warp);
    question.text = fmt::format("{} lanes {} `{}`, {} bytes each. How many 32-byte sectors does the request touch?",
                                lanes, record.op == trace::Op::load ? "load from" : "store to", array.name,
                                record.elements * element_size(record.type));
    question.answer = std::to_string(steps::sectors_of(*steps.trace, record).size());
    add_wrong(question, std::to_string(lanes),
              "A sector holds 32 bytes: neighbouring lanes share one, and it moves once.");
    add_wrong(question, "1", "A request is as many sectors as its lanes' addresses lie in.");
    questions.push_back(std::move(question));
}

void add_barrier_question(std::vector<Question>& questions, const Steps& steps, const WarpStep& part,
                          std::size_t step) {
    const WarpRef block{part.warp.launch, part.warp.block, 0};
    const auto at = std::find(steps.blocks.begin(), steps.blocks.end(), block);
    if (at == steps.blocks.end() || part.records.empty()) return;
    Question question = of(QuestionKind::barriers, steps.trace->records[part.records.back()], step, part.warp);
    question.text = fmt::format("How many block barriers has block {} passed, this one included?", part.warp.block);
    const std::uint32_t count =
        steps.steps[step].counters[static_cast<std::size_t>(at - steps.blocks.begin())].block_barriers;
    question.answer = std::to_string(count);
    add_wrong(question, std::to_string(count - 1), "This barrier counts, too.");
    questions.push_back(std::move(question));
}

std::string plain(const std::string& answer) {
    std::string text;
    for (const char c : answer) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const char* word : {"lanes", "lane"})
        if (text.find(word) != std::string::npos) text.erase(text.find(word), std::string(word).size());
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(" \t\r\n.") + 1 - first);
}

std::optional<double> number_in(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                     : std::nullopt;
}

// "0-7, 9", "0…7 9", "all", "none".
std::optional<std::uint32_t> lanes_in(std::string text) {
    if (text == "all") return 0xffffffffu;
    if (text == "none") return 0u;
    for (const std::string dash : {"…", "–", " to "})
        for (auto at = text.find(dash); at != std::string::npos; at = text.find(dash))
            text.replace(at, dash.size(), "-");
    std::uint32_t lanes = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find_first_of(", ", at), text.size());
        const std::string part = text.substr(at, end - at);
        at = end + 1;
        if (part.empty()) continue;
        const auto dash = part.find('-');
        const auto first = number_in(part.substr(0, dash)),
                   last = dash == std::string::npos ? first : number_in(part.substr(dash + 1));
        if (!first || !last || !(*first >= 0 && *first <= *last && *last < kWarpSize)) return std::nullopt;
        for (int lane = static_cast<int>(*first); lane <= static_cast<int>(*last); ++lane) lanes |= 1u << lane;
    }
    return text.empty() ? std::nullopt : std::optional(lanes);
}

// Is `given` that answer? Nothing where it cannot be one.
std::optional<bool> is_answer(QuestionKind kind, const std::string& given, const std::string& answer) {
    if (kind == QuestionKind::is_defined) {
        if (given != "yes" && given != "no" && given != "y" && given != "n") return std::nullopt;
        return given[0] == answer[0];
    }
    if (kind == QuestionKind::holds_total) {
        const auto lanes = lanes_in(given);
        return lanes ? std::optional(lanes == lanes_in(answer)) : std::nullopt;
    }
    const auto number = number_in(given);
    if (!number && given != "nan" && given != "inf" && given != "-inf") return std::nullopt;
    const auto wanted = number_in(answer);
    if (given == answer) return true;
    if (!number || !wanted) return false;
    // A fraction is told with as many digits as its type needs: three of them suffice.
    const bool fraction = kind == QuestionKind::value_after && *wanted != std::floor(*wanted);
    return std::abs(*number - *wanted) <= (fraction ? std::abs(*wanted) * 0.005 : 0);
}

}  // namespace

const char* question_kind_name(QuestionKind kind) {
    switch (kind) {
        case QuestionKind::source_lane:
            return "source_lane";
        case QuestionKind::is_defined:
            return "is_defined";
        case QuestionKind::value_after:
            return "value_after";
        case QuestionKind::holds_total:
            return "holds_total";
        case QuestionKind::barriers:
            return "barriers";
        case QuestionKind::sectors:
            break;
    }
    return "sectors";
}

std::vector<Question> questions_of(const Steps& steps, std::size_t step, const WarpRef& warp) {
    std::vector<Question> questions;
    const WarpStep* part = step < steps.size() ? steps.steps[step].find(warp) : nullptr;
    if (!part || part->records.empty()) return questions;
    switch (steps.steps[step].kind) {
        case StepKind::shuffle:
            add_shuffle_questions(questions, steps, *part, step);
            break;
        case StepKind::load:
        case StepKind::store:
            add_sector_question(questions, steps, *part, step);
            break;
        case StepKind::block_barrier:
            add_barrier_question(questions, steps, *part, step);
            break;
        default:
            break;
    }
    return questions;
}

Marked mark(const Question& question, const std::string& answer) {
    const std::string given = plain(answer);
    const auto right = is_answer(question.kind, given, question.answer);
    Marked marked{right.has_value(), right.value_or(false), ""};
    if (!marked.understood || marked.right) return marked;
    for (const WrongAnswer& wrong : question.wrong)
        if (is_answer(question.kind, given, wrong.answer).value_or(false)) {
            marked.reveals = wrong.reveals;
            break;
        }
    return marked;
}

}  // namespace lanewise::lesson
