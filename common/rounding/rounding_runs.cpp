// What a lane reads one after the other: no record holds what came in between, and the order in which it was added is
// found by adding again.
#include "common/rounding/rounding_builder.hpp"

namespace lanewise::rounding {

using trace::Effect;
using trace::Record;

namespace {

constexpr int kMostBytes = sizeof(trace::Bytes16);

}  // namespace

void RoundingBuilder::loads(const steps::WarpStep& warp) {
    const Record& record = trace_.records[warp.records.front()];
    each(record, [&](std::size_t lane) {
        const steps::LaneView& view = warp.lanes[lane];
        Run& run = runs_[place_][lane];
        if (!run.open || view.effect == Effect::replace) {
            run = {};
            run.open = true;
            if (view.effect == Effect::replace || view.inputs_before == kUnknownInputs) {
                run.start = Sum::kNone;
            } else {
                // What it added to before: the sum of just those inputs.
                const std::int32_t own = latest_[place_][lane];
                const bool same =
                    own != Sum::kNone && lens_.sum(own).inputs == view.inputs_before;
                run.start = same ? Found(own) : tree_.single(view.inputs_before);
            }
        }
        run.known = run.known && (view.effect == Effect::replace || view.effect == Effect::join) &&
                   record.elements * element_size(record.type) <= kMostBytes;
        run.line = record.line;
        Read read{step_, view.inputs_after, record.type, 0};
        for (int e = 0; run.known && e < record.elements; ++e) {
            const std::uint64_t bits = trace::element_at(record.value[lane], record.type, e);
            const Found sum = word_of(record, record.element_index[lane] + e, bits);
            run.known = sum.has_value();
            if (!run.known) break;
            if (*sum == Sum::kNone) continue;   // a zero that holds no input
            run.reads.bits.push_back(bits);
            run.reads.sums.push_back(*sum);
            ++read.words;
        }
        if (read.words > 0) run.reads.loads.push_back(read);
        if (view.has_after) settle(lane, steps_.lane_values(step_, warp.warp).type, view.after, view.inputs_after);
    });
}

void RoundingBuilder::settle(std::size_t lane, Element type, std::uint64_t bits, std::uint32_t inputs) {
    Run& run = runs_[place_][lane];
    if (!run.open) return;
    const Run done = std::move(run);
    run = {};
    if (done.reads.loads.empty() || done.reads.loads.back().inputs != inputs) return;
    const std::size_t words = done.reads.bits.size();
    const bool plain = done.start && *done.start == Sum::kNone;
    if (words == 1 && plain) return;   // a copy: no addition
    if (!done.known || !done.start) {
        lens_.unknown += words;
        return;
    }
    const std::uint64_t start =
        *done.start == Sum::kNone ? element_from_double(type, 0.0) : start_bits(*done.start, type);
    std::uint32_t& possible = evidence_.orders.try_emplace({done.line, type}, (1u << kOrders) - 1).first->second;
    std::uint32_t fits = 0;
    std::vector<Replayed> chosen;
    for (int order = 0; order < kOrders; ++order) {
        if (!gathers_ && !(possible >> order & 1u)) continue;
        check_stop(stop_);
        auto additions = replay(static_cast<Order>(order), type, start, plain, done.reads);
        if (additions.empty() ||
            !same_value(type, converted(additions.back().type, additions.back().bits, type), bits))
            continue;
        fits |= 1u << order;
        if (chosen.empty()) chosen = std::move(additions);
    }
    // Orders that read one word at a time are alike: they say nothing about the others.
    if (gathers_) possible &= fits;
    if (chosen.empty()) {
        lens_.unknown += words;
        return;
    }
    add_replay(lane, done, chosen);
}

std::uint64_t RoundingBuilder::start_bits(std::int32_t sum, Element type) const {
    const Sum& found = lens_.sum(sum);
    return converted(found.type, found.bits, type);
}

void RoundingBuilder::add_replay(std::size_t lane, const Run& run, const std::vector<Replayed>& additions) {
    std::vector<std::int32_t> made;
    const auto part = [&](std::int32_t place) {
        if (place >= 0) return made[static_cast<std::size_t>(place)];
        return place == Replayed::kStart ? *run.start
                                         : run.reads.sums[static_cast<std::size_t>(Replayed::kElement - place)];
    };
    for (std::size_t i = 0; i < additions.size(); ++i) {
        const Replayed& addition = additions[i];
        const Read& read = run.reads.loads[addition.read];
        Sum sum = sum_here(lane, addition.type, addition.bits, addition.ends_read ? read.inputs : kUnknownInputs);
        sum.step = read.step;
        sum.recorded = i + 1 == additions.size();
        made.push_back(tree_.join(sum, part(addition.own), part(addition.other)));
        if (addition.ends_read) set(place_, lane, read.step, made.back());
    }
}

}  // namespace lanewise::rounding
