#include "viz/views/reduction/tree_scene.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace lanewise::viz {
namespace {

using steps::AdditionNode;
using steps::AdditionTree;
using steps::RoundingLens;
using steps::Sum;
using Fold = TreeScene::Fold;

// At scale 1: the least width of an input, of a fold, of a fold that shows how it adds; the largest height of a row.
constexpr float kLeaf = 13, kFolded = 34, kRoomyFold = 52, kMostRow = 84;
constexpr float kMostWidth = 74;
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
    std::optional<steps::WarpRef> warp;   // none: only inputs
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

// Which nodes are folded; a node below a folded one is not asked for.
struct Folding {
    std::vector<bool> folded;
    std::size_t leaves = 0, folds = 0, rows = 0;
};

class Builder {
public:
    Builder(const steps::Steps& steps, const RoundingLens& lens, const AdditionTree& tree, const TreeMetrics& metrics,
            const std::stop_token& stop)
        : steps_(steps), lens_(lens), tree_(tree), metrics_(metrics), stop_(stop), homes_(homes_of(lens, tree, stop)) {}

    TreeScene build() {
        const Folding folding = fold();
        add(folding);
        lay(folding);
        return std::move(scene_);
    }

private:
    float px(float v) const { return v * metrics_.scale; }
    float cell_height() const { return px(metrics_.compact ? 17 : 22); }
    float fold_height() const { return px(metrics_.compact ? 64 : 96); }
    float least_row() const { return px(metrics_.compact ? 23 : 34); }
    float first_height(const Folding& folding) const {
        return folding.folds > 0 ? fold_height() : cell_height() + px(metrics_.compact ? 2 : 16);
    }
    float width() const { return metrics_.area.width() - px(metrics_.gutter); }

    bool fits(const Folding& folding, float fold = kFolded) const {
        const float needed =
            static_cast<float>(folding.leaves) * px(kLeaf) + static_cast<float>(folding.folds) * px(fold);
        return needed <= width() &&
               first_height(folding) + static_cast<float>(folding.rows) * least_row() <= metrics_.area.height();
    }

    bool wants_fold(int node, Fold how) const {
        const Home& home = homes_[static_cast<std::size_t>(node)];
        if (tree_[node].parts.empty() || how == Fold::none) return false;
        if (tree_[node].parts.size() > 4 && is_flat(tree_, node)) return true;
        if (how == Fold::runs || node == 0) return false;
        if (home.one_warp) return true;
        const steps::WarpRef& near = metrics_.near;
        return how == Fold::blocks && home.one_block && home.warp &&
               !(home.warp->launch == near.launch && home.warp->block == near.block);
    }

