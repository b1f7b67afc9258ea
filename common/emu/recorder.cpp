#include "common/emu/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/trace/shuffle_rule.hpp"

namespace lanewise::emu {

using trace::Effect;
using trace::LaneEvent;
using trace::Op;

namespace {

std::uint64_t address_bits(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

// Effects 4 and 5 of the annotated text: what happens if the conditional statement was executed, else nothing.
Effect effect_of(int code, bool took) {
    if (code == 4) return took ? Effect::join : Effect::keep;
    if (code == 5) return took ? Effect::replace : Effect::keep;
    return static_cast<Effect>(code);
}

}  // namespace

LaneEvent& Recorder::add(std::uint32_t thread, bool settles, const void* address, const void* pc) {
    if (settles) settle(thread);
    EventEntry* entry = nullptr;
    if (!full_ && events_ < kMaxEvents)
        entry = journal_.add(EntryKind::event, EventEntry{thread, 0, address_bits(address), address_bits(pc), {}});
    if (!entry) {
        full_ = true;
        journal_.set_full();
        return spilt_ = {};
    }
    ++events_;
    list(thread).push_back(entry);
    return entry->event;
}

// A store is announced before it happens. It has by the lane's next event, unless that is a load: in the copy of a
// struct both are announced first. So stores wait for something else than a load; nothing can change what they wrote
// till then.
void Recorder::settle(std::uint32_t thread) {
    for (const Pending& pending : of_.pending[thread])
        std::memcpy(list(thread)[pending.event]->event.value.data(), pending.address, pending.bytes);
    of_.pending[thread].clear();
}

// Is this the next piece of the store that was announced last?
bool Recorder::continues(const AccessSeen& seen) const {
    const auto& pending = of_.pending[seen.thread];
    return !pending.empty() && pending.back().bytes == 16 && pending.back().pc == seen.pc &&
           pending.back().address + 16 == seen.address;
}

const BufferPlace* Recorder::buffer_at(const std::byte* address) const {
    for (const auto& buffer : buffers_)
        if (address >= buffer.begin && address < buffer.begin + buffer.bytes) return &buffer;
    return nullptr;
}

Recorder::Shared* Recorder::shared_at(const std::byte* address) {
    for (auto& shared : of_.shared)
        if (address_bits(address) >= shared.array.address &&
            address_bits(address) < shared.array.address + shared.array.bytes())
            return &shared;
    return nullptr;
}

void Recorder::block_begins(std::uint64_t block, std::uint32_t slots) {
    if (!journal_.add(EntryKind::block_begins, BlockEntry{static_cast<std::uint32_t>(block), slots})) full_ = true;
    put_aside();
    of_ = {};
    of_.under_way = true;
    block_ = block;
    of_.lists.assign(slots, {});
    begin_parts(block);
    of_.pending.assign(slots, {});
    of_.took.assign(slots, false);
    of_.to_join.assign(slots, 0);
}

// The present block waits for others: its lanes are past their last stores.
void Recorder::put_aside() {
    if (!of_.under_way) return;
    for (std::uint32_t slot = 0; slot < of_.pending.size(); ++slot) settle(slot);
    waiting_[block_] = std::move(of_);
}

void Recorder::block_goes_on(std::uint64_t block) {
    if (of_.under_way && block == block_) return;
    const auto waiting = waiting_.find(block);
    if (waiting == waiting_.end()) return;
    if (!journal_.add(EntryKind::block_goes_on, BlockEntry{static_cast<std::uint32_t>(block), 0})) full_ = true;
    put_aside();
    of_ = std::move(waiting->second);
    block_ = block;
    waiting_.erase(waiting);
}

void Recorder::begin_parts(std::uint64_t block) {
    of_.parts.clear();
    for (const auto& snapshot : snapshots_) {
        const BufferPlace& buffer = buffers_[snapshot.buffer];
        const std::uint64_t count = buffer.bytes / static_cast<std::uint64_t>(element_size(buffer.element));
        const std::uint64_t first = std::min(block * snapshot.per_block, count);
        // Scratch memory holds nothing that means something until the block writes it.
        const bool written = buffer.role != launch::BufferRole::scratch;
        of_.parts.push_back({snapshot.buffer, first,
                          std::vector<bool>(std::min(snapshot.per_block, count - first), written)});
    }
}

void Recorder::mark_written(const std::byte* address, std::uint64_t bytes) {
    if (Shared* shared = shared_at(address)) {
        const auto size = static_cast<std::uint64_t>(element_size(shared->array.element));
        const std::uint64_t first = (address_bits(address) - shared->array.address) / size;
        for (std::uint64_t i = first;
             i < first + std::max<std::uint64_t>(1, bytes / size) && i < shared->written.size(); ++i)
            shared->written[i] = true;
    }
    for (Part& part : of_.parts) {
        const BufferPlace& buffer = buffers_[part.buffer];
        if (address < buffer.begin || address >= buffer.begin + buffer.bytes) continue;
        const auto size = static_cast<std::uint64_t>(element_size(buffer.element));
        const auto first = static_cast<std::uint64_t>(address - buffer.begin) / size;
        for (std::uint64_t i = first; i < first + std::max<std::uint64_t>(1, bytes / size); ++i)
            if (i >= part.first && i - part.first < part.written.size()) part.written[i - part.first] = true;
    }
}

void Recorder::collective(const CollectiveSeen& seen) {
    if (full()) return;
    const std::uint64_t number = collectives_++;
    for (std::uint32_t rest = seen.lanes; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        LaneEvent& event = add(seen.warp * trace::kWarpSize + static_cast<std::uint32_t>(lane));
        event.op = seen.op;
        event.type = seen.type;
        event.line = seen.line[lane];
        event.mask = seen.mask;
        const bool asks = seen.op == Op::active_mask;  // it brings nothing
        event.arg = asks ? 0 : seen.arg[lane];
        event.width = asks ? trace::kWarpSize : seen.width[lane];
        event.collective = number;
        event.received = seen.received[lane];
        event.undefined = seen.undefined >> lane & 1;
        const bool is_match = seen.op == Op::vote_match_any || seen.op == Op::vote_match_all;
        if (trace::is_shuffle(seen.op) || trace::is_reduce(seen.op) || is_match) event.before = seen.offered[lane];
        if (trace::is_shuffle(seen.op))
            event.source = static_cast<std::int8_t>(trace::source_lane(seen.op, lane, event.arg, event.width));
    }
}

// A launch that was stopped leaves lanes where they are, each past its last store.
void Recorder::block_ends() {
    for (std::uint32_t slot = 0; slot < of_.pending.size(); ++slot) settle(slot);
    of_.under_way = false;
}

void Recorder::fence(const FenceSeen& seen) {
    LaneEvent& event = add(seen.thread);
    event.op = Op::fence;
    event.line = seen.line;
    event.arg = seen.scope;
}

void Recorder::at_barrier(const BarrierSeen& seen) {
    LaneEvent& event = add(seen.thread);
    if (full()) return;
    event.op = seen.op;
    event.line = seen.line;
    event.arg = seen.predicate;
    of_.at_barrier.emplace_back(seen.thread, static_cast<std::uint32_t>(list(seen.thread).size() - 1));
}

void Recorder::add_image(ImageEntry image, const std::byte* begin, std::uint64_t bytes,
                         const std::vector<bool>& written) {
    std::vector<std::byte> extra(bytes + written.size());
    std::memcpy(extra.data(), begin, bytes);
    for (std::size_t i = 0; i < written.size(); ++i) extra[bytes + i] = std::byte{written[i]};
    if (!journal_.add(EntryKind::image, image, extra)) full_ = true;
}

void Recorder::barrier_complete(const std::uint64_t* received) {
    const std::uint64_t number = collectives_++;
    for (const auto& [thread, at] : of_.at_barrier) {
        LaneEvent& event = list(thread)[at]->event;
        event.collective = number;
        if (event.op != Op::sync_block) event.received = received[thread];
        event.snapshot = of_.barriers;
    }
    of_.at_barrier.clear();
    if (full()) return;
    ++of_.barriers;
    for (const auto& shared : of_.shared) {
        const launch::SharedArray& array = shared.array;
        add_image({{array.address, array.count, array.id, array.element}, 0, 0, false},
                  reinterpret_cast<const std::byte*>(array.address), array.bytes(), shared.written);
    }
    for (const Part& part : of_.parts) {
        const BufferPlace& buffer = buffers_[part.buffer];
        const auto size = static_cast<std::uint64_t>(element_size(buffer.element));
        const std::uint64_t count = part.written.size();
        add_image({{0, count, 0, buffer.element}, part.first, static_cast<std::uint32_t>(part.buffer), true},
                  buffer.begin + part.first * size, count * size, part.written);
    }
    if (!journal_.add(EntryKind::barrier, BlockEntry{})) full_ = true;
}

void Recorder::thread_ends(std::uint32_t thread) { settle(thread); }

bool Recorder::access(const AccessSeen& seen) {
    const auto* address = static_cast<const std::byte*>(seen.address);
    const BufferPlace* buffer = buffer_at(address);
    Shared* shared = buffer ? nullptr : shared_at(address);
    if (!buffer && !shared) return true;  // the lane's own stack: registers, to a learner
    if (full()) return true;
    const Element element = buffer ? buffer->element : shared->array.element;
    LaneEvent& event = add(seen.thread, seen.is_store && !continues(seen), address, seen.pc);
    if (full()) return true;
    event.op = seen.is_store ? Op::store : Op::load;
    event.type = element;
    event.elements = std::max(1, static_cast<int>(seen.bytes) / element_size(element));
    const auto at = static_cast<std::uint32_t>(list(seen.thread).size() - 1);
    if (!seen.is_store) {
        std::memcpy(event.value.data(), address, seen.bytes);
        const EventEntry* before = at > 0 ? list(seen.thread)[at - 1] : nullptr;
        std::uint32_t& left = of_.to_join[seen.thread];
        if (!before || before->event.op != Op::load || before->event.has_after) left = 0;
        left += event.elements > 1 ? seen.bytes : 1;   // as many values as it may hold
        return true;
    }
    of_.pending[seen.thread].push_back({at, address, seen.bytes, seen.pc});
    mark_written(address, seen.bytes);
    return true;
}

void Recorder::atomic(const AtomicSeen& seen) {
    LaneEvent& event = add(seen.thread, true, seen.address, seen.pc);
    event.op = seen.op;
    event.type = seen.type;
    event.line = seen.line;
    event.elements = seen.elements;
    event.value = seen.operand;
    event.received = seen.old;
    mark_written(static_cast<const std::byte*>(seen.address),
                 static_cast<std::uint64_t>(seen.elements * element_size(seen.type)));
}

// Is about the load just before. Of two variables that one load goes to (a sum and a sum of squares) the first is
// recorded; the same variable, announced again because the lane read twice before it joined, holds both. Announced more
// often than the lane read, it has gone through the statement again and read nothing there: that is no longer what the
// load did.
void Recorder::joined(const JoinedSeen& seen) {
    settle(seen.thread);
    auto& events = list(seen.thread);
    if (events.empty() || events.back()->event.op != Op::load) return;
    LaneEvent& load = events.back()->event;
    if (load.has_after && load.after_variable != seen.variable) return;
    std::uint32_t& left = of_.to_join[seen.thread];
    if (left == 0) return;
    --left;
    load.has_after = true;
    load.after = seen.bits;
    load.after_type = seen.type;
    load.after_variable = seen.variable;
}

void Recorder::after(const AfterSeen& seen) {
    settle(seen.thread);
    const bool took = of_.took[seen.thread];
    of_.took[seen.thread] = false;
    auto& events = list(seen.thread);
    const auto last = std::find_if(events.rbegin(), events.rend(), [&](const EventEntry* entry) {
        return trace::takes_after(entry->event, seen.first_line, seen.last_line);
    });
    if (last != events.rend()) trace::set_after((*last)->event, seen.type, seen.bits, effect_of(seen.effect, took));
}

void Recorder::took(std::uint32_t thread, int, int) { of_.took[thread] = true; }

void Recorder::shared_array(const SharedArraySeen& seen) {
    const launch::SharedArray array{seen.id, seen.type, seen.bytes / static_cast<std::size_t>(element_size(seen.type)),
                                    address_bits(seen.address)};
    for (const auto& shared : of_.shared)
        if (shared.array.id == array.id && shared.array.address == array.address) return;
    of_.shared.push_back({array, std::vector<bool>(array.count, false)});
    journal_.add(EntryKind::shared_array, ArrayEntry{array.address, array.count, array.id, array.element});
}

}  // namespace lanewise::emu
