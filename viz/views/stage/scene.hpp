// Where every cell, arc and word of a stage stands: scene::Stage with places. A pure function makes it; StageView
// paints it, tests measure it. Nothing here knows ImGui.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/scene/stage.hpp"
#include "viz/model/cell_paint.hpp"
#include "viz/widgets/geometry.hpp"

namespace lanewise::viz {

// What a stage's cells say, while it and the room in a cell stay as they are: most of the time of a frame goes into it.
struct CellTexts {
    double whole = 0, cut = 0;   // the room that they were made for
    std::vector<PerLane<std::string>> rows;
};

// How large things are. `area` is what can be seen; a scene may be taller and is then scrolled to the present step.
struct StageMetrics {
    Rect area{0, 0, 900, 600};
    float scale = 1;
    float gutter = 70;       // right of the lanes, for the steps' names (at scale 1)
    float far = 1;  // below 1: rows and bands away from the present step are smaller, so that more are in sight
    CellTexts* texts = nullptr;   // where the numbers' texts are kept from frame to frame, if anywhere
};

// One lane in one row.
struct LaneCell : scene::LaneCell {
    Rect box;
    Rect text_box;           // where its number stands
    std::string text;        // see cell_text(); empty in rows that are thin or not reached yet
};

// What the warp held after a step (or before the first).
struct Row {
    std::size_t step = kNoStep;
    bool thin = false;       // nothing changed: a reminder without numbers
    bool low = false;        // too low for numbers: colours alone
    bool reached = false;    // not in the future
    bool near = false;       // directly before or after the present step
    CellWidths widths;       // of its longest number
    float y0 = 0, y1 = 0;
    PerLane<LaneCell> lanes;
};

struct Arc : scene::Arc {
    Point from;              // below the source lane, above the reader
    Point to;
};

// A word of memory that lanes read or write in a step; for a wide access (float4) all that one lane touches.
struct Word : scene::Word {
    std::uint64_t bits() const { return values.front(); }

    std::string text;
    Rect box;
    std::vector<std::string> texts;  // of a wide access: its elements, under one another; else empty
    std::string tag;         // "b16": its bank, where it is not under it
    Rect tag_box;
};

// From a word to the lane that reads it, or from a lane to the word it writes.
struct WordLine {
    int lane = 0;
    std::size_t word = 0;    // in Band::words
    bool write = false;
    Point from;
    Point to;
    bool bends = false;      // on its way it passes straight from `over` to `under`, between the words of other rows
    Point over;
    Point under;
};

// Words next to each other, and what is said of them.
struct WordRow {
    bool write = false;
    bool shared = false;
    Rect strip;
    std::string caption;     // "global in[0…31]"
    Rect caption_box;
};

// Spans words of one sector of global memory, or of one row of the banks.
struct WordBracket {
    bool shared = false;
    bool below = false;      // of the words: they are written
    Rect box;
    std::string label;       // index of the first of them; empty where there is no room
    Rect label_box;
};

// What happens between two rows: one step of this warp.
struct Band {
    std::size_t step = 0;
    StepKind kind = StepKind::load;
    std::string label;
    Rect box;                // between the rows, over the lanes
    bool present = false;
    bool reached = false;
    bool takes_part = false;
    std::uint32_t active = 0;
    std::vector<Arc> arcs;
    std::vector<Word> words;
    std::vector<WordLine> lines;
    std::vector<WordRow> word_rows;
    std::vector<WordBracket> brackets;
    float reads_height = 0;        // that the rows of words take
    float writes_height = 0;
};

struct Scene {
    WarpRef warp;
    std::size_t step = 0;
    std::string label;
    int line = 0;
    float height = 0;        // of all rows and bands
    float scroll = 0;        // where the top of the area is, so that the present step is in sight
    float cell = 0;          // width of a lane
    float lanes_x0 = 0;      // left edge of lane 0
    int lanes = kWarpSize;  // that the warp has: fewer where the block ends

    float lanes_x1() const { return lanes_x0 + cell * static_cast<float>(lanes); }
    std::vector<Row> rows;
    std::vector<Band> bands;
    scene::Part part;              // of the present step
    std::uint32_t faulting = 0;      // lanes that a finding shown at this step names
    std::uint32_t differing = 0;   // in a comparison: lanes that hold something else than in the run beside this one

    // The lane under `x`, or -1.
    int lane_at(float x) const;
    // The band under `y`, with the row that it leads to; bands.size() where there is none.
    std::size_t band_at(float y) const;
    // Moves everything to the right and down.
    void move(float dx, float dy);
    // Moves rows and bands to other heights (y0 and y1 of each row); what is in a band keeps its part of it.
    void place_rows(const std::vector<std::pair<float, float>>& places);
};

// Gives a stage its places.
Scene place_stage(const scene::Stage& stage, const StageMetrics& metrics);
// The same of one warp's steps with step `present` lit.
Scene build_scene(const steps::Steps& steps, std::size_t present, const WarpRef& warp,
                  const StageMetrics& metrics);

// Places of words and lines of an access, an atomic (scene_words.cpp).
void place_words(const std::vector<scene::WordRow>& rows, const Scene& scene, float scale, Band& band);

}  // namespace lanewise::viz
