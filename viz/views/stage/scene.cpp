#include "viz/views/stage/scene.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/base/element.hpp"
#include "viz/model/cell_text.hpp"
#include "viz/model/run_view.hpp"

namespace lanewise::viz {
namespace {

using scene::active_lanes;
using steps::Step;
using steps::StepKind;
using steps::WarpStep;

constexpr std::size_t lane_index(int lane) { return static_cast<std::size_t>(lane); }

bool is_memory(StepKind kind) {
    return kind == StepKind::load || kind == StepKind::store || kind == StepKind::atomic;
}

// A row lower than this (at scale 1) has no room for the smallest digits.
constexpr float kLeastForNumbers = 13;

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

class Builder {
public:
    Builder(const steps::Steps& steps, std::size_t present, const steps::WarpRef& warp, const StageMetrics& metrics)
        : steps_(steps), present_(present), metrics_(metrics) {
        scene_.warp = warp;
        scene_.step = present;
        const float left = px(16);
        scene_.lanes = lanes_of(steps, warp);
        const float room = metrics.area.width() - left - px(metrics.gutter);
        scene_.cell = std::clamp(room / static_cast<float>(scene_.lanes), 4.0f, px(scene_.lanes <= 16 ? 96 : 64));
        scene_.lanes_x0 = metrics.area.x0 + left;
    }

    Scene build() {
        if (present_ < steps_.size()) {
            scene_.label = steps_.steps[present_].label;
            scene_.line = steps_.steps[present_].line;
        }
        // Nothing was recorded of this warp: nothing to draw.
        const bool recorded = std::find(steps_.warps.begin(), steps_.warps.end(), scene_.warp) != steps_.warps.end();
        if (!recorded) return std::move(scene_);
        plan();
        place();
        fill();
        if (present_ < steps_.size()) scene_.facts = scene::lane_facts(steps_, present_, scene_.warp);
        return std::move(scene_);
    }

private:
    float px(float v) const { return v * metrics_.scale; }

    float column(int lane) const { return scene_.lanes_x0 + scene_.cell * static_cast<float>(lane); }
    float middle(int lane) const { return column(lane) + scene_.cell / 2; }

    // Which rows and bands there are, without places.
    void plan() {
        Row start;
        start.reached = true;
        scene_.rows.push_back(start);
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            const Step& step = steps_.steps[k];
            const WarpStep* part = step.find(scene_.warp);
            if (!part && k != present_) continue;
            Band band;
            band.step = k;
            band.kind = step.kind;
            band.label = step.label;
            band.present = k == present_;
            band.reached = k <= present_;
            band.takes_part = part != nullptr;
            band.active = active_lanes(steps_, part);
            if (part && !part->records.empty()) band.op = steps_.trace->records[part->records.front()].op;
            scene_.bands.push_back(std::move(band));

            Row row;
            row.step = k;
            row.reached = k <= present_;
            row.thin = same_values(scene_.rows.back(), row);
            scene_.rows.push_back(row);
        }
        for (std::size_t i = 0; i < scene_.bands.size(); ++i) {
            if (!scene_.bands[i].present) continue;
            for (Row* row : {&scene_.rows[i], &scene_.rows[i + 1]}) {
                row->near = true;
                row->thin = false;
            }
        }
        for (std::size_t i = 0; i < scene_.rows.size(); ++i) {
            if (offers_something_else(i)) scene_.rows[i].thin = false;
        }
        // Nothing is known before the first load: an empty row would only take room.
        if (steps_.lane_values(steps::kNoStep, scene_.warp).known == 0 && !offered_below(0))
            scene_.rows.front().thin = true;
    }

    Element type_of(const WarpStep& part) const {
        return part.records.empty() ? Element::f32 : steps_.trace->records[part.records.front()].type;
    }

    // The shuffle, reduction or match under row `i`, whose record tells what its lanes offered. Between two records a
    // kernel may change a value without telling, and a GPU's trace has no loads: then this is what is known of the row.
    // The row after the present step shows that step's own result.
    const WarpStep* offered_below(std::size_t i) const {
        if (i >= scene_.bands.size()) return nullptr;
        const Band& below = scene_.bands[i];
        const bool compares =
            below.kind == StepKind::vote && trace::is_vote(below.op) && !trace::is_predicate_vote(below.op);
        if (below.kind != StepKind::shuffle && below.kind != StepKind::reduce && !compares) return nullptr;
        if (i > 0 && scene_.bands[i - 1].present) return nullptr;
        return steps_.steps[scene_.bands[i].step].find(scene_.warp);
    }

    bool offers_something_else(std::size_t i) const {
        const WarpStep* part = offered_below(i);
        if (!part) return false;
        const steps::LaneValues& lane_values = steps_.lane_values(scene_.rows[i].step, scene_.warp);
        for (int lane = 0; lane < scene_.lanes; ++lane) {
            const steps::LaneView& view = part->lanes[lane_index(lane)];
            if (!view.active) continue;
            if (!((lane_values.known >> lane) & 1u) || lane_values.bits[lane_index(lane)] != view.before) return true;
        }
        return false;
    }

    bool same_values(const Row& a, const Row& b) const {
        const steps::LaneValues& x = steps_.lane_values(a.step, scene_.warp);
        const steps::LaneValues& y = steps_.lane_values(b.step, scene_.warp);
        return x.known == y.known && x.bits == y.bits && x.type == y.type;
    }

