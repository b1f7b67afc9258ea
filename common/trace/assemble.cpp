#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

#include "common/trace/lane_events.hpp"

namespace lanewise::trace {
namespace {

// Placed between the events that order a warp, ordering nothing itself.
bool is_between(Op op) { return is_access(op) || op == Op::active_mask; }

constexpr std::uint32_t bit(std::size_t lane) { return std::uint32_t{1} << lane; }

// What the lanes of one record have in common, besides their collective.
auto instruction_of(const LaneEvent& event) {
    // A fence of another scope is another instruction, as a shuffle of another offset is not.
    const std::int32_t scope = event.op == Op::fence ? event.arg : 0;
    return std::tuple(event.line, event.site, event.op, event.mask, event.width, event.type, event.array,
                      event.elements, scope);
}

// A group of lanes at one instruction, by the place of the event in each lane's list.
struct Group {
    std::uint32_t lanes = 0;
    PerLane<std::uint32_t> place{};
};

class WarpAssembly {
public:
    explicit WarpAssembly(const WarpEvents& events) : events_(events) {
        for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
            std::uint64_t barriers = 0;
            const std::vector<LaneEvent>& list = events_.lanes[lane];
            collectives_[lane].resize(list.size(), kNoCollective);
            for (std::size_t i = 0; i < list.size(); ++i) {
                if (!is_collective(list[i].op)) continue;
                std::uint64_t collective = list[i].collective;
                // The n-th __syncthreads of one lane is the n-th of every lane that has not exited.
                if (is_block_barrier(list[i].op) && collective == kNoCollective) collective = kBlockBarrier | barriers;
                barriers += is_block_barrier(list[i].op);
                collectives_[lane][i] = collective;
                if (collective != kNoCollective) members_[collective] |= bit(lane);
            }
        }
    }

    std::vector<Group> run() {
        order_events();
        number_between();
        place_between();
        return std::move(groups_);
    }

private:
    static constexpr std::uint64_t kBlockBarrier = std::uint64_t{1} << 63;

    const LaneEvent& event(std::size_t lane, std::size_t place) const { return events_.lanes[lane][place]; }

    // Moves a lane's place past what is between events.
    void skip_between(std::size_t lane, std::size_t& place) const {
        while (place < events_.lanes[lane].size() && is_between(event(lane, place).op)) ++place;
    }

    // Collectives, atomics, fences and barriers, in the order that the lanes' sequences give.
    void order_events() {
        PerLane<std::size_t> head{};
        for (std::size_t lane = 0; lane < kWarpSize; ++lane) skip_between(lane, head[lane]);
        for (;;) {
            std::size_t first = kWarpSize;   // the lane whose event is taken
            bool first_ready = false;
            for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
                if (head[lane] == events_.lanes[lane].size()) continue;
                const bool ready = is_ready(lane, head);
                const bool better = first == kWarpSize || (ready && !first_ready) ||
                                    (ready == first_ready &&
                                     event(lane, head[lane]).line < event(first, head[first]).line);
                if (better) {
                    first = lane;
                    first_ready = ready;
                }
            }
            if (first == kWarpSize) return;
            take(first, head);
        }
    }

    // Have all lanes of the collective of this lane's next event arrived?
    bool is_ready(std::size_t lane, const PerLane<std::size_t>& head) const {
        const std::uint64_t collective = collectives_[lane][head[lane]];
        if (collective == kNoCollective) return true;
        for (std::uint32_t rest = members_.at(collective); rest != 0; rest &= rest - 1) {
            const auto other = static_cast<std::size_t>(std::countr_zero(rest));
            const bool there =
                head[other] < collectives_[other].size() && collectives_[other][head[other]] == collective;
            if (!there) return false;
        }
        return true;
    }

