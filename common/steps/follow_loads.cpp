#include "common/steps/follower.hpp"

namespace lanewise::steps {

using trace::Effect;
using trace::Op;
using trace::Record;
using trace::Statement;

Follower::Reach Follower::reaches(const Statement& sink, std::size_t number, std::size_t lane, int reads_left) const {
    constexpr int kMost = 64;   // reads in a row, of a loop that was unrolled
    int from = trace_.records[number].line;
    // The other words of `value = a[i] + b[i];` are read first.
    for (; reads_left > 0; --reads_left) {
        const std::size_t next = next_of(number, lane);
        const bool reads = next != kNone && trace_.records[next].op == Op::load;
        if (!reads || !statements_.same(trace_.records[next].line, from, false)) break;
        number = next;
    }
    for (int k = 0; k < kMost; ++k) {
        number = next_of(number, lane);
        const int to = number == kNone ? 0 : trace_.records[number].line;
        if (text_.passed(sink, from, to)) return TextFlow::is_certain(sink, from, to) ? Reach::yes : Reach::perhaps;
        if (number == kNone || trace_.records[number].op != Op::load || !sink.function.has(to)) return Reach::no;
        from = to;
    }
    return Reach::no;
}

Follower::Sum Follower::joined_by(const Statement* statement, std::size_t number, std::size_t lane) {
    if (statement == nullptr) return {};
    if (statement->effect == Effect::join) return {statement, true};
    const Statement* sink = TextFlow::is_known(statement) ? text_.sink(*statement) : nullptr;
    if (sink == nullptr) return {};
    const Reach reach = reaches(*sink, number, lane, course(lane).reads_left());
    if (reach != Reach::no) return {sink, reach == Reach::yes};
    course(lane).owe(*sink, *statement);
    return {};
}

const Statement* Follower::statement_of_read(std::size_t number, std::size_t lane) const {
    const int line = trace_.records[number].line;
    if (const Statement* statement = statements_.at(line, false)) return statement;
    const Statement* statement = statements_.at(line, true);
    if (!TextFlow::is_known(statement)) return nullptr;
    for (std::size_t i = next_of(number, lane); i != kNone; i = next_of(i, lane)) {
        if (trace_.records[i].op == Op::load && statements_.same(trace_.records[i].line, line, true)) continue;
        const bool stores = trace_.records[i].op == Op::store && statements_.same(trace_.records[i].line, line, true);
        return stores ? nullptr : statement;
    }
    return statement;
}

void Follower::load(std::size_t number, WarpStep& warp) {
    const Record& record = trace_.records[number];
    const Statement* assigned = statements_.at(record.line, false);
    for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
        if (!takes_part(record, lane)) {
            if (assigned == nullptr) continue;
            if (assigned->conditional) assigned_without_load(number, lane, *assigned);
            else if (!TextFlow::is_known(assigned)) guessed_without_load(number, lane, *assigned);
            else if (assigned->effect == Effect::join) passed_without_load(number, lane, *assigned);
            continue;
        }
        read(number, lane, warp.lanes[lane]);
    }
}

void Follower::read(std::size_t number, std::size_t lane, LaneView& view) {
    const Record& record = trace_.records[number];
    const Statement* statement = statement_of_read(number, lane);
    if (statement == nullptr) course(lane).read_aside();
    const bool more = course(lane).reads_on(statement);
    const auto [sum, certain] = joined_by(statement, number, lane);
    view.active = true;
    view.before = is_known(lane) ? held().bits[lane] : 0;
    view.received = accessed(record, lane);
    view.has_received = true;
    view.effect = !certain ? Effect::unknown : sum != nullptr || more ? Effect::join : Effect::replace;
    course(lane).hold_by(sum != nullptr ? sum : statement);
    const std::uint32_t word = memory_.read(record, lane);
    remember(lane, record, word);
    if (TextFlow::is_known(sum)) {
        const bool given = !course(lane).has_taken(*sum) && !text_.is_assigned(*sum);
        std::uint32_t& own = course(lane).taken(*sum);
        if (given) own = held().inputs[lane];
        own = certain ? inputs_.join(own, word) : inputs_.unknown(own);
        held().inputs[lane] = own;
    } else {
        held().inputs[lane] = sum != nullptr || more ? inputs_.join(held().inputs[lane], word) : word;
        if (TextFlow::is_known(statement)) course(lane).taken(*statement) = held().inputs[lane];
    }
    // What was read is what the lane has only where the text says so; else the next record that holds the value.
    const bool copies = sum == nullptr && record.elements == 1 && (!TextFlow::is_known(statement) || statement->copies);
    if (record.has_after >> lane & 1) hold(record.after_type, lane, record.after[lane]);
    else if (copies) hold(record, lane, view.received);
    else hold_offer(number, lane, sum);
    view.has_after = is_known(lane);
    view.after = view.has_after ? held().bits[lane] : 0;
}

void Follower::guessed_without_load(std::size_t number, std::size_t lane, const Statement& statement) {
    const Record& record = trace_.records[number];
    const Offer offer = next_offer(number, lane);
    if (statement.effect == Effect::join || offer.record == nullptr || offer.record->type != record.type) return;
    if (is_known(lane) && held().type == record.type && held().bits[lane] == offer.bits) return;
    hold(record, lane, offer.bits);
    held().inputs[lane] = Provenances::kNothing;
}

void Follower::hold_offer(std::size_t number, std::size_t lane, const Statement* sum) {
    const Record& record = trace_.records[number];
    const Offer offer = next_offer(number, lane);
    const bool changed = offer.record != nullptr && TextFlow::is_known(sum) &&
                         text_.changed_between(*sum, record.line, offer.record->line);
    if (changed) forget(lane);
    else if (offer.record != nullptr && offer.record->type == record.type) hold(record, lane, offer.bits);
    else forget(lane);
}

void Follower::assigned_without_load(std::size_t number, std::size_t lane, const Statement& statement) {
    const std::size_t next = next_of(number, lane);
    if (next == kNone) return;   // it has nothing more to do, or never was
    const int line = trace_.records[next].line;
    const bool elsewhere = statement.branch.last != 0 && statement.function.has(line) && !statement.branch.has(line);
    if (elsewhere) return;
    // What is assigned instead of a value read may be joined to a sum: that holds what it held.
    const Statement* sink = TextFlow::is_known(&statement) ? text_.sink(statement) : nullptr;
    const bool joined = sink != nullptr && reaches(*sink, number, lane, 0) != Reach::no;
    if (statement.effect != Effect::join && !joined) {
        held().inputs[lane] = Provenances::kNothing;
        if (TextFlow::is_known(&statement)) {
            course(lane).taken(statement) = Provenances::kNothing;
            course(lane).hold_by(&statement);
        }
    }
    hold_offer(number, lane, nullptr);
}

void Follower::passed_without_load(std::size_t number, std::size_t lane, const Statement& sum) {
    const std::size_t next = next_of(number, lane);
    if (next == kNone) return;   // it has nothing more to do, or never was
    const int line = trace_.records[number].line;
    const int to = trace_.records[next].line;
    if (to == line || !text_.passed(sum, line, to)) return;
    std::uint32_t& inputs = held().inputs[lane];
    course(lane).come_to(line, text_, inputs_, inputs);   // `sum = 0` leaves no record
    course(lane).leave(line, false, text_);
    if (!course(lane).has_taken(sum)) return;
    inputs = course(lane).taken(sum);
    course(lane).hold_by(&sum);
    hold_offer(number, lane, &sum);
}

}  // namespace lanewise::steps
