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

trace::ArrayImage image_of(std::uint32_t array, std::uint64_t first, Element element,
                           const std::vector<std::byte>& bytes, const std::vector<bool>& written) {
    trace::ArrayImage image{array, first, {}, written};
    const auto size = static_cast<std::size_t>(element_size(element));
    for (std::size_t i = 0; i < written.size(); ++i) {
        std::uint64_t bits = 0;
        if (written[i]) std::memcpy(&bits, bytes.data() + i * size, size);
        image.values.push_back(bits);
    }
    return image;
}

bool same_place(const LaneEvent& a, const LaneEvent& b) { return a.line == b.line && a.site == b.site; }

// How many events from `at` are one access that was told in pieces of 16 bytes.
std::size_t pieces(const std::vector<LaneEvent>& lane, std::size_t at) {
    std::size_t end = at + 1;
    while (end < lane.size() && lane[end].op == lane[at].op && same_place(lane[end], lane[at]) &&
           lane[end].array == lane[at].array && lane[end - 1].elements * element_size(lane[at].type) == 16 &&
           lane[end].element_index == lane[end - 1].element_index + lane[end - 1].elements)
        ++end;
    return end - at;
}

// The compiler announces a struct's copy (`*to = *from`) as a store and then a load, both at one place of the text.
// Puts the load first. In `x += y` the load comes first as it is: with it a store has its partner.
void put_loads_before_stores(std::vector<LaneEvent>& lane) {
    for (std::size_t i = 0; i < lane.size();) {
        const std::size_t first = pieces(lane, i);
        const std::size_t next = i + first;
        if (!trace::is_access(lane[i].op) || next >= lane.size() || !trace::is_access(lane[next].op) ||
            lane[next].op == lane[i].op || !same_place(lane[i], lane[next]) || lane[i].line == 0) {
            i = next;
            continue;
        }
        const std::size_t second = pieces(lane, next);
        if (lane[i].op == Op::store)
            std::rotate(lane.begin() + static_cast<std::ptrdiff_t>(i), lane.begin() + static_cast<std::ptrdiff_t>(next),
                        lane.begin() + static_cast<std::ptrdiff_t>(next + second));
        i = next + second;
    }
}

}  // namespace

std::vector<LaneEvent>& Recorder::list(std::uint32_t thread) {
    return blocks_.back().events.warps[thread / trace::kWarpSize].lanes[thread % trace::kWarpSize];
}

LaneEvent& Recorder::add(std::uint32_t thread, bool settles) {
    if (settles) settle(thread);
    ++events_;
    return list(thread).emplace_back();
}

// A store is announced before it happens. It has by the lane's next word, unless that is a load: in the copy of a
// struct both are announced first. So stores wait for something else than a load; nothing can change what they wrote
// till then.
void Recorder::settle(std::uint32_t thread) {
    for (const Pending& pending : pending_[thread])
        std::memcpy(list(thread)[pending.event].value.data(), pending.address, pending.bytes);
    pending_[thread].clear();
}

// Is this the next piece of the store that was announced last?
bool Recorder::continues(const AccessSeen& seen) const {
    const auto& pending = pending_[seen.thread];
    return !pending.empty() && pending.back().bytes == 16 && pending.back().pc == seen.pc &&
           pending.back().address + 16 == seen.address;
}

const BufferPlace* Recorder::buffer_at(const std::byte* address) const {
    for (const auto& buffer : buffers_)
        if (address >= buffer.begin && address < buffer.begin + buffer.bytes) return &buffer;
    return nullptr;
}

Recorder::Shared* Recorder::shared_at(const std::byte* address) {
    for (auto& shared : shared_)
        if (address_bits(address) >= shared.array.address &&
            address_bits(address) < shared.array.address + shared.array.bytes())
            return &shared;
    return nullptr;
}

void Recorder::block_begins(std::uint64_t block, std::uint32_t slots) {
    auto& recorded = blocks_.emplace_back();
    recorded.events.launch = launch_;
    recorded.events.block = static_cast<std::uint32_t>(block);
    recorded.events.warps.resize(slots / trace::kWarpSize);
    shared_.clear();
    begin_parts(block);
    pending_.assign(slots, {});
    took_.assign(slots, false);
    at_barrier_.clear();
}

