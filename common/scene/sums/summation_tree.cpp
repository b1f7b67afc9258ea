// A summation tree, and what is said of it and of its sums.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/element.hpp"
#include "common/rounding/addition_tree.hpp"
#include "common/run/run.hpp"
#include "common/scene/sums/sum_layout.hpp"

namespace lanewise::scene {
namespace {

using rounding::AdditionNode;
using rounding::AdditionTree;
using rounding::RoundingLens;
using Kind = AdditionNode::Kind;

// "in[5], in[13] and 30 more"
std::string named_inputs(const steps::Steps& steps, const RoundingLens& lens,
                         const std::vector<std::int32_t>& inputs, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (i == most && inputs.size() > most + 1) return text + fmt::format(" and {} more", inputs.size() - most);
        text += (i == 0                   ? ""
                 : i + 1 == inputs.size() ? " and "
                                          : ", ") +
                rounding::place_of_sum(steps, lens.sum(inputs[i]));
    }
    return text;
}

}  // namespace

bool SummationTree::empty() const { return !tree || tree->empty(); }

std::string why_no_tree(const Sums& sums) { return rounding::why_no_tree(sums.lens()); }

SummationTree summation_tree(const Sums& sums, const WarpRef& warp, int lane, std::vector<std::int32_t> roots,
                             const std::stop_token& stop) {
    const steps::Steps& steps = sums.steps();
    const RoundingLens& lens = sums.lens();
    SummationTree all;
    const std::int32_t whole =
        lane >= 0 ? rounding::sum_of_lane(steps, lens, warp, lane) : rounding::sum_of_run(steps, lens, warp, stop);
    if (whole == Sum::kNone) return all;
    roots.insert(roots.begin(), whole);
    all.roots = std::move(roots);
    all.stored = lane < 0 && rounding::stored_sum(steps, lens, warp, stop) != Sum::kNone;
    all.tree = std::make_shared<const AdditionTree>(rounding::build_addition_tree(steps, lens, all.roots.back(), stop));
    if (all.roots.size() == 1) all.others = rounding::others_beside(steps, lens, *all.tree);
    if (all.empty()) return all;
    check_stop(stop);
    for (const std::int32_t each : all.tree->additions())
        all.made.push_back(lens.sum(each).step);
    check_stop(stop);
    std::sort(all.made.begin(), all.made.end());
    const std::size_t at_steps = std::set<std::size_t>(all.made.begin(), all.made.end()).size();
    const Sum& root = lens.sum((*all.tree)[0].sum);
    all.summary = fmt::format("{} = the sum of {}, by {} in {}", format_element(root.type, root.bits),
                              rounding::inputs_text(lens, *all.tree), counted(all.made.size(), "addition"),
                              counted(at_steps, "step"));
    return all;
}

std::string sum_text(const Sums& sums, const SummationTree& tree, const SumBox& box) {
    const steps::Steps& steps = sums.steps();
    const RoundingLens& lens = sums.lens();
    const Sum& sum = sums.at(box.sum);
    const AdditionNode& node = (*tree.tree)[box.node];
    const std::string value = format_element(sum.type, sum.bits);
    std::string first = rounding::place_of_sum(steps, sum) + " = " + value, second, third;
    if (sum.step < steps.size())
        first += fmt::format(" · {} at step {}, {}", node.parts.empty() ? "read" : "added", sum.step + 1,
                             steps.steps[sum.step].label);
    if (node.kind == Kind::again) {
        second = "this sum stands in the tree already: it came in more than once";
    } else if (node.parts.size() == 2) {
        const Sum& own = lens.sum((*tree.tree)[node.parts[0]].sum);
        const Sum& other = lens.sum((*tree.tree)[node.parts[1]].sum);
        const std::string came = format_element(other.type, other.bits);
        second = fmt::format("{} {} {} = {}", format_element(own.type, own.bits), came.starts_with('-') ? "-" : "+",
                             came.starts_with('-') ? came.substr(1) : came, value);
        const std::string how =
            sum.kind == Sum::Kind::atomic ? "" : steps::formula_parts(steps, sum.step, sum.warp, sum.lane).rule;
        if (!how.empty()) second += " · " + how;
    } else if (!node.parts.empty()) {
        second = fmt::format("{} came together {}", counted(node.parts.size(), "value"),
                             node.kind == Kind::reduce ? "at once" : "one after the other");
    }
    if (!node.parts.empty()) {
        const std::vector<std::int32_t> inputs = tree.tree->inputs(box.node);
        third = counted(inputs.size(), "input") + ": " + named_inputs(steps, lens, inputs, 8);
    }
    third += (third.empty() ? "" : " · ") +
             std::string(box.collapsed && box.parent >= 0 ? "a click looks at it alone" : "a click goes to the step");
    return first + "\n" + second + "\n" + third;
}

std::string root_name(const run::Run& run, const Sum& root, bool stored) {
    if (!stored) return "the largest sum that is known: ";
    const double value = element_to_double(root.type, root.bits);
    if (run.results.empty()) return "the last sum: ";
    const run::Result& result = run.results.front();
    if (result.value == value) return "the total: ";
    if (result.count > 1)
        return "one of " + std::to_string(result.count) + (result.summed ? " partial sums: " : " results: ");
    const auto& launches = run.trace.header.launches;
    std::uint64_t blocks = 0;
    if (root.warp.launch < launches.size()) {
        const auto& grid = launches[root.warp.launch].grid;
        blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
    }
    const auto recorded = static_cast<std::uint64_t>(
        std::count_if(run.steps.blocks.begin(), run.steps.blocks.end(),
                      [&](const WarpRef& block) { return block.launch == root.warp.launch; }));
    if (recorded < blocks)
        return "not the total, " + std::to_string(recorded) + " of " + std::to_string(blocks) +
               " blocks are recorded: ";
    return "not the result (" + format_element(Element::f64, to_bits(result.value), 12) + "): ";
}

}  // namespace lanewise::scene
