#include "common/gpu/convert.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "common/trace/shuffle_rule.hpp"

namespace lanewise::gpu {
namespace {

using prelude::GpuEvent;
using trace::Effect;
using trace::LaneEvent;

constexpr std::size_t kWarp = trace::kWarpSize;
// Effects of a statement under an `if`, which the lanes that did not take it do not share (see gpu_traced.cuh).
constexpr int kJoinIfTaken = 4;
constexpr int kReplaceIfTaken = 5;

// What one thread's raw events need from their surroundings.
struct Context {
    std::span<const DeviceRange> buffers;
    std::span<const launch::SharedArray> shared;
    launch::ArrayNumbering& numbering;
    std::size_t snapshots;
};

launch::ArrayPlace place_of(const GpuEvent& raw, const Context& context) {
    if (raw.in_shared) {
        if (const auto place = launch::place_in(context.shared, raw.address)) return *place;
    } else {
        for (std::size_t i = 0; i < context.buffers.size(); ++i) {
            const DeviceRange& range = context.buffers[i];
            if (raw.address < range.address || raw.address >= range.address + range.bytes) continue;
            const auto size = static_cast<std::uint64_t>(element_size(range.element));
            return {static_cast<std::uint32_t>(i), static_cast<std::int64_t>((raw.address - range.address) / size)};
        }
    }
    return {context.numbering.elsewhere(), 0};
}

LaneEvent to_lane_event(const GpuEvent& raw, int lane, const Context& context) {
    LaneEvent event;
    event.op = static_cast<trace::Op>(raw.op);
    event.type = static_cast<Element>(raw.element);
    event.line = raw.line;
    event.mask = raw.mask;
    event.collective = raw.collective;
    if (trace::is_shuffle(event.op)) {
        event.arg = raw.argument;
        event.width = raw.width;
        event.source = static_cast<std::int8_t>(trace::source_lane(event.op, lane, raw.argument, raw.width));
        event.before = raw.first;
        event.received = raw.second;
    } else if (trace::is_reduce(event.op) || event.op == trace::Op::vote_match_any ||
               event.op == trace::Op::vote_match_all) {
        event.before = raw.first;
        event.received = raw.second;
    } else if (trace::is_vote(event.op) || event.op == trace::Op::active_mask || event.op == trace::Op::fence) {
        event.arg = raw.argument;
        event.received = raw.second;
    } else if (trace::is_atomic(event.op)) {
        const launch::ArrayPlace place = place_of(raw, context);
        event.array = place.array;
        event.element_index = place.index;
        event.received = raw.first;
        event.value = {raw.second, raw.more};
        event.elements = raw.elements;
    } else if (trace::is_block_barrier(event.op)) {
        event.arg = raw.argument;
        event.received = raw.second;
        if (raw.first < context.snapshots) event.snapshot = static_cast<std::int32_t>(raw.first);
    }
    return event;
}

// Statements whose body under an `if` a lane has entered, until the statement's `after` asks for it.
class Taken {
public:
    void enter(const GpuEvent& took) { statements_.push_back({took.line, took.last_line}); }

