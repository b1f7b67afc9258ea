#include "viz/views/reduction/sum_places.hpp"

#include <algorithm>

namespace lanewise::viz {
namespace {

// At scale 1: the largest height of a row, the largest width of a sum.
constexpr float kMostRow = 84, kMostWidth = 74;

SumScene scene_of(const scene::SumLayout& layout) {
    SumScene scene;
    scene.fold = layout.fold;
    scene.worst = layout.worst;
    scene.worst_box = layout.worst_box;
    for (const scene::SumBox& box : layout.boxes) static_cast<scene::SumBox&>(scene.boxes.emplace_back()) = box;
    for (const scene::SumLevel& level : layout.levels)
        static_cast<scene::SumLevel&>(scene.levels.emplace_back()) = level;
    return scene;
}

class TreePlacer {
public:
    TreePlacer(const scene::SumLayout& layout, const TreeMetrics& metrics)
        : scene_(scene_of(layout)), columns_(layout.columns), metrics_(metrics) {}

    SumScene made() {
        if (scene_.boxes.empty()) return std::move(scene_);
        place_levels();
        place_boxes();
        return std::move(scene_);
    }

private:
    float px(float v) const { return v * metrics_.scale; }
    float cell_height() const { return px(metrics_.compact ? 17 : 22); }
    float fold_height() const { return px(metrics_.compact ? 64 : 96); }
    float width() const { return metrics_.area.width() - px(metrics_.gutter); }

    void place_levels() {
        const auto any = [&](const auto& of) { return std::any_of(scene_.boxes.begin(), scene_.boxes.end(), of); };
        const bool folds = any([](const PlacedSum& box) { return box.collapsed; });
        const bool small = any([](const PlacedSum& box) { return !box.twigs.empty(); });
        const Rect& area = metrics_.area;
        const auto below = static_cast<float>(scene_.levels.size() - 1);
        float first = folds ? fold_height() : cell_height() + px(metrics_.compact ? 2 : 16);
        const float pitch = below == 0 ? 0 : std::min((area.height() - first) / below, px(kMostRow));
        if (small) first = std::clamp(area.height() - pitch * below, first, fold_height() * 2.4f);
        // What is left over is shared above and below.
        const float top = area.y0 + std::max(0.0f, (area.height() - first - pitch * below) / 2);
        const float cell = std::min(cell_height(), pitch > 0 ? pitch * 0.66f : cell_height());
        for (std::size_t r = 0; r < scene_.levels.size(); ++r) {
            PlacedLevel& level = scene_.levels[r];
            level.y1 = r == 0 ? top + first : top + first + pitch * static_cast<float>(r) - px(2);
            level.y0 = r == 0 ? top : level.y1 - cell;
        }
    }

    void place_boxes() {
        std::vector<float> next(scene_.boxes.size());
        const float unit = std::min((width()) / std::max(columns_, 1.0f), px(kMostWidth));
        const float used = unit * columns_;
        const float left = metrics_.area.x0 + px(metrics_.gutter) + (width() - used) / 2;
        for (std::size_t b = 0; b < scene_.boxes.size(); ++b) {
            PlacedSum& box = scene_.boxes[b];
            float& x = box.parent < 0 ? next[b] : next[static_cast<std::size_t>(box.parent)];
            if (box.parent < 0) x = left;
            const PlacedLevel& level = scene_.levels[static_cast<std::size_t>(box.level)];
            box.span = {x, level.y0, x + unit * box.share, level.y1};
            x = box.span.x1;
            next[b] = box.span.x0;
            place(box, level, unit);
        }
    }

    // The cell within its span: as wide as its kind needs.
    void place(PlacedSum& box, const PlacedLevel& level, float unit) {
        const bool leaf = box.parts == 0;
        const bool wide = !box.collapsed && box.parts > 2;
        const float middle = box.span.center().x;
        if (box.collapsed) {
            const float half = std::min(box.span.width() * 0.5f - px(3), px(150));
            box.box = {middle - half, level.y0, middle + half, level.y1};
            place_small(box);
            return;
        }
        const float half = wide ? box.span.width() * 0.5f - px(4)
                                : std::min(box.span.width() * (leaf ? 0.5f : 0.42f) - px(1), px(kMostWidth) / 2);
        const float least = std::min(px(6), unit * 0.5f);
        box.box = {middle - std::max(half, least), level.y0, middle + std::max(half, least), level.y1};
        if (leaf) box.box.y0 = box.box.y1 - std::min(cell_height(), box.box.height());
    }

