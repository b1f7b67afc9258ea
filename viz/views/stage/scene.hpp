// The stage as plain data: where every cell, arc and word of one warp stands and what it says. A pure function makes
// it; StageView paints it, describe() prints it, tests measure it. Nothing here knows ImGui.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/scene/lane_facts.hpp"
#include "common/steps/steps.hpp"
#include "viz/widgets/geometry.hpp"

namespace lanewise::viz {

// How large things are. `area` is what can be seen; a scene may be taller and is then scrolled to the present step.
struct StageMetrics {
    Rect area{0, 0, 900, 600};
    float scale = 1;
    float gutter = 70;       // right of the lanes, for the steps' names (at scale 1)
    float far = 1;  // below 1: rows and bands away from the present step are smaller, so that more are in sight
};

// One lane in one row.
struct LaneCell {
    Rect box;
    Rect text_box;           // where its number stands
    std::string text;        // see cell_text(); empty in rows that are thin or not reached yet
    std::uint64_t bits = 0;
    Element type = Element::f32;
    bool known = false;      // the trace has told its value
    bool undefined = false;
    std::size_t inputs = 0;  // how many inputs it holds
    bool counted_twice = false;
    bool more_perhaps = false;  // others may have come in: the kernel's text does not tell
};

// What the warp held after a step (or before the first).
struct Row {
    std::size_t step = steps::kNoStep;
    bool thin = false;       // nothing changed: a reminder without numbers
    bool low = false;        // too low for numbers: colours alone
    bool reached = false;    // not in the future
    bool near = false;       // directly before or after the present step
    int chars = 0;           // of its longest number
    float y0 = 0, y1 = 0;
    trace::PerLane<LaneCell> lanes;
};

struct Arc {
    int source = 0;
    int reader = 0;
    Point from;              // below the source lane, above the reader
    Point to;
    bool used = true;        // false: received, and not used
    bool undefined = false;
};

// A word of memory that lanes read or write in a step; for a wide access (float4) all that one lane touches.
struct Word {
    std::string array;
    std::uint32_t array_id = 0;   // in Trace::arrays
    std::int64_t index = 0;
    Element type = Element::f32;
    std::uint64_t bits = 0;
    std::string text;
    bool write = false;
    bool atomic = false;
    bool shared = false;     // else global memory
    std::uint32_t lanes = 0;
    Rect box;
    std::vector<std::uint64_t> values;  // of a wide access: its elements, under one another; else empty
    std::vector<std::string> texts;
    std::string tag;         // "b16": its bank, where it does not stand under it
    bool waits = false;      // lanes wait for one another at banks
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

// Words beside each other, and what is said of them.
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
    steps::StepKind kind = steps::StepKind::load;
    std::string label;
    Rect box;                // between the rows, over the lanes
    bool present = false;
    bool reached = false;
    bool takes_part = false;
    std::uint32_t active = 0;
    trace::Op op = trace::Op::load;   // of its first record
    std::uint32_t waiting = 0;     // the present block barrier: threads of the block that came to it
    std::vector<int> groups;       // matches: lanes with one number offered equal values; -1: no part. Else empty
    std::vector<Arc> arcs;
    std::vector<Word> words;
    std::vector<WordLine> lines;
    std::vector<WordRow> word_rows;
    std::vector<WordBracket> brackets;
    float reads_height = 0;        // that the rows of words take
    float writes_height = 0;
};

using scene::Access;
using scene::LaneFacts;

struct Scene {
    steps::WarpRef warp;
    std::size_t step = 0;
    std::string label;
    int line = 0;
    float height = 0;        // of all rows and bands
    float scroll = 0;        // where the top of the area is, so that the present step is in sight
    float cell = 0;          // width of a lane
    float lanes_x0 = 0;      // left edge of lane 0
    int lanes = trace::kWarpSize;  // that the warp has: fewer where the block ends

    float lanes_x1() const { return lanes_x0 + cell * static_cast<float>(lanes); }
    std::vector<Row> rows;
    std::vector<Band> bands;
    std::vector<LaneFacts> facts;  // of all lanes of the warp
    std::uint32_t faulting = 0;      // lanes that a finding told at this step names
    std::uint32_t differing = 0;   // in a comparison: lanes that hold something else than in the run beside this one

    // The lane under `x`, or -1.
    int lane_at(float x) const;
    // The band under `y`, with the row that it leads to; bands.size() where there is none.
    std::size_t band_at(float y) const;
    // Moves everything to the right and down.
    void move(float dx, float dy);
    // Moves rows and bands to other heights (y0 and y1 of each row); what stands in a band keeps its part of it.
    void place_rows(const std::vector<std::pair<float, float>>& places);
};

// Lays out one warp's steps with step `present` lit. Steps that no lane of the warp takes part in are left out (except
// the present one).
Scene build_scene(const steps::Steps& steps, std::size_t present, const steps::WarpRef& warp,
                  const StageMetrics& metrics);

// Characters of a number that fit in a lane's cell, and in what type: see stage_paint.
int cell_chars(float cell, float scale);

// Words and lines of an access, an atomic (scene_memory.cpp).
void lay_words(const steps::Steps& steps, const steps::WarpStep& part, const Scene& scene, float scale, Band& band);
using scene::accesses_of;

}  // namespace lanewise::viz
