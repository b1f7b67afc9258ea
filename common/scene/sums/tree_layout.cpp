// The summation tree as a layout: which parts are collapsed, on which level and in which columns each sum is.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "common/rounding/addition_tree.hpp"
#include "common/scene/sums/sum_layout.hpp"

namespace lanewise::scene {
namespace {

using rounding::AdditionNode;
using rounding::AdditionTree;
using rounding::RoundingLens;
using Fold = SumLayout::Fold;
using Kind = AdditionNode::Kind;

constexpr std::size_t kMostTwigs = 64;   // leaves of a fold that is drawn small

const Sum& sum_of(const RoundingLens& lens, const AdditionTree& tree, int node) {
    return lens.sum(tree[node].sum);
}

bool is_flat(const AdditionTree& tree, int node) {
    return std::all_of(tree[node].parts.begin(), tree[node].parts.end(),
                       [&](int part) { return tree[part].parts.empty(); });
}

// Where all sums of a subtree came about, as far as it is one place.
struct Home {
    bool one_warp = true, one_block = true;
    std::optional<WarpRef> warp;   // none: only inputs
};

void join(Home& home, const Home& other) {
    home.one_warp = home.one_warp && other.one_warp;
    home.one_block = home.one_block && other.one_block;
    if (!other.warp) return;
    if (!home.warp) {
        home.warp = other.warp;
        return;
    }
    home.one_warp = home.one_warp && *home.warp == *other.warp;
    home.one_block = home.one_block && home.warp->launch == other.warp->launch && home.warp->block == other.warp->block;
}

std::vector<Home> homes_of(const RoundingLens& lens, const AdditionTree& tree, const std::stop_token& stop) {
    std::vector<Home> homes(tree.nodes.size());
    for (std::size_t n = tree.nodes.size(); n-- > 0;) {
        check_stop(stop);
        const AdditionNode& node = tree.nodes[n];
        if (node.parts.empty()) continue;
        const Sum& sum = lens.sum(node.sum);
        if (node.kind == AdditionNode::Kind::word) {
            for (const std::int32_t each : node.running)
                join(homes[n], {true, true, lens.sum(each).warp});
        } else {
            homes[n].warp = sum.warp;
        }
        for (const int part : node.parts) join(homes[n], homes[static_cast<std::size_t>(part)]);
    }
    return homes;
}

SumJoin join_of(const AdditionNode& node) {
    switch (node.kind) {
        case Kind::join: return SumJoin::pair;
        case Kind::run:
        case Kind::word: return SumJoin::in_turn;
        case Kind::reduce: return SumJoin::at_once;
        case Kind::again: return SumJoin::again;
        case Kind::input: break;
    }
    return SumJoin::input;
}

// What a fold is called: "warp 3", "block 1", the word that atomics join, or the lane whose sum it is, "lane 5".
std::string fold_name(const steps::Steps& steps, const RoundingLens& lens, const AdditionTree& tree, int node,
                      Fold how) {
    const Sum& sum = sum_of(lens, tree, node);
    const std::string lane = "lane " + std::to_string(sum.lane);
    if (tree[node].kind == AdditionNode::Kind::word) {
        const std::string place = rounding::place_of_sum(steps, sum);
        return place.substr(0, place.find(','));
    }
    if (how == Fold::runs || how == Fold::deep || (tree[node].parts.size() > 4 && is_flat(tree, node))) return lane;
    Home home;
    std::vector<int> open{node};
    while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        if (tree[at].parts.empty()) continue;
        join(home, {true, true, sum_of(lens, tree, at).warp});
        open.insert(open.end(), tree[at].parts.begin(), tree[at].parts.end());
    }
    if (home.one_warp && home.warp) return "warp " + std::to_string(home.warp->warp);
    return home.one_block && home.warp ? "block " + std::to_string(home.warp->block) : lane;
}

// Which nodes are collapsed; a node below a collapsed one is not asked for.
struct Folding {
    std::vector<bool> collapsed;
    std::size_t leaves = 0, folds = 0, rows = 0;
};

class TreeBuilder {
public:
    TreeBuilder(const Sums& sums, const AdditionTree& tree, const SumRoom& room, const WarpRef& near,
            const std::stop_token& stop)
        : steps_(sums.steps()), lens_(sums.lens()), tree_(tree), room_(room), near_(near), stop_(stop),
          homes_(homes_of(lens_, tree, stop)) {}