    void take(std::size_t first, PerLane<std::size_t>& head) {
        const LaneEvent& instruction = event(first, head[first]);
        const std::uint64_t collective = collectives_[first][head[first]];
        Group group;
        for (std::size_t lane = first; lane < kWarpSize; ++lane) {
            if (head[lane] == events_.lanes[lane].size()) continue;
            const bool same = collectives_[lane][head[lane]] == collective &&
                              instruction_of(event(lane, head[lane])) == instruction_of(instruction);
            if (!same) continue;
            group.lanes |= bit(lane);
            group.place[lane] = static_cast<std::uint32_t>(head[lane]);
        }
        for (std::uint32_t rest = group.lanes; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
            skip_between(lane, ++head[lane]);
        }
        ordered_.push_back(group);
    }

    // Before each event what its lanes did between their last one and it; at the end all that is left.
    void place_between() {
        PerLane<std::size_t> head{};
        for (const Group& group : ordered_) {
            place_between_of(group.lanes, head);
            groups_.push_back(group);
            for (std::size_t lane = 0; lane < kWarpSize; ++lane)
                if (group.lanes & bit(lane)) head[lane] = group.place[lane] + 1;
        }
        place_between_of(~std::uint32_t{0}, head);
    }

    // Of the instructions that the due lanes are at, the first that none of them comes to only later, so that a lane
    // which did less (no load in `i < n ? in[i] : 0`, a shorter loop) waits for the others at what they all do; where
    // each comes later on some lane, the lowest.
    void place_between_of(std::uint32_t due, PerLane<std::size_t>& head) {
        const auto at_between = [&](std::size_t lane) {
            return head[lane] < events_.lanes[lane].size() && is_between(event(lane, head[lane]).op);
        };
        for (std::size_t lane = 0; lane < kWarpSize; ++lane)
            if (due & bit(lane)) note_last_places(lane, head[lane]);
        for (;;) {
            std::uint32_t waiting = 0;
            for (std::size_t lane = 0; lane < kWarpSize; ++lane)
                if (due & bit(lane) && at_between(lane)) waiting |= bit(lane);
            if (waiting == 0) return;
            const std::size_t instruction = next_between(waiting, head);
            Group group;
            for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
                if (!at_between(lane) || numbers_[lane][head[lane]] != instruction) continue;
                group.lanes |= bit(lane);
                group.place[lane] = static_cast<std::uint32_t>(head[lane]++);
            }
            groups_.push_back(group);
        }
    }

    std::size_t next_between(std::uint32_t waiting, const PerLane<std::size_t>& head) const {
        std::size_t lowest = kNone, free = kNone;
        for (std::uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
            const std::size_t number = numbers_[lane][head[lane]];
            lowest = std::min(lowest, number);
            if (number < free && !comes_later(number, waiting, head)) free = number;
        }
        return free != kNone ? free : lowest;
    }

    // Is a lane at something else now that comes to this instruction before its next event?
    bool comes_later(std::size_t number, std::uint32_t waiting, const PerLane<std::size_t>& head) const {
        for (std::uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
            const std::size_t last = last_places_[lane][number];
            if (last != kNone && last > head[lane] && numbers_[lane][head[lane]] != number) return true;
        }
        return false;
    }

    // Numbers the instructions between events, in their order.
    void number_between() {
        std::map<decltype(instruction_of(LaneEvent())), std::size_t> numbers;
        for (const std::vector<LaneEvent>& list : events_.lanes)
            for (const LaneEvent& event : list)
                if (is_between(event.op)) numbers.try_emplace(instruction_of(event), 0);
        std::size_t next = 0;
        for (auto& [instruction, number] : numbers) number = next++;
        for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
            for (const LaneEvent& event : events_.lanes[lane])
                numbers_[lane].push_back(is_between(event.op) ? numbers.at(instruction_of(event)) : kNone);
            last_places_[lane].resize(next, kNone);
        }
    }

    // Where a lane comes to each instruction for the last time before its next event. Places before its present one are
    // left over from before, and after it.
    void note_last_places(std::size_t lane, std::size_t head) {
        for (; head < numbers_[lane].size() && numbers_[lane][head] != kNone; ++head)
            last_places_[lane][numbers_[lane][head]] = head;
    }

    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    const WarpEvents& events_;
    PerLane<std::vector<std::uint64_t>> collectives_;
    PerLane<std::vector<std::size_t>> numbers_;       // of each event's instruction; kNone: orders the warp
    PerLane<std::vector<std::size_t>> last_places_;   // by number of the instruction
    std::unordered_map<std::uint64_t, std::uint32_t> members_;
    std::vector<Group> ordered_;
    std::vector<Group> groups_;
};

