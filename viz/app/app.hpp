// The application: what is shown, where the learner is, and how the views share the window. Knows ImGui, not GLFW: the
// window, the picture and the tests all drive the same frames.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/player/answers.hpp"
#include "common/player/prediction.hpp"
#include "common/run/front_end.hpp"
#include "viz/app/layout.hpp"
#include "viz/model/selection.hpp"
#include "viz/app/open_card.hpp"
#include "viz/app/run_loader.hpp"
#include "viz/app/settings.hpp"
#include "viz/app/splitters.hpp"
#include "viz/views/benchmark/costs_view.hpp"
#include "viz/views/benchmark/timing_full_view.hpp"
#include "viz/views/benchmark/timing_view.hpp"
#include "viz/views/boxes/boxes_view.hpp"
#include "viz/views/compare/compare_view.hpp"
#include "viz/views/compare/table_view.hpp"
#include "viz/views/lane/inspector_view.hpp"
#include "viz/views/play/question_card.hpp"
#include "viz/views/play/run_bar.hpp"
#include "viz/views/reduction/reruns_view.hpp"
#include "viz/views/reduction/rounding_view.hpp"
#include "viz/views/reduction/tree_view.hpp"
#include "viz/views/shell/glossary_view.hpp"
#include "viz/views/shell/header_bar.hpp"
#include "viz/views/shell/keys_view.hpp"
#include "viz/views/shell/menu.hpp"
#include "viz/views/shell/notice_bar.hpp"
#include "viz/views/shell/source_view.hpp"
#include "viz/views/shell/start_view.hpp"
#include "viz/views/shell/text_view.hpp"
#include "viz/views/stage/timeline_view.hpp"
#include "viz/views/stage/stage_view.hpp"

namespace lanewise::viz {

class App {
public:
    using View = run::View;

    // `settings` are those of a window; a picture and a test have none, so that they are the same everywhere.
    App(const run::Presentation& presentation, const run::WindowRequest& request, std::function<void()> wake = {},
        const Settings& settings = {});

    // One frame into ImGui's present frame. `seconds` have passed since the last.
    void frame(const Look& look, const Rect& window, float seconds);
    // The same of the view in the middle alone, under a line that says what it is and where it came from.
    void picture(const Look& look, const Rect& page);
    // A key was pressed. Ignored while a text is typed.
    void press(Key key, bool shift = false);
    void apply(Intent intent);

    // Opens a trace as a tab, once it has been read; a notice says why where it cannot.
    void open_file(const std::string& path);
    // Shows a sentence under the header until it is dismissed.
    void notify(const std::string& sentence, bool good = false);
    // All of the window larger (1), smaller (-1) or as it was (0); for a projector, or eyes that like it so.
    void enlarge(int direction);
    float larger() const { return settings_.larger; }
    // Answers are kept in that file, and those that it has are counted. Unless it is called none are kept.
    void keep_answers(const std::filesystem::path& path);
    // What is to be kept for the next window.
    Settings settings() const;
    // Is a file being read?
    bool reading() const { return !opening_.empty(); }
    // What is shown and is not ours to choose, such as names of files: fonts must have its letters.
    std::string outside_text() const;
    // Is the window to close, for itself or for another lesson?
    bool closing() const { return closing_; }

    // Waits for the runs that were asked for. Throws Error with a run's sentence.
    void settle();
    // Does the picture change by itself, or by what the last frame found out?
    bool needs_frame() const { return again_ || playhead_.moving(); }

    const Theme& theme() const { return dark_ ? dark_theme() : light_theme(); }
    // "Lanewise · 05 Warp shuffle · xor · emulator · ascending"; without where it came from "05 Warp shuffle · xor".
    std::string title(bool whole = true) const;
    // "variant=warp_sum_xor step=3 of=6 lane=-1 compare=": for tests that press real keys.
    std::string state() const;
    // "shown=3 saved=4 problem=12" of a file that is edited: the version shown, the last, the line that is wrong; else
    // empty.
    std::string edit_state() const;