    SumLayout build() {
        add(fold());
        lay();
        for (SumBox& box : layout_.boxes) fill(box);
        distinguish();
        return std::move(layout_);
    }

private:
    float first_height(const Folding& folding) const {
        return folding.folds > 0 ? room_.first_folds : room_.first_level;
    }

    bool fits(const Folding& folding, float fold) const {
        const float needed =
            static_cast<float>(folding.leaves) * room_.leaf + static_cast<float>(folding.folds) * fold;
        return needed <= room_.width &&
               first_height(folding) + static_cast<float>(folding.rows) * room_.level <= room_.height;
    }

    bool wants_fold(int node, Fold how) const {
        const Home& home = homes_[static_cast<std::size_t>(node)];
        if (tree_[node].parts.empty() || how == Fold::none) return false;
        if (tree_[node].parts.size() > 4 && is_flat(tree_, node)) return true;
        if (how == Fold::runs || node == 0) return false;
        if (home.one_warp) return true;
        const WarpRef& near = near_;
        return how == Fold::blocks && home.one_block && home.warp &&
               !(home.warp->launch == near.launch && home.warp->block == near.block);
    }

    // What a way to fold leaves to be drawn. `gives_up`: only as far as it may fit; all of a million inputs take 8 ms
    // more.
    template <class Wants>
    Folding count(const Wants& wants, bool gives_up = false) const {
        Folding folding;
        const auto most =
            gives_up ? static_cast<std::size_t>(std::max(room_.width, 0.0f) / room_.leaf) : tree_.nodes.size();
        folding.collapsed.assign(tree_.nodes.size(), false);
        std::map<std::pair<std::size_t, int>, bool> rows;
        std::vector<int> open{0};
        while (!open.empty() && folding.leaves <= most) {
            check_stop(stop_);
            const int node = open.back();
            open.pop_back();
            if (tree_[node].parts.empty()) {
                ++folding.leaves;
            } else if (wants(node)) {
                folding.collapsed[static_cast<std::size_t>(node)] = true;
                ++folding.folds;
            } else {
                rows[{step_of(node), 0}] = true;
                open.insert(open.end(), tree_[node].parts.begin(), tree_[node].parts.end());
            }
        }
        folding.rows = rows.size();
        return folding;
    }

    Folding fold() {
        // Of several blocks the warps of one are drawn at a size that shows how they add, rather than those of all as
        // dots.
        const float roomy = homes_.front().one_block ? room_.fold : room_.roomy_fold;
        for (const Fold how : {Fold::none, Fold::runs, Fold::warps, Fold::blocks}) {
            Folding folding = count([&](int node) { return wants_fold(node, how); }, true);
            layout_.fold = folding.folds > 0 ? how : Fold::none;
            if (fits(folding, how == Fold::warps ? roomy : room_.fold)) return folding;
        }
        // From the total upwards, all of one size at once, as long as there is room.
        layout_.fold = Fold::deep;
        std::size_t least = tree_[0].leaves;
        const auto folding_at = [&](std::size_t size) {
            return count([&](int node) { return node != 0 && tree_[node].leaves < size; });
        };
        Folding best = folding_at(least);
        while (least > 1) {
            std::size_t next = 1;
            for (std::size_t n = 0; n < tree_.nodes.size(); ++n)
                if (best.collapsed[n]) next = std::max(next, tree_.nodes[n].leaves);
            Folding opened = folding_at(next);
            if (next == 1 || !fits(opened, room_.fold)) break;
            best = std::move(opened);
            least = next;
        }
        return best;
    }

    std::size_t step_of(int node) const { return sum_of(lens_, tree_, node).step; }

    void add(const Folding& folding) {
        std::vector<SumBox>& boxes = layout_.boxes;
        boxes.push_back({.node = 0, .collapsed = folding.collapsed[0]});
        for (std::size_t b = 0; b < boxes.size(); ++b) {
            const int node = boxes[b].node;
            if (boxes[b].collapsed) continue;
            for (std::size_t p = 0; p < tree_[node].parts.size(); ++p) {
                const int part = tree_[node].parts[p];
                boxes.push_back({.parent = static_cast<int>(b),
                                 .own = p == 0,
                                 .node = part,
                                 .collapsed = folding.collapsed[static_cast<std::size_t>(part)]});
            }
        }
    }

    bool is_inner(const SumBox& box) const { return !box.collapsed && !tree_[box.node].parts.empty(); }

