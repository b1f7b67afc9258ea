// Paints a scene. Stateless: what moves is told by `entrance`, 0…1 over the first moments of a step.
#pragma once

#include "viz/views/exhibit.hpp"
#include "viz/views/scene.hpp"
#include "viz/widgets/paint.hpp"

namespace lanewise::viz {

struct StagePaint {
    Brush brush;
    const Exhibit* exhibit = nullptr;
    const ValueScale* scale = nullptr;   // of the warp that is drawn
    int lane = -1;           // the lane to explain
    float entrance = 1;
    Rect visible;            // what is worth painting

    void paint(const Scene& scene) const;
    // Lane numbers, on the line that ends at `bottom`.
    void lane_numbers(const Scene& scene, float bottom) const;

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
    // Meetings (stage_paint_meetings.cpp).
    void barrier(const Scene& scene, const Band& band) const;
    void vote(const Scene& scene, const Band& band) const;
    void match(const Scene& scene, const Band& band) const;
    void reduce(const Scene& scene, const Band& band) const;
    void active_mask(const Scene& scene, const Band& band) const;
    void fence(const Scene& scene, const Band& band) const;
    void say(const Scene& scene, const Band& band, float y) const;   // a dot for each lane: filled says yes
    void caption_under(const Band& band, float y, const std::string& words) const;
    void label(const Scene& scene, const Band& band) const;
    void lit_cells(const Scene& scene) const;
    void whole_number(const Scene& scene, const LaneCell& cell, Color edge) const;
    void formula_card(const Scene& scene) const;
    int source_of(const Scene& scene, int reader) const;
    Color value_color(Element type, std::uint64_t bits) const { return scale->color(type, bits); }
};

// What marks a lane that a finding names; a lane that holds something else than in the run beside this one (the sign
// stands under its cell).
void blame_mark(const Brush& brush, const Rect& box);
void differ_mark(const Brush& brush, const Rect& box);

// The largest face whose digits let `chars` of them stand in a cell.
Face cell_face(const Look& look, float cell, int chars);

}  // namespace lanewise::viz
