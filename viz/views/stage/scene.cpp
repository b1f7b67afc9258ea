#include "viz/views/stage/scene.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/element.hpp"
#include "common/base/lanes.hpp"
#include "common/scene/cell_text.hpp"
#include "viz/model/cell_paint.hpp"
#include "viz/model/run_view.hpp"

namespace lanewise::viz {
namespace {

bool is_memory(StepKind kind) {
    return kind == StepKind::load || kind == StepKind::store || kind == StepKind::atomic;
}

// A row lower than this (at scale 1) has no room for the smallest digits.
constexpr float kLeastForNumbers = 13;

// Of the present step, however low its panel is; and above and below the rows around it, with the gaps between.
constexpr float kLeastBand = 20, kEdges = 34;
constexpr float kGaps = 14;   // of those, between rows and bands

// How tall a band wants to be: at least, and with room to spare.
struct Wish {
    float least = 0;
    float most = 0;
};

// `reads` and `writes`: heights of the rows of words.
Wish wish_of(const Band& band, float reads, float writes) {
    if (band.present) {
        switch (band.kind) {
            case StepKind::shuffle: return {108, 190};
            case StepKind::reduce: return {96, 140};
            case StepKind::vote: return {84, 110};
            case StepKind::active_mask:
            case StepKind::fence:
            case StepKind::warp_barrier:
            case StepKind::block_barrier: return {62, 72};
            default: {
                const float both = reads > 0 && writes > 0 ? 20.0f : 0.0f;
                return {36 + reads + writes + both, 80 + reads + writes + both};
            }
        }
    }
    switch (band.kind) {
        case StepKind::shuffle: return {30, 68};
        case StepKind::warp_barrier:
        case StepKind::block_barrier: return {18, 24};
        default: return {22, 34};
    }
}

class Placer {
public:
    Placer(const scene::Stage& stage, const StageMetrics& metrics) : stage_(stage), metrics_(metrics) {
        scene_.warp = stage_.warp;
        scene_.step = stage_.step;
        scene_.label = stage_.label;
        scene_.line = stage_.line;
        const float left = px(16);
        scene_.lanes = stage_.lanes;
        const float room = metrics.area.width() - left - px(metrics.gutter);
        scene_.cell = std::clamp(room / static_cast<float>(scene_.lanes), 4.0f, px(scene_.lanes <= 16 ? 96 : 64));
        scene_.lanes_x0 = metrics.area.x0 + left;
    }

    Scene made() {
        // Nothing was recorded of this warp: nothing to draw.
        if (stage_.rows.empty()) return std::move(scene_);
        adopt();
        place();
        keep_texts();
        for (std::size_t i = 0; i < scene_.rows.size(); ++i) fill_row(i);
        for (std::size_t i = 0; i < scene_.bands.size(); ++i) fill_band(i);
        scene_.part = stage_.part;
        return std::move(scene_);
    }

private:
    float px(float v) const { return v * metrics_.scale; }

    float column(int lane) const { return scene_.lanes_x0 + scene_.cell * static_cast<float>(lane); }
    float middle(int lane) const { return column(lane) + scene_.cell / 2; }

    void adopt() {
        for (const scene::StageRow& stage_row : stage_.rows) {
            Row& row = scene_.rows.emplace_back();
            row.step = stage_row.step;
            row.thin = stage_row.quiet;
            row.reached = stage_row.reached;
            row.near = stage_row.near;
        }
        for (const scene::StageBand& stage_band : stage_.bands) {
            Band& band = scene_.bands.emplace_back();
            band.step = stage_band.step;
            band.kind = stage_band.kind;
            band.label = stage_band.label;
            band.present = stage_band.present;
            band.reached = stage_band.reached;
            band.takes_part = stage_band.takes_part;
            band.active = stage_band.active;
        }
    }

    void place() {
        // In a low panel both rows around the present step stay in sight, with their numbers.
        const float for_rows = metrics_.area.height() / metrics_.scale - kLeastBand - kGaps;
        const float lowest = std::clamp(for_rows / 2, kLeastForNumbers + 1, 20.0f);
        const float wanted = std::min(scene_.cell * 0.92f, px(std::max(for_rows / 2, 20.0f)));
        const float row_height = std::clamp(wanted, px(lowest), px(scene_.lanes <= 16 ? 36 : 30));
        const float thin_height = px(6);
        const float far = std::clamp(metrics_.far, 0.02f, 1.0f);
        const auto gap_of = [&](bool near) {
            return near ? px(3) : std::max(px(0.5f), px(3) * far);
        };  // between cells and what touches them
        const auto height_of = [&](const Row& row) {
            if (row.thin) return std::max(px(1), thin_height * far);
            return row.near ? row_height : std::max(px(2), row_height * far);
        };
        float fixed = px(4);
        float least = 0;
        float most = 0;
        std::vector<Wish> wishes;
        for (Row& row : scene_.rows) {
            row.low = height_of(row) < px(kLeastForNumbers);
            fixed += height_of(row) + 2 * gap_of(row.near);
        }
        for (const Band& band : scene_.bands) {
            float reads = 0, writes = 0;
            if (band.present && is_memory(band.kind)) measure_words(reads, writes);
            wishes.push_back(wish_of(band, reads, writes));
            if (far < 1 && !band.present)
                wishes.back().least = wishes.back().most = std::max(1.0f, wishes.back().least * far);
            // In a low panel the present step gives way, so that the rows before and after it are in sight.
            if (band.present && !is_memory(band.kind)) {
                const float tight = metrics_.area.height() / metrics_.scale - kEdges - 2 * row_height / metrics_.scale;
                wishes.back().least = std::min(wishes.back().least, std::max(kLeastBand, tight));
            }
            least += px(wishes.back().least);
            most += px(wishes.back().most);
        }
        const float room = metrics_.area.height() - fixed;
        const float ease = most > least ? std::clamp((room - least) / (most - least), 0.0f, 1.0f) : 0.0f;

        float y = metrics_.area.y0 + px(4);
        for (std::size_t i = 0; i < scene_.rows.size(); ++i) {
            Row& row = scene_.rows[i];
            row.y0 = y;
            row.y1 = y + height_of(row);
            y = row.y1 + gap_of(row.near);
            if (i == scene_.bands.size()) break;
            Band& band = scene_.bands[i];
            const float height = px(wishes[i].least + (wishes[i].most - wishes[i].least) * ease);
            band.box = {scene_.lanes_x0, y, scene_.lanes_x1(), y + height};
            y = band.box.y1 + gap_of(scene_.rows[i + 1].near);
        }
        scene_.height = y - metrics_.area.y0;
        scroll_to_present();
    }

