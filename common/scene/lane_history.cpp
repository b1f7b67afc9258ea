#include "common/scene/lane_history.hpp"

#include <algorithm>

#include "common/base/element.hpp"
#include "common/scene/lane_facts.hpp"
#include "common/steps/steps.hpp"

namespace lanewise::scene {
namespace {

// What the lane took and gave: the words of a wide access by the first and the last.
std::string way_of(const steps::Steps& steps, const steps::Step& step, const steps::WarpStep& part, int lane) {
    const steps::LaneView& view = part.lanes[static_cast<std::size_t>(lane)];
    if (step.kind == StepKind::shuffle)
        return view.source < 0       ? "← no lane"
               : view.source == lane ? "← itself"
                                     : "← lane " + std::to_string(view.source);
    if (step.kind == StepKind::reduce) return "← all lanes";
    if (step.kind == StepKind::warp_barrier || step.kind == StepKind::block_barrier) return "waits";
    std::string way, array;
    bool giving = false;
    const std::vector<Access> accesses = accesses_of(steps, part, lane);
    for (std::size_t i = 0; i < accesses.size();) {
        std::size_t last = i;
        const auto follows = [&](const Access& a, const Access& b) {
            return a.array == b.array && a.op == b.op && b.index == a.index + 1;
        };
        while (last + 1 < accesses.size() && follows(accesses[last], accesses[last + 1])) ++last;
        // "← tree[5], [133] → [5]": an arrow and an array are named when they change.
        const bool gives = accesses[i].touch != Touch::read;
        if (way.empty() || gives != giving) way += std::string(way.empty() ? "" : " ") + (gives ? "→ " : "← ");
        else way += ", ";
        giving = gives;
        if (accesses[i].array != array) way += array = accesses[i].array;
        way += "[" + std::to_string(accesses[i].index);
        if (last > i) way += "…" + std::to_string(accesses[last].index);
        way += "]";
        i = last + 1;
    }
    if (!way.empty() || part.records.empty()) return way;
    const trace::Record& record = steps.trace->records[part.records.front()];
    if (trace::is_predicate_vote(record.op)) return record.arg[static_cast<std::size_t>(lane)] ? "says yes" : "says no";
    return trace::is_vote(record.op) ? "compares" : "";
}

}  // namespace

std::vector<HistoryStep> history_of(const steps::Steps& steps, const WarpRef& warp, int lane) {
    std::vector<HistoryStep> life;
    if (lane < 0 || lane >= kWarpSize) return life;
    const auto at = static_cast<std::size_t>(lane);
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const steps::Step& step = steps.steps[k];
        const steps::WarpStep* part = step.find(warp);
        const steps::LaneValues& now = steps.lane_values(k, warp);
        const steps::LaneValues& before = steps.lane_values(k == 0 ? kNoStep : k - 1, warp);
        HistoryStep entry;
        entry.step = k;
        entry.line = step.line;
        entry.label = step.label;
        entry.active = part && ((active_lanes(steps, part) >> lane) & 1u);
        entry.known = (now.known >> lane) & 1u;
        entry.changed = entry.known &&
                        (!((before.known >> lane) & 1u) || before.bits[at] != now.bits[at] || before.type != now.type ||
                         held(steps, k == 0 ? kNoStep : k - 1, warp, lane).more != held(steps, k, warp, lane).more);
        if (!entry.active && !entry.changed) continue;
        if (entry.active) entry.way = way_of(steps, step, *part, lane);
        entry.type = now.type;
        entry.bits = now.bits[at];
        entry.more = held(steps, k, warp, lane).more;
        entry.undefined = entry.known && steps.provenances.at(now.inputs[at]).undefined;
        life.push_back(std::move(entry));
    }
    return life;
}

std::string history_value(const HistoryStep& step) {
    LaneCell cell;
    cell.bits = step.bits;
    cell.type = step.type;
    cell.more = step.more;
    return value_text(cell);
}

std::string describe_history(const std::vector<HistoryStep>& life) {
    std::string out;
    for (const HistoryStep& each : life) {
        out += "step " + std::to_string(each.step + 1) + "  " + each.label + "  line " + std::to_string(each.line);
        if (!each.way.empty()) out += "  " + each.way;
        if (!each.known) out += "  not known";
        else if (each.undefined) out += "  undefined";
        else if (!each.more.empty()) out += "  " + history_value(each);
        else out += "  " + format_element(each.type, each.bits) + " (0x" + format_bits(each.type, each.bits) + ")";
        out += "\n";
    }
    return out;
}

}  // namespace lanewise::scene
