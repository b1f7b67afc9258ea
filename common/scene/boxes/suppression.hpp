// Non-maximum suppression as plain data: boxes in order of score, the matrix of bits (row i, column j: i would suppress
// j), and when each bit, each row's turn and each decision came about. All of it is from the records of one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/warp.hpp"
#include "common/scene/handles.hpp"

namespace lanewise::scene {

// Boxes that are laid out at most: the first in order of score, whose fate depends on no later one.
inline constexpr std::size_t kMostBoxesDrawn = 256;

// What is known of a box after a step.
enum class Fate : std::uint8_t {
    unplaced,   // its place in the order is not known yet
    open,       // nothing has decided it
    kept,
    crossed,    // suppressed: a kept box has set its bit; its own turn has not come
    removed,    // suppressed, and its turn has come, or is no more: it suppresses no other
};

// One box, by its place in the order: the row and the column of the matrix that are its own.
struct RankedBox {
    std::string name;              // "A", "B", … of up to 26 boxes; else the row's number
    std::int64_t number = -1;      // among the inputs; -1: no record says
    bool has_corners = false;
    float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
    bool has_score = false;
    float score = 0;
    // Steps at which its place was stored, its row's turn came, its row of bits was read, it was suppressed, and its
    // result was stored; kNoStep: none.
    std::size_t placed = kNoStep, turn = kNoStep, read = kNoStep, crossed = kNoStep, stored = kNoStep;
    bool lives_at_turn = false;    // what was found at its turn
    bool lives = false;            // what was stored
    WarpRef worker;                // the warp that made its row of bits
};

// One bit of the matrix.
struct PairBit {
    std::size_t made = kNoStep;    // the step that compared the two; kNoStep: no record says
    bool set = false;
};

// "A suppresses B, and B would suppress C: does C live?"
struct ChainQuestion {
    std::size_t a = 0, b = 0, c = 0;   // rows
    bool lives = false;                // in this run
    std::size_t asked = 0, answered = 0;   // steps: from the one, to before the other, it is open
    std::string text, answer;
};

struct Suppression {
    std::string why_none;              // why there is nothing to draw, a sentence; empty: there is
    std::string note;                  // what of the run is not here; empty: it is all here
    std::size_t count = 0;             // boxes of the run
    std::vector<RankedBox> boxes;      // in order of score
    std::vector<PairBit> pairs;        // boxes.size() squared, row after row
    std::vector<ChainQuestion> questions;   // by the row asked about
    std::size_t steps = 0;
    bool tiled = false;                // rows are read first, and joined by the atomics of a later step
    bool racing = false;               // threads decide at once: a row's turn is when its thread asked

    bool empty() const { return !why_none.empty(); }
    const PairBit& pair(std::size_t row, std::size_t column) const { return pairs[row * boxes.size() + column]; }
    Fate fate(std::size_t box, std::size_t step) const;
    // The first kept box that would suppress it; boxes.size(): none.
    std::size_t suppressor(std::size_t box) const;
    // Rows whose bits were made, whose turn came, or that were read at this step.
    bool acts(std::size_t row, std::size_t step) const;
};

// Never throws: a run of something else has a sentence instead.
Suppression suppression_of(const steps::Steps& steps);
// Fills in `questions`; suppression_of() does.
void ask_questions(Suppression& all);
// Does the run decide among boxes? Quick: by the arrays' names alone.
bool has_boxes(const trace::Trace& trace);

// What a step did to boxes and bits, a sentence or two; empty where it did nothing to them.
std::string suppression_caption(const Suppression& all, std::size_t step);
// "6 boxes: 3 kept, 2 suppressed, 1 undecided".
std::string suppression_counts(const Suppression& all, std::size_t step);
// The question that is open after `step`, or null; and the one whose answer came last, or null.
const ChainQuestion* open_question(const Suppression& all, std::size_t step);
const ChainQuestion* last_answered(const Suppression& all, std::size_t step);
// "row 1 · box 17 · score 0.5 · (10, 0) to (50, 40) · suppressed by A".
std::string box_text(const Suppression& all, std::size_t box, std::size_t step);
// "A and B overlap by more than the threshold", "… not compared yet".
std::string pair_text(const Suppression& all, std::size_t row, std::size_t column, std::size_t step);
// The order, the matrix and what became of each box, a line for each.
std::string describe_suppression(const Suppression& all, std::size_t step);

}  // namespace lanewise::scene
