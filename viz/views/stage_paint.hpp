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
    void words(const Scene& scene, const Band& band) const;
    void barrier(const Scene& scene, const Band& band) const;
    void vote(const Scene& scene, const Band& band) const;
    void label(const Scene& scene, const Band& band) const;
    void lit_cells(const Scene& scene) const;
    void formula_card(const Scene& scene) const;
    int source_of(const Scene& scene, int reader) const;
    Color value_color(Element type, std::uint64_t bits) const { return scale->color(type, bits); }
};

// The largest face whose digits let `chars` of them stand in a cell.
Face cell_face(const Look& look, float cell, int chars);

}  // namespace lanewise::viz
