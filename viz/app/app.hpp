// The application: what is shown, where the learner is, and how the views share the window. Knows ImGui, not GLFW: the
// window, the picture and the tests all drive the same frames.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "viz/app/actions.hpp"
#include "viz/app/layout.hpp"
#include "viz/app/run_loader.hpp"
#include "viz/app/splitters.hpp"
#include "viz/views/compare_view.hpp"
#include "viz/views/header_bar.hpp"
#include "viz/views/inspector_view.hpp"
#include "viz/views/keys_view.hpp"
#include "viz/views/reruns_view.hpp"
#include "viz/views/rounding_view.hpp"
#include "viz/views/source_view.hpp"
#include "viz/views/stage_view.hpp"
#include "viz/views/table_view.hpp"
#include "viz/views/text_view.hpp"
#include "viz/views/timeline_view.hpp"
#include "viz/views/timing_view.hpp"

namespace lanewise::viz {

class App {
public:
    using View = lesson::View;

    App(const lesson::Presentation& presentation, const lesson::WindowRequest& request, std::function<void()> wake = {});

    // One frame into ImGui's present frame. `seconds` have passed since the last.
    void frame(const Look& look, const Rect& window, float seconds);
    // The same of the view in the middle alone, under a line that says what it is and where it came from.
    void picture(const Look& look, const Rect& page);
    // A key was pressed. Ignored while a text is typed.
    void press(Key key, bool shift = false);
    void apply(Intent intent);

    // Waits for the runs that were asked for. Throws Error with a run's sentence.
    void settle();
    // Does the picture change by itself, or by what the last frame found out?
    bool needs_frame() const { return again_ || playhead_.moving(); }

    const Theme& theme() const { return dark_ ? dark_theme() : light_theme(); }
    // "Lanewise · 05 Warp shuffle · xor · emulator · ascending"; without where it came from "05 Warp shuffle · xor".
    std::string title(bool whole = true) const;
    // "variant=warp_sum_xor step=3 of=6 lane=-1 compare=": for tests that press real keys.
    std::string state() const;

    const Playhead& playhead() const { return playhead_; }
    const Selection& selection() const { return selection_; }
    const std::string& variant() const { return names_[0]; }
    bool comparing() const { return comparing_; }
    bool keys_open() const { return keys_.open; }
    bool rounding_open() const { return view_ == View::rounding; }
    bool table_open() const { return view_ == View::table; }
    const Panels& panels() const { return panels_; }
    const TableView& table() const { return table_; }
    const StageView& stage() const { return stage_; }
    const timing::TimingTable& timings() const { return presentation_.timings; }

private:
    void adopt_runs();
    void show_run(std::shared_ptr<const Exhibit> exhibit);
    void show_pair();    // both runs are there: the playhead moves over pairs of steps
    void leave_pair();   // back to the steps of the first
    void choose(const std::string& variant);
    void next_variant(int direction);
    void toggle_compare();
    void go_to_stage(int direction);
    void toggle_panel(std::size_t which);   // 0 text, 1 source and inspector, 2 steps
    // Opens a view in place of the stage, or the stage again.
    void toggle(View view) { view_ = view_ == view ? View::stage : view; }
    std::size_t tab_of(const std::string& variant) const;
    const std::string& tab_title(const std::string& variant) const;
    std::string origin() const;

    void begin(const Look& look, const Rect& window);   // ImGui's window that holds all panes
    void end();
    Intent draw(const Look& look, const Rect& window);
    Intent draw_single(const Look& look, Rect body);
    // The stage, or what stands in its place, of one variant.
    Intent draw_middle(const Look& look, const Rect& box);
    Intent draw_compare(const Look& look, Rect body);
    Intent draw_table(const Look& look, const Rect& body);
    // The rows that are known so far; asks for the other runs.
    lesson::Comparison comparison();
    Intent draw_side(const Look& look, Rect column, bool with_text);
    void draw_edges(const Look& look, const Rect& body, const Places& places);
    void draw_waiting(const Look& look, const Rect& where, const std::string& variant, const std::string& error);

    lesson::Presentation presentation_;
    lesson::WindowRequest request_;
    std::vector<std::string> tab_names_;
    std::string names_[2];                           // the variants asked for: shown, and compared with it
    std::shared_ptr<const Exhibit> shown_[2];        // their runs, once they are there
    std::string errors_[2];
    std::shared_ptr<const timing::TimingTable> measured_;   // on this machine; replaces the recorded times
    bool comparing_ = false;
    View view_ = View::stage;
    bool dark_ = true;
    bool focus_ = false;                             // the stage alone, with its steps
    bool text_tab_ = false;                          // narrow windows: the text instead of the source
    bool shared_place_ = false;                      // it is such a window
    Panels panels_;
    Splitters splitters_;
    float side_upper_ = 0;                           // height that source and inspector share
    bool first_run_ = true;
    bool again_ = true;

    Playhead playhead_;
    Selection selection_;
    HeaderBar header_;
    StageView stage_;
    TimelineView timeline_;
    SourceView source_;
    TextView text_;
    InspectorView inspector_;
    TimingView timing_;
    RerunsView reruns_;
    CompareView compare_;
    std::array<RoundingView, 2> rounding_;
    TableView table_;
    struct Row {
        std::shared_ptr<const Exhibit> exhibit;
        std::string times_from;
        lesson::ComparedVariant row;
    };
    std::map<std::string, Row> rows_;                // of the table, by variant
    KeysView keys_;
    RunLoader loader_;   // last: its worker ends before what it wakes
};

}  // namespace lanewise::viz