    const player::Prediction& prediction() const { return prediction_; }
    const RunBar& run_bar() const { return run_bar_; }
    const run::RunChanges& changes() const { return changes_; }
    const std::shared_ptr<const RunView>& run_shown(std::size_t side = 0) const { return shown_[side]; }
    const Playhead& playhead() const { return playhead_; }
    const Selection& selection() const { return selection_; }
    const std::string& variant() const { return names_[0]; }
    bool comparing() const { return names_.size() > 1; }
    const std::vector<std::string>& compared() const { return names_; }
    const CompareView& comparison_view() const { return compare_; }
    const TreeView& tree() const { return tree_; }
    bool keys_open() const { return keys_.open; }
    const GlossaryView& terms() const { return terms_; }
    const BoxesView& boxes() const { return boxes_; }
    bool boxes_open() const { return view_ == View::boxes; }
    bool tree_open() const { return view_ == View::tree; }
    bool rounding_open() const { return view_ == View::rounding; }
    bool table_open() const { return view_ == View::table; }
    bool costs_open() const { return view_ == View::costs; }
    const Notice& notice() const { return notice_; }
    bool start_page_open() const { return start_open_; }
    bool menu_open() const { return menu_.is_open(); }
    const OpenCard& open_card() const { return open_card_; }
    const TextView& lesson_text() const { return text_; }
    const Panels& panels() const { return panels_; }
    const TableView& table() const { return table_; }
    const StageView& stage() const { return stage_; }
    const timing::TimingTable& timings() const { return presentation_.timings; }
    bool timings_open() const { return view_ == View::timings; }
    bool roofline_open() const { return view_ == View::roofline; }
    const TimingFullView& all_times() const { return times_; }

private:
    // 32768 among values from 0 to 1: no format with a fraction adds them exactly, not even f16 values in f32.
    static constexpr const char* kRoundingInput = "huge";

    // The desk around the lesson (app_desk.cpp; menu and cards: app_menu.cpp).
    void apply_settings(const Settings& settings);
    void mark_progress();
    void adopt_files();
    std::vector<LessonRow> lesson_rows() const;
    std::size_t own_place() const;                 // among the lessons
    void open_lesson(std::size_t place);
    void go_to_next_lesson();
    void leave_for(const run::NextProgram& next);
    // Exports (app_export.cpp).
    struct Written {
        std::string sentence;   // where it lies, or why it does not
        std::string path;       // empty where it failed
    };
    std::string export_name() const;
    void export_run(std::size_t what);             // a player::ExportKind
    void take_times_away();
    void write_away(std::function<Written()> write);
    void adopt_written();
    std::string drawn_as_svg();
    void follow(const player::Link& link);
    void go_back();                                // to where the last link was followed
    void explain();                                // the terms of the step shown
    void explain_under_pointer(const Look& look);
    void go_where_wanted();                        // the step of a link, once the run is there
    void compare_these(const std::vector<std::string>& variants);
    std::optional<bool> is_on(const Intent& intent) const;
    std::vector<std::vector<MenuSection>> menu_columns() const;
    Intent draw_start(const Look& look, const Rect& body);
    Intent draw_cards(const Look& look, const Rect& window, const Rect& header);
    bool press_on_card(Key key, bool shift);
    bool closes_overlay(const Intent& intent);     // true: and that is all it does
    bool apply_to_desk(const Intent& intent);

    // Playing with a run (app_play.cpp).
    const std::vector<run::RunField>& fields_of(std::size_t side) const;
    run::RunChanges changes_of(std::size_t side) const;
    void change_run(const run::RunChanges& changes);
    void change_field(const std::string& field, const std::string& text);
    void undo_change();
    void follow_changes();
    void refuse_change(const std::string& why);   // the last one did not run: it is none
    bool changing();
    player::RunLine run_line() const;
    void mark_changes();
    void toggle_matrix();
    bool can_be_made_to_round() const;
    void open_lane_value(int lane);          // the card of the number that the lane took from the input
    void draw_run_bar(const Look& look, Rect& body);
    void draw_run_card(const Look& look, const Rect& window);
    void answer(const RunAsk& ask);

