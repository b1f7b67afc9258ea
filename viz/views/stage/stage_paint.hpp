// Paints a scene. Stateless: what moves is given by `travel` and `settled`.
#pragma once

#include "viz/model/highlight.hpp"
#include "viz/views/stage/scene.hpp"
#include "viz/model/cell_paint.hpp"
#include "viz/model/lane_colors.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

// Numbers of lanes are written for each first, second or fourth lane, as cells of that width have room.
int lane_number_step(const Look& look, Face face, float cell, int lanes);

struct StagePaint {
    Brush brush;
    const RunView* run_view = nullptr;
    LaneColors colors_of;                // of the warp that is drawn
    const ValueScale* words_by = nullptr;
    int lane = -1;           // the lane to explain
    Rect visible;            // what is worth painting
    Rect gutter;             // where the steps' names stand
    Look plain;              // as the window: names keep their size when the lanes grow
    float travel = 1;        // 0…1: how far values are on their way from lane to lane
    bool settled = true;     // false: bands are still on their way to their height
    const Lights* lights = nullptr;      // what is pointed at elsewhere

    void paint(const Scene& scene) const;
    // Lane numbers, on the line that ends at `bottom`.
    void lane_numbers(const Scene& scene, float bottom) const;
    // The steps' names, in the gutter.
    void names(const Scene& scene) const;

private:
    void row(const Scene& scene, const Row& row, const Band* after) const;
    void band(const Scene& scene, const Band& band) const;
    void quiet_band(const Scene& scene, const Band& band) const;
    void arcs(const Scene& scene, const Band& band) const;
    // Words of memory (stage_paint_words.cpp).
    void words(const Scene& scene, const Band& band) const;
    void word_line(const WordLine& line, const ArcStyle& style) const;
    void word(const Scene& scene, const Word& word, Face face) const;
    void word_heads(const Band& band) const;
    void marks(const Scene& scene) const;
    // Collectives (stage_paint_collectives.cpp).
    void barrier(const Scene& scene, const Band& band) const;
    void vote(const Scene& scene, const Band& band) const;
    void match(const Scene& scene, const Band& band) const;
    void reduce(const Scene& scene, const Band& band) const;
    void active_mask(const Scene& scene, const Band& band) const;
    void fence(const Scene& scene, const Band& band) const;
    void say(const Scene& scene, const Band& band, float y) const;   // a dot for each lane: filled says yes
    void caption_under(const Band& band, float y, const std::string& text) const;
    void lit_cells(const Scene& scene) const;
    std::pair<float, float> apart(const Scene& scene, const Row& row, int source) const;
    Rect whole_box(const Scene& scene, const LaneCell& cell) const;
    void whole_number(const LaneCell& cell, const Rect& box, Color edge) const;
    void formula_card(const Scene& scene) const;
    int source_of(const Scene& scene, int reader) const;
    void lit_by_links(const Scene& scene) const;
    void token(const Scene& scene, const Arc& arc, const LaneCell& source, Color color) const;
    Color value_color(Element type, std::uint64_t bits) const { return words_by->color(type, bits); }
    Color cell_color(const LaneCell& cell) const { return colors_of.of(cell); }
};

}  // namespace lanewise::viz