    void scroll_to_present() {
        const float spare = scene_.height - metrics_.area.height();
        if (spare <= 0) return;
        for (std::size_t i = 0; i < scene_.bands.size(); ++i) {
            const Band& band = scene_.bands[i];
            if (!band.present) continue;
            float wanted = band.box.center().y - metrics_.area.y0 - metrics_.area.height() * 0.46f;
            // Where the rows before and after hardly fit, the two have as much room above as below.
            const Row &before = scene_.rows[i], &after = scene_.rows[i + 1];
            if (after.y1 - before.y0 + px(kEdges) > metrics_.area.height() * 0.9f)
                wanted = (before.y0 + after.y1) / 2 - metrics_.area.y0 - metrics_.area.height() / 2;
            scene_.scroll = std::clamp(wanted, 0.0f, spare);
        }
    }

    // At scale 1.
    void measure_words(float& reads, float& writes) const {
        Band probe;
        probe.box = {scene_.lanes_x0, 0, scene_.lanes_x1(), px(200)};
        place_words(stage_.word_rows, scene_, metrics_.scale, probe);
        reads = probe.reads_height / metrics_.scale;
        writes = probe.writes_height / metrics_.scale;
    }

    void keep_texts() {
        const scene::CellRoom room = cell_room(scene_.cell, metrics_.scale);
        CellTexts& kept = metrics_.texts ? *metrics_.texts : own_texts_;
        if (kept.whole != room.whole || kept.cut != room.cut || kept.rows.size() != stage_.rows.size())
            kept = {room.whole, room.cut, std::vector<PerLane<std::string>>(stage_.rows.size())};
    }

    // Those of lanes that have none yet, in one type for the row.
    void fill_texts(const scene::StageRow& row, PerLane<std::string>& texts) const {
        const auto first = row.lanes.begin(), last = first + scene_.lanes;
        const auto is_missing = [&](const scene::LaneCell& cell) {
            return cell.known && texts[static_cast<std::size_t>(&cell - row.lanes.data())].empty();
        };
        if (std::none_of(first, last, is_missing)) return;
        const scene::CellRoom room = cell_room(scene_.cell, metrics_.scale, [&](const scene::CellRoom& each) {
            return std::all_of(first, last, [&](const scene::LaneCell& cell) {
                return !cell.known || scene::shows_size(scene::cell_text(cell, each),
                                                        element_to_double(cell.type, cell.bits), each);
            });
        });
        for (int lane = 0; lane < scene_.lanes; ++lane)
            if (const scene::LaneCell& cell = row.lanes[lane_index(lane)]; cell.known)
                texts[lane_index(lane)] = scene::cell_text(cell, room);
    }

    void fill_row(std::size_t i) {
        Row& row = scene_.rows[i];
        const scene::StageRow& stage_row = stage_.rows[i];
        PerLane<std::string>& texts = (metrics_.texts ? *metrics_.texts : own_texts_).rows[i];
        if (!row.thin && !row.low && row.reached) fill_texts(stage_row, texts);
        for (int lane = 0; lane < scene_.lanes; ++lane) {
            LaneCell& cell = row.lanes[lane_index(lane)];
            static_cast<scene::LaneCell&>(cell) = stage_row.lanes[lane_index(lane)];
            const float x = column(lane);
            cell.box = {x + px(0.5f), row.y0, x + scene_.cell - px(0.5f), row.y1};
            cell.text_box = cell.box;
            if (!cell.known || row.thin || row.low || !row.reached) continue;
            cell.text = texts[lane_index(lane)];
            row.widths.add(cell.text);
        }
    }

    void fill_band(std::size_t i) {
        Band& band = scene_.bands[i];
        for (const scene::Arc& stage_arc : stage_.bands[i].arcs) {
            Arc& arc = band.arcs.emplace_back();
            static_cast<scene::Arc&>(arc) = stage_arc;
            arc.from = {middle(stage_arc.source), scene_.rows[i].y1 + px(2)};
            arc.to = {middle(stage_arc.reader), scene_.rows[i + 1].y0 - px(2)};
        }
        if (is_memory(band.kind) && band.present && band.takes_part)
            place_words(stage_.word_rows, scene_, metrics_.scale, band);
    }

    const scene::Stage& stage_;
    StageMetrics metrics_;
    CellTexts own_texts_;
    Scene scene_;
};

}  // namespace

Scene place_stage(const scene::Stage& stage, const StageMetrics& metrics) { return Placer(stage, metrics).made(); }

Scene build_scene(const steps::Steps& steps, std::size_t present, const WarpRef& warp, const StageMetrics& metrics) {
    return place_stage(scene::stage_of(steps, present, warp), metrics);
}

}  // namespace lanewise::viz
