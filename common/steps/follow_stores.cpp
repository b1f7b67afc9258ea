#include "common/steps/follower.hpp"

namespace lanewise::steps {

using trace::Effect;
using trace::Op;
using trace::Record;
using trace::Statement;

void Follower::store(WarpStep& warp) {
    for (const std::size_t number : warp.records) {
        const Record& record = trace_.records[number];
        if (record.op == Op::load)
            each(record, [&](std::size_t lane) { read_in_update(record, lane, warp.lanes[lane]); });
        else
            each(record, [&](std::size_t lane) { write(record, lane, warp); });
    }
}

void Follower::read_in_update(const Record& record, std::size_t lane, LaneView& view) {
    view.active = true;
    view.received = accessed(record, lane);
    view.has_received = true;
    remember(lane, record, memory_.read(record, lane));
}

void Follower::write(const Record& record, std::size_t lane, WarpStep& warp) {
    LaneView& view = warp.lanes[lane];
    const bool is_update = warp.records.size() > 1;
    const std::uint64_t written = accessed(record, lane);
    const Statement* statement = statements_.at(record.line, true);
    const bool joins = statement != nullptr && statement->effect == Effect::join;
    const Pending* reads = pending(lane, record.line, true);
    auto [stored, is_held] = course(lane).stored(statement, text_, inputs_, held().inputs[lane]);
    if (reads != nullptr) {
        stored = Provenances::kNothing;
        bool only_own = true;
        for (const Pending::Word& word : reads->words) {
            stored = inputs_.join(stored, word.inputs);
            only_own = only_own && word.array == record.array && word.element == record.element_index[lane];
        }
        // `sums[w] += value`: what came to the word is what the lane held.
        if (joins && only_own) stored = inputs_.join(stored, held().inputs[lane]);
    }
    memory_.write(record, lane, stored);
    view.active = true;
    view.before = written;
    view.effect = joins ? Effect::join : Effect::replace;
    if (is_update) {
        const Update update = update_of(trace_, warp, lane);
        if (update.own != nullptr) view.before = accessed(*update.own, lane);
        if (update.other != nullptr) view.received = accessed(*update.other, lane);
    }
    view.after = written;
    view.has_after = true;
    // What a store shows of the lane's value: nothing, where another variable was stored.
    if (reads != nullptr || (is_held && !is_known(lane))) hold(record, lane, written);
    if (reads != nullptr) {
        held().inputs[lane] = stored;
        course(lane).hold_by(nullptr);
    }
    forget_reads(lane);
}

}  // namespace lanewise::steps