    void adopt_runs();
    // Predict, then reveal (app_predict.cpp).
    void next_predict_mode();
    void predict(player::PredictMode mode);
    void begin_as_asked();                         // --predict
    void ask_of_text(const player::Link& link);    // a link of the text that asks
    void begin_questions(player::PredictMode mode, std::size_t step);
    void go_predicted(std::size_t to);
    void show_known();
    bool apply_predicted(const Intent& intent);
    void answer_question(const std::string& given);
    void after_answer(const player::Question& question);
    void finish_exam();
    QuestionState question_state() const;
    void draw_questions(const Look& look, Rect& stage);
    void apply_question(const QuestionAsk& ask);
    void take_clicked_lane(int pinned);
    void draw_wrong_answer(const Pane& pane) const;

    void adopt_changed_sides();
    // A file that is edited (app_edit.cpp).
    void adopt_edit();
    void show_version_before();
    bool is_edited() const { return static_cast<bool>(presentation_.services.edited); }
    void show_run(std::shared_ptr<const RunView> run_view);
    void follow_work();
    // Comparisons (app_compare.cpp).
    std::vector<CompareSide> compare_sides() const;
    std::string run_name(std::size_t side) const;   // of its run; beside others: on the input that all share
    void show_together();            // all runs are there: the playhead moves over places where steps stand together
    void leave_places(std::size_t side = 0);   // back to the steps of one side; all sides are taken up anew
    void open_comparison();
    void close_comparison();
    void set_beside(const std::string& variant);
    void remove_side(std::size_t side);
    // The side that Tab, 1 … 9 and the tabs change.
    std::size_t chosen_side() const { return comparing() ? std::min(compare_.chosen, names_.size() - 1) : 0; }
    void choose(const std::string& variant);
    void next_variant(int direction);
    void go_to_stage(int direction);
    void go_to_finding(int direction);
    void toggle_panel(std::size_t which);   // 0 text, 1 source and inspector, 2 steps
    void read_on(int pages);                // brings the text to the front where nothing else is read
    void turn(const Pane& pane);            // by the pages that were asked for
    // Opens a view in place of the stage, or the stage again.
    void toggle(View view) { view_ = view_ == view ? View::stage : view; }
    std::size_t tab_of(const std::string& variant) const;
    const std::string& tab_title(const std::string& variant) const;
    std::string origin() const;

    void begin(const Look& look, const Rect& window);   // ImGui's window that holds all panes
    void end();
    Intent draw(const Look& look, const Rect& window);
    Intent draw_single(const Look& look, Rect body);
    // The stage, or what is in its place, of one variant.
    // The view that is open. `with_panels`: of a single run also what is around its stage.
    Intent draw_view(const Look& look, const Rect& body, bool with_panels);
    Intent draw_middle(const Look& look, const Rect& box);
    Intent draw_compare(const Look& look, const Rect& body);
    Intent draw_table(const Look& look, const Rect& body);
    void draw_costs(const Look& look, const Rect& body);
    // All times in the middle, and measuring them over sizes (app_times.cpp).
    Intent draw_times(const Look& look, const Rect& body);
    void measure_sizes(std::size_t what);            // 1 begins, 0 ends, 2: the one or the other
    void adopt_sizes();
    // The rows that are known so far; asks for the other runs.
    run::Comparison comparison();
    Intent draw_side(const Look& look, Rect column, bool with_text);
    void draw_edges(const Look& look, const Rect& body, const Places& places);
    void draw_waiting(const Look& look, const Rect& where, const std::string& variant, const std::string& error);