    // What a way to fold leaves to be drawn. `gives_up`: only as far as it may fit; all of a million inputs take 8 ms
    // more.
    template <class Wants>
    Folding count(const Wants& wants, bool gives_up = false) const {
        Folding folding;
        const auto most = gives_up ? static_cast<std::size_t>(std::max(width(), 0.0f) / px(kLeaf)) : tree_.nodes.size();
        folding.folded.assign(tree_.nodes.size(), false);
        std::map<std::pair<std::size_t, int>, bool> rows;
        std::vector<int> open{0};
        while (!open.empty() && folding.leaves <= most) {
            check_stop(stop_);
            const int node = open.back();
            open.pop_back();
            if (tree_[node].parts.empty()) {
                ++folding.leaves;
            } else if (wants(node)) {
                folding.folded[static_cast<std::size_t>(node)] = true;
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
        const float roomy = homes_.front().one_block ? kFolded : kRoomyFold;
        for (const Fold how : {Fold::none, Fold::runs, Fold::warps, Fold::blocks}) {
            Folding folding = count([&](int node) { return wants_fold(node, how); }, true);
            scene_.fold = folding.folds > 0 ? how : Fold::none;
            if (fits(folding, how == Fold::warps ? roomy : kFolded)) return folding;
        }
        // From the total upwards, all of one size at once, as long as there is room.
        scene_.fold = Fold::deep;
        std::size_t least = tree_[0].leaves;
        const auto folding_at = [&](std::size_t size) {
            return count([&](int node) { return node != 0 && tree_[node].leaves < size; });
        };
        Folding best = folding_at(least);
        while (least > 1) {
            std::size_t next = 1;
            for (std::size_t n = 0; n < tree_.nodes.size(); ++n)
                if (best.folded[n]) next = std::max(next, tree_.nodes[n].leaves);
            Folding opened = folding_at(next);
            if (next == 1 || !fits(opened)) break;
            best = std::move(opened);
            least = next;
        }
        return best;
    }

    std::size_t step_of(int node) const { return sum_of(lens_, tree_, node).step; }

    void add(const Folding& folding) {
        scene_.boxes.push_back({.node = 0, .folded = folding.folded[0]});
        for (std::size_t b = 0; b < scene_.boxes.size(); ++b) {
            const int node = scene_.boxes[b].node;
            if (scene_.boxes[b].folded) continue;
            for (std::size_t p = 0; p < tree_[node].parts.size(); ++p) {
                const int part = tree_[node].parts[p];
                scene_.boxes.push_back({.node = part,
                                        .parent = static_cast<int>(b),
                                        .own = p == 0,
                                        .folded = folding.folded[static_cast<std::size_t>(part)]});
            }
        }
    }

    // Is any fold small enough to be drawn small?
    bool has_small(const Folding& folding) const {
        for (std::size_t n = 0; n < tree_.nodes.size(); ++n)
            if (folding.folded[n] && tree_.nodes[n].leaves <= kMostTwigs) return true;
        return false;
    }

    float share(const TreeBox& box) const { return box.folded ? kFolded / kLeaf : 1; }

    void lay(const Folding& folding) {
        std::vector<TreeBox>& boxes = scene_.boxes;
        // Rows: inputs and folds; then the steps in their order, twice where a step adds what it has just added.
        std::vector<int> again(boxes.size(), 0);
        std::map<std::pair<std::size_t, int>, int> rows;
        for (std::size_t b = boxes.size(); b-- > 0;) {
            const TreeBox& box = boxes[b];
            const bool inner = !box.folded && !tree_[box.node].parts.empty();
            if (inner) rows[{step_of(box.node), again[b]}] = 0;
            if (!inner || box.parent < 0) continue;
            if (step_of(boxes[static_cast<std::size_t>(box.parent)].node) == step_of(box.node)) {
                int& below = again[static_cast<std::size_t>(box.parent)];
                below = std::max(below, again[b] + 1);
            }
        }
        scene_.rows.push_back({});
        for (auto& [key, row] : rows) {
            row = static_cast<int>(scene_.rows.size());
            TreeRow& made = scene_.rows.emplace_back();
            made.step = key.first;
            if (key.first < steps_.size()) made.label = steps_.steps[key.first].label;
        }
        const Rect& area = metrics_.area;
        const float below = static_cast<float>(rows.size());
        float first = first_height(folding);
        const float pitch = rows.empty() ? 0 : std::min((area.height() - first) / below, px(kMostRow));
        if (folding.folds > 0 && has_small(folding))
            first = std::clamp(area.height() - pitch * below, first, fold_height() * 2.4f);
        // What is left over is shared above and below.
        const float top = area.y0 + std::max(0.0f, (area.height() - first - pitch * below) / 2);
        const float cell = std::min(cell_height(), pitch > 0 ? pitch * 0.66f : cell_height());
        for (std::size_t r = 0; r < scene_.rows.size(); ++r) {
            TreeRow& row = scene_.rows[r];
            row.y1 = r == 0 ? top + first : top + first + pitch * static_cast<float>(r) - px(2);
            row.y0 = r == 0 ? top : row.y1 - cell;
        }
        // Columns: from the inputs down.
        std::vector<float> shares(boxes.size(), 0);
        for (std::size_t b = boxes.size(); b-- > 0;) {
            TreeBox& box = boxes[b];
            const bool inner = !box.folded && !tree_[box.node].parts.empty();
            if (!inner) shares[b] = share(box);
            else box.row = rows.at({step_of(box.node), again[b]});
            if (box.parent >= 0) shares[static_cast<std::size_t>(box.parent)] += shares[b];
        }
        std::vector<float> next(boxes.size());
        const float unit = std::min((width()) / std::max(shares[0], 1.0f), px(kMostWidth));
        const float used = unit * shares[0];
        const float left = area.x0 + px(metrics_.gutter) + (width() - used) / 2;
        for (std::size_t b = 0; b < boxes.size(); ++b) {
            TreeBox& box = boxes[b];
            float& x = box.parent < 0 ? next[b] : next[static_cast<std::size_t>(box.parent)];
            if (box.parent < 0) x = left;
            const TreeRow& row = scene_.rows[static_cast<std::size_t>(box.row)];
            box.span = {x, row.y0, x + unit * shares[b], row.y1};
            x = box.span.x1;
            next[b] = box.span.x0;
            place(box, unit);
        }
    }

    // The cell within its span: as wide as its kind needs.
    void place(TreeBox& box, float unit) {
        const TreeRow& row = scene_.rows[static_cast<std::size_t>(box.row)];
        const bool leaf = tree_[box.node].parts.empty();
        const bool wide = !box.folded && tree_[box.node].parts.size() > 2;
        const float middle = box.span.center().x;
        if (box.folded) {
            const float half = std::min(box.span.width() * 0.5f - px(3), px(150));
            box.box = {middle - half, row.y0, middle + half, row.y1};
            lay_small(box);
            return;
        }
        const float half = wide ? box.span.width() * 0.5f - px(4)
                                : std::min(box.span.width() * (leaf ? 0.5f : 0.42f) - px(1), px(kMostWidth) / 2);
        const float least = std::min(px(6), unit * 0.5f);
        box.box = {middle - std::max(half, least), row.y0, middle + std::max(half, least), row.y1};
        if (leaf) box.box.y0 = box.box.y1 - std::min(cell_height(), box.box.height());
    }

    // A folded subtree drawn small, over the line that holds its sum.
    void lay_small(TreeBox& box) {
        check_stop(stop_);
        box.inputs = tree_.inputs(box.node);
        for (const std::int32_t each : tree_.additions(box.node))
            box.steps.push_back(lens_.sum(each).step);
        std::sort(box.steps.begin(), box.steps.end());
        box.small = box.box.inset(px(4), px(4));
        box.small.y0 += px(14);
        box.small.y1 -= px(20);
        if (box.small.height() < px(16) || tree_[box.node].leaves > kMostTwigs ||
            box.small.width() < static_cast<float>(tree_[box.node].leaves) * px(1.1f))
            return;
        const float pitch = box.small.width() / static_cast<float>(tree_[box.node].leaves);
        const float strip = px(6);
        const int height = std::max(tree_[box.node].height, 1);
        float x = box.small.x0;
        grow(box, box.node, x, pitch, box.small.y0 + strip, (box.small.height() - strip) / static_cast<float>(height));
    }

    Point grow(TreeBox& box, int node, float& x, float pitch, float top, float level) {
        if (tree_[node].parts.empty()) {
            x += pitch;
            return {x - pitch / 2, top};
        }
        std::vector<Point> ends;
        float middle = 0;
        for (const int part : tree_[node].parts) {
            ends.push_back(grow(box, part, x, pitch, top, level));
            middle += ends.back().x;
        }
        const Point here{middle / static_cast<float>(ends.size()),
                         top + level * static_cast<float>(tree_[node].height)};
        for (const Point& end : ends) box.twigs.push_back({end, here, step_of(node)});
        return here;
    }

    const steps::Steps& steps_;
    const RoundingLens& lens_;
    const AdditionTree& tree_;
    const TreeMetrics& metrics_;
    const std::stop_token& stop_;
    std::vector<Home> homes_;
    TreeScene scene_;
};

}  // namespace

int TreeScene::box_at(Point p) const {
    for (std::size_t i = 0; i < boxes.size(); ++i)
        if (boxes[i].box.contains(p)) return static_cast<int>(i);
    return -1;
}

int TreeScene::row_at(Point p, float x1) const {
    if (p.x >= x1) return -1;
    for (std::size_t i = 1; i < rows.size(); ++i)
        if (p.y >= rows[i].y0 - 4 && p.y < rows[i].y1 + 4) return static_cast<int>(i);
    return -1;
}

std::vector<int> TreeScene::above(int box) const {
    // Each box stands before those added to it.
    std::vector<int> found{box};
    std::vector<bool> in(boxes.size(), false);
    in[static_cast<std::size_t>(box)] = true;
    for (std::size_t i = static_cast<std::size_t>(box) + 1; i < boxes.size(); ++i) {
        if (boxes[i].parent < 0 || !in[static_cast<std::size_t>(boxes[i].parent)]) continue;
        in[i] = true;
        found.push_back(static_cast<int>(i));
    }
    return found;
}

TreeScene build_tree_scene(const steps::Steps& steps, const RoundingLens& lens, const AdditionTree& tree,
                           const TreeMetrics& metrics, const std::stop_token& stop) {
    if (tree.empty() || metrics.area.empty()) return {};
    TreeScene scene = Builder(steps, lens, tree, metrics, stop).build();
    // Here, not in each frame: a fold may hold a million inputs.
    std::map<std::string, int> named;
    for (TreeBox& box : scene.boxes) {
        if (!box.folded) continue;
        check_stop(stop);
        box.name = fold_name(steps, lens, tree, box.node, scene.fold);
        ++named[box.name];
    }
    // Parts of one warp's sum are told apart by the lanes that hold them.
    for (TreeBox& box : scene.boxes)
        if (box.folded && named[box.name] > 1 && box.name.starts_with("warp "))
            box.name += " · lane " + std::to_string(sum_of(lens, tree, box.node).lane);
    return scene;
}

std::string fold_name(const steps::Steps& steps, const RoundingLens& lens, const AdditionTree& tree, int node,
                      Fold how) {
    const Sum& sum = sum_of(lens, tree, node);
    const std::string lane = "lane " + std::to_string(sum.lane);
    if (tree[node].kind == AdditionNode::Kind::word) {
        const std::string place = steps::place_of_sum(steps, sum);
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

}  // namespace lanewise::viz