void Recorder::begin_parts(std::uint64_t block) {
    parts_.clear();
    for (const auto& snapshot : snapshots_) {
        const BufferPlace& buffer = buffers_[snapshot.buffer];
        const std::uint64_t count = buffer.bytes / static_cast<std::uint64_t>(element_size(buffer.element));
        const std::uint64_t first = std::min(block * snapshot.per_block, count);
        // Scratch memory holds nothing that means something until the block writes it.
        const bool written = buffer.role != launch::BufferRole::scratch;
        parts_.push_back({snapshot.buffer, first,
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
    for (Part& part : parts_) {
        const BufferPlace& buffer = buffers_[part.buffer];
        if (address < buffer.begin || address >= buffer.begin + buffer.bytes) continue;
        const auto size = static_cast<std::uint64_t>(element_size(buffer.element));
        const auto first = static_cast<std::uint64_t>(address - buffer.begin) / size;
        for (std::uint64_t i = first; i < first + std::max<std::uint64_t>(1, bytes / size); ++i)
            if (i >= part.first && i - part.first < part.written.size()) part.written[i - part.first] = true;
    }
}

void Recorder::collective(const CollectiveSeen& seen) {
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

// A launch that was stopped leaves lanes where they stand, each past its last store.
void Recorder::block_ends() {
    for (std::uint32_t slot = 0; slot < pending_.size(); ++slot) settle(slot);
}

void Recorder::fence(const FenceSeen& seen) {
    LaneEvent& event = add(seen.thread);
    event.op = Op::fence;
    event.line = seen.line;
    event.arg = seen.scope;
}

void Recorder::at_barrier(const BarrierSeen& seen) {
    LaneEvent& event = add(seen.thread);
    event.op = seen.op;
    event.line = seen.line;
    event.arg = seen.predicate;
    at_barrier_.emplace_back(seen.thread, static_cast<std::uint32_t>(list(seen.thread).size() - 1));
}

void Recorder::barrier_complete(const std::uint64_t* received) {
    auto& block = blocks_.back();
    const std::uint64_t number = collectives_++;
    for (const auto& [thread, at] : at_barrier_) {
        LaneEvent& event = list(thread)[at];
        event.collective = number;
        if (event.op != Op::sync_block) event.received = received[thread];
        event.snapshot = static_cast<std::int32_t>(block.images.size());
    }
    at_barrier_.clear();
    auto& images = block.images.emplace_back();
    for (const auto& shared : shared_) {
        const auto* begin = reinterpret_cast<const std::byte*>(shared.array.address);
        images.push_back({shared.array, {begin, begin + shared.array.bytes()}, shared.written});
    }
    auto& parts = block.parts.emplace_back();
    for (const Part& part : parts_) {
        const BufferPlace& buffer = buffers_[part.buffer];
        const auto size = static_cast<std::uint64_t>(element_size(buffer.element));
        const std::byte* begin = buffer.begin + part.first * size;
        parts.push_back({part, {begin, begin + part.written.size() * size}});
    }
}

void Recorder::thread_ends(std::uint32_t thread) { settle(thread); }

bool Recorder::access(const AccessSeen& seen) {
    const auto* address = static_cast<const std::byte*>(seen.address);
    const BufferPlace* buffer = buffer_at(address);
    Shared* shared = buffer ? nullptr : shared_at(address);
    if (!buffer && !shared) return true;  // the lane's own stack: registers, to a learner
    if (events_ >= kMaxEvents) return true;
    const Element element = buffer ? buffer->element : shared->array.element;
    LaneEvent& event = add(seen.thread, seen.is_store && !continues(seen));
    event.op = seen.is_store ? Op::store : Op::load;
    event.type = element;
    event.elements = std::max(1, static_cast<int>(seen.bytes) / element_size(element));
    const auto at = static_cast<std::uint32_t>(list(seen.thread).size() - 1);
    blocks_.back().places.push_back({seen.thread, at, address, seen.pc});
    if (!seen.is_store) {
        std::memcpy(event.value.data(), address, seen.bytes);
        return true;
    }
    pending_[seen.thread].push_back({at, address, seen.bytes, seen.pc});
    mark_written(address, seen.bytes);
    return true;
}

void Recorder::atomic(const AtomicSeen& seen) {
    if (events_ >= kMaxEvents) return;
    LaneEvent& event = add(seen.thread);
    event.op = seen.op;
    event.type = seen.type;
    event.line = seen.line;
    event.elements = seen.elements;
    event.value = seen.operand;
    event.received = seen.old;
    const auto* address = static_cast<const std::byte*>(seen.address);
    blocks_.back().places.push_back(
        {seen.thread, static_cast<std::uint32_t>(list(seen.thread).size() - 1), address, nullptr});
    mark_written(address, static_cast<std::uint64_t>(seen.elements * element_size(seen.type)));
}

// Told of the load just before. Of two variables that one load goes to (a sum and a sum of squares) the first is told;
// the same variable, told again because the lane read twice before it joined, holds both.
void Recorder::joined(const JoinedSeen& seen) {
    settle(seen.thread);
    auto& events = list(seen.thread);
    if (events.empty() || events.back().op != Op::load) return;
    LaneEvent& load = events.back();
    if (load.has_after && load.after_variable != seen.variable) return;
    load.has_after = true;
    load.after = seen.bits;
    load.after_type = seen.type;
    load.after_variable = seen.variable;
}

void Recorder::after(const AfterSeen& seen) {
    settle(seen.thread);
    const bool took = took_[seen.thread];
    took_[seen.thread] = false;
    trace::attach_after(list(seen.thread), seen.first_line, seen.last_line, seen.type, seen.bits,
                        effect_of(seen.effect, took));
}

void Recorder::took(std::uint32_t thread, int, int) { took_[thread] = true; }

void Recorder::shared_array(const SharedArraySeen& seen) {
    const launch::SharedArray array{seen.id, seen.type, seen.bytes / static_cast<std::size_t>(element_size(seen.type)),
                                    address_bits(seen.address)};
    for (const auto& shared : shared_)
        if (shared.array.id == array.id && shared.array.address == array.address) return;
    shared_.push_back({array, std::vector<bool>(array.count, false)});
    reports_.push_back(array);
}

void Recorder::finish(launch::ArrayNumbering& numbering, std::span<const std::string> shared_names,
                      std::vector<trace::Record>& records) {
    if (events_ >= kMaxEvents)
        throw Error(
            fmt::format("the run made more than {} events, more than a trace can hold; record fewer blocks or a "
                        "smaller n.",
                        kMaxEvents));
    const auto numbered = numbering.add_launch(reports_, shared_names);
    const auto number_of = [&](const launch::SharedArray& array) {
        const auto found = std::find_if(numbered.begin(), numbered.end(), [&](const auto& other) {
            return other.id == array.id && other.address == array.address;
        });
        return found == numbered.end() ? 0u : found->array;
    };
    // They ran in the order asked for; a trace holds them in their own.
    std::sort(blocks_.begin(), blocks_.end(),
              [](const Recorded& a, const Recorded& b) { return a.events.block < b.events.block; });
    for (auto& block : blocks_) {
        for (const auto& place : block.places) {
            LaneEvent& event =
                block.events.warps[place.thread / trace::kWarpSize].lanes[place.thread % trace::kWarpSize][place.event];
            if (place.pc) {
                const SourcePlace source = lines_.find(place.pc);
                event.line = source.line;
                event.site = static_cast<std::uint32_t>(source.column);
            }
            if (const BufferPlace* buffer = buffer_at(place.address)) {
                event.array = static_cast<std::uint32_t>(buffer - buffers_.data());
                event.element_index = (place.address - buffer->begin) / element_size(buffer->element);
            } else if (const auto shared = launch::place_in(numbered, address_bits(place.address))) {
                event.array = shared->array;
                event.element_index = shared->index;
            } else {
                event.array = numbering.elsewhere();
            }
        }
        for (auto& warp : block.events.warps)
            for (auto& lane : warp.lanes) put_loads_before_stores(lane);
        for (std::size_t barrier = 0; barrier < block.images.size(); ++barrier) {
            auto& snapshot = block.events.snapshots.emplace_back();
            for (const auto& image : block.images[barrier])
                if (image.array.count != 0)
                    snapshot.push_back(
                        image_of(number_of(image.array), 0, image.array.element, image.bytes, image.written));
            for (const auto& [part, bytes] : block.parts[barrier])
                if (!part.written.empty())
                    snapshot.push_back(image_of(static_cast<std::uint32_t>(part.buffer), part.first,
                                                buffers_[part.buffer].element, bytes, part.written));
            std::sort(snapshot.begin(), snapshot.end(), [](const auto& a, const auto& b) { return a.array < b.array; });
        }
        trace::assemble(block.events, records);
    }
}

}  // namespace lanewise::emu