    run::Presentation presentation_;
    run::WindowRequest request_;
    std::vector<std::string> tab_names_;
    // The variants asked for, up to kMostSides of them: the one that is shown, and those compared with it.
    std::vector<std::string> names_;
    std::vector<std::shared_ptr<const RunView>> shown_;   // their runs, once they are there
    std::vector<std::string> errors_;
    std::vector<std::string> set_aside_;             // what the last comparison held beside the first
    std::shared_ptr<const timing::TimingTable> measured_;   // on this machine; replaces the recorded times
    View view_ = View::stage;
    bool dark_ = true;
    bool focus_ = false;                             // the stage alone, with its steps
    bool text_tab_ = false;                          // narrow windows: the text instead of the source
    bool shared_place_ = false;                      // it is such a window
    Panels panels_;
    Splitters splitters_;
    float side_upper_ = 0;                           // height that source and inspector share
    int pages_ = 0;                                  // to turn in the next frame, in what is read
    bool first_run_ = true;
    bool again_ = true;

    player::Prediction prediction_;
    std::shared_ptr<const RunView> whole_;  // while questions are asked: the run, of which shown_[0] is what is known
    std::shared_ptr<const RunView> shown_of_;        // the run that shown_[0] is a part of
    QuestionCard question_card_;
    player::AnswerFile answers_;
    std::map<std::string, player::LessonScore> scores_;
    player::QuestionSources sources_;
    std::optional<player::Link> asking_;             // a link of the text that asks, until its run is there
    bool exam_kept_ = false;                         // the exam that ended is in the file

    std::optional<bool> matrix_;                     // chosen by the learner; else as the variant has it
    RunBar run_bar_;
    run::RunChanges changes_;
    std::vector<run::RunChanges> undone_;         // what the changes were before, the last at the end
    std::shared_ptr<const RunView> before_;          // what was shown when something was changed last
    std::string change_error_;                       // why the last change did not run

    Playhead playhead_;
    Selection selection_;
    WarpRef home_, followed_;        // the warp that the learner chose, and the one shown for it at this step
    HeaderBar header_;
    StageView stage_;
    TimelineView timeline_;
    SourceView source_;
    TextView text_;
    InspectorView inspector_;
    TimingView timing_;
    TimingFullView times_;
    std::shared_ptr<const timing::TimingTable> measured_sizes_;
    RerunsView reruns_;
    CompareView compare_;
    RoundingView rounding_;
    TreeView tree_;
    BoxesView boxes_;
    TableView table_;
    CostsView costs_;
    struct Row {
        std::shared_ptr<const RunView> run_view;
        std::string times_from;
        run::ComparedVariant row;
    };
    std::map<std::string, Row> rows_;                // of the table, by variant
    KeysView keys_;
    player::Glossary glossary_;
    GlossaryView terms_;
    TextUnderPointer under_pointer_;
    ButtonsByKey buttons_;
    // Where links were followed from, the last at the end.
    struct Visited {
        std::vector<std::string> names;
        View view = View::stage;
        std::size_t step = 0;
        int lane = -1;
    };
    std::vector<Visited> visited_;

    Settings settings_;
    Menu menu_;
    OpenCard open_card_;
    StartView start_;
    bool start_open_ = false;
    Notice notice_;
    std::vector<std::string> opening_;               // names of runs that are being read from files
    int opened_files_ = 0;
    bool wait_for_results_ = true;  // frames wait for what takes long: nothing would wake them
    BackgroundTask<Written> writing_;
    std::string written_path_;
    Rect window_;                                    // as drawn last, and its scale
    float scale_ = 1;
    run::NextProgram elsewhere_;                         // where the file of the notice can be opened
    std::size_t tabs_of_lesson_ = 0;                 // tabs that are the lesson's own: the first ones
    std::optional<std::size_t> wanted_step_;
    bool closing_ = false;
    std::shared_ptr<const run::EditedFile> edited_;   // as it was saved last
    std::uint64_t shown_version_ = 0;                    // of it, that is shown
    RunLoader loader_;   // last: its worker ends before what it wakes
};

}  // namespace lanewise::viz