    void lay() {
        std::vector<SumBox>& boxes = layout_.boxes;
        // Levels: inputs and folds; then the steps in their order, twice where a step adds what it has just added.
        std::vector<int> again(boxes.size(), 0);
        std::map<std::pair<std::size_t, int>, int> levels;
        for (std::size_t b = boxes.size(); b-- > 0;) {
            const SumBox& box = boxes[b];
            const bool inner = is_inner(box);
            if (inner) levels[{step_of(box.node), again[b]}] = 0;
            if (!inner || box.parent < 0) continue;
            if (step_of(boxes[static_cast<std::size_t>(box.parent)].node) == step_of(box.node)) {
                int& below = again[static_cast<std::size_t>(box.parent)];
                below = std::max(below, again[b] + 1);
            }
        }
        layout_.levels.push_back({});
        for (auto& [key, level] : levels) {
            level = static_cast<int>(layout_.levels.size());
            SumLevel& made = layout_.levels.emplace_back();
            made.step = key.first;
            if (key.first < steps_.size()) made.label = steps_.steps[key.first].label;
        }
        // Columns: from the inputs down.
        std::vector<float> shares(boxes.size(), 0);
        for (std::size_t b = boxes.size(); b-- > 0;) {
            SumBox& box = boxes[b];
            if (!is_inner(box)) shares[b] = box.collapsed ? room_.fold / room_.leaf : 1;
            else box.level = levels.at({step_of(box.node), again[b]});
            if (box.parent >= 0) shares[static_cast<std::size_t>(box.parent)] += shares[b];
        }
        layout_.columns = shares[0];
        std::vector<float> next(boxes.size());
        for (std::size_t b = 0; b < boxes.size(); ++b) {
            SumBox& box = boxes[b];
            float& x = box.parent < 0 ? next[b] : next[static_cast<std::size_t>(box.parent)];
            box.first = x;
            box.share = shares[b];
            x += shares[b];
            next[b] = box.first;
        }
    }

    void fill(SumBox& box) {
        check_stop(stop_);
        const AdditionNode& node = tree_[box.node];
        box.sum = node.sum;
        box.join = join_of(node);
        box.parts = node.parts.size();
        box.leaves = node.leaves;
        box.height = node.height;
        // An input has the colour of the warp that adds it first.
        int at = box.node;
        while (sum_of(lens_, tree_, at).kind == Sum::Kind::input && tree_[at].parent >= 0) at = tree_[at].parent;
        box.adder = sum_of(lens_, tree_, at).warp.warp;
        if (!box.collapsed) return;
        box.name = fold_name(steps_, lens_, tree_, box.node, layout_.fold);
        box.inputs = tree_.inputs(box.node);
        for (const std::int32_t each : tree_.additions(box.node)) box.steps.push_back(lens_.sum(each).step);
        std::sort(box.steps.begin(), box.steps.end());
        if (box.leaves > kMostTwigs) return;
        grow(box, box.node);
    }

    // Parts of one warp's sum are distinguished by the lanes that hold them.
    void distinguish() {
        std::map<std::string, int> named;
        for (const SumBox& box : layout_.boxes)
            if (box.collapsed) ++named[box.name];
        for (SumBox& box : layout_.boxes)
            if (box.collapsed && named[box.name] > 1 && box.name.starts_with("warp "))
                box.name += " · lane " + std::to_string(lens_.sum(box.sum).lane);
    }

    int grow(SumBox& box, int node) const {
        std::vector<int> parts;
        for (const int part : tree_[node].parts) parts.push_back(grow(box, part));
        const int here = static_cast<int>(box.twigs.size());
        for (const int part : parts) box.twigs[static_cast<std::size_t>(part)].parent = here;
        box.twigs.push_back({-1, tree_[node].height, step_of(node)});
        return here;
    }

    const steps::Steps& steps_;
    const RoundingLens& lens_;
    const AdditionTree& tree_;
    const SumRoom& room_;
    WarpRef near_;
    const std::stop_token& stop_;
    std::vector<Home> homes_;
    SumLayout layout_;
};

}  // namespace

SumLayout tree_layout(const Sums& sums, const SummationTree& tree, const SumRoom& room, const WarpRef& near,
                      const std::stop_token& stop) {
    if (tree.empty()) return {};
    return TreeBuilder(sums, *tree.tree, room, near, stop).build();
}

}  // namespace lanewise::scene
