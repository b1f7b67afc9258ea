// Non-maximum suppression: the boxes with what became of them, the matrix of bits, and the row that decides.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "viz/model/pane.hpp"
#include "viz/model/run_view.hpp"
#include "viz/model/selection.hpp"

namespace lanewise::viz {

// Where everything stands, in pixels of the window.
struct BoxesPlaces {
    Rect heading, caption, plane, matrix, question, foot;
    // Of the plane: a box's corner times `scale`, plus `origin`.
    float scale = 1;
    Point origin;
    // Of the matrix: the first cell, a cell's size, the first row and column in sight and how many; room for names.
    Rect cells;
    float cell = 0;
    std::size_t first = 0, count = 0;
    float names = 0;

    Rect box(const RankedBox& box) const {
        return {origin.x + box.x1 * scale, origin.y + box.y1 * scale, origin.x + box.x2 * scale,
                origin.y + box.y2 * scale};
    }
    Rect bit(std::size_t row, std::size_t column) const {
        return Rect{0, 0, cell, cell}.moved(cells.x0 + static_cast<float>(column - first) * cell,
                                            cells.y0 + static_cast<float>(row - first) * cell);
    }
    bool shows(std::size_t row) const { return row >= first && row < first + count; }
};

struct BoxesView {
    bool low = false;       // as laid out last: there is room for little beside boxes and bits
    bool compact = false;   // in a comparison: less is shown around boxes and bits

    // A click on a box or a row goes to the step that decides it; an answer to the question goes to the step that
    // decides it.
    Intent draw(const Pane& pane, const RunView& run_view, const Playhead& playhead, Selection& selection);

    // As drawn last.
    const BoxesPlaces& places() const { return places_; }
    int pointed() const { return pointed_; }                 // the row of the box under the pointer; -1: none
    const Rect& yes() const { return yes_; }                 // buttons; empty where nothing is asked
    const Rect& no() const { return no_; }
    const std::string& caption() const { return caption_; }
    const std::string& answer() const { return answer_; }    // as written: what came of the last question

private:
    void look_at(const RunView& run_view);
    // What is written over boxes and bits after `step`: caption, answer, and which question is open.
    void find_texts(std::size_t step);
    void lay_out(const Pane& pane);
    void point(const Pane& pane, std::size_t step);
    std::size_t turn_in_sight(std::size_t step) const;       // the row that the matrix must show
    bool stands_out(std::size_t row, std::size_t step, const Selection& selection) const;
    void draw_heading(const Pane& pane, std::size_t step) const;
    void draw_plane(const Pane& pane, std::size_t step, const Selection& selection) const;
    void draw_outline(const Pane& pane, const Rect& box, Fate fate, bool now, bool lit) const;
    // Where each name stands; empty rectangles where there was no room.
    std::vector<Rect> draw_names(const Pane& pane, std::size_t step, const std::vector<std::size_t>& order) const;
    void draw_arrows(const Pane& pane, std::size_t step, const std::vector<Rect>& names) const;
    void draw_matrix(const Pane& pane, std::size_t step, const Selection& selection) const;
    void draw_row(const Pane& pane, std::size_t step, std::size_t row, bool now) const;
    void draw_suppressed(const Pane& pane, std::size_t step) const;
    Intent draw_question(const Pane& pane);
    Intent draw_low_question(const Pane& pane);
    Intent answered(const Pane& pane);                       // by a click on a button
    Rect draw_button(const Pane& pane, Rect& line, const char* name) const;
    std::vector<std::string> legend_labels() const;
    std::vector<Rect> legend_places(const Pane& pane, const Rect& where) const;
    void draw_legend(const Pane& pane) const;
    Color color_of(const Theme& theme, Fate fate) const;

    std::shared_ptr<const Suppression> boxes_;
    BoxesPlaces places_;
    int pointed_ = -1;             // a box in the plane, or a row or column of the matrix
    int pointed_column_ = -1;      // a bit: its column
    Rect yes_, no_;
    std::string caption_, answer_;
    std::vector<std::string> caption_lines_;   // as many as the caption needs; of an answer just given, if it has no other place
    const ChainQuestion* open_ = nullptr;
    bool just_answered_ = false;   // this step decides the last question that the learner answered
    float fates_ = 0;              // room for the text beside a row
    std::map<std::size_t, bool> answers_;   // of the learner, by the row that was asked about
};

}  // namespace lanewise::viz
