// All times in the middle of the window: over sizes, as rates, as the S×K table, under the machine's limit; and
// measured anew where there is a GPU. Never an emulator's time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viz/model/pane.hpp"
#include "viz/model/selection.hpp"
#include "viz/views/benchmark/timing_chart.hpp"

namespace lanewise::viz {

// How measuring over sizes stands.
struct MeasureState {
    bool known = false;        // is it known whether this machine can?
    bool possible = false;
    std::string why_not = {};  // where it cannot: a sentence
    bool running = false;
    bool cancelling = false;
    std::size_t done = 0, all = 0;
    std::string what = {};     // comes next: "1048576 · warp_sum_xor"
    double seconds = 0;        // since it began
    std::string note = {};     // how the last one ended, where that is worth showing
};

struct TimingFullView {
    enum class Show : std::uint8_t { time, rate, shapes };
    // What was chosen; empty: of a lesson on rows the table of shapes, else times.
    std::optional<Show> show;
    std::string element;       // the type of input; empty: that of the variant that is shown
    std::string pinned;        // a series that was clicked, lit until it is clicked again

    // `table`: over sizes, or of one size; `by_shape`: the S×K table, perhaps of another day or without rows.
    // `roofline`: rates under the limit, whatever `show` says. Asks for Kind::timings or Kind::roofline to change
    // between them, and for Kind::measure to begin or to end measuring.
    Intent draw(const Pane& pane, const timing::TimingTable& table, const timing::TimingTable& by_shape,
                const std::string& shown, const MeasureState& state, bool roofline);

    // As drawn last.
    const ChartResult& chart() const { return chart_; }
    const Rect& measure_button() const { return button_; }
    const std::string& reason() const { return reason_; }   // why the button does nothing; empty where it has no room
    Rect tab(const std::string& name) const;

private:
    // What is drawn of the two tables.
    struct Content {
        const timing::TimingTable* table = nullptr;   // the one that is shown
        TimingSeries series;
        Shapes shapes;
        std::vector<std::string> elements;
        bool roofline = false;
        Show show = Show::time;
    };
    Intent draw_head(const Pane& pane, Rect& rest, const Content& content, const MeasureState& state);
    // `where` is one or two rows; in the second are the types of input that have no room in the first.
    Intent draw_controls(const Pane& pane, const Rect& where, float row_height, const Content& content,
                         const MeasureState& state);
    // `tabs_width`: what must be left of `where` at its left.
    Intent draw_measure(const Pane& pane, Rect& where, const MeasureState& state, float tabs_width);
    static float tabs_width(const Look& look, const Content& content);

    ChartResult chart_;
    Rect button_;
    std::string reason_;
    std::vector<std::pair<std::string, Rect>> tabs_;
};

// What there is to doubt or to know of a table, a sentence each.
// `curves`: what is drawn is `series`, not the S×K table.
std::vector<std::string> timing_notes(const timing::TimingTable& table, const TimingSeries& series, bool roofline,
                                      bool curves = true);

}  // namespace lanewise::viz
