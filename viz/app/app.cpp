#include "viz/app/app.hpp"

#include <algorithm>

#include "common/run/front_end.hpp"
#include "common/timing/times_text.hpp"

namespace lanewise::viz {
namespace {

std::string lesson_name(const run::Presentation& presentation) {
    const std::string number = presentation.lesson.substr(0, presentation.lesson.find_first_not_of("0123456789"));
    return number.empty() ? presentation.title : number + " " + presentation.title;
}

// Runs variants, alone or beside others, and reads files by the names of their runs.
RunLoader::Run with_files(const run::Presentation& presentation) {
    return [services = presentation.services](const std::string& full) {
        const auto [name, changes] = changed_run_of(full);
        if (!changes.empty()) {
            const RunBeside beside = run_beside_of(name);
            return services.run_changed(beside.variant.empty() ? name : beside.variant, beside.beside, changes);
        }
        if (const std::string path = path_of_file_run(name); !path.empty()) return services.open(path);
        const RunBeside beside = run_beside_of(name);
        if (beside.variant.empty()) return services.run(name);
        return services.run_beside ? services.run_beside(beside.variant, beside.beside) : services.run(beside.variant);
    };
}

}  // namespace

App::App(const run::Presentation& presentation, const run::WindowRequest& request, std::function<void()> wake,
         const Settings& settings)
    : presentation_(presentation),
      request_(request),
      loader_(with_files(presentation), presentation.services.measure, wake) {
    // A window continues to draw while something large is worked out; a picture waits for it.
    wait_for_results_ = rounding_.wait_for_results = tree_.wait_for_results = compare_.wait_for_results = !wake;
    tabs_of_lesson_ = presentation.variants.size();
    apply_settings(settings);
    start_open_ = request.start_page;
    const auto ensure_tab = [&](const std::string& name) {
        if (!name.empty() && tab_of(name) == presentation_.variants.size())
            presentation_.variants.push_back({name, name, "", false});
    };
    names_ = request.compare;
    if (names_.size() > kMostSides) names_.resize(kMostSides);
    if (names_.size() < 2) names_ = {request.variant};
    if (names_[0].empty() && !presentation_.variants.empty()) names_[0] = presentation_.variants.front().name;
    shown_.resize(names_.size());
    errors_.resize(names_.size());
    for (const std::string& name : names_) ensure_tab(name);
    for (const run::VariantInfo& variant : presentation_.variants) tab_names_.push_back(variant.name);
    source_.set_source(presentation_.kernel_file, presentation_.source);
    text_.set_text(presentation_.text);
    sources_ = player::question_sources(presentation_);
    prediction_.use(std::make_shared<player::QuestionSources>(sources_));
    glossary_ = player::Glossary(presentation_.glossary);
    if (const std::size_t next = own_place() + 1; next < presentation_.lessons.size())
        text_.next_lesson = presentation_.lessons[next].title;
    selection_.pinned_lane = request.lane;
    view_ = request.view;
    table_.sorted = !request.sort.empty();
    if (table_.sorted) table_.sorting = run::parse_sorting(request.sort);
    if (is_edited() && wake) presentation.services.wake_on_edit(wake);
    loader_.offer_cancel(presentation.services.cancel);
    loader_.offer_sizes(presentation.services.measure_sizes, presentation.services.why_not_measured);
    for (std::size_t side = 0; side < names_.size(); ++side) loader_.get(run_name(side));
}

void App::frame(const Look& look, const Rect& window, float seconds) {
    again_ = false;
    window_ = window;
    scale_ = look.scale;
    adopt_edit();
    adopt_runs();
    adopt_written();
    adopt_files();
    go_where_wanted();
    playhead_.advance(seconds);
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    if (moved.x != 0 || moved.y != 0 || ImGui::IsMouseClicked(0)) selection_.by_keys = false;
    follow_work();
    mark_progress();
    under_pointer_.clear();
    under_pointer_.pointer = {ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y};
    Look watched = look;
    watched.under_pointer = &under_pointer_;
    watched.buttons = &buttons_;
    buttons_.begin();
    mark_changes();
    if (prediction_.open()) view_ = View::stage;   // however it came to be another: that would show the answer
    text_.covered = prediction_.open() != nullptr;
    const Intent intent = draw(watched, window);
    buttons_.end();
    explain_under_pointer(look);
    apply(intent);
    again_ |= selection_.turn();
}

std::size_t App::tab_of(const std::string& variant) const {
    const auto at = std::find_if(presentation_.variants.begin(), presentation_.variants.end(),
                                 [&](const run::VariantInfo& info) { return info.name == variant; });
    return static_cast<std::size_t>(at - presentation_.variants.begin());
}

const std::string& App::tab_title(const std::string& variant) const {
    static const std::string before = "before the save";
    if (variant.starts_with("before:")) return before;
    const std::size_t tab = tab_of(variant);
    if (tab >= presentation_.variants.size() || presentation_.variants[tab].title.empty()) return variant;
    return presentation_.variants[tab].title;
}

std::string App::origin() const {
    // Times and costs are a GPU's, wherever the run was.
    const bool times = view_ == View::timings || view_ == View::roofline;
    if (times && !presentation_.timings.rows.empty()) return timing::times_from(presentation_.timings);
    if (view_ == View::costs && !presentation_.costs.rows.empty()) return timing::costs_from(presentation_.costs);
    if (!errors_[0].empty()) return "no run";
    if (!shown_[0]) return whole_ ? whole_->run->origin : "running…";
    // Each origin once.
    std::vector<std::string> origins;
    for (const auto& shown : shown_)
        if (shown && std::find(origins.begin(), origins.end(), shown->run->origin) == origins.end())
            origins.push_back(shown->run->origin);
    std::string all;
    for (const std::string& each : origins) all += (all.empty() ? "" : " | ") + each;
    return all;
}

std::string App::title(bool whole) const {
    std::string name = lesson_name(presentation_) + " · " + tab_title(names_[0]);
    for (std::size_t side = 1; side < names_.size(); ++side) name += " | " + tab_title(names_[side]);
    return whole ? "Lanewise · " + name + " · " + origin() : name;
}

std::string App::state() const {
    std::string compared;
    for (std::size_t side = 1; side < names_.size(); ++side) compared += (side > 1 ? "," : "") + names_[side];
    return "variant=" + names_[0] + " step=" + std::to_string(playhead_.step + 1) +
           " of=" + std::to_string(playhead_.count) + " lane=" + std::to_string(selection_.lane()) +
           " compare=" + compared + (changes_.empty() ? "" : " run=" + run::flags_of(changes_)) +
           (prediction_.on() ? std::string(" ") + player::predict_mode_name(prediction_.mode()) + "=" +
                                   std::to_string(prediction_.right()) + "/" + std::to_string(prediction_.asked())
                             : "");
}

// An overlay shows one thing: what leads to another closes it first, and Backspace does no more. Steps and lanes may be
// moved below it.
bool App::closes_overlay(const Intent& intent) {
    using Kind = Intent::Kind;
    if (!terms_.open && !keys_.open) return false;
    switch (intent.kind) {
        case Kind::back: break;
        case Kind::start_page:
        case Kind::next_lesson:
        case Kind::text_target:
        case Kind::follow_target:
        case Kind::variant:
        case Kind::next_variant: case Kind::compare: case Kind::tree: case Kind::rounding: case Kind::table:
        case Kind::costs: case Kind::timings: case Kind::read_on: case Kind::menu: case Kind::open_file: break;
        case Kind::explain: keys_.open = false; return false;
        case Kind::keys: terms_.open = false; return false;
        default: return false;
    }
    terms_.open = keys_.open = false;
    return intent.kind == Kind::back && (again_ = true);
}

void App::press(Key key, bool shift) {
    if (press_on_card(key, shift) || ImGui::GetIO().WantTextInput) return;
    const auto intent = intent_of_key(key, shift);
    if (!intent || closes_overlay(*intent)) return;
    apply(*intent);
}

void App::apply(Intent intent) {
    using Kind = Intent::Kind;
    if (intent) again_ = true;
    if (apply_predicted(intent) || apply_to_desk(intent)) return;
    switch (intent.kind) {
        case Kind::none: break;
        case Kind::go_to: playhead_.playing = false; playhead_.go_to(intent.value); break;
        case Kind::step_back: playhead_.playing = false; playhead_.back(); break;
        case Kind::step_forward: playhead_.playing = false; playhead_.forward(); break;
        case Kind::first: playhead_.playing = false; playhead_.first(); break;
        case Kind::last: playhead_.playing = false; playhead_.last(); break;
        case Kind::stage_back: go_to_stage(-1); break;
        case Kind::stage_forward: go_to_stage(1); break;
        case Kind::toggle_play: playhead_.toggle_play(); break;
        case Kind::faster: playhead_.faster(); break;
        case Kind::slower: playhead_.slower(); break;
        case Kind::variant:
            if (intent.value < tab_names_.size()) choose(tab_names_[intent.value]);
            break;
        case Kind::next_variant: next_variant(intent.value == 0 ? -1 : 1); break;
        case Kind::compare: open_comparison(); break;
        case Kind::uncompare: remove_side(intent.value == 0 ? chosen_side() : intent.value - 1); break;
        case Kind::compare_with:
            if (intent.value < tab_names_.size()) set_beside(tab_names_[intent.value]);
            break;
        case Kind::compare_list: compare_.listing = !compare_.listing; break;
        case Kind::side:
            if (comparing())
                compare_.chosen =
                    intent.value == 0 ? (chosen_side() + 1) % names_.size() : std::min(intent.value, names_.size()) - 1;
            break;
        case Kind::keys: keys_.open = !keys_.open; break;
        case Kind::pin:
            selection_.pinned_lane = selection_.pinned_lane == selection_.lane() ? -1 : selection_.lane();
            break;
        case Kind::timings:
            if (intent.value == 1) view_ = View::timings;   // from the roofline
            else view_ = view_ == View::timings || view_ == View::roofline ? View::stage : View::timings;
            break;
        case Kind::roofline: view_ = View::roofline; break;
        case Kind::measure: measure_sizes(intent.value); break;
        case Kind::next_lane:
            if (shown_[0]) {
                const int lanes = lanes_of(shown_[0]->steps(), selection_.warp);
                const int lane = selection_.lane();
                selection_.by_keys = true;
                selection_.pinned_lane = intent.value ? (lane + 1) % lanes : (lane < 1 ? lanes : lane) - 1;
            }
            break;
        case Kind::next_warp:
            if (shown_[0])
                selection_.warp = player::warp_beside(shown_[0]->steps(), selection_.warp, intent.value ? 1 : -1);
            break;
        case Kind::next_block:
            if (shown_[0])
                selection_.warp = player::block_beside(shown_[0]->steps(), selection_.warp, intent.value ? 1 : -1);
            break;
        case Kind::finding: go_to_finding(intent.value ? 1 : -1); break;
        case Kind::cancel: loader_.cancel(); break;
        case Kind::change_run: run_bar_.open_next(run_line()); break;
        case Kind::matrix: toggle_matrix(); break;
        case Kind::questions: next_predict_mode(); break;
        case Kind::undo_change: undo_change(); break;
        case Kind::lane_value: open_lane_value(static_cast<int>(intent.value)); break;
        case Kind::rounding_input: change_field("input", kRoundingInput); break;
        case Kind::version_before: show_version_before(); break;
        case Kind::focus: focus_ = !focus_; break;
        case Kind::theme: dark_ = !dark_; break;
        case Kind::colors:
            selection_.display.colors = selection_.display.colors == ColorBy::value ? ColorBy::inputs : ColorBy::value;
            break;
        case Kind::motion: playhead_.motion = !playhead_.motion; break;
        case Kind::zoom:
            intent.value == 1   ? stage_.camera.larger()
            : intent.value == 0 ? stage_.camera.smaller()
                                : stage_.camera.reset();
            break;
        case Kind::rounding: toggle(View::rounding); break;
        // What led to the result: of boxes their own view.
        case Kind::tree: toggle(shown_[0] && !shown_[0]->boxes->empty() ? View::boxes : View::tree); break;
        case Kind::table: toggle(View::table); break;
        case Kind::costs: toggle(View::costs); break;
        case Kind::panel: toggle_panel(intent.value); break;
        case Kind::read_on: read_on(intent.value == 0 ? -1 : 1); break;
        case Kind::memory:
            stage_.memory.next();
            for (CompareView::Side& side : compare_.sides) side.stage.memory.show = stage_.memory.show;
            break;
        case Kind::close:
            if (changing()) undo_change();   // the one that is under way
            else if (loader_.is_running() && !loader_.get(names_[0]).done()) loader_.cancel();   // it is waited for
            else if (view_ == View::table || view_ == View::timings || view_ == View::roofline) view_ = View::stage;
            else if (whole_) predict(player::PredictMode::off);
            else if (selection_.pinned_lane >= 0) selection_.pinned_lane = -1;
            else if (view_ != View::stage) view_ = View::stage;
            else if (compare_.listing) compare_.listing = false;
            else if (comparing()) close_comparison();
            else focus_ = false;
            break;
        default: break;   // of the terminal
    }
}

// In a narrow window the text and the source share a place: their keys bring one of them to the front.
void App::toggle_panel(std::size_t which) {
    if (comparing() && which < 2) {
        which == 0 ? compare_.toggle_text() : compare_.toggle_sources();
        return;
    }
    bool& shown = which == 0 ? panels_.show_text : which == 1 ? panels_.show_side : panels_.show_timeline;
    if (focus_ && which < 2) {
        focus_ = false;
        shown = true;
    } else if (shared_place_ && which < 2) {
        const bool text = which == 0;
        if (text_tab_ == text) panels_.show_side = false;
        text_tab_ = text;
    } else {
        shown = !shown;
        if (which == 0 && shown) text_tab_ = true;
    }
}

// The page of all lessons, tables and times are read where they stand; elsewhere it is the text.
void App::read_on(int pages) {
    const bool other = start_open_ || (comparing() && compare_.show_text) || view_ == View::table ||
                       view_ == View::costs || view_ == View::timings || view_ == View::roofline;
    const bool shown = !focus_ && (shared_place_ ? text_tab_ : panels_.show_text);
    if (other || shown) pages_ = pages;
    else toggle_panel(0);
}

void App::turn(const Pane& pane) {
    if (pages_ == 0) return;
    pane.turn(pages_);
    pages_ = 0;
    again_ = true;
}

}  // namespace lanewise::viz
