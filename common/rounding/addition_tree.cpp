#include "common/rounding/addition_tree.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/steps/memory.hpp"
#include "common/steps/update.hpp"

namespace lanewise::rounding {

using steps::Steps;
using steps::WarpStep;

namespace {

using Kind = AdditionNode::Kind;

// Fewer additions of one lane, one after the other, are drawn each for itself.
constexpr std::size_t kLeastRun = 4;

bool is_leaf(const Sum& sum) {
    return sum.kind == Sum::Kind::input ||
           (sum.kind != Sum::Kind::reduce && (sum.own == Sum::kNone || sum.other == Sum::kNone));
}

std::size_t warp_place(const Steps& steps, const WarpRef& warp) {
    return static_cast<std::size_t>(std::find(steps.warps.begin(), steps.warps.end(), warp) - steps.warps.begin());
}

// What was added one after the other up to `last`, the first addition first: by a lane to which each time something
// less deep than its own came, or by atomics to one word.
std::vector<std::int32_t> run_to(const RoundingLens& lens, std::int32_t last) {
    const Sum& end = lens.sum(last);
    std::vector<std::int32_t> run;
    if (end.kind == Sum::Kind::reduce) return {last};
    for (std::int32_t at = last; at != Sum::kNone; at = lens.sum(at).own) {
        const Sum& sum = lens.sum(at);
        if (is_leaf(sum) || sum.kind != end.kind) break;
        if (sum.kind == Sum::Kind::add) {
            const std::uint32_t own = lens.sum(sum.own).additions, other = lens.sum(sum.other).additions;
            if (!(sum.warp == end.warp) || sum.lane != end.lane || (other > 0 && other >= own)) break;
        }
        run.push_back(at);
    }
    std::reverse(run.begin(), run.end());
    const std::size_t least = end.kind == Sum::Kind::atomic ? 2 : kLeastRun;
    return run.size() >= least ? run : std::vector<std::int32_t>{last};
}

// What the lanes offered that a reduction joined.
std::vector<std::int32_t> offered(const Steps& steps, const RoundingLens& lens, const Sum& sum,
                                  const std::stop_token& stop) {
    std::vector<std::int32_t> parts;
    const WarpStep* warp = sum.step < steps.size() ? steps.steps[sum.step].find(sum.warp) : nullptr;
    if (!warp) return parts;
    const trace::Record& record = steps.trace->records[warp->records.front()];
    const std::size_t place = warp_place(steps, sum.warp);
    for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
        if (!steps::takes_part(record, lane)) continue;
        check_stop(stop);
        const std::uint32_t inputs = warp->lanes[lane].inputs_before;
        std::int32_t part = sum.step > 0 ? lens.last(sum.step - 1, place, static_cast<int>(lane)) : Sum::kNone;
        if (part != Sum::kNone && lens.sum(part).inputs != inputs) part = Sum::kNone;
        const auto only = steps.provenances[inputs].only();
        for (std::size_t i = 0; only && part == Sum::kNone && i < lens.sums.size(); ++i) {
            const Sum& leaf = lens.sums[i];
            if (leaf.kind == Sum::Kind::input && leaf.element == static_cast<std::int64_t>(*only))
                part = static_cast<std::int32_t>(i);
        }
        if (part != Sum::kNone) parts.push_back(part);
    }
    return parts;
}

// The node and all below it, each before its parts, from left to right. A run may be as deep as it is long.
template <class Visit>
void walk(const AdditionTree& tree, int node, const Visit& visit) {
    std::vector<int> open;
    if (!tree.empty()) open.push_back(node);
    while (!open.empty()) {
        const AdditionNode& at = tree[open.back()];
        open.pop_back();
        visit(at);
        open.insert(open.end(), at.parts.rbegin(), at.parts.rend());
    }
}

std::string value_of(const Sum& sum) {
    return fmt::format("{} (0x{})", format_element(sum.type, sum.bits), format_bits(sum.type, sum.bits));
}

}  // namespace

