#include "common/player/question_kinds.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

#include "common/base/lanes.hpp"
#include "common/steps/memory_cost.hpp"

namespace lanewise::player {
namespace {

using steps::LaneView;
using steps::Steps;
using steps::WarpStep;
using trace::Effect;
using trace::Op;
using trace::Record;

// The step that is asked about shows it, at that lane.
std::string this_step(const Asked& asked, int lane) {
    return fmt::format("step:{}", asked.step + 1) + (lane >= 0 ? fmt::format(",lane:{}", lane) : "");
}

bool has_lane(const Asked& asked) {
    return asked.part && asked.lane >= 0 && asked.lane < kWarpSize && (asked.record().active >> asked.lane & 1u);
}

bool is_shuffle_step(const Asked& asked) {
    return asked.part && asked.steps.steps[asked.step].kind == StepKind::shuffle && asked.record().active != 0;
}

// Each warp of the block with a part in the step.
template <class F>
void each_of_block(const Asked& asked, F act) {
    for (const WarpStep& part : asked.steps.steps[asked.step].warps)
        if (part.warp.launch == asked.warp.launch && part.warp.block == asked.warp.block && !part.records.empty())
            act(part);
}

const trace::Array& array_of(const Asked& asked, const Record& record) {
    return asked.steps.trace->arrays[record.array];
}

std::uint32_t threads_of_block(const Asked& asked) {
    const auto& launches = asked.steps.trace->header.launches;
    if (asked.warp.launch >= launches.size()) return 0;
    const auto& block = launches[asked.warp.launch].block;
    return block[0] * block[1] * block[2];
}

}  // namespace

Question question_at(QuestionKind kind, const Asked& asked, int lane) {
    Question question;
    question.kind = kind;
    question.step = asked.step;
    question.warp = asked.warp;
    question.lane = lane;
    if (asked.part) question.record = asked.record().index;
    return question;
}

void add_wrong(Question& question, const std::string& answer, const std::string& reveals,
               const std::string& refuted_by) {
    const auto same = [&](const WrongAnswer& known) { return known.answer == answer; };
    if (answer != question.answer && std::none_of(question.wrong.begin(), question.wrong.end(), same))
        question.wrong.push_back({answer, reveals, refuted_by});
}

int unclamped_source(Op op, int lane, int arg) {
    const int low = arg & 31;
    return op == Op::shfl_xor ? lane ^ low : op == Op::shfl_down ? lane + low : op == Op::shfl_up ? lane - low : low;
}

std::optional<Question> source_question(const Asked& asked) {
    if (!is_shuffle_step(asked) || !has_lane(asked)) return std::nullopt;
    const Record& record = asked.record();
    const int lane = asked.lane;
    const auto at = static_cast<std::size_t>(lane);
    if (record.source[at] < 0) return std::nullopt;
    const int arg = record.arg[at], low = arg & 31, wanted = unclamped_source(record.op, lane, arg);
    Question question = question_at(QuestionKind::source_lane, asked, lane);
    const char* names[] = {"idx", "up", "down", "xor"};
    question.text = fmt::format("{} {}{}: which lane does lane {} read?", names[static_cast<int>(record.op)], arg,
                                record.width == kWarpSize ? "" : fmt::format(" within {} lanes", record.width), lane);
    question.answer = std::to_string(record.source[at]);
    const auto wrong = [&](int source, const char* reveals) {
        add_wrong(question, std::to_string(source), reveals, this_step(asked, lane));
    };
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

std::optional<Question> defined_question(const Asked& asked) {
    if (!is_shuffle_step(asked) || !has_lane(asked)) return std::nullopt;
    const Record& record = asked.record();
    Question question = question_at(QuestionKind::is_defined, asked, asked.lane);
    question.text = fmt::format("Is what lane {} receives defined? (mask 0x{:08x})", asked.lane, record.mask);
    question.answer = record.undefined >> asked.lane & 1u ? "no" : "yes";
    add_wrong(
        question, "no",
        "Often believed: “past the edge it is undefined”. There a lane keeps its own value: that is defined. Only a "
        "source that does not take part is undefined.",
        this_step(asked, asked.lane));
    add_wrong(question, "yes",
              "Often believed: “the mask selects who exchanges”. It names who must take part. The lane that is read "
              "does not take part, so CUDA leaves open what is received.",
              this_step(asked, asked.lane));
    return question;
}

std::optional<Question> value_question(const Asked& asked) {
    if (!is_shuffle_step(asked) || !has_lane(asked) || !asked.part->parts.empty()) return std::nullopt;
    const Record& record = asked.record();
    const LaneView& view = asked.part->lanes[static_cast<std::size_t>(asked.lane)];
    if (!view.has_after || view.undefined) return std::nullopt;
    Question question = question_at(QuestionKind::value_after, asked, asked.lane);
    const auto shown = [&](std::uint64_t bits) { return format_element(record.type, bits); };
    question.text = fmt::format("Lane {} holds {}. What does it hold after this step?", asked.lane, shown(view.before));
    question.answer = shown(view.after);
    const std::string here = this_step(asked, asked.lane);
    if (view.effect == Effect::join)
        add_wrong(question, shown(view.received), "The statement joins what is received to the lane's own value.",
                  here);
    if (view.effect == Effect::replace)
        add_wrong(question, shown(view.before), "The statement replaces the lane's value by what it receives.", here);
    if (view.effect == Effect::keep)
        add_wrong(question, shown(view.received), "The lane receives a value and does not use it.", here);
    return question;
}

std::optional<Question> vote_question(const Asked& asked) {
    if (!asked.part || !has_lane(asked) || !trace::is_predicate_vote(asked.record().op)) return std::nullopt;
    const Record& record = asked.record();
    std::uint32_t yes = 0;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
        if ((record.active >> lane & 1u) && record.arg[lane] != 0) yes |= 1u << lane;
    const int count = std::popcount(yes), of_all = std::popcount(record.active);
    const char* name = record.op == Op::vote_any ? "any" : record.op == Op::vote_all ? "all" : "ballot";
    Question question = question_at(QuestionKind::vote, asked, asked.lane);
    question.text = fmt::format("The predicate is non-zero in {} of {} lanes that vote ({}). What does {} give?", count,
                                of_all, yes == 0 ? "none" : lane_ranges(yes), name);
    question.answer = std::to_string(record.received[static_cast<std::size_t>(asked.lane)]);
    const auto wrong = [&](std::uint64_t answer, const char* reveals) {
        add_wrong(question, std::to_string(answer), reveals, this_step(asked, asked.lane));
    };
    if (record.op == Op::vote_ballot) {
        std::uint32_t turned = 0;
        for (int bit = 0; bit < 32; ++bit) turned |= (yes >> bit & 1u) << (31 - bit);
        wrong(static_cast<std::uint64_t>(count),
              "So many lanes say yes; ballot gives each lane's answer as a bit, and popcount counts them.");
        wrong(turned, "Lane 0 is the lowest bit, not the highest.");
        wrong(1, "ballot gives a bit for each lane; any and all give 0 or 1.");
    } else {
        wrong(record.op == Op::vote_any ? 0 : 1, record.op == Op::vote_any ? "One lane that says yes is enough for any."
                                                                           : "all needs every lane that votes.");
        wrong(record.op == Op::vote_any ? 1 : 0,
              record.op == Op::vote_any ? "No lane says yes." : "Non-zero is enough: it need not be 1.");
        wrong(yes, "That is the ballot: any and all give 0 or 1.");
    }
    return question;
}

// After the run's last shuffle: which lanes hold each of the block's inputs once.
std::optional<Question> total_question(const Asked& asked) {
    if (!is_shuffle_step(asked) || asked.steps.input_count < 2) return std::nullopt;
    for (std::size_t later = asked.step + 1; later < asked.steps.size(); ++later)
        if (asked.steps.steps[later].kind == StepKind::shuffle) return std::nullopt;
    // What the block loads, of one array and each element once: of what is read again and again, or next to other
    // values, "once" means little.
    std::set<std::int64_t> inputs;
    std::optional<std::uint32_t> array;
    for (const Record& record : asked.steps.trace->records) {
        if (record.op != Op::load || record.launch != asked.warp.launch || record.block != asked.warp.block) continue;
        if (array_of(asked, record).space != Space::global) continue;
        if (array.value_or(record.array) != record.array) return std::nullopt;
        array = record.array;
        for (std::size_t lane = 0; lane < kWarpSize; ++lane)
            if (record.active >> lane & 1u)
                for (int k = 0; k < record.elements; ++k)
                    if (!inputs.insert(record.element_index[lane] + k).second) return std::nullopt;
    }
    std::uint32_t holders = 0;
    bool joins = false;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const LaneView& view = asked.part->lanes[lane];
        if (!view.active) continue;
        joins = joins || view.effect == Effect::join;
        const auto held = asked.steps.provenances.at(view.inputs_after);
        if (held.count() == inputs.size() && !held.counted_twice() && !held.undefined && !held.unknown)
            holders |= 1u << lane;
    }
    const std::uint32_t active = asked.record().active;
    if (!joins || holders == 0 || inputs.size() < 2) return std::nullopt;
    Question question = question_at(QuestionKind::holds_total, asked);
    const bool alone = threads_of_block(asked) <= kWarpSize;
    question.text = alone ? "After this step: which lanes hold each input exactly once?"
                          : fmt::format(
                                "After this step: which lanes of warp {} hold each of the block's {} inputs "
                                "exactly once?",
                                asked.warp.warp, inputs.size());
    question.answer = lane_ranges(holders);
    const std::string there = this_step(asked, holders == active ? 0 : std::countr_zero(active & ~holders));
    add_wrong(question, lane_ranges(active),
              alone ? "Not every lane: near the edge a lane read itself, so that its value counts some inputs twice."
                    : "Often believed: “after a two-level reduction every thread has the sum”. The masks of the second "
                      "level reach only the lanes that took a warp's sum.",
              there);
    for (const char* one : {"0", "31"})
        add_wrong(question, one,
                  "Which lane ends with the total depends on the shuffle: xor all that it reaches, down the "
                  "first, up the last.",
                  this_step(asked, -1));
    return question;
}

// Of an update such as `tree[t] += tree[t + 16]` the element that is added to the lane's own.
std::optional<Question> element_question(const Asked& asked) {
    if (!has_lane(asked)) return std::nullopt;
    const auto at = static_cast<std::size_t>(asked.lane);
    const Record *found = nullptr, *stored = nullptr;
    for (const std::size_t each : asked.part->records) {
        const Record& record = asked.steps.trace->records[each];
        if (record.op == Op::store) stored = &record;
    }
    for (const std::size_t each : asked.part->records) {
        const Record& record = asked.steps.trace->records[each];
        if (!trace::is_access(record.op) || !(record.active >> asked.lane & 1u)) continue;
        if (asked.part->records.size() == 1) found = &record;
        else if (record.op == Op::load && stored && record.array == stored->array &&
                 record.element_index[at] != stored->element_index[at])
            found = &record;
    }
    if (!found) return std::nullopt;
    Question question = question_at(QuestionKind::element, asked, asked.lane);
    question.record = found->index;
    const std::string name = array_of(asked, *found).name;
    const std::int64_t element = found->element_index[at];
    question.text = asked.part->records.size() > 1
                        ? fmt::format("Which element of '{}' does lane {} of warp {} add to its own?", name, asked.lane,
                                      asked.warp.warp)
                        : fmt::format("Which element of '{}' does lane {} of warp {}, block {} {}{}?", name, asked.lane,
                                      asked.warp.warp, asked.warp.block, found->op == Op::load ? "load" : "store to",
                                      found->elements > 1 ? fmt::format(" first, of {}", found->elements) : "");
    question.answer = std::to_string(element);
    const std::string here = this_step(asked, asked.lane);
    if (asked.part->records.size() > 1)
        add_wrong(question, std::to_string(stored->element_index[at]),
                  "That one is its own: the statement adds the other one to it.", here);
    if (found->elements > 1 && element % found->elements == 0)
        add_wrong(question, std::to_string(element / found->elements),
                  "One access takes several elements: the next lane begins as many further on.", here);
    add_wrong(question, std::to_string(asked.lane),
              "A lane's number counts within its warp. Its index also depends on the warp, the block and what the "
              "statement adds.",
              here);
    return question;
}

std::optional<Question> threads_question(const Asked& asked, bool warps) {
    const std::uint32_t threads = threads_of_block(asked);
    if (!asked.part || threads == 0) return std::nullopt;
    Question question = question_at(warps ? QuestionKind::active_warps : QuestionKind::active_threads, asked);
    std::uint32_t active = 0, with_lanes = 0;
    each_of_block(asked, [&](const WarpStep& part) {
        std::uint32_t lanes = 0;
        for (const std::size_t each : part.records) {
            const Record& record = asked.steps.trace->records[each];
            lanes |= record.active;
            question.records.emplace_back(part.warp.warp, record.index);
        }
        active += static_cast<std::uint32_t>(std::popcount(lanes));
        with_lanes += lanes != 0 ? 1 : 0;
    });
    const std::uint32_t all = warps ? (threads + kWarpSize - 1) / kWarpSize : threads;
    question.text = warps ? fmt::format("How many of the block's {} warps have active lanes in this step?", all)
                          : fmt::format("How many of the block's {} threads are active in this step?", all);
    question.answer = std::to_string(warps ? with_lanes : active);
    const std::string here = this_step(asked, -1);
    add_wrong(question, std::to_string(all),
              warps ? "A warp whose lanes all fail the condition issues nothing of the branch."
                    : "Only threads whose condition holds execute the statement; the others have no part in the step.",
              here);
    if (warps)
        add_wrong(question, std::to_string((active + kWarpSize - 1) / kWarpSize),
                  "So few would do if the active threads were neighbours; here they are spread over more warps.", here);
    else
        add_wrong(question, std::to_string(std::popcount(asked.record().active)),
                  "So many lanes are active in this warp; the block has more warps.", here);
    return question;
}

std::optional<Question> sector_question(const Asked& asked) {
    if (!asked.part || asked.part->records.size() != 1) return std::nullopt;
    const Record& record = asked.record();
    if (!trace::is_access(record.op) || array_of(asked, record).space != Space::global) return std::nullopt;
    const int lanes = std::popcount(record.active);
    if (lanes < 2) return std::nullopt;
    Question question = question_at(QuestionKind::sectors, asked);
    question.text = fmt::format("{} lanes {} '{}', {} bytes each. How many 32-byte sectors does the request touch?",
                                lanes, record.op == trace::Op::load ? "load from" : "store to",
                                array_of(asked, record).name, record.elements * element_size(record.type));
    question.answer = std::to_string(steps::sectors_of(*asked.steps.trace, record).size());
    const std::string here = this_step(asked, -1);
    add_wrong(question, std::to_string(lanes),
              "A sector holds 32 bytes: neighbouring lanes share one, and it moves once.", here);
    add_wrong(question, "1", "A request is as many sectors as its lanes' addresses lie in.", here);
    return question;
}

std::optional<Question> wavefront_question(const Asked& asked) {
    if (!asked.part) return std::nullopt;
    Question question = question_at(QuestionKind::wavefronts, asked);
    int requests = 0, wavefronts = 0, lanes = 0;
    std::string name;
    for (const std::size_t each : asked.part->records) {
        const Record& record = asked.steps.trace->records[each];
        if (!trace::is_access(record.op) || array_of(asked, record).space != Space::shared) continue;
        ++requests;
        wavefronts += steps::banks_of(*asked.steps.trace, record).wavefronts;
        lanes = std::max(lanes, std::popcount(record.active));
        name = array_of(asked, record).name;
        question.records.emplace_back(asked.warp.warp, record.index);
    }
    if (requests == 0 || lanes < 2) return std::nullopt;
    question.text =
        requests == 1 ? fmt::format("{} lanes access '{}' in shared memory. How many wavefronts does the request take?",
                                    lanes, name)
                      : fmt::format(
                            "{} requests to shared memory, of up to {} lanes each. How many wavefronts do they "
                            "take together?",
                            requests, lanes);
    question.answer = std::to_string(wavefronts);
    const std::string here = this_step(asked, -1);
    add_wrong(
        question, std::to_string(requests),
        "Lanes that want different words of one bank wait for one another: that request takes a wavefront for each "
        "of these words.",
        here);
    add_wrong(question, std::to_string(requests * lanes),
              "Lanes that want words of different banks, or the same word, are served by one wavefront.", here);
    if (requests > 1)
        add_wrong(question, "1", "Each request takes at least one wavefront: loads and stores do not share one.", here);
    return question;
}

std::optional<Question> barrier_question(const Asked& asked) {
    const WarpRef block{asked.warp.launch, asked.warp.block, 0};
    const auto at = std::find(asked.steps.blocks.begin(), asked.steps.blocks.end(), block);
    if (at == asked.steps.blocks.end() || !asked.part || asked.steps.steps[asked.step].kind != StepKind::block_barrier)
        return std::nullopt;
    Question question = question_at(QuestionKind::barriers, asked);
    question.record = asked.steps.trace->records[asked.part->records.back()].index;
    question.text = fmt::format("How many block barriers has block {} passed, this one included?", asked.warp.block);
    const std::uint32_t count = asked.steps.steps[asked.step]
                                    .counters[static_cast<std::size_t>(at - asked.steps.blocks.begin())]
                                    .block_barriers;
    question.answer = std::to_string(count);
    add_wrong(question, std::to_string(count - 1), "This barrier counts, too.", this_step(asked, -1));
    return question;
}

}  // namespace lanewise::player
