// What words of memory hold.
#include <algorithm>

#include "common/rounding/rounding_builder.hpp"

namespace lanewise::rounding {

using steps::accessed;
using steps::LaneView;
using steps::WarpStep;
using trace::Effect;
using trace::Op;
using trace::Record;

Found RoundingBuilder::word_of(const Record& record, std::int64_t element, std::uint64_t bits) {
    const auto word = held_.find(words_.key(record, element));
    if (word != held_.end())
        return word->second.sum && same_value(record.type, word->second.bits, bits) ? word->second.sum
                                                                                    : std::nullopt;
    if (const Found sum = tree_.input(record.array, element))
        return tree_.holds(*sum, record.type, bits) ? sum : std::nullopt;
    return element_to_double(record.type, bits) == 0 ? Found(Sum::kNone) : std::nullopt;
}

void RoundingBuilder::write_word(const Record& record, std::size_t lane, std::uint64_t bits, Found sum) {
    const std::int64_t element = record.element_index[lane];
    for (int e = 1; e < record.elements; ++e)
        held_[words_.key(record, element + e)].sum = std::nullopt;  // a vector access: not followed
    if (record.elements > 1) sum = std::nullopt;
    held_[words_.key(record, element)] = {sum, record.type, bits, record.array, element, true};
}

void RoundingBuilder::stores(const WarpStep& warp) {
    for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
        const steps::Update update = steps::update_of(trace_, warp, lane);
        if (update.store == nullptr) continue;
        const Record& record = *update.store;
        const LaneView& view = warp.lanes[lane];
        const std::uint64_t bits = accessed(record, lane);
        if (warp.records.size() == 1) {
            settle(lane, record.type, bits, view.inputs_after);
            write_word(record, lane, bits, tree_.find(latest_[place_][lane], view.inputs_after, record.type, bits));
            continue;
        }
        if (update.own == nullptr && update.other == nullptr) {
            write_word(record, lane, bits, std::nullopt);
            continue;
        }
        // `tree[t] = in[t]`, `tree[t] += tree[t + offset]`, `sums[w] += value`.
        const Found other =
            update.other ? word_of(*update.other, update.other->element_index[lane], accessed(*update.other, lane))
                         : std::nullopt;
        if (view.effect != Effect::join) {
            const bool copies =
                update.own == nullptr && other &&
                same_value(record.type, converted(update.other->type, accessed(*update.other, lane), record.type),
                           bits);
            write_word(record, lane, bits, copies ? other : std::nullopt);
            continue;
        }
        Found own = update.own ? word_of(*update.own, update.own->element_index[lane], accessed(*update.own, lane))
                               : std::nullopt;
        const bool adds =
            update.own && update.other &&
            same_value(record.type,
                       steps::sum_bits(record.type, accessed(*update.own, lane),
                                       converted(update.other->type, accessed(*update.other, lane), record.type)),
                       bits);
        if (!line_adds(record.line, adds) || !own || !other) {
            ++lens_.unknown;
            write_word(record, lane, bits, std::nullopt);
            continue;
        }
        const std::int32_t sum = tree_.join(sum_here(lane, record.type, bits, view.inputs_after), own, other);
        set(place_, lane, step_, sum);
        write_word(record, lane, bits, sum);
    }
}

void RoundingBuilder::atomics(const steps::Step& step) {
    struct Give {
        std::size_t place, lane;
        const WarpStep* warp;
        const Record* record;
    };
    std::vector<Give> gives;
    for (const WarpStep& warp : step.warps) {
        const Record& record = trace_.records[warp.records.front()];
        const std::size_t place = place_of(warp.warp);
        each(record, [&](std::size_t lane) { gives.push_back({place, lane, &warp, &record}); });
    }
    const std::size_t all = gives.size();
    constexpr std::size_t kMostInOrder = 4096;
    for (std::size_t done = 0; done < all; ++done) {
        check_stop(stop_);
        // The first that found what its word holds; else the first.
        std::size_t next = done;
        for (std::size_t i = done; all <= kMostInOrder && i < all; ++i) {
            const Give& give = gives[i];
            if (!word_of(*give.record, give.record->element_index[give.lane], give.record->received[give.lane]))
                continue;
            next = i;
            break;
        }
        std::rotate(gives.begin() + static_cast<std::ptrdiff_t>(done),
                    gives.begin() + static_cast<std::ptrdiff_t>(next),
                    gives.begin() + static_cast<std::ptrdiff_t>(next) + 1);
        const Give give = gives[done];
        place_ = give.place;
        atomic(*give.record, *give.warp, give.lane);
    }
}

void RoundingBuilder::atomic(const Record& record, const WarpStep& warp, std::size_t lane) {
    const LaneView& view = warp.lanes[lane];
    const std::uint64_t gave = accessed(record, lane), found_bits = record.received[lane];
    settle(lane, record.type, gave, view.inputs_before);
    Word& word = held_[words_.key(record, record.element_index[lane])];
    Found own;
    if (!word.touched && element_to_double(record.type, found_bits) == 0) own = Sum::kNone;
    else if (word.touched && same_value(record.type, word.bits, found_bits)) own = word.sum;
    const Found other = record.op == Op::atomic_add && record.elements == 1
                            ? tree_.find(latest_[place_][lane], view.inputs_before, record.type, gave)
                            : std::nullopt;
    if (own && *own != Sum::kNone) lens_.sums[static_cast<std::size_t>(*own)].recorded = true;  // the next found it
    const std::uint64_t bits = steps::sum_bits(record.type, found_bits, gave);
    Found sum;
    if (own && other) {
        Sum here = sum_here(lane, record.type, bits, kUnknownInputs);
        here.kind = Sum::Kind::atomic;
        here.recorded = false;
        sum = tree_.join(here, own, other);
        set(place_, lane, step_, *sum);
    } else if (record.op == Op::atomic_add) {
        ++lens_.unknown;
    }
    word = {sum, record.type, bits, record.array, record.element_index[lane], true};
}

void RoundingBuilder::confirm(const Word& word) {
    if (!word.sum || *word.sum == Sum::kNone || word.array >= trace_.arrays.size()) return;
    for (const trace::Output& output : trace_.outputs) {
        const auto place = static_cast<std::size_t>(word.element);
        const bool same = output.name == trace_.arrays[word.array].name && place < output.values.size() &&
                          same_value(word.type, output.values[place], word.bits);
        if (same) lens_.sums[static_cast<std::size_t>(*word.sum)].recorded = true;
    }
}

}  // namespace lanewise::rounding