std::vector<std::int32_t> AdditionTree::additions(int node) const {
    std::vector<std::int32_t> found;
    walk(*this, node, [&](const AdditionNode& at) { found.insert(found.end(), at.running.begin(), at.running.end()); });
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::int32_t> AdditionTree::inputs(int node) const {
    std::vector<std::int32_t> found;
    walk(*this, node, [&](const AdditionNode& at) {
        if (at.kind == Kind::input) found.push_back(at.sum);
    });
    return found;
}

AdditionTree build_addition_tree(const Steps& steps, const RoundingLens& lens, std::int32_t root,
                                 const std::stop_token& stop) {
    AdditionTree tree;
    if (root == Sum::kNone) return tree;
    std::unordered_set<std::int32_t> met;
    tree.nodes.push_back({.sum = root});
    for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
        check_stop(stop);
        const std::int32_t sum = tree.nodes[at].sum;
        const Sum& whole = lens.sum(sum);
        if (is_leaf(whole)) continue;
        // Drawn once: what is doubled each round would have 2^rounds leaves.
        if (!met.insert(sum).second) {
            tree.nodes[at].kind = Kind::again;
            continue;
        }
        std::vector<std::int32_t> parts, running = run_to(lens, sum);
        met.insert(running.begin(), running.end());
        Kind kind = running.size() == 1 ? Kind::join : whole.kind == Sum::Kind::atomic ? Kind::word : Kind::run;
        if (whole.kind == Sum::Kind::reduce) {
            kind = Kind::reduce;
            parts = offered(steps, lens, whole, stop);
        } else {
            parts.push_back(lens.sum(running.front()).own);
            for (const std::int32_t each : running) parts.push_back(lens.sum(each).other);
        }
        if (parts.empty()) continue;
        tree.nodes[at].kind = kind;
        tree.nodes[at].running = std::move(running);
        for (const std::int32_t part : parts) {
            tree.nodes[at].parts.push_back(static_cast<int>(tree.nodes.size()));
            tree.nodes.push_back({.sum = part, .parent = static_cast<int>(at)});
        }
    }
    for (std::size_t at = tree.nodes.size(); at-- > 0;) {
        AdditionNode& node = tree.nodes[at];
        if (node.parts.empty()) continue;
        node.leaves = 0;
        for (const int part : node.parts) {
            node.leaves += tree[part].leaves;
            node.height = std::max(node.height, tree[part].height + 1);
        }
    }
    return tree;
}

std::int32_t sum_of_lane(const Steps& steps, const RoundingLens& lens, const WarpRef& warp, int lane) {
    if (steps.size() == 0 || lane < 0) return Sum::kNone;
    return lens.last(steps.size() - 1, warp_place(steps, warp), lane);
}

std::int32_t stored_sum(const Steps& steps, const RoundingLens& lens, const WarpRef& near,
                        const std::stop_token& stop) {
    std::int32_t best = Sum::kNone;
    std::tuple<std::uint64_t, bool, bool> most{};
    const auto offer = [&](std::int32_t sum, const WarpRef& warp) {
        const bool same_block = warp.launch == near.launch && warp.block == near.block;
        const std::tuple key{lens.sum(sum).count, same_block, warp == near};
        if (best != Sum::kNone && key <= most) return;
        best = sum;
        most = key;
    };
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const steps::Step& step = steps.steps[k];
        if (step.stage != "finish" || (step.kind != StepKind::store && step.kind != StepKind::atomic)) continue;
        for (const WarpStep& warp : step.warps) {
            check_stop(stop);
            const std::size_t place = warp_place(steps, warp.warp);
            const trace::Record& record = steps.trace->records[warp.records.back()];
            for (int lane = 0; lane < trace::kWarpSize; ++lane) {
                const auto l = static_cast<std::size_t>(lane);
                if (!steps::takes_part(record, l)) continue;
                const std::int32_t sum = lens.last(k, place, lane);
                if (sum == Sum::kNone) continue;
                // A store must have stored it; an atomic gave it, or made it.
                const Sum& candidate = lens.sum(sum);
                const std::uint64_t written = trace::element_at(record.value[l], record.type, 0);
                const std::uint64_t held =
                    candidate.type == record.type
                        ? candidate.bits
                        : element_from_double(record.type, element_to_double(candidate.type, candidate.bits));
                if (candidate.kind == Sum::Kind::atomic || same_value(record.type, held, written))
                    offer(sum, warp.warp);
            }
        }
    }
    return best;
}

std::int32_t sum_of_run(const Steps& steps, const RoundingLens& lens, const WarpRef& near,
                        const std::stop_token& stop) {
    std::int32_t best = stored_sum(steps, lens, near, stop);
    if (best != Sum::kNone) return best;
    const auto key = [&](const Sum& sum) { return std::tuple(sum.count, sum.step, sum.warp == near); };
    for (std::size_t i = 0; i < lens.sums.size(); ++i) {
        const Sum& sum = lens.sums[i];
        if (sum.kind != Sum::Kind::input && (best == Sum::kNone || key(sum) > key(lens.sum(best))))
            best = static_cast<std::int32_t>(i);
    }
    return best;
}