    // A collapsed subtree drawn small, over the line that holds its sum.
    void place_small(PlacedSum& box) const {
        box.small = box.box.inset(px(4), px(4));
        box.small.y0 += px(14);
        box.small.y1 -= px(20);
        const auto leaves = static_cast<float>(box.leaves);
        if (box.small.height() < px(16) || box.twigs.empty() || box.small.width() < leaves * px(1.1f)) return;
        const float pitch = box.small.width() / leaves;
        const float top = box.small.y0 + px(6);
        const float level = (box.small.height() - px(6)) / static_cast<float>(std::max(box.height, 1));
        // Inputs side by side; what they were added to below the middle of its parts.
        struct Spot {
            float sum = 0;
            int parts = 0;
            Point at;
        };
        std::vector<Spot> spots(box.twigs.size());
        float x = box.small.x0;
        for (std::size_t i = 0; i < box.twigs.size(); ++i) {
            const scene::SumTwig& twig = box.twigs[i];
            Spot& own = spots[i];
            if (own.parts == 0) {
                x += pitch;
                own.at = {x - pitch / 2, top};
            } else {
                own.at = {own.sum / static_cast<float>(own.parts), top + level * static_cast<float>(twig.height)};
            }
            for (std::size_t part = 0; part < i && own.parts > 0; ++part)
                if (box.twigs[part].parent == static_cast<int>(i))
                    box.lines.push_back({spots[part].at, own.at, twig.step});
            if (twig.parent < 0) continue;
            Spot& below = spots[static_cast<std::size_t>(twig.parent)];
            below.sum += own.at.x;
            ++below.parts;
        }
    }

    SumScene scene_;
    float columns_;
    const TreeMetrics& metrics_;
};

class LensPlacer {
public:
    LensPlacer(SumScene& scene, const Rect& where, float gap) : scene_(scene), where_(where), gap_(gap) {
        children_.resize(scene.boxes.size());
        for (std::size_t b = 1; b < scene.boxes.size(); ++b)
            children_[static_cast<std::size_t>(scene.boxes[b].parent)].push_back(b);
    }

    void place(std::size_t box, float x0, float x1) {
        const float pitch = where_.height() / static_cast<float>(scene_.levels.size());
        PlacedSum& own = scene_.boxes[box];
        const float y1 = where_.y1 - pitch * static_cast<float>(own.level);
        // A sum of few is no wider than its figures need.
        const float room = x1 - x0, most = own.run.empty() ? gap_ * 16 : own.parent < 0 ? room : gap_ * 40;
        const float inset = std::max(std::min(gap_ * 0.25f, room * 0.08f), (room - most) / 2);
        const float tall = pitch - gap_ * 1.9f, spare = own.run.empty() ? std::max(0.0f, tall - gap_ * 8) : 0;
        own.box = {x0 + inset, y1 - tall + spare / 2, x1 - inset, y1 - spare / 2};
        own.span = {x0, own.box.y0, x1, own.box.y1};
        float x = x0;
        for (const std::size_t part : children_[box]) {
            const float width = room * scene_.boxes[part].share / scene_.boxes[box].share;
            place(part, x, x + width);
            x += width;
        }
    }

private:
    SumScene& scene_;
    Rect where_;
    float gap_;
    std::vector<std::vector<std::size_t>> children_;
};

}  // namespace

scene::SumRoom TreeMetrics::room() const {
    scene::SumRoom room;
    room.width = area.width() - gutter * scale;
    room.height = area.height();
    for (float* size : {&room.leaf, &room.fold, &room.roomy_fold}) *size *= scale;
    room.level = (compact ? 23.0f : 34.0f) * scale;
    room.first_level = (compact ? 17.0f : 22.0f) * scale + (compact ? 2.0f : 16.0f) * scale;
    room.first_folds = (compact ? 64.0f : 96.0f) * scale;
    return room;
}

int SumScene::box_at(Point p) const {
    for (std::size_t i = 0; i < boxes.size(); ++i)
        if (boxes[i].box.contains(p)) return static_cast<int>(i);
    return -1;
}

std::vector<int> SumScene::above(int box) const {
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

SumScene place_tree(const scene::SumLayout& layout, const TreeMetrics& metrics) {
    return metrics.area.empty() ? SumScene{} : TreePlacer(layout, metrics).made();
}

SumScene place_lens(const scene::SumLayout& layout, const Rect& where, float gap) {
    SumScene scene = scene_of(layout);
    if (!scene.boxes.empty()) LensPlacer(scene, where, gap).place(0, where.x0, where.x1);
    return scene;
}

}  // namespace lanewise::viz
