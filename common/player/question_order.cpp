// Questions about what comes before what: which accesses a program orders, and which of its steps make a thread wait.
#include <algorithm>

#include <fmt/format.h>

#include "common/player/question_kinds.hpp"

namespace lanewise::player {
namespace {

using trace::Op;
using trace::Record;

constexpr const char* kLockstep =
    "Often believed: “warps run in lockstep”. Since Volta the lanes of a warp may run one after another: without a barrier "
    "between the store and the load, either may come first.";
constexpr const char* kShuffleOrders =
    "Often believed: “a shuffle orders memory”. It exchanges registers. What a lane wrote to memory, another lane is sure to "
    "see only after a barrier.";

// The store that a lane's load reads from, as far as another lane of its block made it.
struct Written {
    int warp = 0, lane = 0;
    bool warp_barrier = false, block_barrier = false, shuffle = false;   // what comes between the two
};

bool is_of(const Record& record, const WarpRef& warp) {
    return record.launch == warp.launch && record.block == warp.block &&
           record.warp == static_cast<std::uint32_t>(warp.warp);
}

// Block barriers that the warp of `record` passed before it.
int phase_of(const trace::Trace& trace, const Record& record) {
    return static_cast<int>(std::count_if(trace.records.begin(), trace.records.end(), [&](const Record& each) {
        return each.launch == record.launch && each.block == record.block && each.warp == record.warp &&
               each.index < record.index && trace::is_block_barrier(each.op);
    }));
}

int writer_of(const Record& store, const Record& load, int lane) {
    if (store.op != Op::store || store.array != load.array) return -1;
    const std::int64_t element = load.element_index[static_cast<std::size_t>(lane)];
    for (int each = 0; each < kWarpSize; ++each) {
        const std::int64_t first = store.element_index[static_cast<std::size_t>(each)];
        if ((store.active >> each & 1u) && element >= first && element < first + store.elements) return each;
    }
    return -1;
}

std::optional<Written> writer(const Asked& asked, const Record& load, int lane) {
    const trace::Trace& trace = *asked.steps.trace;
    std::optional<Written> found;
    // Of its own warp the last store before the load.
    std::uint32_t at = 0;
    for (const Record& store : trace.records) {
        if (!is_of(store, asked.warp) || store.index >= load.index || (found && store.index < at)) continue;
        if (const int by = writer_of(store, load, lane); by >= 0) {
            found = Written{static_cast<int>(asked.warp.warp), by};
            at = store.index;
        }
    }
    if (found) {
        const std::uint32_t both = 1u << lane | 1u << found->lane;
        for (const Record& each : trace.records) {
            if (!is_of(each, asked.warp) || each.index <= at || each.index >= load.index) continue;
            found->block_barrier |= trace::is_block_barrier(each.op);
            found->warp_barrier |= each.op == Op::sync_warp && (each.active & both) == both;
            found->shuffle |= trace::is_shuffle(each.op);
        }
    }
    // Of another warp a store between the same two block barriers: nothing orders those.
    const int phase = phase_of(trace, load);
    for (const Record& store : trace.records) {
        if (store.launch != load.launch || store.block != load.block || store.warp == load.warp ||
            store.op != Op::store)
            continue;
        const int by = writer_of(store, load, lane);
        if (by >= 0 && phase_of(trace, store) == phase) return Written{static_cast<int>(store.warp), by};
    }
    return found;
}

const Record* shared_load(const Asked& asked) {
    if (!asked.part) return nullptr;
    for (auto each = asked.part->records.rbegin(); each != asked.part->records.rend(); ++each) {
        const Record& record = asked.steps.trace->records[*each];
        if (record.op == Op::load && asked.steps.trace->arrays[record.array].space == Space::shared) return &record;
    }
    return nullptr;
}

}  // namespace

std::optional<Question> ordered_question(const Asked& asked) {
    const Record* load = shared_load(asked);
    if (!load) return std::nullopt;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!(load->active >> lane & 1u) || (asked.lane_named && lane != asked.lane)) continue;
        const auto from = writer(asked, *load, lane);
        if (!from || from->block_barrier) continue;
        const bool other_warp = from->warp != static_cast<int>(asked.warp.warp);
        if (!other_warp && from->lane == lane) continue;
        Question question = question_at(QuestionKind::ordered, asked, lane);
        question.record = load->index;
        const std::string here = fmt::format("step:{},lane:{}", asked.step + 1, lane);
        question.text = fmt::format(
            "Lane {} loads '{}[{}]', which lane {} of {} stores. Is it guaranteed that the store comes first?", lane,
            asked.steps.trace->arrays[load->array].name, load->element_index[static_cast<std::size_t>(lane)],
            from->lane, other_warp ? fmt::format("warp {}", from->warp) : "its warp");
        question.answer = from->warp_barrier ? "yes" : "no";
        add_wrong(question, "yes",
                  other_warp ? "Only a block barrier makes one warp wait for another. None is between this store and "
                               "this load: either may come first."
                  : from->shuffle ? kShuffleOrders
                                  : kLockstep,
                  here);
        add_wrong(
            question, "no",
            "Between the store and the load is a __syncwarp: its lanes wait for each other, and see what the others "
            "wrote before it.",
            here);
        return question;
    }
    return std::nullopt;
}

std::optional<Question> orders_memory_question(const Asked& asked) {
    if (!asked.part || asked.part->records.empty() || asked.record().active == 0) return std::nullopt;
    const Record& record = asked.record();
    const bool shuffle = trace::is_shuffle(record.op);
    if (!shuffle && record.op != Op::sync_warp && !trace::is_block_barrier(record.op)) return std::nullopt;
    Question question = question_at(QuestionKind::orders_memory, asked);
    question.text =
        shuffle ? "A lane of this warp stores to shared memory just before this shuffle. Is it guaranteed that the "
                  "other lanes, after the shuffle, load what it stored?"
                : "A lane of this warp stores to shared memory just before this barrier. Is it guaranteed that the "
                  "others which wait here load, after it, what the lane stored?";
    question.answer = shuffle ? "no" : "yes";
    const std::string here = fmt::format("step:{}", asked.step + 1);
    add_wrong(question, "yes", kShuffleOrders, here);
    add_wrong(question, "no", "A barrier also orders memory among the threads that take part: that is what it is for.",
              here);
    return question;
}

std::optional<Question> waits_question(const Asked& asked) {
    if (!asked.part || asked.part->records.empty() || asked.record().op != Op::fence) return std::nullopt;
    Question question = question_at(QuestionKind::waits, asked);
    question.text = fmt::format(
        "Warp {} of block {} executes a memory fence. Does it wait there until other blocks have reached "
        "theirs?",
        asked.warp.warp, asked.warp.block);
    question.answer = "no";
    add_wrong(
        question, "yes",
        "Often believed: “__threadfence synchronizes the grid”. A fence orders its own thread's accesses, those before it "
        "before those after it. It waits for no other thread.",
        fmt::format("step:{}", asked.step + 1));
    return question;
}

}  // namespace lanewise::player