std::string others_beside(const Steps& steps, const RoundingLens& lens, const AdditionTree& tree) {
    if (tree.empty()) return {};
    const Sum& root = lens.sum(tree.nodes.front().sum);
    if (root.kind == Sum::Kind::input) return {};
    if (root.kind == Sum::Kind::atomic)
        return fmt::format("{} were added to one address, in order, from left to right.",
                           counted(tree.nodes.front().parts.size(), "partial sum"));
    const std::size_t place = warp_place(steps, root.warp);
    int same = 0, other = 0, none = 0;
    // Lanes that a record holds: a teaching warp, and the last of a block, have fewer than 32.
    const std::uint32_t known = place < steps.warps.size() ? steps.lane_values(steps.size() - 1, root.warp).known : 0;
    for (int lane = 0; lane < trace::kWarpSize; ++lane) {
        if (lane == root.lane || (known >> lane & 1u) == 0) continue;
        const std::int32_t held = lens.last(steps.size() - 1, place, lane);
        if (held == Sum::kNone) ++none;
        else if (lens.sum(held).inputs != 0 && lens.sum(held).inputs == root.inputs) ++same;
        else ++other;
    }
    if (same > 0 && other + none == 0)
        return fmt::format("All {} lanes hold the sum of these inputs, each by a tree of its own; this is lane {}'s.",
                           same + 1, root.lane);
    if (same > 0)
        return fmt::format(
            "{} of the warp hold{} the sum of these inputs too, by a tree of {} own; {} ha{} come to something else.",
            counted(same, "other lane"), same == 1 ? "s" : "", same == 1 ? "its" : "their",
            counted(other + none, "lane"), other + none == 1 ? "s" : "ve");
    if (other == 0) return fmt::format("Lane {} alone adds in this warp.", root.lane);
    return fmt::format("Lane {} alone holds it: {} of its warp end{} with {}.", root.lane,
                       counted(other, "other lane"), other == 1 ? "s" : "",
                       other == 1 ? "another sum" : "other sums");
}

std::string inputs_text(const RoundingLens& lens, const AdditionTree& tree) {
    if (tree.empty()) return counted(0, "input");
    const std::uint64_t count = lens.sum(tree.nodes.front().sum).count;
    std::set<std::int32_t> different;   // what is elsewhere in the tree too is met there
    for (const AdditionNode& node : tree.nodes)
        if (node.kind == Kind::input) different.insert(node.sum);
    std::string text = counted(count, "input");
    if (different.size() < count) text += fmt::format(", of them {} different", different.size());
    return text;
}

std::string why_no_tree(const RoundingLens& lens) {
    if (!lens.why_not.empty()) return lens.why_not;
    const bool any =
        std::any_of(lens.sums.begin(), lens.sums.end(), [](const Sum& sum) { return sum.kind != Sum::Kind::input; });
    return any ? "" : "Nothing is added here, as far as the records show.";
}

std::string place_of_sum(const Steps& steps, const Sum& sum) {
    const auto array = steps::input_array_of(*steps.trace);
    if (sum.kind == Sum::Kind::input)
        return fmt::format("{}[{}]", array ? steps.trace->arrays[*array].name : "in", sum.element);
    const std::string warp =
        fmt::format("lane {} of {}block {} · warp {}", sum.lane,
                    sum.warp.launch > 0 ? fmt::format("launch {} · ", sum.warp.launch) : std::string(), sum.warp.block,
                    sum.warp.warp);
    if (sum.kind != Sum::Kind::atomic || sum.step >= steps.size()) return warp;
    const WarpStep* part = steps.steps[sum.step].find(sum.warp);
    if (!part) return warp;
    const trace::Record& record = steps.trace->records[part->records.front()];
    return fmt::format("{}[{}], by {}", steps.trace->arrays[record.array].name,
                       record.element_index[static_cast<std::size_t>(sum.lane)], warp);
}

std::string describe_tree(const Steps& steps, const RoundingLens& lens, const AdditionTree& tree, std::size_t now) {
    if (tree.empty()) return "tree  " + why_no_tree(lens) + "\n";
    const Sum& root = lens.sum(tree.nodes.front().sum);
    const auto additions = tree.additions();
    std::set<std::size_t> at_steps;
    for (const std::int32_t sum : additions) at_steps.insert(lens.sum(sum).step);
    std::string out = fmt::format("tree  {}  {}  {}, {} in {}\n", place_of_sum(steps, root), value_of(root),
                                  inputs_text(lens, tree), counted(additions.size(), "addition"),
                                  counted(at_steps.size(), "step"));
    if (const std::string others = others_beside(steps, lens, tree); !others.empty()) out += others + "\n";
    if (lens.unknown > 0)
        out += fmt::format("{} not shown: something else than a known sum of inputs came in.\n",
                           counted(lens.unknown, "addition") + (lens.unknown == 1 ? " is" : " are"));
    for (const std::int32_t place : additions) {
        const Sum& sum = lens.sum(place);
        out += fmt::format("added  step {} {}  {}  ", sum.step + 1,
                           sum.step < steps.size() ? steps.steps[sum.step].label : "", place_of_sum(steps, sum));
        if (sum.kind == Sum::Kind::reduce) out += "all lanes'";
        else out += value_of(lens.sum(sum.own)) + " + " + value_of(lens.sum(sum.other));
        out += " = " + value_of(sum) + "  " + counted(sum.count, "input");
        if (sum.step == now) out += "  now";
        else if (sum.step > now) out += "  later";
        out += "\n";
    }
    return out;
}

}  // namespace lanewise::rounding