void copy_lane(Record& record, std::size_t lane, const LaneEvent& event) {
    record.arg[lane] = event.arg;
    record.source[lane] = event.source;
    record.before[lane] = event.before;
    record.received[lane] = event.received;
    record.effect[lane] = event.effect;
    if (event.has_after) {
        record.after[lane] = event.after;
        record.has_after |= bit(lane);
        record.after_type = event.after_type;
    }
    if (event.undefined) record.undefined |= bit(lane);
    record.element_index[lane] = event.element_index;
    record.value[lane] = event.value;
}

}  // namespace

void attach_after(std::vector<LaneEvent>& lane, int first_line, int last_line, Element type, std::uint64_t bits,
                  Effect effect) {
    const auto last = std::find_if(lane.rbegin(), lane.rend(), [&](const LaneEvent& event) {
        return takes_after(event, first_line, last_line);
    });
    if (last != lane.rend()) set_after(*last, type, bits, effect);
}

bool takes_after(const LaneEvent& event, int first_line, int last_line) {
    return is_exchange(event.op) && event.line >= first_line && event.line <= last_line;
}

void set_after(LaneEvent& event, Element type, std::uint64_t bits, Effect effect) {
    if (event.effect != Effect::unknown || event.has_after) return;
    event.effect = effect;
    if (event.type != type) return;
    event.after = bits;
    event.has_after = true;
}

bool assemble(const BlockEvents& events, std::vector<Record>& records, std::size_t most) {
    std::vector<bool> shown(events.snapshots.size(), false);
    for (std::uint32_t warp = 0; warp < events.warps.size(); ++warp) {
        const WarpEvents& lanes = events.warps[warp];
        std::uint32_t index = 0;
        const std::vector<Group> groups = WarpAssembly(lanes).run();
        // A record is large: none is copied as they grow, nor twice as much room taken as they need.
        if (const std::size_t all = records.size() + groups.size(); all > records.capacity())
            records.reserve(std::max(std::min(all, most), records.capacity() + records.capacity() / 2));
        for (const Group& group : groups) {
            if (records.size() >= most) return false;
            Record record;
            record.source.fill(-1);
            const auto first = static_cast<std::size_t>(std::countr_zero(group.lanes));
            const LaneEvent& instruction = lanes.lanes[first][group.place[first]];
            record.launch = events.launch;
            record.block = events.block;
            record.warp = warp;
            record.index = index++;
            record.op = instruction.op;
            record.type = instruction.type;
            record.line = instruction.line;
            record.active = group.lanes;
            record.mask = instruction.mask;
            record.width = instruction.width;
            record.array = instruction.array;
            record.elements = instruction.elements;
            for (std::size_t lane = first; lane < kWarpSize; ++lane) {
                if (!(group.lanes & bit(lane))) continue;
                const LaneEvent& event = lanes.lanes[lane][group.place[lane]];
                copy_lane(record, lane, event);
                // A snapshot belongs to the block; the first warp that was there carries it.
                const auto snapshot = static_cast<std::size_t>(event.snapshot);
                if (event.snapshot < 0 || snapshot >= shown.size() || shown[snapshot]) continue;
                record.shared = events.snapshots[snapshot];
                shown[snapshot] = true;
            }
            records.push_back(std::move(record));
        }
    }
    return true;
}

}  // namespace lanewise::trace