    void place() {
        const float row_height = std::clamp(scene_.cell * 0.92f, px(20), px(scene_.lanes <= 16 ? 36 : 30));
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
            if (band.present && is_memory(band.kind)) measure_words(band, reads, writes);
            wishes.push_back(wish_of(band, reads, writes));
            if (far < 1 && !band.present)
                wishes.back().least = wishes.back().most = std::max(1.0f, wishes.back().least * far);
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
        for (const Band& band : scene_.bands) {
            if (!band.present) continue;
            const float wanted = band.box.center().y - metrics_.area.y0 - metrics_.area.height() * 0.46f;
            scene_.scroll = std::clamp(wanted, 0.0f, spare);
        }
    }

    // At scale 1.
    void measure_words(const Band& band, float& reads, float& writes) const {
        const WarpStep* part = steps_.steps[band.step].find(scene_.warp);
        if (!part) return;
        Band probe = band;
        probe.box = {scene_.lanes_x0, 0, scene_.lanes_x1(), px(200)};
        lay_words(steps_, *part, scene_, metrics_.scale, probe);
        reads = probe.reads_height / metrics_.scale;
        writes = probe.writes_height / metrics_.scale;
    }

    void fill() {
        for (std::size_t i = 0; i < scene_.rows.size(); ++i) fill_row(scene_.rows[i], offered_below(i));
        for (std::size_t i = 0; i < scene_.bands.size(); ++i)
            fill_band(scene_.bands[i], scene_.rows[i], scene_.rows[i + 1]);
    }

    void fill_row(Row& row, const WarpStep* offered) {
        const steps::LaneValues& lane_values = steps_.lane_values(row.step, scene_.warp);
        const int room = cell_chars(scene_.cell, metrics_.scale);
        for (int lane = 0; lane < scene_.lanes; ++lane) {
            LaneCell& cell = row.lanes[lane_index(lane)];
            const float x = column(lane);
            cell.box = {x + px(0.5f), row.y0, x + scene_.cell - px(0.5f), row.y1};
            cell.text_box = cell.box;
            const bool offers = offered && offered->lanes[lane_index(lane)].active;
            cell.known = offers || ((lane_values.known >> lane) & 1u);
            if (!cell.known) continue;
            cell.bits = offers ? offered->lanes[lane_index(lane)].before : lane_values.bits[lane_index(lane)];
            cell.type = offers ? type_of(*offered) : lane_values.type;
            const steps::Provenance inputs = steps_.provenances[lane_values.inputs[lane_index(lane)]];
            cell.undefined = inputs.undefined;
            cell.inputs = inputs.count();
            cell.counted_twice = inputs.counted_twice();
            cell.more_perhaps = inputs.unknown;
            if (row.thin || row.low || !row.reached) continue;
            cell.text = cell_text(cell.type, cell.bits, room, true);
            // "-inf" gives way where it is too wide (infinity_in), so that the numbers beside it need not.
            row.chars = std::max(row.chars, cell.text == "-inf" ? 2 : cell.text == "inf" ? 1 : cell_width(cell.text));
        }
    }

    void fill_band(Band& band, const Row& above, const Row& below) {
        const WarpStep* part = steps_.steps[band.step].find(scene_.warp);
        if (!part) return;
        if (band.kind == StepKind::shuffle) {
            for (int lane = 0; lane < trace::kWarpSize; ++lane) {
                const steps::LaneView& view = part->lanes[lane_index(lane)];
                if (!view.active || view.source < 0) continue;
                Arc arc;
                arc.source = view.source;
                arc.reader = lane;
                arc.from = {middle(view.source), above.y1 + px(2)};
                arc.to = {middle(lane), below.y0 - px(2)};
                arc.used = view.effect != trace::Effect::keep;
                arc.undefined = view.undefined;
                band.arcs.push_back(arc);
            }
        } else if (band.kind == StepKind::vote && !part->records.empty()) {
            const trace::Record& record = steps_.trace->records[part->records.front()];
            if (!trace::is_predicate_vote(record.op)) band.groups = groups_of(record);
        } else if (band.kind == StepKind::block_barrier && band.present) {
            for (const WarpStep& each : steps_.steps[band.step].warps) {
                const bool own = each.warp.block == scene_.warp.block && each.warp.launch == scene_.warp.launch;
                if (own) band.waiting += static_cast<std::uint32_t>(std::popcount(active_lanes(steps_, &each)));
            }
        } else if (is_memory(band.kind) && band.present) {
            lay_words(steps_, *part, scene_, metrics_.scale, band);
        }
    }

    // Lanes that offered equal bits to a match, by the first of them.
    static std::vector<int> groups_of(const trace::Record& record) {
        std::vector<int> groups(trace::kWarpSize, -1);
        std::vector<std::uint64_t> seen;
        for (std::size_t lane = 0; lane < trace::kWarpSize; ++lane) {
            if (!((record.active >> lane) & 1u)) continue;
            const auto at = std::find(seen.begin(), seen.end(), record.before[lane]);
            groups[lane] = static_cast<int>(at - seen.begin());
            if (at == seen.end()) seen.push_back(record.before[lane]);
        }
        return groups;
    }

    const steps::Steps& steps_;
    std::size_t present_;
    StageMetrics metrics_;
    Scene scene_;
};

}  // namespace

int cell_chars(float cell, float scale) {
    // The smallest face is 8.5 px with digits 0.6 em wide.
    return std::clamp(static_cast<int>((cell / scale - 0.6f) / 5.1f), 2, 7);
}

Scene build_scene(const steps::Steps& steps, std::size_t present, const steps::WarpRef& warp,
                  const StageMetrics& metrics) {
    return Builder(steps, present, warp, metrics).build();
}

}  // namespace lanewise::viz