    Effect effect_of(const GpuEvent& after) {
        if (after.effect != kJoinIfTaken && after.effect != kReplaceIfTaken) return static_cast<Effect>(after.effect);
        const auto found = std::find(statements_.begin(), statements_.end(), std::pair{after.line, after.last_line});
        if (found == statements_.end()) return Effect::keep;
        statements_.erase(found);
        return after.effect == kJoinIfTaken ? Effect::join : Effect::replace;
    }

private:
    std::vector<std::pair<int, int>> statements_;
};

std::vector<LaneEvent> to_lane_events(const std::vector<GpuEvent>& list, int lane, const Context& context) {
    std::vector<LaneEvent> events;
    Taken taken;
    for (const GpuEvent& raw : list) {
        if (raw.kind == GpuEvent::took) {
            taken.enter(raw);
        } else if (raw.kind == GpuEvent::after) {
            const Effect effect = taken.effect_of(raw);
            trace::attach_after(events, raw.line, raw.last_line, static_cast<Element>(raw.element), raw.first, effect);
        } else {
            events.push_back(to_lane_event(raw, lane, context));
        }
    }
    return events;
}

// A shuffle that reads a lane which did not come to the collective: CUDA leaves what it receives undefined.
void mark_undefined(trace::WarpEvents& warp) {
    std::unordered_map<std::uint64_t, std::uint32_t> members;
    for (std::size_t lane = 0; lane < kWarp; ++lane)
        for (const LaneEvent& event : warp.lanes[lane])
            if (event.collective != trace::kNoCollective) members[event.collective] |= std::uint32_t{1} << lane;
    for (auto& lane : warp.lanes)
        for (LaneEvent& event : lane)
            if (trace::is_shuffle(event.op)) event.undefined = ((members[event.collective] >> event.source) & 1u) == 0;
}

std::vector<trace::ArrayImage> cut(const std::vector<std::byte>& image, std::uint64_t begin,
                                   std::span<const launch::SharedArray> shared) {
    std::vector<trace::ArrayImage> images;
    for (const launch::SharedArray& array : shared) {
        const std::uint64_t offset = array.address - begin;
        if (array.address < begin || offset > image.size() || array.bytes() > image.size() - offset) continue;
        trace::ArrayImage cut_out{array.array, 0, std::vector<std::uint64_t>(array.count), {}};
        const auto size = static_cast<std::size_t>(element_size(array.element));
        for (std::size_t i = 0; i < array.count; ++i)
            std::memcpy(&cut_out.values[i], image.data() + offset + i * size, size);
        images.push_back(std::move(cut_out));
    }
    return images;
}

// The block's parts of the plan's snapshots, appended to the images of one barrier.
void cut_watched(const std::vector<std::byte>& bytes, std::uint32_t block, std::span<const DeviceRange> buffers,
                 std::span<const launch::Plan::Snapshot> snapshots, std::vector<trace::ArrayImage>& images) {
    std::size_t at = 0;
    for (const launch::Plan::Snapshot& snapshot : snapshots) {
        const DeviceRange& buffer = buffers[snapshot.buffer];
        const auto size = static_cast<std::size_t>(element_size(buffer.element));
        const std::uint64_t count = buffer.bytes / size;
        const std::uint64_t first = std::min(block * snapshot.per_block, count);
        trace::ArrayImage image{static_cast<std::uint32_t>(snapshot.buffer), first, {}, {}};
        image.values.resize(std::min(snapshot.per_block, count - first));
        for (std::size_t i = 0; i < image.values.size() && at + (i + 1) * size <= bytes.size(); ++i)
            std::memcpy(&image.values[i], bytes.data() + at + i * size, size);
        at += snapshot.per_block * size;
        if (!image.values.empty()) images.push_back(std::move(image));
    }
}

}  // namespace

trace::BlockEvents to_block_events(const CapturedBlock& block, std::span<const DeviceRange> buffers,
                                   std::span<const launch::Plan::Snapshot> snapshots,
                                   std::span<const launch::SharedArray> shared, launch::ArrayNumbering& numbering) {
    trace::BlockEvents events;
    events.launch = block.launch;
    events.block = block.block;
    for (std::size_t i = 0; i < block.images.size(); ++i) {
        auto& images = events.snapshots.emplace_back(cut(block.images[i], block.shared_begin, shared));
        if (i < block.watched_images.size())
            cut_watched(block.watched_images[i], block.block, buffers, snapshots, images);
        std::sort(images.begin(), images.end(), [](const auto& a, const auto& b) { return a.array < b.array; });
    }
    const Context context{buffers, shared, numbering, events.snapshots.size()};
    events.warps.resize((block.threads.size() + kWarp - 1) / kWarp);
    for (std::size_t thread = 0; thread < block.threads.size(); ++thread) {
        const std::size_t lane = thread % kWarp;
        events.warps[thread / kWarp].lanes[lane] =
            to_lane_events(block.threads[thread], static_cast<int>(lane), context);
    }
    for (trace::WarpEvents& warp : events.warps) mark_undefined(warp);
    return events;
}

}  // namespace lanewise::gpu
